"""Accepted writes and the jobs that store them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from .base import Model
from .memories import LlmUsage

JobStage: TypeAlias = Literal["queued", "embedding", "uploading", "indexing"] | str


class RememberAccepted(Model):
    """A text that is durably accepted; its job stores it."""

    job_id: str
    status: Literal["running"] | str


class RememberBulkAccepted(Model):
    """The jobs of a bulk request, in the order of its items."""

    job_ids: list[str]
    total: int
    status: Literal["running"] | str


class JobRecord(Model):
    """The state of a job."""

    job_id: str
    status: Literal["running", "done", "failed"]
    owner: str
    namespace: str
    blob_id: str | None = None
    """Present once done"""
    deduplicated: Literal[True] | None = None
    """The text was already stored; `blob_id` is that of the existing memory"""
    near_duplicate_of: str | None = None
    """An earlier memory with nearly the same text. Both are kept"""
    similarity: float | None = None
    stage: JobStage | None = None
    attempts: int | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    next_retry_at: datetime | None = None
    error: str | None = None
    """Why the last attempt failed, for a person"""
    error_code: str | None = None
    """The same for a program: a `JobErrorCode`"""


class BulkStatusResult(Model):
    """The outcome of one job among many."""

    job_id: str
    status: Literal["running", "done", "failed", "not_found"]
    blob_id: str | None = None
    deduplicated: Literal[True] | None = None
    near_duplicate_of: str | None = None
    similarity: float | None = None
    error: str | None = None
    error_code: str | None = None


class BulkStatusResponse(Model):
    """The outcomes in the order of the request."""

    results: list[BulkStatusResult]


class AnalyzedFact(Model):
    """A fact that is stored as a memory."""

    text: str
    id: str
    """Id of the memory"""
    job_id: str
    importance: float
    """From 0 to 1"""
    supersedes: list[str] | None = None
    """Memories that this fact replaces: they are kept, and count half in a recall"""


class UnchangedFact(Model):
    """A fact that is not stored because a memory already states it."""

    text: str
    id: str
    """Id of that memory"""
    blob_id: str | None = None


class AnalyzeAccepted(Model):
    """The facts of a text, each stored by a job."""

    job_ids: list[str]
    """In the order of `facts`"""
    facts: list[AnalyzedFact]
    fact_count: int
    status: Literal["pending"] | str
    owner: str
    unchanged: list[UnchangedFact] | None = None
    context: Literal["unavailable"] | str | None = None
    """Present when existing memories could not be read, so already known facts may be stored again"""
    usage: LlmUsage | None = None
    """None if no model was called"""
    mock: Literal[True] | None = None
    """The text was split into sentences, because no model is configured"""
