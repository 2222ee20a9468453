"""Reading a bundle, and sending it to a relayer."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.calls import Call, call_relayer
from ..core.connection import Connection
from ..core.effects import Flow
from ..errors import BundleError
from ..models.base import parsed
from ..models.bundles import ImportResponse, ImportResult
from .envelope import EnvelopeError, envelope_secret, parse_header
from .records import BundleKey, Record, bundle_key_of, header_length, read_records
from .writing import BundlePosition

_import_items = 50
_request_bytes = 2 * 1024 * 1024 - 128 * 1024
"""Limit of one request's JSON, with room for its other fields"""
_file_chunk = 1024 * 1024


@dataclass(frozen=True)
class Bundle:
    """A bundle that was read and verified completely."""

    account_id: str
    """The owner's account when it was written"""
    created_at: str
    namespace: str | None
    """None: all namespaces of the exporting key"""
    memories: int
    failed: int
    """Memories that its export could not read"""
    trusted_writers: tuple[str, ...]
    """Keys that the exporting server trusted; only someone with the passphrase can have listed them"""
    _source: Callable[[], Iterable[bytes]] = field(repr=False)
    _key: BundleKey = field(repr=False)

    def pages(self) -> Iterator[Record]:
        """Read the pages again."""
        return (record for record in read_records(self._source(), self._key) if record.head["kind"] == "page")


@dataclass(frozen=True)
class ImportedMemory:
    """The outcome of one memory; `id` is its id in the bundle."""

    id: str
    result: ImportResult


@dataclass(frozen=True)
class ImportRequest:
    """One request of an import; `number` is its position among those of the bundle."""

    number: int
    ids: list[str]
    items: list[dict[str, Any]]


@dataclass(frozen=True)
class ImportedPart:
    """The outcomes of one request; a bundle always produces the same requests."""

    number: int
    memories: list[ImportedMemory]


BundleSource = str | os.PathLike[str] | bytes | Callable[[], Iterable[bytes]]
"""A path, the bytes, or a function that returns them from the start each time it is called."""


def open_bundle(source: BundleSource, passphrase: str) -> Bundle:
    """Read a whole bundle once, so that no part of a damaged one, or of one with another passphrase, is used.

    Deriving the key takes about one second. Raises `BundleError`: `invalid_bundle`, `bundle_cut_off`,
    `unsupported_bundle`, `wrong_passphrase`.
    """
    chunks = _chunks_of(source)
    key = _key_of(chunks, passphrase)
    start: dict[str, Any] = {}
    end: dict[str, Any] = {}
    memories = 0
    writers: dict[str, None] = {}
    for record in read_records(chunks(), key):
        kind = record.head["kind"]
        if (kind == "start") != (record.number == 0) or (kind == "end") != record.last:
            raise BundleError("invalid_bundle", "The records of the bundle are out of order.")
        if kind == "start":
            start = record.head
        elif kind == "end":
            end = record.head
        else:
            memories += len(record.head["memories"])
            writers |= dict.fromkeys(record.head["trusted_writers"])
    if not start or end.get("memories") != memories:
        raise BundleError("invalid_bundle", "The content of the bundle does not match its end record.")
    return Bundle(
        account_id=str(start.get("account_id")),
        created_at=str(start.get("created_at")),
        namespace=start.get("namespace"),
        memories=memories,
        failed=int(end.get("failed", 0)),
        trusted_writers=tuple(writers),
        _source=chunks,
        _key=key,
    )


def resume_bundle(source: BundleSource, passphrase: str) -> BundlePosition | None:
    """Return where to resume an interrupted export; None if not even its first page is complete.

    Raises `BundleError` for a wrong passphrase or a damaged file, and if the bundle is complete already.
    """
    chunks = _chunks_of(source)
    position: BundlePosition | None = None
    memories = failed = 0
    try:
        key = _key_of(chunks, passphrase)
        for record in read_records(chunks(), key):
            if record.head["kind"] == "page":
                memories += len(record.head["memories"])
                failed += len(record.head["failed"])
                cursor = record.head.get("next_cursor")
                position = BundlePosition(key, record.number + 1, memories, failed, cursor, record.end)
            elif record.last:
                raise BundleError("invalid_bundle", "The bundle is already complete.")
    except BundleError as error:
        if error.code != "bundle_cut_off":
            raise
    return position


def _chunks_of(source: BundleSource) -> Callable[[], Iterable[bytes]]:
    if callable(source):
        return source
    if isinstance(source, bytes):
        return lambda: [source]
    return lambda: _file_chunks(source)


def _file_chunks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while chunk := file.read(_file_chunk):
            yield chunk


def _key_of(chunks: Callable[[], Iterable[bytes]], passphrase: str) -> BundleKey:
    header = b""
    for chunk in chunks():
        header += chunk
        if len(header) >= header_length:
            break
    return bundle_key_of(header[:header_length], passphrase)


def import_requests(bundle: Bundle, skip: Collection[int]) -> Iterator[ImportRequest]:
    """Yield the memories of a bundle in as few requests as their number and size allow."""
    number = 0
    for page in bundle.pages():
        ids: list[str] = []
        items: list[dict[str, Any]] = []
        size = 0
        for memory_id, item in _items(page):
            own = _size(item)
            if items and (len(items) == _import_items or size + own > _request_bytes):
                if number not in skip:
                    yield ImportRequest(number, ids, items)
                number, ids, items, size = number + 1, [], [], 0
            ids.append(memory_id)
            items.append(item)
            size += own
        if items:
            if number not in skip:
                yield ImportRequest(number, ids, items)
            number += 1


def send_import(connection: Connection, request: ImportRequest, trusted_writers: Collection[str]) -> Flow[ImportedPart]:
    """Send one request of an import."""
    body = {"memories": request.items, "trusted_writers": list(trusted_writers)}
    reply = yield from call_relayer(connection, Call("POST", "/api/import", body, reads=True))
    results = parsed(ImportResponse, reply.value).results
    if len(results) != len(request.ids):
        raise BundleError("invalid_response", "The relayer did not return one result per memory.")
    return ImportedPart(request.number, [ImportedMemory(*each) for each in zip(request.ids, results, strict=True)])


def _items(page: Record) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each memory with the secret that opens only its envelope; the keys stay here."""
    keys = {each["recipient_pk"]: bytes.fromhex(each["private_key"]) for each in page.head["keys"]}
    offset = 0
    for memory in page.head["memories"]:
        envelope = page.payload[offset : offset + memory["envelope"]]
        offset += memory["envelope"]
        item = {
            "envelope": base64.b64encode(envelope).decode(),
            "secret": _secret(envelope, keys),
            "importance": memory["importance"],
        }
        vectors = memory.get("vectors")
        if vectors:
            length = vectors["bytes"]
            values = [
                base64.b64encode(page.payload[offset + i * length : offset + (i + 1) * length]).decode()
                for i in range(vectors["count"])
            ]
            offset += vectors["count"] * length
            with_vectors = item | {"vectors": {"model": vectors["model"], "values": values}}
            # A memory that does not fit together with its vectors is re-embedded
            item = item if _size(with_vectors) > _request_bytes else with_vectors
        yield str(memory["id"]), item


def _secret(envelope: bytes, keys: dict[str, bytes]) -> str:
    try:
        header = parse_header(envelope)
        return envelope_secret(header, keys.get(header.recipient_pk.hex(), b"")).hex()
    except EnvelopeError:
        raise BundleError("invalid_bundle", "An envelope in the bundle cannot be opened with its keys.") from None


def _size(item: dict[str, Any]) -> int:
    """Return the approximate size of its JSON, which is mostly base64 and hex."""
    values = item.get("vectors", {}).get("values", [])
    return len(item["envelope"]) + sum(len(each) + 3 for each in values) + 300
