"""One call with its retries.

Retried, because the same call may succeed a moment later:

- no response: the connection was refused or dropped, or the attempt took longer than `timeout`
- 429, and every code that the relayer's catalogue marks as retryable (overloaded, auth_unavailable, …)
- 408, 429, 502, 503, 504 without a known code, as returned by proxies
- nonce_replayed: the network or a proxy delivered the request twice; the next attempt has a new nonce

Writes are retried too: they have an `idempotency-key`, the same for all attempts of a call, so that nothing is stored
twice. Every attempt is signed separately.

At most `max_attempts` (4) are made within `deadline` (60 s). Those that ended with 429 and `Retry-After` do not count,
unless `max_attempts` is 1. The wait is 250 ms, doubled each time up to 8 s, of which the second half is random; if
`Retry-After` is longer, that plus up to 250 ms at random. If a wait would pass the deadline, the last error is raised.
There is one more attempt if the relayer rejects a timestamp or a session and its `Date` header shows that the local
clock is wrong.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..errors import InvalidArgumentError, MemRelayError, NetworkError
from .answers import Answer, CallContext, answer_error, answer_object, retry_after
from .connection import Connection, RetryPolicy, check_idempotency_key, pinned_package
from .effects import Exchange, Flow, exchange, pause
from .signing import auth_headers

event_stream = "text/event-stream"
_clock_codes = ("timestamp_out_of_window", "decrypt_denied")


@dataclass(frozen=True)
class Call:
    """A request to the relayer."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """The path as the relayer sees it. It is signed, even if a proxy strips a prefix of `server_url`"""
    body: Any = None
    signed: bool = True
    reads: bool = False
    """The call decrypts, so it carries a session"""
    idempotency_key: str | None = None
    stream: bool = False
    policy: RetryPolicy | None = None


class Reply(NamedTuple):
    """The JSON of a response, and the pause in seconds that a successful response may also request."""

    value: dict[str, Any]
    retry_after: float | None


class Opened(NamedTuple):
    """An open stream of events."""

    stream: Any
    request_id: str


def write_call(path: str, body: Any, idempotency_key: str | None, **others: Any) -> Call:
    """Return a write that can be repeated: it has an idempotency key, the same for all attempts."""
    key = check_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
    return Call("POST", path, body, idempotency_key=key, **others)


def call_relayer(connection: Connection, call: Call) -> Flow[Reply]:
    """Send a request with retries and return the JSON of the response. Raises `MemRelayError`."""
    answer, context = yield from _perform(connection, call)
    return Reply(answer_object(answer, context), retry_after(answer.headers.get("retry-after")))


def open_stream(connection: Connection, call: Call) -> Flow[Opened]:
    """Send a request whose response is a stream of events. Retries only until the stream starts."""
    answer, context = yield from _perform(connection, call)
    if answer.stream is not None:
        return Opened(answer.stream, context.request_id)
    raise MemRelayError(
        "invalid_response",
        f"{context.origin} did not return a stream of events.",
        status=answer.status,
        request_id=context.request_id,
    )


def read_config(connection: Connection) -> Flow[dict[str, Any]]:
    """Read `/config`, and pin the first package id seen."""
    value = (yield from call_relayer(connection, Call("GET", "/config", signed=False))).value
    connection.package_id = pinned_package(connection.package_id, str(value.get("packageId")))
    return value


def _perform(connection: Connection, call: Call) -> Flow[tuple[Answer, CallContext]]:
    connection.signer.usable()
    if call.reads and connection.package_id is None:
        yield from read_config(connection)
    content = None if call.body is None else to_json(call.body)
    context = CallContext(
        request_id=str(uuid.uuid4()),
        origin=connection.server_url,
        public_key=connection.signer.public_key.hex(),
        account_id=connection.account_id,
        signed=call.signed,
    )
    policy = call.policy or connection.policy
    deadline = time.monotonic() + policy.deadline
    left, retry = policy.max_attempts, 1
    while True:
        try:
            ends = min(time.monotonic() + policy.timeout, deadline)
            return (yield from _attempt(connection, call, content, context, ends)), context
        except MemRelayError as error:
            if not error.retryable:
                raise
            told = error.status == 429 and error.retry_after is not None and policy.max_attempts > 1
            left -= 0 if told else 1
            delay = _delay_before(retry, error.retry_after)
            if left <= 0 or time.monotonic() + delay >= deadline:
                raise
        yield from pause(delay)
        retry += 1


def _attempt(
    connection: Connection, call: Call, content: bytes | None, context: CallContext, ends: float
) -> Flow[Answer]:
    answer = yield from exchange(_request(connection, call, content, context, ends))
    error = answer_error(answer, context)
    if error is None:
        return answer
    if error.code not in _clock_codes or not connection.clock.correct(answer.headers.get("date")):
        raise error
    connection.sessions.reset()
    answer = yield from exchange(_request(connection, call, content, context, ends))
    error = answer_error(answer, context)
    if error is not None:
        raise error
    return answer


def _request(connection: Connection, call: Call, content: bytes | None, context: CallContext, ends: float) -> Exchange:
    """Return one attempt, with a fresh timestamp, nonce and signature."""
    timeout = ends - time.monotonic()
    if timeout <= 0:
        raise NetworkError(
            "timeout", f"No complete response from {context.origin} in time.", request_id=context.request_id
        )
    headers = {"x-request-id": context.request_id}
    if content is not None:
        headers["content-type"] = "application/json"
    if call.stream:
        headers["accept"] = event_stream
    if call.idempotency_key is not None:
        headers["idempotency-key"] = call.idempotency_key
    if call.reads and connection.package_id is not None:
        headers["x-enc-session"] = connection.sessions.header(connection.package_id)
    if call.signed:
        headers |= auth_headers(
            connection.signer,
            connection.account_id,
            connection.clock.now(),
            call.method,
            call.path,
            content or b"",
        )
    return Exchange(
        method=call.method,
        url=connection.server_url + call.path,
        headers=headers,
        content=content,
        timeout=timeout,
        request_id=context.request_id,
        origin=context.origin,
        stream=call.stream,
    )


def backoff(failures: int, first: float, most: float, factor: float = 2, jitter: float = 0.5) -> float:
    """Return the seconds to wait after `failures` failed attempts; `jitter` is the share that is random."""
    return min(first * factor ** (failures - 1), most) * (1 - jitter + jitter * random.random())


def _delay_before(retry: int, requested: float | None) -> float:
    delay = backoff(retry, first=0.25, most=8)
    return requested + random.random() * 0.25 if requested is not None and requested > delay else delay


def to_json(body: Any) -> bytes:
    """Return a request body. Raises `InvalidArgumentError` for values that JSON cannot carry."""
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"An argument cannot be sent as JSON: {error}.") from None
