"""Storage for the memory of CrewAI (`pip install "memrelay[crewai]"`)."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory

from ..core.effects import Flow
from ..errors import InvalidArgumentError
from ..flows import reading
from ..flows.inputs import RememberItem
from ..models.memories import MemoryEntry, MemoryHit
from ..sync_client.client import MemRelay
from .running import arun, run
from .stored_items import WrittenItems, chunks, json_text, json_value, read_items, tag_of

_known_texts = 10_000
_max_hits = 100
_any_tags = 32


def memrelay_memory(mem: MemRelay, *, namespace: str | None = None, **options: Any) -> Memory:
    """Return a memory for a crew or an agent whose records are encrypted memories.

    The key needs READ, WRITE and FORGET in the namespace. The relayer embeds and searches, so no embedder is needed.

    Args:
        mem: The client; it stays open as long as the crew runs.
        namespace: Defaults to the client's.
        options: Further arguments of CrewAI's `Memory`, such as `llm`.
    """
    storage = MemRelayStorage(mem, namespace=namespace)
    return Memory(storage=storage, embedder=storage.embedder, **options)


class MemRelayStorage(StorageBackend):
    """Keeps CrewAI's records as encrypted memories; the relayer searches them by meaning and by words.

    CrewAI hands a storage only the vector of a question. `embedder` therefore returns a vector that stands for its text,
    and `search` looks that text up: pass it to `Memory` as well, as `memrelay_memory` does.
    """

    def __init__(self, mem: MemRelay, *, namespace: str | None = None) -> None:
        self._mem = mem
        self._connection = mem._connection
        self._namespace = namespace
        self._written = WrittenItems(self._connection, namespace, _scope_tag("/"))
        self.write_lock = threading.RLock()
        """CrewAI 1.10 holds it while it saves a batch"""
        self._texts: OrderedDict[tuple[float, ...], str] = OrderedDict()

    def embedder(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text: equal for equal texts, and otherwise unrelated."""
        vectors = []
        for text in texts:
            vector = [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()]
            self._texts[tuple(vector)] = text
            vectors.append(vector)
        while len(self._texts) > _known_texts:
            self._texts.popitem(last=False)
        return vectors

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records."""
        run(self._mem, self._save(records))

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Store records."""
        await arun(self._mem, self._save(records))

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with the same id."""
        run(self._mem, self._save([record]))

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records with their scores, best first."""
        wanted = (scope_prefix, categories, metadata_filter)
        return run(self._mem, self._search(query_embedding, *wanted, limit, min_score))

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records with their scores, best first."""
        wanted = (scope_prefix, categories, metadata_filter)
        return await arun(self._mem, self._search(query_embedding, *wanted, limit, min_score))

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that meet every condition, permanently. Returns their number."""
        return run(self._mem, self._delete(scope_prefix, categories, record_ids, older_than, metadata_filter))

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that meet every condition, permanently. Returns their number."""
        return await arun(self._mem, self._delete(scope_prefix, categories, record_ids, older_than, metadata_filter))

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record; None if there is none with this id."""
        entries = run(self._mem, read_items(self._connection, self._namespace, every=[_record_tag(record_id)]))
        return next((record for record, _ in _records(entries)), None)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """Return the records of a scope and those below it, newest first."""
        return run(self._mem, self._under(scope_prefix))[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what is in a scope."""
        records = run(self._mem, self._under(scope))
        times = [each.created_at for each in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({name for each in records for name in each.categories}),
            oldest_record=min(times, key=_utc, default=None),
            newest_record=max(times, key=_utc, default=None),
            child_scopes=_children(scope, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below one that have records."""
        return _children(parent, run(self._mem, self._under(parent)))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return the categories of a scope with the number of their records."""
        return dict(Counter(name for each in run(self._mem, self._under(scope_prefix)) for name in each.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Return the number of records."""
        return len(run(self._mem, self._under(scope_prefix)))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete all records of a scope permanently."""
        self.delete(scope_prefix)

    def _save(self, records: list[MemoryRecord]) -> Flow[None]:
        tags = [_record_tag(each.id) for each in records]
        outdated: list[str] = []
        for chunk in chunks(tags, _any_tags):
            entries = yield from read_items(self._connection, self._namespace, one_of=chunk)
            outdated += [each.id for each in entries]
        yield from self._written.write([self._remembered(each) for each in records])
        yield from self._written.delete(outdated)

    def _remembered(self, record: MemoryRecord) -> RememberItem:
        tags = [_record_tag(record.id), *_path_tags(record.scope)]
        if len(tags) > _any_tags:
            raise InvalidArgumentError(f"A scope has at most {_any_tags - 2} levels.")
        fields = record.model_dump(mode="json", exclude={"embedding"})
        # A record may be updated without a change: a namespace stores equal texts only once
        text = json_text(fields | {"written_at": datetime.now(timezone.utc).isoformat()})
        return RememberItem(text, self._namespace, tags=tags)

    def _search(
        self,
        vector: list[float],
        scope_prefix: str | None,
        categories: list[str] | None,
        metadata_filter: dict[str, Any] | None,
        limit: int,
        min_score: float,
    ) -> Flow[list[tuple[MemoryRecord, float]]]:
        question = self._texts.get(tuple(vector))
        if question is None:
            raise InvalidArgumentError("The question was not embedded by this storage: pass `embedder` to Memory, too.")
        options = {
            "namespace": self._namespace,
            "limit": _max_hits if categories or metadata_filter else min(limit, _max_hits),
            "tags": {"all": [_scope_tag(scope_prefix or "/")]},
            "min_score": min_score,
            "include_pending": True,
        }
        yield from self._written.wait_until_searchable()
        found = yield from reading.recall(self._connection, question, options)
        scores = {hit.id: hit.score or 0.0 for hit in found.results}
        wanted = [each for each in _records(found.results) if _passes(each[0], categories, metadata_filter)]
        return [(record, scores[memory_id]) for record, memory_id in wanted[:limit]]

    def _delete(
        self,
        scope_prefix: str | None,
        categories: list[str] | None,
        record_ids: list[str] | None,
        older_than: datetime | None,
        metadata_filter: dict[str, Any] | None,
    ) -> Flow[int]:
        entries = yield from read_items(self._connection, self._namespace, every=[_scope_tag(scope_prefix or "/")])
        chosen = [
            (record.id, memory_id)
            for record, memory_id in _records(entries, every_version=True)
            if _passes(record, categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (older_than is None or _utc(record.created_at) < _utc(older_than))
        ]
        yield from self._written.delete([memory_id for _, memory_id in chosen])
        return len({record_id for record_id, _ in chosen})

    def _under(self, scope: str | None) -> Flow[list[MemoryRecord]]:
        entries = yield from read_items(self._connection, self._namespace, every=[_scope_tag(scope or "/")])
        return [record for record, _ in _records(entries)]


def _parts(scope: str) -> list[str]:
    return [each for each in scope.split("/") if each]


def _scope_tag(scope: str) -> str:
    return tag_of("scope", *_parts(scope))


def _path_tags(scope: str) -> list[str]:
    parts = _parts(scope)
    return [tag_of("scope", *parts[:depth]) for depth in range(len(parts) + 1)]


def _record_tag(record_id: str) -> str:
    return tag_of("record", record_id)


def _children(scope: str, records: Iterable[MemoryRecord]) -> list[str]:
    parent = _parts(scope)
    below = {tuple(parts[: len(parent) + 1]) for each in records if len(parts := _parts(each.scope)) > len(parent)}
    return sorted("/" + "/".join(each) for each in below)


def _records(
    entries: Iterable[MemoryEntry | MemoryHit], *, every_version: bool = False
) -> list[tuple[MemoryRecord, str]]:
    """Return records with the ids of their memories; of each record the first version, unless every one is wanted."""
    found: list[tuple[MemoryRecord, str]] = []
    seen: set[str] = set()
    for entry in entries:
        fields = json_value(entry.text or "")
        if "content" not in fields or (fields.get("id") in seen and not every_version):
            continue
        fields.pop("written_at", None)
        record = MemoryRecord.model_validate(fields)
        seen.add(record.id)
        found.append((record, entry.id))
    return found


def _passes(record: MemoryRecord, categories: list[str] | None, metadata_filter: dict[str, Any] | None) -> bool:
    if categories and not set(categories) & set(record.categories):
        return False
    return all(record.metadata.get(name) == value for name, value in (metadata_filter or {}).items())


def _utc(time: datetime) -> datetime:
    """Return a time with its offset; CrewAI's own times have none and are UTC."""
    return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time
