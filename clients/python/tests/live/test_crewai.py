"""The storage for CrewAI: its operations, and a memory that uses it without a model."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from typing import Any

import anyio
import pytest

os.environ["CREWAI_TRACING_ENABLED"] = "false"
os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["OTEL_SDK_DISABLED"] = "true"
pytest.importorskip("crewai")

from crewai.llms.base_llm import BaseLLM
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord

from memrelay import MemRelay
from memrelay.adapters.crewai import MemRelayStorage, memrelay_memory
from memrelay.errors import InvalidArgumentError


def record(content: str, scope: str = "/", **fields: object) -> MemoryRecord:
    return MemoryRecord.model_validate({"content": content, "scope": scope} | fields)


@pytest.fixture
def storage(mem: MemRelay) -> MemRelayStorage:
    return MemRelayStorage(mem)


def test_saves_gets_updates_and_deletes(storage: MemRelayStorage, mem: MemRelay) -> None:
    assert isinstance(storage, StorageBackend)
    tea = record("Ana drinks tea.", "/team/ana", categories=["drinks"], metadata={"cups": 2}, private=True, source="a")
    storage.save([tea, record("Ana drinks tea.", "/team/bo"), record("The door is red.")])
    assert storage.get_record(tea.id) == tea
    assert storage.get_record("unknown") is None
    changed = tea.model_copy(update={"content": "Ana drinks coffee."})
    storage.update(changed)
    storage.update(changed)
    assert storage.get_record(tea.id) == changed
    assert storage.count() == len(list(mem.memories(texts=True))) == 3
    assert storage.delete(record_ids=[tea.id]) == 1
    assert storage.get_record(tea.id) is None
    storage.reset("/team")
    assert [each.content for each in storage.list_records()] == ["The door is red."]
    storage.reset()
    assert storage.count() == 0


def test_searches_within_scopes_and_filters(storage: MemRelayStorage) -> None:
    storage.save(
        [
            record("Ana drinks tea with lemon.", "/team/ana", categories=["drinks"], metadata={"cups": 2}),
            record("Bo drinks tea with milk.", "/team/bo", categories=["drinks", "bo"]),
            record("Cy drives trains.", "/teams", categories=["work"]),
        ]
    )
    (vector,) = storage.embedder(["who drinks tea with lemon?"])
    found = storage.search(vector, scope_prefix="/team")
    assert [each.content[:2] for each, _ in found] == ["An", "Bo"]
    assert found[0][1] > found[1][1] > 0
    assert [each.content[:2] for each, _ in storage.search(vector, scope_prefix="/team/bo/")] == ["Bo"]
    assert [each.content[:2] for each, _ in storage.search(vector, categories=["bo"])] == ["Bo"]
    assert [each.content[:2] for each, _ in storage.search(vector, metadata_filter={"cups": 2})] == ["An"]
    assert len(storage.search(vector, limit=1)) == 1
    with pytest.raises(InvalidArgumentError, match="embedder"):
        storage.search([0.5] * 32)

    async def main() -> None:
        await storage.asave([record("Di drinks tea with lemon.", "/di")])
        assert [each.content[:2] for each, _ in await storage.asearch(vector, scope_prefix="/di")] == ["Di"]
        assert await storage.adelete("/di") == 1

    anyio.run(main)


def test_lists_scopes_and_categories_and_deletes_by_age(storage: MemRelayStorage) -> None:
    old = datetime.now(timezone.utc) - timedelta(days=9)
    storage.save(
        [
            record("one", "/a/b/c", categories=["x"], created_at=old),
            record("two", "/a/d", categories=["x", "y"]),
            record("three", "/ab"),
        ]
    )
    assert storage.list_scopes() == ["/a", "/ab"]
    assert storage.list_scopes("/a") == ["/a/b", "/a/d"]
    assert storage.list_categories("/a") == {"x": 2, "y": 1}
    info = storage.get_scope_info("/a")
    assert (info.record_count, info.categories, info.child_scopes) == (2, ["x", "y"], ["/a/b", "/a/d"])
    assert info.oldest_record == old
    assert storage.get_scope_info("/none").record_count == 0
    assert storage.delete(older_than=old + timedelta(days=1)) == 1
    assert sorted(each.content for each in storage.list_records(limit=5)) == ["three", "two"]
    assert len(storage.list_records(limit=1, offset=1)) == 1


class NoModel(BaseLLM):
    """CrewAI 1.10 creates the model of a memory even if it does not ask it."""

    def call(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a model was asked")


def test_the_memory_of_a_crew_remembers_and_recalls(mem: MemRelay) -> None:
    memory = memrelay_memory(mem, llm=NoModel(model="none"))
    for text, scope in (("Ana keeps bees.", "/people"), ("Bo bakes bread.", "/people"), ("Bees make honey.", "/facts")):
        memory.remember(text, scope=scope, categories=["c"], importance=0.5, metadata={"m": 1})
    found = memory.recall("who keeps bees?", scope="/people", depth="shallow")
    assert found[0].record.content == "Ana keeps bees."
    assert sorted(memory.list_scopes()) == ["/facts", "/people"]
    assert memory.forget(scope="/people") == 2
    assert memory.recall("who keeps bees?", scope="/people", depth="shallow") == []
