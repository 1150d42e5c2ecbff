"""Plain Python functions, compiled by numba where that pays and kept on disk.

`kernel.py` decides when a function is compiled, unless the user has (`setting.py`);
`interpreted.py` and `native.py` are both ways to run it, `jit.py` compiles, `cache.py` keeps
compiled code in a private folder (`private_files.py`) under the fingerprint of its function
(`fingerprint.py`).  `marks.py` has hints for the compiler, `machine_numbers.py` Python numbers that
compute as compiled ones do.
"""
