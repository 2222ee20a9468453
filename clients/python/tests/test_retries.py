"""Retries, clocks and errors, with scripted responses that a relayer does not produce on demand."""

from __future__ import annotations

import email.utils
import itertools
import json
import pickle
import time
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest

from memrelay import (
    ConflictError,
    InvalidArgumentError,
    JobFailedError,
    JobRecord,
    JobTimeoutError,
    MemRelayError,
    NetworkError,
    NotFoundError,
    RateLimitedError,
    UnavailableError,
)

from .shared import account_id, async_client_for, client_for, failure

accepted = {"job_id": "j", "status": "running"}


class Script:
    """Responds with one entry after the other, the last one forever; records the requests."""

    def __init__(self, *answers: Any) -> None:
        self.seen: list[httpx.Request] = []
        self._answers: Iterator[Any] = itertools.chain(answers, itertools.repeat(answers[-1]))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return httpx.Response(200, json=answer)


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memrelay.sync_client.transport.time.sleep", lambda _: None)


@pytest.mark.parametrize(
    "first",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        failure(503, "overloaded", retry_after="0"),
        failure(429, "rate_limited", retry_after="1"),
        failure(401, "nonce_replayed"),
        httpx.Response(502, text="<html>bad gateway</html>"),
    ],
)
def test_repeats_a_write_with_its_key_and_a_new_nonce(first: Any) -> None:
    script = Script(first, accepted)
    assert client_for(script).remember("t").job_id == "j"
    one, two = script.seen
    assert one.headers["idempotency-key"] == two.headers["idempotency-key"]
    assert one.headers["x-nonce"] != two.headers["x-nonce"]
    assert one.headers["x-request-id"] == two.headers["x-request-id"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (failure(404, "job_not_found"), NotFoundError),
        (failure(409, "job_not_failed"), ConflictError),
        (failure(500, "internal_error"), UnavailableError),
        (failure(503, "llm_not_configured"), UnavailableError),
    ],
)
def test_does_not_repeat_what_cannot_succeed(answer: httpx.Response, kind: type[MemRelayError]) -> None:
    script = Script(answer)
    with pytest.raises(kind) as caught:
        client_for(script).job("j")
    assert (len(script.seen), caught.value.status) == (1, answer.status_code)
    assert not caught.value.retryable
    assert caught.value.code in str(caught.value)


def test_gives_up_after_four_attempts_and_when_the_wait_would_pass_the_deadline() -> None:
    script = Script(failure(503, "overloaded"))
    with pytest.raises(UnavailableError) as caught:
        client_for(script).stats()
    assert (len(script.seen), caught.value.retryable) == (4, True)
    late = Script(failure(429, "rate_limited", retry_after="120"))
    with pytest.raises(RateLimitedError) as limited:
        client_for(late).stats()
    assert (len(late.seen), limited.value.retry_after) == (1, 120.0)


def test_attempts_with_a_requested_pause_do_not_count() -> None:
    script = Script(*[failure(429, "rate_limited", retry_after="0")] * 7, accepted)
    assert client_for(script).remember("t").job_id == "j"
    once = Script(failure(429, "rate_limited", retry_after="0"))
    with pytest.raises(RateLimitedError):
        client_for(once, max_attempts=1).remember("t")
    assert len(once.seen) == 1


def test_corrects_a_wrong_clock_once() -> None:
    ahead = email.utils.formatdate(time.time() + 240, usegmt=True)
    script = Script(failure(401, "timestamp_out_of_window", date=ahead), accepted, accepted)
    client = client_for(script)
    client.remember("t")
    client.remember("t")
    stamps = [int(each.headers["x-timestamp"]) for each in script.seen]
    assert stamps[1] - stamps[0] in range(238, 243)
    assert stamps[2] - stamps[0] in range(238, 243)
    agrees = Script(failure(401, "timestamp_out_of_window", date=email.utils.formatdate(usegmt=True)))
    with pytest.raises(MemRelayError, match="timestamp_out_of_window"):
        client_for(agrees).remember("t")
    far = Script(
        failure(401, "timestamp_out_of_window", date=email.utils.formatdate(time.time() + 90_000, usegmt=True))
    )
    with pytest.raises(MemRelayError):
        client_for(far).remember("t")
    assert (len(agrees.seen), len(far.seen)) == (1, 1)


def test_makes_a_new_session_when_the_relayer_rejects_one_and_clocks_differ() -> None:
    ahead = email.utils.formatdate(time.time() + 240, usegmt=True)
    script = Script(failure(403, "decrypt_denied", date=ahead), {"results": [], "total": 0})
    client_for(script).recall("q")
    assert script.seen[0].headers["x-enc-session"] != script.seen[1].headers["x-enc-session"]


def test_refuses_answers_for_another_account_and_answers_of_another_form() -> None:
    other = httpx.Response(200, json=accepted, headers={"x-account-id": "0x" + "0b" * 32})
    for answer, code in [
        (other, "account_mismatch"),
        (httpx.Response(200, text="hello"), "invalid_response"),
        (httpx.Response(200, json={"job_id": 1}), "invalid_response"),
        (httpx.Response(404, text="nginx"), "invalid_response"),
    ]:
        with pytest.raises(MemRelayError) as caught:
            client_for(Script(answer)).remember("t")
        assert caught.value.code == code
    same = httpx.Response(200, json=accepted, headers={"x-account-id": account_id.upper().replace("0X", "0x")})
    assert client_for(Script(same)).remember("t").job_id == "j"


def test_errors_can_cross_processes() -> None:
    job = JobRecord(job_id="j", status="failed", owner="o", namespace="n", error="It failed.", error_code="store_full")
    for error in (
        JobFailedError(job),
        JobTimeoutError([job], 1.5),
        NetworkError("timeout", "late", request_id="r"),
        MemRelayError("rate_limited", "later", status=429, retry_after=2.0, details={"a": 1}),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)


def test_never_follows_a_redirect() -> None:
    script = Script(httpx.Response(307, headers={"location": "http://elsewhere.test/"}))
    with pytest.raises(NetworkError, match="redirects"):
        client_for(script, max_attempts=1).remember("t")
    assert len(script.seen) == 1


def test_signs_the_path_without_the_prefix_and_sends_it_unchanged() -> None:
    script = Script({**accepted, "owner": "o", "namespace": "n", "status": "done"})
    client_for(script).job("id/with?reserved#characters é'()!*")
    raw_path = script.seen[0].url.raw_path.decode()
    assert raw_path == "/prefix/api/remember/id%2Fwith%3Freserved%23characters%20%C3%A9%27%28%29%21%2A"


def test_reads_the_package_once_and_refuses_another_one() -> None:
    package = "0x" + "5D" * 32
    config = {
        "packageId": package,
        "registryId": "0x1",
        "network": "local",
        "suiRpcUrl": "http://x",
        "aggregatorUrl": "http://x",
        "encServerConfigs": [],
        "encThreshold": 1,
        "embedding": {"model": "m", "dimension": 3},
    }
    found = {"results": [], "total": 0}
    script = Script(config, found, found, {**config, "packageId": "0x" + "01" * 32})
    client = client_for(script, package_id=None)
    client.recall("q")
    client.recall("q")
    assert [each.url.path for each in script.seen] == ["/prefix/config", "/prefix/api/recall", "/prefix/api/recall"]
    with pytest.raises(MemRelayError) as caught:
        client.config()
    assert caught.value.code == "package_mismatch"


def test_refuses_arguments_before_sending() -> None:
    script = Script(accepted)
    client = client_for(script)
    for wrong in (
        lambda: client.remember("t", idempotency_key="a b"),
        lambda: client.remember("\ud800"),
        lambda: client.remember("t", metadata={"x": float("nan")}),
        lambda: client.remember("t", tags="garden"),
        lambda: client.remember("t", happened_at=__import__("datetime").datetime(2026, 1, 1)),
        lambda: client.forget(),
    ):
        with pytest.raises(InvalidArgumentError):
            wrong()
    assert script.seen == []


def test_a_closed_client_refuses_every_call() -> None:
    with client_for(Script(accepted)) as client:
        client.remember("t")
    with pytest.raises(MemRelayError) as caught:
        client.remember("t")
    assert caught.value.code == "client_closed"


def test_bulk_reports_what_was_accepted_before_a_failure() -> None:
    first = {"job_ids": [str(i) for i in range(20)], "total": 20, "status": "running"}
    script = Script(first, failure(507, "storage_limit_reached"))
    with pytest.raises(MemRelayError) as caught:
        client_for(script).remember_bulk([f"t{i}" for i in range(25)], idempotency_key="k")
    assert caught.value.details == {"accepted_job_ids": first["job_ids"], "idempotency_key": "k"}
    assert [each.headers["idempotency-key"] for each in script.seen] == ["k", "k.1"]
    assert len(json.loads(script.seen[1].content)["items"]) == 5


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_asynchronous_client_retries_alike(backend: str) -> None:
    if backend == "trio":
        pytest.importorskip("trio")
    script = Script(httpx.ConnectError("refused"), accepted)

    async def main() -> str:
        async with async_client_for(script) as client:
            return (await client.remember("t")).job_id

    assert anyio.run(main, backend=backend) == "j"
    assert len(script.seen) == 2


def test_a_slow_response_is_a_timeout_in_both_clients() -> None:
    def trickle() -> Iterator[bytes]:
        while True:
            time.sleep(0.01)
            yield b" "

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=trickle())

    with pytest.raises(NetworkError, match="within"):
        client_for(answer, timeout=0.05, max_attempts=1).stats()
