"""Tests against a running system: `npx memrelay up`, whose credentials `MEMRELAY_TEST_CREDENTIALS` names."""

from __future__ import annotations

import importlib.util
import os
import uuid
from collections.abc import Iterator

import pytest

from memrelay import MemRelay

credentials = os.environ.get("MEMRELAY_TEST_CREDENTIALS")

# Large frameworks: the stranger test installs them, in the oldest and the newest supported release
_large = {"crewai": "test_crewai.py", "llama_index": "test_llama_index.py"}
collect_ignore = [file for module, file in _large.items() if importlib.util.find_spec(module) is None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "live" in item.path.parts and credentials is None:
            item.add_marker(pytest.mark.skip(reason="MEMRELAY_TEST_CREDENTIALS is not set"))


@pytest.fixture
def namespace() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def mem(namespace: str) -> Iterator[MemRelay]:
    with MemRelay.connect(credentials, namespace=namespace) as client:
        yield client
