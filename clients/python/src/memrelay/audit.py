"""Reads the audit log of an account and checks it (docs/audit.md), as `@memrelay/sdk/audit` does."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import ConfigDict

from .async_client.client import AsyncMemRelay
from .bundle.ed25519 import ed25519_verify
from .core.calls import Call, call_relayer
from .core.connection import Connection
from .core.effects import Flow
from .models.base import Model, parsed
from .sync_client.client import MemRelay

ProblemKind = Literal[
    "order",
    "changed",
    "forged",
    "unsigned",
    "incomplete",
    "other_relayer",
    "other_account",
    "truncated",
    "rewritten",
]
"""
- `order`: an entry is missing, added or moved
- `changed`: an entry does not match its hash
- `forged`: an entry was not signed by the relayer
- `unsigned`: the end of the chain was not signed by the relayer
- `incomplete`: the entries do not reach the end of the chain
- `other_relayer`: none of the keys that the client knows signed the end of the chain
- `other_account`: it is the log of another account
- `truncated`: the chain is shorter than when the client last saw it
- `rewritten`: the chain is not a continuation of what the client last saw
"""

_per_page = 500
_max_safe_integer = 2**53 - 1
_not_hashed = ("seq", "hash", "writer_key", "signature")

T = TypeVar("T")


class AuditEntry(Model):
    """What was done with the account: ids and numbers only. Fields of newer relayers are hashed, too."""

    model_config = ConfigDict(strict=True)

    seq: int
    """From 1, without gaps"""
    at: str
    """When the relayer recorded it: RFC 3339, UTC, with milliseconds"""
    action: str
    """Such as `memories.forgotten`"""
    actor: str | None = None
    """Public key of the delegate or of the relayer, or the address that sent the transaction"""
    detail: dict[str, Any] | None = None
    hash: str
    """SHA-256 of the chain up to this entry, 64 hex digits"""
    writer_key: str
    signature: str


class AuditSignature(Model):
    """The signature of one of the relayer's writer keys."""

    model_config = ConfigDict(strict=True)

    writer_key: str
    signature: str


class AuditHead(Model):
    """The end of the chain."""

    model_config = ConfigDict(strict=True)

    account_id: str
    seq: int
    hash: str
    signed_at: str
    signatures: list[AuditSignature]
    """Newest key first. Empty if the stored end was not signed by the relayer: then someone changed its database"""


class SeenHead(Model):
    """What a client keeps of the last log that it accepted; `model_dump_json` writes it to a file."""

    seq: int
    hash: str
    writer_keys: list[str]


class AuditPage(Model):
    """A part of the log, not checked."""

    entries: list[AuditEntry]
    next_cursor: str | None = None
    head: AuditHead


@dataclass(frozen=True)
class AuditProblem:
    """What is wrong with a log."""

    kind: ProblemKind
    seq: int
    """The first entry with this problem"""


@dataclass(frozen=True)
class Audit:
    """A whole log."""

    entries: list[AuditEntry]
    """Oldest first"""
    head: AuditHead
    problems: list[AuditProblem]
    """Empty if the log is in order"""
    seen: SeenHead
    """Keep it for the next call, if there are no problems"""


def read_audit(mem: MemRelay, *, seen: SeenHead | None = None) -> Audit:
    """Read the account's log from its beginning and check it. Needs READ in all namespaces.

    With `seen` of the last call, a log that was rewritten or cut off since then has a problem.
    """
    return mem._run(_read(mem._connection, seen))


async def read_audit_async(mem: AsyncMemRelay, *, seen: SeenHead | None = None) -> Audit:
    """Like `read_audit`."""
    return await mem._run(_read(mem._connection, seen))


def _read(connection: Connection, seen: SeenHead | None) -> Flow[Audit]:
    entries: list[AuditEntry] = []
    cursor = "0"
    while True:
        call = Call("GET", f"/api/audit?cursor={cursor}&limit={_per_page}")
        page = parsed(AuditPage, (yield from call_relayer(connection, call)).value)
        entries += page.entries
        # A page without entries has no next one, whatever the relayer claims
        if page.next_cursor is None or not page.entries:
            problems = check_audit(entries, page.head, seen)
            if page.head.account_id != connection.account_id.lower():
                problems.append(AuditProblem("other_account", page.head.seq))
            return Audit(entries, page.head, problems, seen_head(page.head))
        cursor = page.next_cursor


def check_audit(entries: Sequence[AuditEntry], head: AuditHead, seen: SeenHead | None = None) -> list[AuditProblem]:
    """Check a log and, if given, the head that the client saw last. Return the first problem of each kind."""
    problems: dict[ProblemKind, int] = {}
    keys = [each.writer_key for each in head.signatures]
    is_signed = all(
        _is_signed(head.account_id, head.seq, head.hash, head.signed_at, each.writer_key, each.signature)
        for each in head.signatures
    )
    if not keys or not is_signed:
        problems.setdefault("unsigned", head.seq)
    if seen is not None and not set(keys) & set(seen.writer_keys):
        problems.setdefault("other_relayer", head.seq)

    hashes = [_or_none(lambda: _start(head.account_id)) or ""]
    for number, entry in enumerate(entries, 1):
        if entry.seq != number:
            problems.setdefault("order", number)
        if _or_none(lambda: _hash(hashes[-1], number, entry)) != entry.hash:  # noqa: B023 called at once
            problems.setdefault("changed", number)
        hashes.append(entry.hash)

    trusted = keys or (None if seen is None else seen.writer_keys)

    def is_ours(each: AuditEntry) -> bool:
        signed = (head.account_id, each.seq, each.hash, each.at, each.writer_key, each.signature)
        return (trusted is None or each.writer_key in trusted) and _is_signed(*signed)

    # The signature of the last entry covers all before it. The others only show where forged ones begin
    if entries and not is_ours(entries[-1]):
        problems.setdefault("forged", next(n for n, each in enumerate(entries, 1) if not is_ours(each)))
    if len(entries) != head.seq or hashes[-1] != head.hash:
        problems.setdefault("incomplete", min(len(entries), head.seq) + 1)
    if seen is not None and head.seq < seen.seq:
        problems.setdefault("truncated", head.seq + 1)
    elif seen is not None and (not 0 <= seen.seq < len(hashes) or hashes[seen.seq] != seen.hash):
        problems.setdefault("rewritten", seen.seq)
    return [AuditProblem(kind, seq) for kind, seq in problems.items()]


def seen_head(head: AuditHead) -> SeenHead:
    """Return what to keep of a log without problems."""
    return SeenHead(seq=head.seq, hash=head.hash, writer_keys=[each.writer_key for each in head.signatures])


def canonical_json(value: Any) -> str:
    """Return the canonical JSON (RFC 8785) of a value that has whole numbers only. Raises `ValueError` for others."""
    if isinstance(value, str):
        value.encode()
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and abs(value) <= _max_safe_integer:
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical_json, value))}]"
    if isinstance(value, dict):
        # Ordered by UTF-16 units, which differs from code points beyond U+FFFF
        names = sorted(value, key=lambda name: str(name).encode("utf-16-be"))
        return "{" + ",".join(f"{canonical_json(name)}:{canonical_json(value[name])}" for name in names) + "}"
    raise ValueError("has no canonical form")


def _start(account_id: str) -> str:
    return hashlib.sha256(b"memrelay-audit-v1\n" + _from_hex(account_id)).hexdigest()


def _hash(previous: str, seq: int, entry: AuditEntry) -> str:
    content = entry.model_dump(exclude_unset=True, exclude=set(_not_hashed))
    start = b"memrelay-audit-entry-v1\n" + _from_hex(previous) + seq.to_bytes(8, "big")
    return hashlib.sha256(start + canonical_json(content).encode()).hexdigest()


def _is_signed(account_id: str, seq: int, own_hash: str, signed_at: str, key: str, signature: str) -> bool:
    signed = {"account_id": account_id, "hash": own_hash, "seq": seq, "signed_at": signed_at}

    def verify() -> bool:
        message = b"memrelay-audit-head-v1\n" + canonical_json(signed).encode()
        return ed25519_verify(_from_hex(key), message, _from_hex(signature))

    return _or_none(verify) or False


def _from_hex(text: str) -> bytes:
    digits = text.removeprefix("0x")
    if not re.fullmatch(r"[0-9a-fA-F]*", digits):
        raise ValueError("not hex")
    return bytes.fromhex(digits)


def _or_none(compute: Callable[[], T]) -> T | None:
    """Values from a relayer may be no hex at all, or have no canonical form."""
    try:
        return compute()
    except (ValueError, OverflowError):
        return None
