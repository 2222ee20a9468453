"""Reading jobs, and waiting for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, cast

from ..core.calls import Call, backoff, call_relayer
from ..core.connection import Connection, RetryPolicy
from ..core.effects import Flow, pause
from ..errors import JobFailedError, JobTimeoutError, MemRelayError
from ..models.base import parsed
from ..models.jobs import BulkStatusResponse, BulkStatusResult, JobRecord
from .inputs import RememberItem
from .writing import bulk_items, remember, remember_bulk, segment

_first_pause = 0.05
_min_poll = 0.25
"""Seconds: the last poll of a wait gets at least this long."""


class _Polled(NamedTuple):
    finished: bool
    retry_after: float | None


def job(connection: Connection, job_id: str) -> Flow[JobRecord]:
    """Return the state of one job."""
    record, _ = yield from _read_job(connection, job_id, None)
    return record


def jobs(connection: Connection, job_ids: Sequence[str]) -> Flow[list[BulkStatusResult]]:
    """Return the states of any number of jobs, in the requested order."""
    outcomes: list[BulkStatusResult] = []
    for start in range(0, len(job_ids), bulk_items):
        results, _ = yield from _read_jobs(connection, job_ids[start : start + bulk_items], None)
        outcomes += results
    return outcomes


def wait_for_job(
    connection: Connection, job_id: str, timeout: float, on_progress: Callable[[JobRecord], None] | None
) -> Flow[JobRecord]:
    """Wait until one job is done."""
    last: JobRecord | None = None

    def poll(poll_timeout: float) -> Flow[_Polled]:
        nonlocal last
        before = last
        last, retry_after = yield from _read_job(connection, job_id, _one_poll(connection, poll_timeout))
        changed = before is None or (before.status, before.stage, before.attempts) != (
            last.status,
            last.stage,
            last.attempts,
        )
        if changed and on_progress is not None:
            on_progress(last)
        return _Polled(last.status != "running", retry_after)

    def known() -> list[JobRecord | BulkStatusResult]:
        return [last or BulkStatusResult(job_id=job_id, status="running")]

    yield from _poll_until_finished(poll, timeout, known)
    ended = cast(JobRecord, last)
    if ended.status == "failed":
        raise JobFailedError(ended)
    if ended.blob_id is None:
        raise MemRelayError("invalid_response", f"The relayer reported job {job_id} as done without its blob id.")
    return ended


def wait_for_jobs(
    connection: Connection,
    job_ids: Sequence[str],
    timeout: float,
    on_progress: Callable[[list[BulkStatusResult]], None] | None,
) -> Flow[list[BulkStatusResult]]:
    """Wait until every job has ended. Failed and unknown jobs are outcomes, not errors."""
    known = {job_id: BulkStatusResult(job_id=job_id, status="running") for job_id in job_ids}

    def outcomes() -> list[BulkStatusResult]:
        return [known[job_id] for job_id in job_ids]

    def poll(poll_timeout: float) -> Flow[_Polled]:
        running = [each.job_id for each in known.values() if each.status == "running"]
        longest: float | None = None
        changed = False
        for start in range(0, len(running), bulk_items):
            chunk = running[start : start + bulk_items]
            results, retry_after = yield from _read_jobs(connection, chunk, _one_poll(connection, poll_timeout))
            longest = max(longest or 0, retry_after or 0)
            for each in results:
                if each.job_id in known:
                    changed = changed or each.status != "running"
                    known[each.job_id] = each
        if changed and on_progress is not None:
            on_progress(outcomes())
        return _Polled(all(each.status != "running" for each in known.values()), longest)

    if known:
        yield from _poll_until_finished(poll, timeout, outcomes)
    return outcomes()


def remember_and_wait(
    connection: Connection,
    idempotency_key: str | None,
    item: RememberItem,
    timeout: float,
    on_progress: Callable[[JobRecord], None] | None,
) -> Flow[JobRecord]:
    """Store a text and wait until it is done."""
    accepted = yield from remember(connection, idempotency_key, item)
    return (yield from wait_for_job(connection, accepted.job_id, timeout, on_progress))


def remember_bulk_and_wait(
    connection: Connection,
    items: Iterable[str | RememberItem],
    idempotency_key: str | None,
    timeout: float,
    on_progress: Callable[[list[BulkStatusResult]], None] | None,
) -> Flow[list[BulkStatusResult]]:
    """Store many texts and wait until their jobs have ended."""
    job_ids = yield from remember_bulk(connection, items, idempotency_key)
    return (yield from wait_for_jobs(connection, job_ids, timeout, on_progress))


def _poll_until_finished(
    poll: Callable[[float], Generator[Any, Any, _Polled]],
    timeout: float,
    known: Callable[[], Sequence[JobRecord | BulkStatusResult]],
) -> Flow[None]:
    """Poll quickly at first, because a local relayer is done in milliseconds, then less and less often.

    Every temporary error is retried until the time is up.
    """
    deadline = time.monotonic() + timeout
    delay, count = min(_first_pause, timeout), 0
    while True:
        yield from pause(delay)
        count += 1
        failure: MemRelayError | None = None
        try:
            finished, retry_after = yield from poll(max(deadline - time.monotonic(), _min_poll))
            if finished:
                return
        except MemRelayError as error:
            if not error.retryable:
                raise
            failure, retry_after = error, error.retry_after
        remaining = deadline - time.monotonic()
        if remaining <= 0 or (retry_after or 0) > remaining:
            raise JobTimeoutError(known(), timeout) from failure
        # 50 ms, growing to 2 s, each 20 % shorter or longer at random
        grown = backoff(count, first=1.2 * _first_pause, most=2.4, factor=1.6, jitter=1 / 3)
        delay = min(max(grown, retry_after or 0), remaining)


def _one_poll(connection: Connection, timeout: float) -> RetryPolicy:
    """Return a policy without retries: the waiting loop repeats polls itself."""
    return RetryPolicy(1, timeout, connection.policy.timeout)


def _read_job(connection: Connection, job_id: str, policy: RetryPolicy | None) -> Flow[tuple[JobRecord, float | None]]:
    call = Call("GET", f"/api/remember/{segment(job_id)}", policy=policy)
    reply = yield from call_relayer(connection, call)
    return parsed(JobRecord, reply.value), reply.retry_after


def _read_jobs(
    connection: Connection, job_ids: Sequence[str], policy: RetryPolicy | None
) -> Flow[tuple[list[BulkStatusResult], float | None]]:
    call = Call("POST", "/api/remember/bulk/status", {"job_ids": list(job_ids)}, policy=policy)
    reply = yield from call_relayer(connection, call)
    return parsed(BulkStatusResponse, reply.value).results, reply.retry_after
