"""Storing texts, and the jobs that store them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..flows import jobs, writing
from ..flows.inputs import KEEP, Keep, Metadata, RememberItem, Time
from ..models.jobs import AnalyzeAccepted, BulkStatusResult, JobRecord, RememberAccepted
from .transport import SyncTransport


class SyncWriting(SyncTransport):
    """The methods of a client that store texts."""

    def remember(
        self,
        text: str,
        *,
        namespace: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        happened_at: Time | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        expires_at: Time | None = None,
        idempotency_key: str | None = None,
    ) -> RememberAccepted:
        """Store a text. Returns when the relayer has durably accepted it; storing continues in the background.

        Args:
            text: Up to 1 MiB of UTF-8.
            namespace: Defaults to the client's, else `default`.
            session: The conversation it belongs to, 1–128 characters.
            speaker: Who said it, 1–128 characters.
            happened_at: When it was said or happened: an aware `datetime`, or RFC 3339 with an offset.
            tags: Up to 32 labels of 1–64 characters, by which recall, ask and lists can filter.
            metadata: A flat object, up to 4 KiB of JSON, that comes back with the text.
            expires_at: From then on nothing returns the memory, and the relayer forgets it.
            idempotency_key: 1–128 visible ASCII characters. The same key with the same body stores once within 24 h,
                so pass your own if you may repeat the call after a crash. By default each call has a new one.

        Raises:
            MemRelayError: e.g. `invalid_request`, `insufficient_scope`, `storage_limit_reached`.
        """
        item = RememberItem(text, namespace, session, speaker, happened_at, tags, metadata, expires_at)
        return self._run(writing.remember(self._connection, idempotency_key, item))

    def remember_and_wait(
        self,
        text: str,
        *,
        namespace: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        happened_at: Time | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        expires_at: Time | None = None,
        idempotency_key: str | None = None,
        timeout: float = 120.0,
        on_progress: Callable[[JobRecord], None] | None = None,
    ) -> JobRecord:
        """`remember`, then `wait_for_job`."""
        item = RememberItem(text, namespace, session, speaker, happened_at, tags, metadata, expires_at)
        return self._run(jobs.remember_and_wait(self._connection, idempotency_key, item, timeout, on_progress))

    def remember_bulk(self, items: Iterable[str | RememberItem], *, idempotency_key: str | None = None) -> list[str]:
        """Store many texts, in as few requests as their number and size allow. Returns the job ids in order.

        If a later request fails, the error's `details` have `accepted_job_ids` and the `idempotency_key` with which the
        same call can be repeated without storing anything twice.
        """
        return self._run(writing.remember_bulk(self._connection, items, idempotency_key))

    def remember_bulk_and_wait(
        self,
        items: Iterable[str | RememberItem],
        *,
        idempotency_key: str | None = None,
        timeout: float = 120.0,
        on_progress: Callable[[list[BulkStatusResult]], None] | None = None,
    ) -> list[BulkStatusResult]:
        """`remember_bulk`, then `wait_for_jobs`."""
        return self._run(jobs.remember_bulk_and_wait(self._connection, items, idempotency_key, timeout, on_progress))

    def analyze(
        self,
        text: str,
        *,
        occurred_at: Time | None = None,
        namespace: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        happened_at: Time | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        expires_at: Time | None = None,
        idempotency_key: str | None = None,
    ) -> AnalyzeAccepted:
        """Extract the facts of a text (up to 64 KiB) and store each as a separate memory.

        Known facts are in `unchanged`. `occurred_at` is when the text was said, so that "yesterday" becomes a date; the
        other fields are as in `remember`, for every fact.
        """
        item = RememberItem(text, namespace, session, speaker, happened_at, tags, metadata, expires_at)
        return self._run(writing.analyze(self._connection, item, occurred_at, idempotency_key))

    def replace(
        self,
        memory_id: str,
        text: str,
        *,
        namespace: str | None = None,
        session: str | Keep | None = KEEP,
        speaker: str | Keep | None = KEEP,
        happened_at: Time | Keep | None = KEEP,
        tags: Sequence[str] | Keep | None = KEEP,
        metadata: Metadata | Keep | None = KEEP,
        expires_at: Time | Keep | None = KEEP,
        idempotency_key: str | None = None,
    ) -> RememberAccepted:
        """Store a text that supersedes a memory, like `remember`.

        The fields of the memory are kept, except `happened_at`; None drops one. Raises `memory_not_found`,
        `memory_not_replaceable`.
        """
        fields = {
            "session": session,
            "speaker": speaker,
            "happened_at": happened_at,
            "tags": tags,
            "metadata": metadata,
            "expires_at": expires_at,
        }
        return self._run(writing.replace(self._connection, memory_id, text, namespace, fields, idempotency_key))

    def job(self, job_id: str) -> JobRecord:
        """Return the state of one job. Raises `job_not_found`."""
        return self._run(jobs.job(self._connection, job_id))

    def jobs(self, job_ids: Sequence[str]) -> list[BulkStatusResult]:
        """Return the state of many jobs, in the requested order, duplicates kept; unknown ones are `not_found`."""
        return self._run(jobs.jobs(self._connection, job_ids))

    def wait_for_job(
        self,
        job_id: str,
        *,
        timeout: float = 120.0,
        on_progress: Callable[[JobRecord], None] | None = None,
    ) -> JobRecord:
        """Wait until a job is done, at most `timeout` seconds.

        `on_progress` is called whenever stage, status or attempt count changed. Raises `JobFailedError`,
        `JobTimeoutError`, `job_not_found`.
        """
        return self._run(jobs.wait_for_job(self._connection, job_id, timeout, on_progress))

    def wait_for_jobs(
        self,
        job_ids: Sequence[str],
        *,
        timeout: float = 120.0,
        on_progress: Callable[[list[BulkStatusResult]], None] | None = None,
    ) -> list[BulkStatusResult]:
        """Wait until all jobs have ended, successfully or not, and return their outcomes in the requested order.

        Raises `JobTimeoutError`, whose `jobs` have the last known states.
        """
        return self._run(jobs.wait_for_jobs(self._connection, job_ids, timeout, on_progress))

    def retry_job(self, job_id: str) -> RememberAccepted:
        """Retry a failed job. Raises `job_not_failed` if it is running or done, `job_not_found`."""
        return self._run(writing.retry_job(self._connection, job_id))
