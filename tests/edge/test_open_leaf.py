"""A leaf inside one's own program."""

from pathlib import Path
from typing import Any

import pytest

from tests.edge.running import JOB, free_port, running_tree, until
from tests.edge.test_processes import batches, found_by, wanted
from windrow.edge import open_leaf
from windrow.errors import InputError
from windrow.testing import check_rows

pytestmark = pytest.mark.trees


def test_rows_that_a_program_inserts_become_results(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    nodes = {
        "hq": {"role": "root", "listen": address, "results": "out"},
        "app": {"role": "leaf", "parent": "hq"},
    }
    given = batches(3)
    with running_tree(tmp_path, nodes, only=["hq"], pace={"live": False}) as tree:
        how: dict[str, Any] = {"parent_name": "hq", "parent": address}
        how |= {"folder": tmp_path / "app", "keys": tmp_path / "keys", "live": False}
        for begin, end in ((0, 4), (2, len(given))):  # a program that begins again
            with open_leaf(JOB, name="app", **how) as leaf:
                for number in range(begin, end):
                    leaf.insert(given[number], number=number)
                with pytest.raises(InputError, match="give values"):
                    leaf.insert([{"temp": "warm"}])
                if end == len(given):
                    leaf.end()
        until(lambda: len(tree.rows()) >= len(wanted(given)))  # what is safe is soon a result
        found = [row for row in found_by(tree) if row["sensor"] != "end"]
    check_rows(found, wanted(given))
