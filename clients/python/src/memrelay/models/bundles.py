"""The server side of bundles; bundle/ writes and reads the file."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .base import Model


class BareVectors(Model):
    """Vectors of one memory: chunks of 32-bit floats, little-endian, in base64."""

    model: str
    values: list[str]


class ExportedMemory(Model):
    """A memory with its envelope."""

    id: str
    namespace: str
    created_at: str
    """RFC 3339, as the bundle keeps it"""
    importance: float
    envelope: str
    """Base64"""
    vectors: BareVectors | None = None


class ExportedKey(Model):
    """The private half of a pair that memories on a page are sealed to."""

    recipient_pk: str
    """Public half of the pair, 64 hex digits"""
    sealed: str
    """In the form of a recovery wrap: HPKE to the key of the request; base64"""


class ExportFailure(Model):
    """A memory that cannot be exported."""

    id: str
    blob_id: str | None = None
    reason: str


class ExportResponse(Model):
    """A part of an export, newest memory first."""

    memories: list[ExportedMemory]
    keys: list[ExportedKey]
    failed: list[ExportFailure]
    trusted_writers: list[str]
    """Ed25519 keys, hex"""
    next_cursor: str | None = None


class ImportRunning(Model):
    """The memory is being stored."""

    status: Literal["running"]
    job_id: str


class ImportKnown(Model):
    """This namespace already stores the text, as the memory with this id."""

    status: Literal["known"]
    id: str


class ImportUnverified(Model):
    """Not signed by a trusted writer: not stored."""

    status: Literal["unverified"]
    signer: str


class ImportFailed(Model):
    """The memory was not stored."""

    status: Literal["failed"]
    reason: str


ImportResult: TypeAlias = ImportRunning | ImportKnown | ImportUnverified | ImportFailed


class ImportResponse(Model):
    """The outcomes of one request, in its order."""

    results: list[ImportResult]
    job_ids: list[str]
    owner: str
