"""How `windrow` ends in a process of its own: nothing installed, no room, nobody who listens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = ("plan", "--sources", "5", "--rate", "1/s", "--limit", "20/s")
WITHOUT = """\
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {module!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
from windrow.cli import main
main(prog_name="windrow")
"""


def ended(*command: str | Path, stdout: str = os.devnull) -> tuple[int, str]:
    """The exit code, and what is on standard error."""
    with open(stdout, "w") as out:
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
        )
    return done.returncode, done.stderr


@pytest.mark.parametrize("module", ["click", "yaml"])
def test_without_its_extra_the_command_says_what_to_install(module: str) -> None:
    code, said = ended("-c", WITHOUT.format(module=module), *PLAN)
    assert said == f"windrow: {module} is not installed; pip install 'windrow[cli]'\n"
    assert code == 2


def test_without_spark_a_job_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "source: {format: rate}\ntime: timestamp\nlateness: 1 s\nwindows: {tumbling: 1 s}\n"
        "aggregates: {n: count()}\nsink: {format: console}\n"
    )
    code, said = ended("-c", WITHOUT.format(module="pyspark"), "explain", tmp_path / "job.yaml")
    assert said == "windrow: pyspark is not installed; pip install 'windrow[cli]'\n"
    assert code == 2


def test_a_full_disk_is_told_in_a_line(tmp_path: Path) -> None:
    code, said = ended("-m", "windrow.cli", *PLAN, stdout="/dev/full")
    assert said == "windrow: No space left on device; make room on the disk, or write elsewhere\n"
    assert code == 1
    (tmp_path / "plan.json").symlink_to("/dev/full")
    code, said = ended("-m", "windrow.cli", *PLAN, "--out", tmp_path / "plan.json")
    assert said == "windrow: No space left on device; make room on the disk, or write elsewhere\n"
    assert code == 1
