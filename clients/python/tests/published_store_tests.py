"""Makes the tests of stores in langgraph-checkpoint's source distribution use `MemRelayStore`.

`pytest -p published_store_tests` with this folder in `PYTHONPATH`; `MEMRELAY_TEST_CREDENTIALS` names a running system.
"""

from __future__ import annotations

import os
import uuid

import langgraph.store.memory

from memrelay import MemRelay
from memrelay.adapters.langgraph_store import MemRelayStore


class PublishedStore(MemRelayStore):
    """A new store in a namespace of its own, without the index of LangGraph's store."""

    def __init__(self, index: object = None) -> None:
        del index
        super().__init__(MemRelay.connect(os.environ["MEMRELAY_TEST_CREDENTIALS"], namespace=str(uuid.uuid4())))


vars(langgraph.store.memory)["InMemoryStore"] = PublishedStore
