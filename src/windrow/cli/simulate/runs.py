"""A plan simulated once for every seed."""

from collections.abc import Callable
from dataclasses import dataclass

from windrow.cli.plan.wording import told_as_options
from windrow.cli.simulate.arguments import Asked
from windrow.topology.simulation import Simulation, simulate

__all__ = ["Runs", "run"]


@dataclass(frozen=True)
class Runs:
    """What came out, seed by seed."""

    asked: Asked
    every: tuple[Simulation, ...]

    @property
    def worst(self) -> Simulation:
        """The run that lost most; of several the first."""
        return max(self.every, key=lambda one: one.error)

    @property
    def lossless(self) -> bool:
        """Whether every result of every run is complete."""
        return all(one.lossless for one in self.every)


def run(asked: Asked, say: Callable[[str], None]) -> Runs:
    """Simulate; `say` is called with the progress."""
    say("loading the compiler (what it makes is kept on disk)")
    every = []
    for number, seed in enumerate(asked.seeds, 1):
        which = f"run {number} of {len(asked.seeds)}, " if len(asked.seeds) > 1 else ""

        def progress(done_s: float, duration_s: float, which: str = which) -> None:
            say(f"{which}{done_s / duration_s:.0%}")

        with told_as_options():
            every.append(
                simulate(
                    asked.plan,
                    seed=seed,
                    sending=asked.sending,
                    on_refusal=asked.on_refusal,
                    back_off=asked.back_off,
                    progress=progress,
                    **asked.others,
                )
            )
    return Runs(asked, tuple(every))
