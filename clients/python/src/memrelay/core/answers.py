"""What a response means: a JSON object, or an error."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..error_codes import is_retryable
from ..errors import MemRelayError, error_class
from .clock import http_date

_control_characters = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_code_pattern = re.compile(r"[a-z0-9_]{1,64}\Z")


@dataclass(frozen=True)
class Answer:
    """One HTTP response. `headers` has lower-case names; `stream` is an open response whose body was not read."""

    status: int
    headers: Mapping[str, str]
    text: str = ""
    stream: Any = None


@dataclass(frozen=True)
class CallContext:
    """Context of a call for interpreting its response."""

    request_id: str
    origin: str
    public_key: str
    account_id: str
    signed: bool


def answer_error(answer: Answer, call: CallContext) -> MemRelayError | None:
    """Return the error in a response.

    For a signed call, a response for a different account than ours is an error regardless of its status.
    """
    request_id = answer.headers.get("x-request-id", call.request_id)
    account = answer.headers.get("x-account-id")
    if call.signed and account is not None and account.lower() != call.account_id.lower():
        return MemRelayError(
            "account_mismatch",
            f"{call.origin} responded for account {_shown(account)}, but this client is for {call.account_id}; "
            "the response was discarded. Check account_id and server_url.",
            status=answer.status,
            request_id=request_id,
        )
    if 200 <= answer.status < 300:
        return None
    body = _error_body(answer.text)
    code = body["error"] if body else "invalid_response"
    message = (
        _shown(body["message"]) + _hint(code, call)
        if body
        else f"{call.origin} returned status {answer.status} without a relayer's error body. "
        "Check that server_url points to a relayer, and any proxy in between."
    )
    return error_class(answer.status, code)(
        code,
        f"{message} [{code}, request {_shown(request_id)}]",
        status=answer.status,
        request_id=request_id,
        retryable=is_retryable(answer.status, code),
        retry_after=retry_after(answer.headers.get("retry-after")),
        details=body.get("details") if body else None,
    )


def answer_object(answer: Answer, call: CallContext) -> dict[str, Any]:
    """Return the JSON object of a successful response. Raises `invalid_response` if there is none."""
    body = _parse_object(answer.text)
    if body is not None:
        return body
    raise MemRelayError(
        "invalid_response",
        f"{call.origin} returned status {answer.status} without a JSON object. "
        "Check that server_url points to a relayer.",
        status=answer.status,
        request_id=call.request_id,
    )


def retry_after(header: str | None) -> float | None:
    """Return the seconds of a `Retry-After` header, which has seconds or an HTTP date."""
    if header is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", header):
        return float(header)
    at = http_date(header)
    return None if at is None else max(0.0, at - time.time())


def _error_body(text: str) -> dict[str, Any] | None:
    body = _parse_object(text)
    if body is None or not isinstance(body.get("message"), str):
        return None
    code = body.get("error")
    if not isinstance(code, str) or not _code_pattern.match(code):
        return None
    if not isinstance(body.get("details", {}), dict):
        body.pop("details")
    return body


def _parse_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _hint(code: str, call: CallContext) -> str:
    """Return information that only the client has and the server's message lacks."""
    if code != "unknown_delegate_key":
        return ""
    return (
        f" Key {call.public_key}, account {call.account_id}: was the key revoked, or is {call.origin} the relayer of "
        "another network? Sign in again to register a key."
    )


def _shown(text: str) -> str:
    """Make a text from the server safe for a message: one line, limited length."""
    return _control_characters.sub(" ", text)[:500]
