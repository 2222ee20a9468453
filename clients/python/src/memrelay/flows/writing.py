"""Storing texts."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from ..core.calls import Call, call_relayer, to_json, write_call
from ..core.connection import Connection, check_idempotency_key
from ..core.effects import Flow
from ..errors import MemRelayError
from ..models.base import parsed
from ..models.jobs import AnalyzeAccepted, RememberAccepted, RememberBulkAccepted
from .inputs import KEEP, RememberItem, present, wire_value

bulk_items = 20
"""Items and job ids of one request"""
_bulk_bytes = 2 * 1024 * 1024 - 1024
"""The body limit for the items, without `{"items":[]}`"""


def remember(connection: Connection, idempotency_key: str | None, item: RememberItem) -> Flow[RememberAccepted]:
    """Store a text."""
    call = write_call("/api/remember", item.body(connection.namespace), idempotency_key)
    return parsed(RememberAccepted, (yield from call_relayer(connection, call)).value)


def remember_bulk(
    connection: Connection, items: Iterable[str | RememberItem], idempotency_key: str | None
) -> Flow[list[str]]:
    """Send items in as few requests as the relayer's limits allow, and return their job ids in order.

    Each request has a key derived from `idempotency_key`, so repeating the call stores nothing twice.
    """
    key = check_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
    bodies = [(RememberItem(item) if isinstance(item, str) else item).body(connection.namespace) for item in items]
    job_ids: list[str] = []
    try:
        for index, chunk in enumerate(_chunks(bodies)):
            own = key if index == 0 else check_idempotency_key(f"{key}.{index}")
            call = write_call("/api/remember/bulk", {"items": chunk}, own)
            accepted = parsed(RememberBulkAccepted, (yield from call_relayer(connection, call)).value)
            if len(accepted.job_ids) != len(chunk):
                raise MemRelayError("invalid_response", "The relayer did not return one job id per item.")
            job_ids += accepted.job_ids
    except MemRelayError as error:
        error.details |= {"accepted_job_ids": job_ids, "idempotency_key": key}
        raise
    return job_ids


def _chunks(bodies: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split a list into chunks that fit into a request; a larger item is a chunk by itself."""
    chunks: list[list[dict[str, Any]]] = []
    size = 0
    for body in bodies:
        own = len(to_json(body)) + 1
        if not chunks or len(chunks[-1]) >= bulk_items or size + own > _bulk_bytes:
            chunks.append([])
            size = 0
        chunks[-1].append(body)
        size += own
    return chunks


def analyze(
    connection: Connection, item: RememberItem, occurred_at: Any, idempotency_key: str | None
) -> Flow[AnalyzeAccepted]:
    """Store the facts of a text."""
    body = item.body(connection.namespace) | present(occurred_at=occurred_at)
    call = write_call("/api/analyze", body, idempotency_key, reads=True, policy=connection.model_policy())
    return parsed(AnalyzeAccepted, (yield from call_relayer(connection, call)).value)


def replace(
    connection: Connection,
    memory_id: str,
    text: str,
    namespace: str | None,
    fields: dict[str, Any],
    idempotency_key: str | None,
) -> Flow[RememberAccepted]:
    """Store a text that supersedes a memory; a field that is None is dropped, one that is `KEEP` is kept."""
    changed = {name: wire_value(name, value) for name, value in fields.items() if value is not KEEP}
    body = present(text=text, namespace=namespace) | changed
    call = write_call(f"/api/memories/{segment(memory_id)}/replace", body, idempotency_key, reads=True)
    return parsed(RememberAccepted, (yield from call_relayer(connection, call)).value)


def retry_job(connection: Connection, job_id: str) -> Flow[RememberAccepted]:
    """Retry a failed job."""
    call = Call("POST", f"/api/remember/{segment(job_id)}/retry", {})
    return parsed(RememberAccepted, (yield from call_relayer(connection, call)).value)


def segment(text: str) -> str:
    """Return a text as one segment of a path."""
    return quote(text, safe="")
