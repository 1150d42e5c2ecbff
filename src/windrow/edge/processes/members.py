"""Orders about a node's children, which `windrow tree adapt` gives."""

from collections.abc import Callable, Mapping
from typing import Any

from windrow.edge.carrier import Below
from windrow.edge.children import Children
from windrow.errors import InputError

__all__ = ["member_orders"]


def member_orders(core: Children, below: Below) -> Mapping[str, Callable[..., Any]]:
    """What may be done with the children of a node.

    join     a new child, from what has been merged on
    replace  the children of a dead child take its place
    release  a child from which nothing more will come; false: it is too early
    """

    def join(member: str, key: str = "") -> None:
        below.admit(member, key)
        core.join(member)

    def replace(member: str, heirs: Mapping[str, str]) -> None:
        _require(core, member)
        for heir, key in heirs.items():
            below.admit(heir, key)
        core.replace(member, heirs)

    def release(member: str) -> bool:
        return member not in core.members or core.release(member)

    return {"join": join, "replace": replace, "release": release}


def _require(core: Children, member: str) -> None:
    if member not in core.members:
        known = ", ".join(core.members) or "none"
        raise InputError(f"member={member!r} is no child of {core.name}; give one of {known}")
