"""The asynchronous client is the one that make_async.py writes."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

from memrelay import AsyncMemRelay, MemRelay

program = Path(__file__).parents[1] / "make_async.py"


def test_the_asynchronous_client_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, program, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_clients_have_the_same_methods_with_the_same_arguments() -> None:
    names = {name for name in dir(MemRelay) if not name.startswith("_")}
    assert names == {name for name in dir(AsyncMemRelay) if not name.startswith("_")}
    for name in names - {"public_key", "account_id"}:
        one, two = (inspect.signature(getattr(each, name)).parameters for each in (MemRelay, AsyncMemRelay))
        assert [(p.name, p.default, p.kind) for p in one.values()] == [
            (p.name, p.default, p.kind) for p in two.values()
        ]
        method = getattr(AsyncMemRelay, name)
        is_waiting = inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
        assert is_waiting or name in ("connect", "from_credentials"), name


def test_every_public_method_is_documented() -> None:
    for name in dir(MemRelay):
        if not name.startswith("_"):
            assert inspect.getdoc(getattr(MemRelay, name)), name
