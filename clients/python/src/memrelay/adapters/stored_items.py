"""Structured values as memories: what stores and chat histories of frameworks have in common.

A value is one memory: its text is a JSON object, so that it is sealed and searchable as a whole, and tags name what it
belongs to. The object has the time or a unique id in it: a namespace stores equal texts only once.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..core.connection import Connection
from ..core.effects import Flow, pause
from ..errors import UnavailableError
from ..flows import maintenance, reading, writing
from ..flows.inputs import RememberItem
from ..models.memories import MemoryEntry

_forget_ids = 200
"""Ids of one request"""
_tag_length = 32
_embedding_timeout = 15.0
"""Seconds"""


def tag_of(kind: str, *names: str) -> str:
    """Return a tag for names of any length and form; different names have different tags."""
    digest = hashlib.sha256(json.dumps([kind, *names]).encode()).hexdigest()
    return f"{kind}:{digest[:_tag_length]}"


def own_namespace(connection: Connection, namespace: str | None) -> str:
    """Return the namespace of a call: the given one, else the client's, else `default`."""
    return namespace or connection.namespace or "default"


def read_items(
    connection: Connection,
    namespace: str | None,
    *,
    every: Sequence[str] = (),
    one_of: Sequence[str] = (),
    until: Callable[[MemoryEntry], bool] = lambda _: False,
    page_size: int = 100,
) -> Flow[list[MemoryEntry]]:
    """Return the entries that have `every` tag and `one_of` the others, newest first, up to one for which `until` is true.

    Accepted writes are included. An entry that is lost or cannot be decrypted is left out, like one that was deleted.
    Raises `UnavailableError` for one that can be read later.
    """
    tags = {name: list(each) for name, each in (("all", every), ("any", one_of)) if each}
    own = own_namespace(connection, namespace)
    entries: list[MemoryEntry] = []
    cursor: str | None = None
    while True:
        options = {"namespace": own, "tags": tags, "texts": True, "limit": page_size, "cursor": cursor}
        page = yield from reading.memories_page(connection, options, all_namespaces=False)
        for entry in page.memories:
            if until(entry):
                return entries
            if entry.error == "unavailable":
                raise UnavailableError(
                    "store_unavailable", f"Memory {entry.id} cannot be read at the moment. Retry later.", retryable=True
                )
            if entry.text is not None:
                entries.append(entry)
        cursor = page.next_cursor
        if cursor is None:
            return entries


def write_items(connection: Connection, items: Sequence[RememberItem]) -> Flow[list[str]]:
    """Store values and return their ids. They are durable, and every later read of items sees them."""
    if not items:
        return []
    return (yield from writing.remember_bulk(connection, items, None))


def delete_items(connection: Connection, namespace: str | None, ids: Sequence[str]) -> Flow[None]:
    """Forget memories."""
    for chunk in chunks(ids, _forget_ids):
        yield from maintenance.forget(connection, chunk, namespace)


class WrittenItems:
    """Writes and deletes the items that have a tag, and waits until queries find what it wrote."""

    def __init__(self, connection: Connection, namespace: str | None, tag: str) -> None:
        self._connection = connection
        self._namespace = namespace
        self._tag = tag
        self._unembedded: set[str] = set()

    def write(self, items: Sequence[RememberItem]) -> Flow[None]:
        """Store values, as `write_items`."""
        self._unembedded |= set((yield from write_items(self._connection, items)))

    def delete(self, ids: Sequence[str]) -> Flow[None]:
        """Forget memories."""
        self._unembedded -= set(ids)
        yield from delete_items(self._connection, self._namespace, ids)

    def wait_until_searchable(self) -> Flow[None]:
        """Wait until what was written is embedded. A job that fails or takes too long is not waited for."""
        options = {"namespace": own_namespace(self._connection, self._namespace), "tags": {"all": [self._tag]}}
        ends = time.monotonic() + _embedding_timeout
        while self._unembedded and time.monotonic() < ends:
            # A list without texts has only embedded memories
            page = yield from reading.memories_page(self._connection, options | {"limit": 100}, all_namespaces=False)
            self._unembedded -= {each.id for each in page.memories}
            if self._unembedded:
                yield from pause(0.1)
        self._unembedded.clear()


def chunks(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Return the values in groups of at most `size`."""
    return (values[start : start + size] for start in range(0, len(values), size))


def json_text(value: dict[str, Any]) -> str:
    """Return a value as the text of a memory. Raises `TypeError` for what JSON cannot carry."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_value(text: str) -> dict[str, Any]:
    """Return the value of a text; empty if something else wrote the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
