"""Storing, finding, changing and forgetting memories."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone

import pytest

from memrelay import (
    AskDelta,
    AskResponse,
    ConflictError,
    InvalidRequestError,
    JobRecord,
    MemRelay,
    NotFoundError,
    RememberItem,
)


def test_recalls_what_was_just_remembered(mem: MemRelay) -> None:
    accepted = mem.remember("Ana likes her tea with lemon ☕.")
    assert accepted.status == "running"
    stages: list[JobRecord] = []
    job = mem.wait_for_job(accepted.job_id, timeout=60, on_progress=stages.append)
    assert job.blob_id
    assert job.owner.startswith("0x")
    assert stages[-1] == job
    found = mem.recall("what does Ana drink tea with?", limit=3)
    assert found.results[0].text == "Ana likes her tea with lemon ☕."
    stored = mem.recall("what does Ana drink tea with?", include_pending=False).results[0]
    assert (stored.blob_id, stored.pending) == (job.blob_id, None)


def test_returns_the_fields_that_were_sealed_with_a_text(mem: MemRelay) -> None:
    happened = datetime(2026, 5, 8, 12, tzinfo=timezone(timedelta(hours=2)))
    expires = datetime.now(timezone.utc) + timedelta(days=30)
    mem.remember_and_wait(
        "The plum tree needs to be cut.",
        session="monday-call",
        speaker="Ada",
        happened_at=happened,
        tags=["garden", "to do"],
        metadata={"source": "call", "page": 3, "ok": True, "none": None},
        expires_at=expires,
        timeout=60,
    )
    hit = mem.recall("plum tree", tags={"any": ["garden", "house"], "not": ["done"]}, explain=True).results[0]
    assert (hit.session, hit.speaker, hit.tags) == ("monday-call", "Ada", ["garden", "to do"])
    assert hit.happened_at == happened
    assert hit.metadata == {"source": "call", "page": 3, "ok": True, "none": None}
    assert hit.explain is not None
    assert hit.explain.vector.score > 0
    assert mem.recall("plum tree", tags={"not": ["garden"]}).results == []
    assert len(list(mem.memories(tags={"all": ["garden", "to do"]}))) == 1


def test_stores_many_in_order_and_reports_each_outcome(mem: MemRelay) -> None:
    items: list[str | RememberItem] = [f"Bee hive number {i} stands in row {i}." for i in range(22)]
    items.append(RememberItem("Cash only.", tags=["shop"]))
    job_ids = mem.remember_bulk(items)
    assert len(job_ids) == len(set(job_ids)) == 23
    outcomes = mem.wait_for_jobs([*job_ids, str(uuid.uuid4())], timeout=120)
    assert [each.job_id for each in outcomes[:23]] == job_ids
    assert {each.status for each in outcomes[:23]} == {"done"}
    assert outcomes[23].status == "not_found"
    assert [each.status for each in mem.jobs(job_ids[:3] + job_ids[:1])] == ["done"] * 4
    pages = list(mem.memories(page_size=10))
    assert len(pages) == 23
    first = mem.memories_page(limit=5)
    assert [each.id for each in first.memories] == [each.id for each in pages[:5]]
    around = mem.recall("Bee hive number 7 in row 7", context=1, limit=1).results[0].context
    assert around is not None
    assert around.before or around.after
    stats = {each.namespace: each for each in mem.namespaces()}
    assert stats[pages[0].namespace].memory_count == 23
    assert mem.stats().memory_count >= 23


def test_the_same_idempotency_key_stores_once(mem: MemRelay) -> None:
    one = mem.remember("Once.", idempotency_key="once")
    assert mem.remember("Once.", idempotency_key="once").job_id == one.job_id
    with pytest.raises(ConflictError) as caught:
        mem.remember("Twice.", idempotency_key="once")
    assert caught.value.code == "idempotency_key_reused"
    assert caught.value.request_id


def test_replaces_a_memory_and_keeps_or_drops_its_fields(mem: MemRelay) -> None:
    first = mem.remember_and_wait("The shop opens at nine.", session="s", tags=["shop"], timeout=60)
    second = mem.replace(first.job_id, "The shop opens at ten.", tags=None)
    mem.wait_for_job(second.job_id, timeout=60)
    memory = mem.memory(second.job_id)
    assert (memory.text, memory.session, memory.tags) == ("The shop opens at ten.", "s", None)
    assert [each.text for each in memory.history.earlier] == ["The shop opens at nine."]
    assert mem.memory(first.job_id).superseded_by == second.job_id
    with pytest.raises(NotFoundError):
        mem.memory(first.job_id, namespace="another")


def test_forgets_by_id_and_whole_namespaces(mem: MemRelay, namespace: str) -> None:
    jobs = mem.remember_bulk_and_wait(["One.", "Two.", "Three."], timeout=60)
    unknown = str(uuid.uuid4())
    preview = mem.forget_preview([jobs[0].job_id, unknown])
    assert (preview.memories, preview.unknown) == (1, [unknown])
    assert mem.forget([jobs[0].job_id]).deleted == 1
    assert len(list(mem.memories())) == 2
    assert mem.forget(namespace=namespace).deleted == 2
    assert list(mem.memories()) == []


def test_restores_what_the_index_has_lost_nothing_of(mem: MemRelay) -> None:
    mem.remember_and_wait("Stored on chain.", timeout=60)
    seen: list[int] = []
    restored = mem.restore(on_progress=lambda each: seen.append(each.restored))
    assert (restored.restored, restored.skipped) == (0, 1)
    assert seen == [0]
    assert mem.reindex().stale_count == 0


def test_analyzes_asks_and_streams(mem: MemRelay) -> None:
    analyzed = mem.analyze("Ana: I keep bees. And I was in Porto.", occurred_at="2023-05-08T01:30:00+09:00")
    assert [fact.text for fact in analyzed.facts] == ["Ana keeps bees."]
    assert analyzed.usage is not None
    mem.wait_for_jobs(analyzed.job_ids, timeout=60)
    asked = mem.ask("who keeps bees?")
    assert asked.known
    assert asked.answer == "Ana keeps bees. [1]"
    assert [each.text for each in asked.memories] == ["Ana keeps bees."]
    *deltas, last = mem.ask_stream("who keeps bees?")
    assert isinstance(last, AskResponse)
    assert all(isinstance(each, AskDelta) for each in deltas)
    assert "".join(each.text for each in deltas if isinstance(each, AskDelta)) == last.answer == asked.answer
    profile = mem.profile("bees")
    assert profile.facts[0].text == "Ana keeps bees."
    assert profile.facts[0].sources[0].id == analyzed.facts[0].id


def test_errors_name_the_field_and_the_request(mem: MemRelay) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        mem.remember("t", session="s" * 129)
    assert caught.value.code == "invalid_request"
    assert caught.value.status == 400
    assert caught.value.details["issues"][0]["path"] == "session"
    with pytest.raises(NotFoundError) as missing:
        mem.job(str(uuid.uuid4()))
    assert missing.value.code == "job_not_found"
    done = mem.remember_and_wait("Done.", timeout=60)
    with pytest.raises(ConflictError) as running:
        mem.retry_job(done.job_id)
    assert running.value.code == "job_not_failed"


def test_describes_account_and_relayer(mem: MemRelay) -> None:
    account = mem.account()
    assert account.account_id == mem.account_id
    assert account.active
    assert account.delegate.scope.all_namespaces
    assert mem.health().status == "ok"
    assert mem.version().min_supported_sdk.python
    assert mem.config().package_id.startswith("0x")
    assert isinstance(mem.keys(), list)
    assert mem.rewrap_keys().failed == []
