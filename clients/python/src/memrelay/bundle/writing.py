"""Turning pages of the relayer into a bundle, or into readable memories."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ..core.calls import Call, call_relayer
from ..core.connection import Connection
from ..core.effects import Flow
from ..flows.inputs import present
from ..models.base import parsed
from ..models.bundles import ExportedMemory, ExportFailure, ExportResponse
from .envelope import EnvelopeError, OpenedEnvelope, open_body, open_recovery_wrap, parse_header
from .hpke import x25519_public_key
from .meta import context_fields
from .records import BundleKey, seal_record

_page_size = 100


@dataclass(frozen=True)
class BundlePosition:
    """The state of an interrupted export."""

    key: BundleKey
    records: int
    memories: int
    failed: int
    cursor: str | None
    """None if only the end record is missing"""
    bytes: int
    """Length of the complete part: truncate the file to it before appending"""


@dataclass(frozen=True)
class ExportProgress:
    """How far an export is."""

    memories: int
    failed: list[ExportFailure]
    """Memories that this run could not export"""


@dataclass(frozen=True)
class OpenMemory:
    """A memory as its owner can read it."""

    id: str
    namespace: str
    created_at: str
    """RFC 3339"""
    importance: float
    text: str
    context: dict[str, Any]
    """The sealed context fields that it has: `session`, `speaker`, `happened_at`, `tags`, `metadata`, `expires_at`"""


class Exporter:
    """Asks for one page after the other, and opens and verifies each envelope. No server sends a text."""

    def __init__(
        self,
        namespace: str | None,
        cursor: str | None = None,
        on_progress: Callable[[ExportProgress], None] | None = None,
        done: int = 0,
    ) -> None:
        self._namespace = namespace
        self.cursor = cursor
        self.memories = done
        self.failed: list[ExportFailure] = []
        self._on_progress = on_progress
        # A new key pair for this run. One derived from the passphrase would let a server guess passphrases
        self._private_key = secrets.token_bytes(32)
        self._public_key = x25519_public_key(self._private_key)

    def page(self, connection: Connection) -> Flow[Page]:
        """Request the next page; `cursor` is None after the last one."""
        options = {
            "namespace": self._namespace,
            "cursor": self.cursor,
            "limit": _page_size,
            "recipient_pk": self._public_key.hex(),
        }
        call = Call("POST", "/api/export", present(**options), reads=True)
        reply = yield from call_relayer(connection, call)
        page = Page(parsed(ExportResponse, reply.value), self._private_key)
        self.cursor = page.next_cursor
        self.memories += len(page.memories)
        self.failed += page.failed
        return page

    def report(self) -> None:
        """Tell the caller how far the export is."""
        if self._on_progress is not None:
            self._on_progress(ExportProgress(self.memories, list(self.failed)))


class Page:
    """A page of an export whose envelopes were opened; what cannot be read is in `failed`."""

    def __init__(self, answer: ExportResponse, private_key: bytes) -> None:
        trusted = frozenset(answer.trusted_writers)
        sealed = {each.recipient_pk: base64.b64decode(each.sealed) for each in answer.keys}
        self._keys: dict[str, bytes] = {}
        self._trusted_writers = answer.trusted_writers
        self.next_cursor = answer.next_cursor
        self.failed = list(answer.failed)
        self.memories: list[tuple[ExportedMemory, bytes, OpenedEnvelope]] = []
        for memory in answer.memories:
            envelope = base64.b64decode(memory.envelope)
            try:
                header = parse_header(envelope)
                name = header.recipient_pk.hex()
                key = self._keys.get(name) or open_recovery_wrap(sealed.get(name, b""), private_key, header)
                opened = open_body(header, envelope, key, trusted)
            except EnvelopeError as error:
                self.failed.append(ExportFailure(id=memory.id, reason=error.reason))
                continue
            self._keys[name] = key
            self.memories.append((memory, envelope, opened))

    def record(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the page as a record of a bundle: its head and its payload."""
        entries, payload = [], []
        for memory, envelope, _ in self.memories:
            entry: dict[str, Any] = {
                "id": memory.id,
                "namespace": memory.namespace,
                "created_at": memory.created_at,
                "importance": memory.importance,
                "envelope": len(envelope),
            }
            payload.append(envelope)
            if memory.vectors is not None and memory.vectors.values:
                values = [base64.b64decode(each) for each in memory.vectors.values]
                entry["vectors"] = {
                    "model": memory.vectors.model,
                    "count": len(values),
                    "bytes": len(values[0]),
                }
                payload += values
            entries.append(entry)
        head: dict[str, Any] = {
            "kind": "page",
            "memories": entries,
            "keys": [{"recipient_pk": name, "private_key": key.hex()} for name, key in self._keys.items()],
            "trusted_writers": self._trusted_writers,
            "failed": [each.model_dump(exclude_none=True) for each in self.failed],
        }
        if self.next_cursor is not None:
            head["next_cursor"] = self.next_cursor
        return head, payload

    def open_memories(self) -> Iterator[OpenMemory]:
        """Yield the memories with their texts."""
        for memory, _, opened in self.memories:
            context = {name: opened.meta[name] for name in context_fields if name in opened.meta}
            yield OpenMemory(memory.id, memory.namespace, memory.created_at, memory.importance, opened.text, context)


class BundleWriter(Exporter):
    """Writes a bundle, from its beginning or from where an earlier export stopped."""

    def __init__(
        self,
        key: BundleKey,
        account_id: str,
        namespace: str | None,
        resume: BundlePosition | None,
        on_progress: Callable[[ExportProgress], None] | None,
    ) -> None:
        super().__init__(
            namespace, resume.cursor if resume else None, on_progress, done=resume.memories if resume else 0
        )
        self._key = key
        self._account_id = account_id
        self._is_new = resume is None
        self._index = resume.records if resume else 0
        self._failures = resume.failed if resume else 0
        self.more = resume is None or resume.cursor is not None

    def beginning(self) -> bytes:
        """Return the header and the first record; nothing when an export is resumed."""
        if not self._is_new:
            return b""
        created = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        head = {"kind": "start", "account_id": self._account_id, "created_at": created}
        if self._namespace is not None:
            head["namespace"] = self._namespace
        return self._key.header + self._record(head)

    def next_record(self, connection: Connection) -> Flow[bytes]:
        """Return the record of the next page."""
        page = yield from self.page(connection)
        self.more = self.cursor is not None
        self._failures += len(page.failed)
        return self._record(*page.record())

    def end(self) -> bytes:
        """Return the last record."""
        return self._record({"kind": "end", "memories": self.memories, "failed": self._failures})

    def _record(self, head: dict[str, Any], payload: Iterable[bytes] = ()) -> bytes:
        self._index += 1
        return seal_record(self._key, self._index - 1, head, payload)
