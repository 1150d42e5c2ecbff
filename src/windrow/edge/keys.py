"""Keys of nodes: each has a secret one, and knows the public ones of all nodes of its tree.

keys/
    leaf-07.public   for everybody
    leaf-07.secret   for this node alone: only its owner may read it
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import zmq

from windrow.errors import InputError

__all__ = ["Keys", "make_keys", "read_keys"]

_KEY = re.compile(r"[!-~]{40}")  # 32 bytes in Z85


@dataclass(frozen=True)
class Keys:
    """The keys that one node has."""

    public: bytes
    secret: bytes = field(repr=False)
    names: dict[bytes, str]  # of all nodes, by their public keys

    def public_of(self, name: str) -> bytes:
        """The public key of another node."""
        return next(key for key, known in self.names.items() if known == name)


def make_keys(folder: Path, names: Iterable[str]) -> list[str]:
    """Make a pair of keys for each node that has none, and say which these are."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = []
    for name in names:
        if (folder / f"{name}.secret").exists():
            continue
        public, secret = zmq.curve_keypair()
        _write(folder / f"{name}.secret", secret, 0o600)
        _write(folder / f"{name}.public", public, 0o644)
        made.append(name)
    return made


def read_keys(folder: Path, own: str, names: Iterable[str]) -> Keys:
    """The keys of a node, and the public ones of the nodes of its tree."""
    secret_file = folder / f"{own}.secret"
    secret = _read(secret_file)
    if secret_file.stat().st_mode & 0o077:
        raise InputError(f"{secret_file} can be read by others; say chmod 600 {secret_file}")
    public = {_read(folder / f"{name}.public"): name for name in names}
    return Keys(zmq.curve_public(secret), secret, public)


def _write(path: Path, key: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(handle, "wb") as file:
        file.write(key + b"\n")


def _read(path: Path) -> bytes:
    try:
        text = path.read_text("ascii").strip()
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); make keys, or copy the file") from None
    if not _KEY.fullmatch(text):
        raise InputError(f"{path} is no key of 40 characters; make keys, or copy the file again")
    return text.encode()
