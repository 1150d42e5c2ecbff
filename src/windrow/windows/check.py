"""How far a slide policy is trusted."""

from enum import Enum

__all__ = ["Check"]


class Check(Enum):
    """Whether aggregators take the predicates of a policy to be monotone."""

    TRUST = "trust"
    """They do, and find the eviction point by search."""

    VERIFY = "verify"
    """They verify it on the data at hand, and raise `PolicyError` where it fails; slower."""
