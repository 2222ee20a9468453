"""Memories as recall, ask, lists and reads return them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from .base import Model

MetadataValue: TypeAlias = str | int | float | bool | None

MatchReason: TypeAlias = Literal["words", "meaning", "spelling", "context"] | str
"""Why a memory is a hit: it contains a word of the question, its vector is near enough, with the built-in embedder one
of its words is spelt almost like one of the question, or it was stored next to a memory that matches."""

LostReason: TypeAlias = Literal["expired", "missing"] | str
"""Why a memory cannot be read any more: its blob expired, or disappeared before its end."""


TextError: TypeAlias = Literal["lost", "unavailable", "unreadable"] | str
"""Why an entry of a list with texts has no text: its blob is gone; no aggregator or key server responds; or its bytes
cannot be opened by this caller."""


class LlmUsage(Model):
    """Model usage of a request."""

    calls: int
    """Retries included"""
    prompt_tokens: int
    completion_tokens: int


class SealedContext(Model):
    """Fields that are sealed with a text."""

    session: str | None = None
    """The conversation it belongs to"""
    speaker: str | None = None
    """Who said it"""
    happened_at: datetime | None = None
    """When it was said or happened"""
    tags: list[str] | None = None
    metadata: dict[str, MetadataValue] | None = None
    expires_at: datetime | None = None
    """From then on no request returns the memory"""


class LegScore(Model):
    """Rank and score of a memory in one of the two searches of a recall."""

    rank: int | None = None
    """From 1; None when this search did not find it"""
    score: float


class KeywordScore(LegScore):
    """Rank and score in the keyword search: the share of the question's words that the text contains."""

    terms: int
    """Number of different words of the question that the text contains"""
    related: int | None = None
    """Words of the question for which the text has only a related word"""


class HitExplanation(Model):
    """Why a memory has its rank."""

    matched_by: MatchReason | None = None
    """None if the request has a `min_score`, which decides instead"""
    vector: LegScore
    """Its score is the similarity, 1 − distance"""
    keywords: KeywordScore | None = None
    """None without a keyword index"""
    vector_share: float
    """Weight of the vector, from 0 to 1; the rest is the weight of the keywords"""
    context: float | None = None
    """Share of the relevance that comes from memories stored right before and after"""
    session: float | None = None
    """The same for the best memories of its session"""
    speaker: float | None = None
    """Factor for a speaker whom the question names"""
    date: float | None = None
    """Factor for a day or month that the question names"""


class SurroundingMemory(Model):
    """A memory that was stored shortly before or after a hit."""

    id: str
    text: str
    created_at: datetime


class HitContext(Model):
    """Texts around a hit, in the order in which they were stored."""

    before: list[SurroundingMemory]
    after: list[SurroundingMemory]


class MemoryHit(SealedContext):
    """A memory that a recall found."""

    id: str
    blob_id: str | None = None
    """None only while `pending`"""
    text: str
    distance: float
    """1 − cosine; 1 if `stale`"""
    score: float | None = None
    created_at: datetime | None = None
    pending: Literal[True] | None = None
    stale: Literal[True] | None = None
    """The vector comes from an earlier model, so the memory was found only by its words"""
    superseded_by: str | None = None
    """The memory that replaces this one, whose score is halved"""
    explain: HitExplanation | None = None
    context: HitContext | None = None
    """Present if the request asked for it"""


class RecallResponse(Model):
    """The hits of a recall, best first."""

    results: list[MemoryHit]
    total: int
    dropped_count: int | None = None
    """Matches that could not be read"""
    stale_count: int | None = None
    """Memories of the namespace whose vectors come from an earlier model: only their words find them"""
    query_truncated: Literal[True] | None = None
    """Only the beginning of a long query was searched for"""
    usage: LlmUsage | None = None
    """Present if the request asked for `rerank`"""
    mock: Literal[True] | None = None
    """The vectors come from the built-in lexical embedder"""


class AskResponse(Model):
    """An answer from memories."""

    answer: str
    """`[1]` in it names the first of `memories`"""
    known: bool
    """False when the memories do not contain the answer"""
    memories_used: int
    memories: list[MemoryHit]
    """The memories that the answer cites, in citation order"""
    dropped_count: int | None = None
    query_truncated: Literal[True] | None = None
    usage: LlmUsage | None = None
    mock: Literal[True] | None = None


class FactSource(Model):
    """A memory that states a fact."""

    id: str
    blob_id: str | None = None
    """None while the memory is pending"""
    created_at: datetime


class ProfileFact(Model):
    """A short fact with the memories that state it."""

    text: str
    """One statement, at most 300 characters"""
    sources: list[FactSource]
    """The best first"""


class ProfileResponse(Model):
    """What is known about a subject."""

    namespace: str
    facts: list[ProfileFact]
    """Best first"""
    total: int
    dropped_count: int | None = None
    mock: Literal[True] | None = None


class MemoryVersion(Model):
    """An earlier or later version of a memory."""

    id: str
    created_at: datetime
    text: str | None = None
    """None if it cannot be read, or if the texts of the history are larger than 1 MiB together"""


class MemoryHistory(Model):
    """Versions that supersede each other; each list has at most 50, the nearest first."""

    earlier: list[MemoryVersion]
    later: list[MemoryVersion]


class SealedTo(Model):
    """The namespace key that a memory is encrypted to."""

    key_epoch: int
    recipient_pk: str
    """X25519 public key, 64 hex digits"""


class SingleMemory(SealedContext):
    """One memory with its text and its versions."""

    id: str
    namespace: str
    state: Literal["pending", "done", "lost"] | str
    """`pending`: accepted and durable, but not uploaded yet. `lost`: its blob is gone"""
    lost: LostReason | None = None
    text: str | None = None
    """None if it cannot be read"""
    created_at: datetime
    blob_id: str | None = None
    object_id: str | None = None
    """The blob object on chain. A quilt's object holds other memories, too"""
    expires_epoch: int | None = None
    """The storage epoch at whose start the blob expires"""
    sealed_to: SealedTo | None = None
    """None if the text cannot be read"""
    size: int
    """Bytes of the encrypted memory"""
    importance: float
    superseded_by: str | None = None
    history: MemoryHistory


class MemoryEntry(SealedContext):
    """A memory in a list. Its text and context fields are present only if `texts` asks for them."""

    id: str
    blob_id: str | None = None
    """None only while `pending`"""
    namespace: str
    created_at: datetime
    size: int
    """Bytes of the encrypted memory"""
    importance: float
    expires_epoch: int | None = None
    pending: Literal[True] | None = None
    near_duplicate_of: str | None = None
    """An earlier memory with nearly the same text; `similarity` is the cosine of the two"""
    similarity: float | None = None
    superseded_by: str | None = None
    lost: LostReason | None = None
    """Present when the blob is gone; recall does not find such a memory"""
    text: str | None = None
    error: TextError | None = None
    """Instead of `text`, if it was asked for and cannot be read"""


class MemoriesResponse(Model):
    """One page of a list, newest first."""

    memories: list[MemoryEntry]
    next_cursor: str | None = None
    """Present when there are more"""
