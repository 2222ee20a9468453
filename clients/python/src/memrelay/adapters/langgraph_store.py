"""A store for LangGraph (`pip install "memrelay[langgraph]"`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from ..core.effects import Flow
from ..errors import InvalidArgumentError
from ..flows import reading
from ..flows.inputs import RememberItem
from ..models.memories import MemoryEntry, MemoryHit
from .running import Client, arun, connection_of, run
from .store_filters import matches_condition, matches_filter
from .stored_items import WrittenItems, chunks, json_text, json_value, read_items, tag_of

_any_tags = 32
"""Tags of one filter, and of one memory"""
_max_hits = 100
_unindexed = "unindexed"

Address = tuple[tuple[str, ...], str]


class _Stored(NamedTuple):
    id: str
    item: Item


class MemRelayStore(BaseStore):
    """Keeps the items of a LangGraph application as encrypted memories.

    Every item is one memory in one memrelay namespace; LangGraph's namespaces are inside it. A put stores the new value
    and then forgets the old one, so the key needs READ, WRITE and FORGET. Every read sees earlier writes; a search with a
    query finds an item once it is embedded, and waits for that if this store wrote it.

    An item expires `ttl` minutes after it was put; reads do not prolong it. `index=False` keeps an item out of searches
    with a query; a list of fields is ignored, because the whole value is embedded.

    Args:
        mem: With a `MemRelay` all methods work, and the asynchronous ones run in threads. With an `AsyncMemRelay` only
            the asynchronous ones do.
        namespace: The memrelay namespace; defaults to the client's.
        ttl: `default_ttl` in minutes, for items that are put without one.
    """

    supports_ttl = True

    def __init__(self, mem: Client, *, namespace: str | None = None, ttl: TTLConfig | None = None) -> None:
        self._mem = mem
        self._connection = connection_of(mem)
        self._namespace = namespace
        self.ttl_config = ttl
        self._written = WrittenItems(self._connection, namespace, _path_tag(()))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer operations. Reads see the state before the writes, of which the last one per item counts."""
        return run(self._mem, self._answer(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Like `batch`."""
        return await arun(self._mem, self._answer(list(ops)))

    def _answer(self, ops: Sequence[Op]) -> Flow[list[Result]]:
        named = {_address(op) for op in ops if isinstance(op, (GetOp, PutOp))}
        versions = yield from self._versions(named)
        results: list[Result] = []
        puts: dict[Address, PutOp] = {}
        for op in ops:
            result: Result = None
            if isinstance(op, GetOp):
                found = versions.get(_address(op))
                result = found[0].item if found else None
            elif isinstance(op, SearchOp):
                result = yield from (self._search(op) if op.query else self._list(op))
            elif isinstance(op, ListNamespacesOp):
                result = yield from self._list_namespaces(op)
            else:
                puts[_address(op)] = op
            results.append(result)
        yield from self._put(puts, versions)
        return results

    def _put(self, puts: dict[Address, PutOp], versions: dict[Address, list[_Stored]]) -> Flow[None]:
        now = datetime.now(timezone.utc)
        items = [
            self._remembered(op, versions[address][-1].item.created_at if address in versions else now, now)
            for address, op in puts.items()
            if op.value is not None
        ]
        yield from self._written.write(items)
        yield from self._written.delete([each.id for address in puts for each in versions.get(address, [])])

    def _remembered(self, op: PutOp, created: datetime, now: datetime) -> RememberItem:
        path = [_path_tag(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)]
        tags = [_item_tag(_address(op)), *path, *([_unindexed] if op.index is False else [])]
        if len(tags) > _any_tags:
            raise InvalidArgumentError(f"A namespace has at most {_any_tags - 3} labels.")
        text = {
            "value": op.value,
            "namespace": list(op.namespace),
            "key": op.key,
            "created_at": created.isoformat(),
            "updated_at": now.isoformat(),
        }
        return RememberItem(
            json_text(text),
            self._namespace,
            tags=tags,
            expires_at=None if op.ttl is None else now + timedelta(minutes=op.ttl),
        )

    def _versions(self, named: set[Address]) -> Flow[dict[Address, list[_Stored]]]:
        """Return what is stored of some items, newest first: normally one version, more after an interrupted put."""
        entries: list[MemoryEntry] = []
        for tags in chunks(sorted(_item_tag(each) for each in named), _any_tags):
            entries += yield from read_items(self._connection, self._namespace, one_of=tags)
        return _by_address(entries)

    def _under(self, prefix: tuple[str, ...]) -> Flow[list[Item]]:
        """Return all items in a namespace and those below it, newest first."""
        entries = yield from read_items(self._connection, self._namespace, every=[_path_tag(prefix)])
        return [versions[0].item for versions in _by_address(entries).values()]

    def _list(self, op: SearchOp) -> Flow[list[SearchItem]]:
        items = yield from self._under(op.namespace_prefix)
        found = [each for each in items if matches_filter(each.value, op.filter)]
        return [_search_item(each, None) for each in found[op.offset : op.offset + op.limit]]

    def _search(self, op: SearchOp) -> Flow[list[SearchItem]]:
        wanted = _max_hits if op.filter else min(op.offset + op.limit, _max_hits)
        options = {
            "namespace": self._namespace,
            "limit": wanted,
            "tags": {"all": [_path_tag(op.namespace_prefix)], "not": [_unindexed]},
            "min_score": -1,
            "include_pending": True,
        }
        yield from self._written.wait_until_searchable()
        hits = (yield from reading.recall(self._connection, str(op.query), options)).results
        scores = {hit.id: hit.score for hit in hits}
        stored = [versions[0] for versions in _by_address(hits).values()]
        found = [each for each in stored if matches_filter(each.item.value, op.filter)]
        return [_search_item(each.item, scores[each.id]) for each in found[op.offset : op.offset + op.limit]]

    def _list_namespaces(self, op: ListNamespacesOp) -> Flow[list[tuple[str, ...]]]:
        items = yield from self._under(_literal_prefix(op))
        conditions = op.match_conditions or ()
        namespaces = {
            each.namespace[: op.max_depth]
            for each in items
            if all(matches_condition(condition, each.namespace) for condition in conditions)
        }
        return sorted(namespaces)[op.offset : op.offset + op.limit]


def _address(op: GetOp | PutOp) -> Address:
    return tuple(op.namespace), op.key


def _item_tag(address: Address) -> str:
    return tag_of("item", json.dumps(address[0]), address[1])


def _path_tag(path: Sequence[str]) -> str:
    return tag_of("path", *path)


def _literal_prefix(op: ListNamespacesOp) -> tuple[str, ...]:
    """Return the labels that every matching namespace begins with."""
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix":
            path = list(condition.path)
            return tuple(path[: path.index("*")] if "*" in path else path)
    return ()


def _by_address(entries: Iterable[MemoryEntry | MemoryHit]) -> dict[Address, list[_Stored]]:
    """Group entries by item, in their order."""
    found: dict[Address, list[_Stored]] = {}
    for entry in entries:
        fields = json_value(entry.text or "")
        if "value" not in fields:
            continue
        item = Item(
            value=fields["value"],
            key=fields["key"],
            namespace=tuple(fields["namespace"]),
            created_at=datetime.fromisoformat(fields["created_at"]),
            updated_at=datetime.fromisoformat(fields["updated_at"]),
        )
        found.setdefault((item.namespace, item.key), []).append(_Stored(entry.id, item))
    return found


def _search_item(item: Item, score: float | None) -> SearchItem:
    fields: dict[str, Any] = {name: getattr(item, name) for name in ("value", "key", "created_at", "updated_at")}
    return SearchItem(namespace=item.namespace, score=score, **fields)
