"""The benchmarks of nodes near the devices work: small runs report all they measure."""

from io import StringIO

from benchmarks.edge.fold import FOLD, FoldSizes
from benchmarks.measure import Bench
from benchmarks.progress import Progress


def test_every_case_of_folding_is_measured() -> None:
    quiet = Bench(repetitions=1, progress=Progress(StringIO()))
    found = FOLD.run(FoldSizes((200,), 2, (1, 50), (1, 20)), quiet)
    cases = {(one.contender, one.case["keys"], one.case["windows"]) for one in found.measured}
    shapes = ((1, 1), (50, 1), (1, 20))
    assert cases == {(name, *shape) for name in ("max", "median") for shape in shapes}
    assert len(found.bars) == 4
    assert all(bar.found is not None for bar in found.bars)
