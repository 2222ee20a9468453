"""The messages of one conversation, in order: what the chat histories of frameworks keep."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ..core.connection import Connection
from ..core.effects import Flow
from ..errors import InvalidArgumentError
from ..flows.inputs import RememberItem
from ..models.memories import MemoryEntry
from .stored_items import delete_items, json_text, json_value, read_items, tag_of, write_items

_max_session = 128
_batch = 20
"""Messages of one request have the same time of creation"""


@dataclass(frozen=True)
class Message:
    """One message as its framework serializes it."""

    value: dict[str, Any]
    speaker: str | None = None


class Conversation:
    """Appends and reads the messages of a session. Every message is one memory.

    Messages are in the order in which the relayer accepted them, and those of one call in the order of the call. Two
    programs may write to a conversation at the same time.
    """

    def __init__(self, connection: Connection, namespace: str | None, framework: str, session_id: str) -> None:
        if not session_id.strip() or len(session_id) > _max_session:
            raise InvalidArgumentError(
                f"session_id must have 1 to {_max_session} characters, and not only white space."
            )
        self._connection = connection
        self._namespace = namespace
        self._session_id = session_id
        self._tag = tag_of("chat", framework, session_id)
        self._last = 0

    def add(self, messages: Sequence[Message]) -> Flow[None]:
        """Append messages. They are durable afterwards, and every later read sees them."""
        items = [
            RememberItem(
                # The position makes equal messages different: a namespace stores equal texts only once
                json_text({"message": each.value, "position": self._position()}),
                self._namespace,
                session=self._session_id,
                speaker=each.speaker,
                happened_at=datetime.now(timezone.utc),
                tags=[self._tag],
            )
            for each in messages
        ]
        yield from write_items(self._connection, items)

    def read(self, limit: int | None = None) -> Flow[list[dict[str, Any]]]:
        """Return the messages, oldest first; with `limit`, the latest ones."""
        return [value for _, value in (yield from self._entries(limit))]

    def pop(self) -> Flow[dict[str, Any] | None]:
        """Remove the latest message and return it."""
        for memory_id, value in (yield from self._entries(1)):
            yield from delete_items(self._connection, self._namespace, [memory_id])
            return value
        return None

    def clear(self) -> Flow[None]:
        """Remove all messages."""
        entries = yield from read_items(self._connection, self._namespace, every=[self._tag])
        yield from delete_items(self._connection, self._namespace, [each.id for each in entries])

    def _position(self) -> str:
        """Return a text that sorts after the earlier ones of this object and is unique."""
        self._last = max(self._last + 1, time.time_ns() // 1000)
        return f"{self._last:016d}-{uuid.uuid4().hex[:8]}"

    def _entries(self, limit: int | None) -> Flow[list[tuple[str, dict[str, Any]]]]:
        if limit is not None and limit <= 0:
            return []
        entries = yield from read_items(
            self._connection,
            self._namespace,
            every=[self._tag],
            until=_enough(limit),
            page_size=100 if limit is None else min(limit + _batch, 100),
        )
        kept = [(entry.created_at, json_value(entry.text or ""), entry.id) for entry in entries]
        kept.sort(key=lambda each: (each[0], each[1].get("position", "")))
        found = [(memory_id, value["message"]) for _, value, memory_id in kept if "message" in value]
        return found if limit is None else found[-limit:]


def _enough(limit: int | None) -> Callable[[MemoryEntry], bool]:
    """Return a function that is true for the first entry that cannot be among the latest `limit` ones."""
    times: list[datetime] = []

    def until(entry: MemoryEntry) -> bool:
        if limit is not None and len(times) >= limit and entry.created_at != times[limit - 1]:
            return True
        if entry.text is not None:
            times.append(entry.created_at)
        return False

    return until
