"""Counts, forgetting, restoring and keys."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from .base import Model

ReindexFailure: TypeAlias = Literal["client_encrypted", "embedding_rejected", "not_opened", "unreadable"] | str
"""`client_encrypted`: its client must store a vector of the current model; `embedding_rejected`: the provider rejects the
text; `not_opened`: this credential does not open it; `unreadable`: no aggregator returns the blob at the moment."""


class NamespaceEntry(Model):
    """The contents of a namespace."""

    namespace: str
    memory_count: int
    storage_bytes: int
    """Bytes of the encrypted memories"""
    newest: datetime
    oldest: datetime


class NamespacesResponse(Model):
    """The namespaces that a key may read, ordered by name."""

    owner: str
    namespaces: list[NamespaceEntry]


class LostCounts(Model):
    """Lost memories by reason."""

    expired: int | None = None
    missing: int | None = None


class StorageEnd(Model):
    """Memories whose blobs expire at the start of one storage epoch."""

    epoch: int
    count: int
    bytes: int


class CostForecast(Model):
    """What renewing everything for a year costs at current prices, without gas. Amounts are decimal, in FROST (1e-9 WAL)."""

    epochs: int
    """Epochs for which each renewal pays"""
    renewals_per_year: float
    per_quilt: int
    alone_frost: str
    """With a separate blob for each memory"""
    quilted_frost: str
    """In quilts of `per_quilt` memories"""


class ExpiryStats(Model):
    """Memories that expire soon."""

    epoch: int
    """The current storage epoch"""
    soon_count: int
    """Memories that expire within the next epochs"""
    soon_bytes: int
    first_epoch: int | None = None
    """Epoch in which the first of them expires"""
    renewed: bool
    """Whether the relayer renews them before they expire"""
    epoch_ms: int
    """Duration of a storage epoch in ms"""
    ends: list[StorageEnd]
    """Memories by the epoch at whose start they expire, the nearest first; at most 60"""


class JobStats(Model):
    """Unfinished and failed jobs."""

    running: int
    failed: int
    failed_ids: list[str] | None = None
    """At most 20 failed jobs that can be retried"""
    namespaces: list[str] | None = None
    """Every namespace with jobs, even if nothing is stored there yet"""


class KeyUse(Model):
    """When a key of the account was last used at this relayer."""

    public_key: str
    last_used: datetime


class StatsResponse(Model):
    """Counts of everything that a key may read."""

    owner: str
    memory_count: int
    storage_bytes: int
    newest: datetime | None = None
    oldest: datetime | None = None
    stale_count: int
    """Memories that vector search does not find until they are re-embedded"""
    lost: LostCounts | None = None
    expiry: ExpiryStats | None = None
    """None while the current storage epoch is unknown"""
    forecast: CostForecast | None = None
    """None if nothing is stored, or while the prices of storage are unknown"""
    jobs: JobStats
    blobs_to_delete: list[str] | None = None
    """At most 200 blob objects of the owner that no memory needs"""
    key_uses: list[KeyUse] | None = None
    """Keys that were used since this relayer started; only for keys with access to all namespaces"""
    namespaces: list[NamespaceEntry]


class ForgetResponse(Model):
    """What was forgotten, summed over all requests of the call."""

    deleted: int
    """Memories that this call removed, not counting ones that were already forgotten"""
    namespace: str | None = None
    owner: str
    blobs_to_delete: list[str]
    """Blob objects that the owner may delete on chain. Until then anyone can fetch the encrypted bytes"""
    blobs_shared: int | None = None
    """Blob objects that also hold memories to keep. Repeat the call later to get them in `blobs_to_delete`"""
    blobs_shared_until: datetime | None = None
    """Latest time at which the server begins to repack; None while it is doing so"""
    more: Literal[True] | None = None


class ForgetPreview(Model):
    """What forgetting some ids would do."""

    namespace: str
    memories: int
    """Memories that would be removed"""
    unknown: list[str]
    """Ids that are not in the namespace and never were"""


class RestoreFailure(Model):
    """A blob that could not be read or opened."""

    blob_id: str
    reason: str


class RestoreResponse(Model):
    """What was restored, summed over all requests of the call."""

    restored: int
    skipped: int
    """Already indexed, or forgotten"""
    total: int
    """Memories of the namespace found on chain so far, without the unverified ones"""
    namespace: str
    owner: str
    as_of: datetime | None = None
    """When the owner's objects were listed. Memories stored later are not counted"""
    unverified: int | None = None
    """Not signed by a trusted writer: never indexed"""
    failed: list[RestoreFailure] | None = None
    """Blobs that the last request could not read or open; at most 100"""
    more: Literal[True] | None = None


class ReindexedFailure(Model):
    """A memory that could not be re-embedded."""

    id: str
    reason: ReindexFailure


class ReindexResponse(Model):
    """What was re-embedded, summed over all requests of the call."""

    reindexed: int
    stale_count: int
    """Memories of the namespace that vector search does not find, not counting client-encrypted ones"""
    namespace: str
    owner: str
    failed: list[ReindexedFailure] | None = None
    next_cursor: str | None = None


class KeyWrap(Model):
    """A key, encrypted for key servers or for the owner's recovery key."""

    type: int
    bytes: str
    """Base64"""


class KeyEntry(Model):
    """A key that memories of a namespace are sealed to."""

    namespace: str
    tag: str
    """Namespace tag, 32 hex digits"""
    key_epoch: int
    recipient_pk: str
    """X25519 public key, 64 hex digits"""
    current: bool
    """Whether the current key servers can open it"""
    wraps: list[KeyWrap]


class KeysResponse(Model):
    """The keys of the namespaces that a key may read."""

    keys: list[KeyEntry]


class RewrapFailure(Model):
    """A key whose wraps could not be opened."""

    recipient_pk: str
    reason: str


class RewrapResponse(Model):
    """New wraps for the current key servers."""

    job_ids: list[str]
    """One upload job per key, which sends its new wrap to the owner"""
    failed: list[RewrapFailure]
    next: str | None = None
    """Present when there are more: the `after` of the next call"""
