"""A node's frames on their way to its parent: kept until the root has made them safe.

Frontiers are the sequence numbers: a frame is new to the parent if it begins where the last one
ended.  So whatever is lost, doubled or reordered on the way, frames are sent again from the
parent's frontier on, and what it has already is ignored there.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from windrow.edge.payload import BEGIN, END
from windrow.wire.messages import (
    Ack,
    Frame,
    Hello,
    Late,
    LateAck,
    Leaving,
    Message,
    Resend,
    Status,
    Welcome,
)

__all__ = ["Upward"]

_SIGN_US = 1_000_000  # a child that says nothing at all may be dead
_RESEND_US = 2_000_000  # without an answer, hello and frames are said again
_MOST_RESEND_US = 30_000_000
_OVERHEAD = 256  # what a frame takes besides its body


def _size(message: Frame | Late) -> int:
    return len(message.body) + _OVERHEAD


@dataclass
class _Box:
    """The frames of one query that are not safe yet, in order."""

    begun: int  # before it this node has nothing to send
    first: int  # where the node's rows of the query begin, whoever they went to
    frames: deque[Frame] = field(default_factory=deque)
    acked: int = BEGIN  # the parent's frontier
    next: int = 0  # the first frame that is not under way

    @property
    def under_way(self) -> int:
        return sum(_size(frame) for frame in self._sent() if frame.to > self.acked)

    def _sent(self) -> Iterator[Frame]:
        return (self.frames[k] for k in range(self.next))

    def rewind(self, since: int) -> int | None:
        """Send again from a frontier on; where frames begin, if that is later."""
        self.acked = since
        self.next = next((k for k, f in enumerate(self.frames) if f.to > since), len(self.frames))
        return self.begun if since < self.begun else None

    def safe(self, durable: int) -> None:
        """Forget what will not be asked for again."""
        while self.frames and self.frames[0].to <= durable:
            self.begun = self.frames.popleft().to
            self.next = max(0, self.next - 1)


class Upward:
    """The way up from a node; it holds what is not safe, and says what to send."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.connected = False
        self.frontiers: dict[str, int] = {}  # what the parent had at the last welcome
        self._credit = 0
        self._boxes: dict[str, _Box] = {}
        self._late: dict[tuple[str, str], deque[Late]] = {}
        self._late_sent: dict[tuple[str, str], int] = {}
        self._leaving: dict[str, int] = {}  # from where on frames go elsewhere
        self._heard: int | None = None  # when the parent was heard of; None: say hello
        self._said: int | None = None
        self._framed: int | None = None  # when a frame was sent
        self._patience = _RESEND_US
        self._out: deque[Message] = deque()

    @property
    def size(self) -> int:
        """How many bytes wait to become safe."""
        frames = sum(_size(frame) for box in self._boxes.values() for frame in box.frames)
        return frames + sum(_size(late) for held in self._late.values() for late in held)

    def durable(self, query: str) -> int:
        """Up to where all is safe."""
        box = self._boxes[query]
        return box.frames[0].since if box.frames else box.begun

    def unsafe(self) -> Iterator[Frame | Late]:
        """What the root has not made safe."""
        for box in self._boxes.values():
            yield from box.frames
        for held in self._late.values():
            yield from held

    def has(self, query: str) -> bool:
        """Whether frames of a query are sent."""
        return query in self._boxes

    def begin(self, query: str, since: int, first: int | None = None) -> None:
        """Frames of a query will come, from a time on; those since `first` went elsewhere."""
        self._boxes[query] = _Box(since, since if first is None else first)
        if self.connected:
            self._enter(query)

    def drop(self, query: str) -> None:
        """No more frames of a query, and those that wait are of no use."""
        self._boxes.pop(query, None)
        self._leaving.pop(query, None)
        for held in (self._late, self._late_sent):
            for key in [key for key in held if key[0] == query]:
                del held[key]

    def put(self, frame: Frame) -> None:
        """A frame to send, which begins where the last one of its query ended."""
        self._boxes[frame.query].frames.append(frame)

    def taken_back(self, query: str) -> list[Frame]:
        """All frames of a query, which the parent will not take as frames any more."""
        box = self._boxes[query]
        frames = [*box.frames]
        if frames:
            self._boxes[query] = _Box(frames[-1].to, box.first)
        return frames

    def put_late(self, late: Late) -> None:
        """Late rows to send."""
        key = late.query, late.sender
        held = self._late.setdefault(key, deque())
        if held and late.number <= held[-1].number:
            self._late_sent.pop(key, None)  # it is said again: so may ours have got lost
        else:
            held.append(late)

    def say(self, message: Status) -> None:
        """Something to say once."""
        if self.connected:
            self._out.append(message)

    def leave(self, query: str, at: int) -> None:
        """Frames of a query go elsewhere, from a frontier on."""
        self._leaving[query] = at
        if self.connected:
            self._out.append(Leaving({query: at}))

    @property
    def is_done(self) -> bool:
        """Whether all that was sent here is safe, and nothing more is expected."""
        return not self._unconfirmed and not any(box.frames for box in self._boxes.values())

    def take_late(self, other: "Upward") -> None:
        """Send what another way has not made safe."""
        for held in other._late.values():
            for late in held:
                self.put_late(late)

    def again(self) -> None:
        """The welcome was not all there is to know: say hello again after a while."""
        self.connected = False

    def lost(self) -> None:
        """The way to the parent is gone: say hello again."""
        self.connected = False
        self._heard = None
        self._out.clear()

    def handle(self, message: Message, now: int) -> None:
        """What the parent says."""
        self._heard, self._patience = now, _RESEND_US
        if isinstance(message, Welcome):
            self.connected = True
            self._credit = message.credit
            self.frontiers = dict(message.frontiers)
            for query, box in self._boxes.items():
                self._enter(query)
                box.safe(message.durable.get(query, BEGIN))
            if self._unconfirmed:
                self._out.append(Leaving(dict(self._leaving)))
            self._late_sent.clear()
        elif isinstance(message, Ack):
            self._acked(message)
        elif isinstance(message, LateAck):
            held = self._late.get((message.query, message.sender), deque())
            while held and held[0].number <= message.number:
                held.popleft()
        elif isinstance(message, Resend) and message.query in self._boxes:
            self._rewind(message.query, message.since)

    def sends(self, now: int) -> list[Message]:
        """What to send now; a sign of life, if there was nothing for a while."""
        found = self._sends(now)
        if not found and self.connected and _since(now, self._said) > _SIGN_US:
            found = [Status({})]
        if found:
            self._said = now
        return found

    def _sends(self, now: int) -> list[Message]:
        if self._heard is None:
            self._heard = now
            return [Hello(self.epoch)]
        quiet = min(_since(now, self._heard), _since(now, self._framed))
        if quiet > self._patience and (not self.connected or self._waits()):
            self._heard, self._patience = now, min(2 * self._patience, _MOST_RESEND_US)
            return [Hello(self.epoch)]
        if not self.connected:
            return []
        out = [*self._out]
        self._out.clear()
        for key, held in self._late.items():
            # One at a time: so none is lost, or comes before another, whatever happens on the way.
            if held and self._late_sent.get(key) != held[0].number:
                out.append(held[0])
                self._late_sent[key] = held[0].number
        under_way = sum(box.under_way for box in self._boxes.values())
        for box in self._boxes.values():
            while box.next < len(box.frames):
                frame = box.frames[box.next]
                if under_way and under_way + _size(frame) > self._credit:
                    return out
                out.append(frame)
                self._framed = now
                under_way += _size(frame)
                box.next += 1
        return out

    def _waits(self) -> bool:
        """Whether anything is not safe yet, or not known to the parent."""
        boxes = self._boxes.values()
        return (
            self._unconfirmed
            or any(self._late.values())
            or any(box.frames or box.begun > box.acked for box in boxes)
        )

    def _acked(self, ack: Ack) -> None:
        self._credit = ack.credit
        box = self._boxes.get(ack.query)
        if box is not None:
            box.acked = max(box.acked, ack.frontier)
            box.safe(ack.durable)

    @property
    def _unconfirmed(self) -> bool:
        """Whether the parent, which may have crashed since, still expects what goes elsewhere."""
        return any(self.frontiers.get(query) != END for query in self._leaving)

    def _enter(self, query: str) -> None:
        """Send a query's frames from where the parent has come."""
        if query in self.frontiers:
            self._rewind(query, self.frontiers[query])
        else:  # an empty frame says where its frames begin
            first = self._boxes[query].first
            self._out.append(Frame(query, first, first, 0, b""))
            self._rewind(query, first)

    def _rewind(self, query: str, since: int) -> None:
        begun = self._boxes[query].rewind(since)
        if begun is not None:  # before that there has been nothing
            self._out.append(Frame(query, since, begun, 0, b""))


def _since(now: int, then: int | None) -> float:
    """How long ago something was."""
    return math.inf if then is None else now - then
