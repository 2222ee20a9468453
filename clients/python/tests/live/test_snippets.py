"""Runs every Python snippet of the documentation as it is printed, and checks its types."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..shared import root
from .conftest import credentials

pages = ("clients/python/README.md", "docs/audit.md", "docs/python.md", "docs/python-frameworks.md")


def is_installed(code: str) -> bool:
    """Return whether the frameworks of a snippet are installed. The stranger test installs the large ones."""
    try:
        for name in re.findall(r"^(?:from|import) ([\w.]+)", code, re.MULTILINE):
            importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


snippets = [
    pytest.param(code, id=f"{page}-{number}")
    for page in pages
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", (root / page).read_text(), re.DOTALL), 1)
    if is_installed(code)
]


@pytest.mark.parametrize("code", snippets)
def test_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEM_DATA_DIR", os.path.dirname(str(credentials)))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "snippet.py", "exec"), {"__name__": "__main__"})


def test_the_snippets_have_strict_types(tmp_path: Path) -> None:
    files = []
    for number, snippet in enumerate(snippets):
        files.append(tmp_path / f"snippet_{number}.py")
        files[-1].write_text(str(snippet.values[0]))
    package = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *files],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(package / "src")},
    )
    assert done.returncode == 0, done.stdout
