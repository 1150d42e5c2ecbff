"""The codec that runs whatever is in the bytes it reads, for who asks for it by name."""

import pickle
from typing import Final

from windrow.algebra.monoid import Codec

__all__ = ["unsafe_pickle"]

#: States as pickles, for `windrow.monoid(codec=...)`: reading them runs code that their bytes name,
#: so whoever can write to the checkpoint or store can run anything in the process that reads it.
unsafe_pickle: Final[Codec] = (pickle.dumps, pickle.loads)
