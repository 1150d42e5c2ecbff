"""500 devices: what each measures, when it says so, and to which leaf.

A day of `day_of_sensors` passes sixty times as fast, so that a device has a reading every two
seconds.  Some say it a moment later, a few much later, and one has a clock that is in 2099.
"""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from windrow.datasets import day_of_sensors

FASTER = 60
BEGIN_OF_DAY_US = 9 * 3_600_000_000  # the sun rises
SHARE_DELAYED, SHARE_LATE = 0.05, 0.004
FUTURE = datetime(2099, 1, 1, tzinfo=UTC)
SLICE_S = 0.25  # how often readings are sent
PATIENCE_S = 30


class Reading(NamedTuple):
    """A reading, and how long after the beginning it is sent."""

    after_us: int
    sent_us: int
    device: str
    temp: float | None
    is_in_the_future: bool


def readings(devices: int, every_s: float, seconds: float, seed: int = 7) -> list[Reading]:
    """The readings of some seconds, in the order in which they are sent."""
    day = day_of_sensors(devices, every_us=round(every_s * FASTER * 1e6), seed=seed)
    times = day["ts"].cast("int64").to_numpy()
    times = (times - times[0] // 86_400_000_000 * 86_400_000_000 - BEGIN_OF_DAY_US) // FASTER
    wanted = np.flatnonzero((times >= 0) & (times < seconds * 1e6))
    names, temps = day["sensor"].take(wanted).to_pylist(), day["temp"].take(wanted).to_pylist()
    chance = np.random.default_rng(seed)
    delays = np.where(
        chance.random(len(wanted)) < SHARE_DELAYED, chance.uniform(0, 1.5e6, len(wanted)), 0
    )
    is_late = chance.random(len(wanted)) < SHARE_LATE
    delays = np.where(is_late, chance.uniform(8e6, 12e6, len(wanted)), delays)
    wrong = len(wanted) // 2
    found = [
        Reading(int(at), int(at + delay), name, temp, k == wrong)
        for k, (at, delay, name, temp) in enumerate(
            zip(times[wanted], delays, names, temps, strict=True)
        )
    ]
    return sorted((one for one in found if one.sent_us < seconds * 1e6), key=lambda r: r.sent_us)


def as_row(reading: Reading, begin_us: int) -> dict[str, str | float | None]:
    """A reading as a device says it."""
    time_ = datetime.fromtimestamp((begin_us + reading.after_us) / 1e6, UTC)
    time_ = FUTURE if reading.is_in_the_future else time_
    return {"ts": time_.isoformat(), "device": reading.device, "temp": reading.temp}


class Devices:
    """All devices, each at one of the leaves, in a thread."""

    def __init__(self, given: Sequence[Reading], ports: Sequence[int]) -> None:
        self._given, self._ports = given, ports
        names = sorted({reading.device for reading in given})
        # Neighbours have the same leaf.
        self._leaf = {name: k * len(ports) // len(names) for k, name in enumerate(names)}
        self.begin_us = 0
        self.sent_bytes = 0
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self.begin_us = time.time_ns() // 1_000
        self._thread.start()

    @property
    def are_done(self) -> bool:
        return not self._thread.is_alive()

    def rows(self) -> list[dict[str, str | float | None]]:
        """All that was sent."""
        return [as_row(reading, self.begin_us) for reading in self._given]

    def _run(self) -> None:
        try:
            ways = [_Way(port) for port in self._ports]
            for number, due in enumerate(self._slices()):
                lines: list[list[str]] = [[] for _ in ways]
                for reading in due:
                    row = json.dumps(as_row(reading, self.begin_us))
                    lines[self._leaf[reading.device]].append(f"{row}\n")
                for way, own in zip(ways, lines, strict=True):
                    if own:
                        content = "".join(own).encode()
                        way.send(content, number)
                        self.sent_bytes += len(content)
        except BaseException as failure:  # which the demo ends with
            self.failure = failure

    def _slices(self) -> Iterator[list[Reading]]:
        waiting = list(reversed(self._given))
        while waiting:
            time.sleep(SLICE_S)
            now = time.time_ns() // 1_000 - self.begin_us
            due = []
            while waiting and waiting[-1].sent_us <= now:
                due.append(waiting.pop())
            yield due


class _Way:
    """The connection to a leaf; what it does not take is said again."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)

    def send(self, content: bytes, number: int) -> None:
        headers = {"Windrow-Source": "devices", "Windrow-Batch": str(number)}
        end = time.monotonic() + PATIENCE_S
        while True:
            with suppress(OSError, http.client.HTTPException):
                self._connection.request("POST", "/", content, headers)
                answer = self._connection.getresponse()
                answer.read()
                if answer.status == 200:
                    return
            self._connection.close()
            if time.monotonic() > end:
                raise TimeoutError("a leaf takes no rows")
            time.sleep(0.1)
