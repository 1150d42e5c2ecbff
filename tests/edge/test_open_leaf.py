"""A leaf inside one's own program."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.edge.running import JOB, free_port, running_tree
from tests.edge.test_processes import batches, found_by, wanted
from windrow.edge import open_leaf
from windrow.errors import InputError


def test_rows_that_a_program_inserts_become_results(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    nodes = {
        "hq": {"role": "root", "listen": address, "results": "out"},
        "app": {"role": "leaf", "parent": "hq"},
    }
    given = batches(3)
    with running_tree(tmp_path, nodes, only=["hq"], pace={"live": False}) as tree:
        how = {"parent_name": "hq", "parent": address, "keys": tmp_path / "keys"}
        for part in (given[:4], given[4:]):  # a program that begins again
            with open_leaf(JOB, name="app", folder=tmp_path / "app", live=False, **how) as leaf:
                for number, rows in enumerate(given):
                    if rows in part:
                        leaf.insert(rows, number=number)
                        leaf.insert(rows, number=number)
                with pytest.raises(InputError, match="give values of that type"):
                    leaf.insert([{"ts": timedelta(1), "temp": "warm"}])
                if part is not given[:4] and given[-1] in part:
                    leaf.end()
        found = [row for row in found_by(tree) if row["sensor"] != "end"]
    assert found
    assert len(found) == len(wanted(given))
