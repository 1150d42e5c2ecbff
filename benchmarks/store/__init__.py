"""Windows in memory and in stores, measured in one run: `python -m benchmarks.store`."""
