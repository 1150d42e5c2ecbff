"""What structures without blocks share: a slide looks one update ahead, and evicts it or stops."""

from abc import abstractmethod
from typing import Any

from windrow.aggregators.base import Aggregator

__all__ = ["OneByOne"]


class OneByOne(Aggregator):
    """A window that slides in as many steps as updates leave, and one more."""

    def _slide(self) -> int:
        judge, before = self._contents.judge, self._total()
        # invariant: `gone` updates went, `evicted` is their state and `window` that of the rest
        gone, evicted, window = 0, self._identity, before
        while len(self):
            refused = not judge.keeps(window)
            if not refused and not judge.drops:
                break
            rest = self._rest()
            if judge.drops:
                evicted = self._combine(evicted, self._oldest())
                # The newest update always survives `drop`: it is asked about proper prefixes only.
                condemned = len(self) > 1 and judge.condemns(evicted, rest, before)
                if not refused and not condemned:
                    break
            self._evict(1)
            gone, window = gone + 1, rest
        return gone

    @abstractmethod
    def _oldest(self) -> Any:
        """The state of the oldest update of a window that is not empty."""

    @abstractmethod
    def _rest(self) -> Any:
        """The state of a window that is not empty without its oldest update."""
