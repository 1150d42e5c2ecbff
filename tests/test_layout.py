"""The tree itself: what is in it, what its modules promise, and that it names no machine."""

import importlib
import pkgutil
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import windrow

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "windrow"

MACHINE_PATH = re.compile(
    r"(?<![\w.:/~$})-])/(?:home|root|tmp|var|opt|mnt|srv|work|workspace|usr(?!/bin/env\b)|Users)/\w"
    r"|\b[A-Z]:\\\w"
)
PIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][a-z0-9.+!]*")


def text_files() -> Iterator[Path]:
    """The files of the repository, and those about to enter it."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listing.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in path.read_bytes()[:8192]:
            yield path


def modules() -> Iterator[ModuleType]:
    yield windrow
    for found in pkgutil.walk_packages(windrow.__path__, "windrow."):
        if not found.name.endswith(".__main__"):
            yield importlib.import_module(found.name)


def pins() -> list[str]:
    return (ROOT / "constraints.txt").read_text().splitlines()


def test_a_machine_path_is_recognised() -> None:
    assert MACHINE_PATH.search("see " + "/home" + "/ada/windrow")
    assert not MACHINE_PATH.search("#!/usr/bin/env bash, docs/home/a.md, https://example.org/var/x")


def test_no_file_names_a_path_of_a_machine() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MACHINE_PATH.search(line) or str(ROOT) in line
    ] == []


def test_the_constraints_are_names_and_versions_only() -> None:
    assert [line for line in pins() if not PIN.fullmatch(line)] == []
    assert pins() == sorted(pins())


def test_every_requirement_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {
        canonicalize_name(Requirement(line).name)
        for group in (project["dependencies"], *project["optional-dependencies"].values())
        for line in group
    }
    assert required - {"windrow"} - {line.partition("==")[0] for line in pins()} == set()


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {parent for path in PACKAGE.rglob("*.py") for parent in path.parents}
    packages = {PACKAGE, *(folder for folder in folders if PACKAGE in folder.parents)}
    assert {folder for folder in packages if not (folder / "__init__.py").is_file()} == set()
    assert (PACKAGE / "py.typed").is_file()


def test_every_promised_name_exists() -> None:
    assert [
        f"{module.__name__}.{name}"
        for module in modules()
        for name in getattr(module, "__all__", ())
        if not hasattr(module, name)
    ] == []
