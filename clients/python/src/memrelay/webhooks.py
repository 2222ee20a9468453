"""Verifies deliveries of webhooks and manages webhooks (docs/webhooks.md), as `@memrelay/sdk/webhooks` does."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from .async_client.client import AsyncMemRelay
from .core.calls import Call, call_relayer
from .core.connection import Connection, RetryPolicy
from .core.effects import Flow
from .models.base import parsed
from .models.webhooks import (
    CreateWebhookResponse,
    TestWebhookResponse,
    Webhook,
    WebhookDeliveriesResponse,
    WebhookDelivery,
    WebhookEvent,
    WebhooksResponse,
)
from .sync_client.client import MemRelay

__all__ = [
    "CreateWebhookResponse",
    "TestWebhookResponse",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "WebhookVerificationError",
    "add_webhook",
    "add_webhook_async",
    "list_webhooks",
    "list_webhooks_async",
    "remove_webhook",
    "remove_webhook_async",
    "test_webhook",
    "test_webhook_async",
    "verify",
    "webhook_deliveries",
    "webhook_deliveries_async",
]

_prefix = "whsec_"
_path = "/api/webhooks"
_once = RetryPolicy(max_attempts=1)

VerificationCode = Literal[
    "invalid_secret", "missing_header", "timestamp_out_of_tolerance", "invalid_signature", "invalid_body"
]


class WebhookVerificationError(Exception):
    """A request that is not an authentic delivery. Answer it with 400. `code` tells why."""

    def __init__(self, code: VerificationCode, message: str) -> None:
        super().__init__(message)
        self.code: VerificationCode = code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, *self.args)


def verify(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Verify a delivery and return its content: `id`, `type`, `timestamp` and `data`.

    Args:
        headers: The headers of the request, with names in any case.
        body: The body exactly as it was received, before any parsing.
        secret: What the webhook was registered with, or several.
        tolerance: Seconds that the time of the delivery may differ from this clock.
        now: Seconds since 1970; the clock of this machine by default.

    A delivery may arrive more than once: ignore an `id` that you have handled. Raises `WebhookVerificationError`.
    """
    names = {name.lower(): value for name, value in headers.items()}
    delivery_id, timestamp, signatures = (
        _header(names, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    clock = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(clock - int(timestamp)) > tolerance:
        raise WebhookVerificationError(
            "timestamp_out_of_tolerance",
            f"The delivery was signed more than {tolerance:g} seconds before or after the time of this clock.",
        )
    content = body.encode() if isinstance(body, str) else body
    signed = f"{delivery_id}.{timestamp}.".encode() + content
    keys = [_key(each) for each in ([secret] if isinstance(secret, str) else secret)]
    expected = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    given = [each[3:].encode() for each in signatures.split(" ") if each.startswith("v1,")]
    if not any(hmac.compare_digest(mac, each) for mac in expected for each in given):
        raise WebhookVerificationError(
            "invalid_signature",
            "The signature does not match. Check the secret, and that the body is the unparsed one.",
        )
    return _payload(content, delivery_id)


def _header(names: Mapping[str, str], name: str) -> str:
    value = names.get(name)
    if not value:
        raise WebhookVerificationError("missing_header", f"The header {name} is missing.")
    return value


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_prefix), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < 24:
        # Its value must not be in a message
        raise WebhookVerificationError(
            "invalid_secret", f"The secret must be {_prefix} and at least 24 bytes in base64."
        )
    return key


def _payload(body: bytes, delivery_id: str) -> dict[str, Any]:
    try:
        payload = json.loads(body.decode())
    except ValueError:
        payload = None
    if not isinstance(payload, dict) or payload.get("id") != delivery_id:
        raise WebhookVerificationError("invalid_body", "The body is not that of a delivery with this id.")
    return payload


def add_webhook(
    mem: MemRelay,
    url: str,
    *,
    events: Sequence[WebhookEvent] | None = None,
    namespaces: Sequence[str] | None = None,
) -> CreateWebhookResponse:
    """Register a webhook: by default for all events in all namespaces, which requires READ in all of them.

    The relayer returns the secret only here. The call is not retried: after a lost response, remove the webhook that
    `list_webhooks` shows. Raises `webhooks_not_enabled`, `webhook_limit_reached`.
    """
    return mem._run(_add(mem._connection, url, events, namespaces))


async def add_webhook_async(
    mem: AsyncMemRelay,
    url: str,
    *,
    events: Sequence[WebhookEvent] | None = None,
    namespaces: Sequence[str] | None = None,
) -> CreateWebhookResponse:
    """Like `add_webhook`."""
    return await mem._run(_add(mem._connection, url, events, namespaces))


def list_webhooks(mem: MemRelay) -> list[Webhook]:
    """Return those that the client's key registered; all, if the key has every permission in all namespaces."""
    return mem._run(_list(mem._connection))


async def list_webhooks_async(mem: AsyncMemRelay) -> list[Webhook]:
    """Like `list_webhooks`."""
    return await mem._run(_list(mem._connection))


def remove_webhook(mem: MemRelay, webhook_id: str) -> None:
    """Raises `webhook_not_found`."""
    mem._run(_remove(mem._connection, webhook_id))


async def remove_webhook_async(mem: AsyncMemRelay, webhook_id: str) -> None:
    """Like `remove_webhook`."""
    await mem._run(_remove(mem._connection, webhook_id))


def test_webhook(mem: MemRelay, webhook_id: str) -> TestWebhookResponse:
    """Send an event `webhook.test` now. If it succeeds, a disabled webhook is enabled again."""
    return mem._run(_test(mem._connection, webhook_id))


async def test_webhook_async(mem: AsyncMemRelay, webhook_id: str) -> TestWebhookResponse:
    """Like `test_webhook`."""
    return await mem._run(_test(mem._connection, webhook_id))


# pytest collects functions of this name in files that import them
test_webhook.__test__ = False  # type: ignore[attr-defined]
test_webhook_async.__test__ = False  # type: ignore[attr-defined]


def webhook_deliveries(mem: MemRelay, webhook_id: str, *, limit: int = 50) -> list[WebhookDelivery]:
    """Return the latest events of a webhook, newest first, at most 200: what was delivered, what waits and why."""
    return mem._run(_deliveries(mem._connection, webhook_id, limit))


async def webhook_deliveries_async(mem: AsyncMemRelay, webhook_id: str, *, limit: int = 50) -> list[WebhookDelivery]:
    """Like `webhook_deliveries`."""
    return await mem._run(_deliveries(mem._connection, webhook_id, limit))


def _add(
    connection: Connection, url: str, events: Sequence[str] | None, namespaces: Sequence[str] | None
) -> Flow[CreateWebhookResponse]:
    body: dict[str, Any] = {"url": url}
    if events is not None:
        body["events"] = list(events)
    if namespaces is not None:
        body["namespaces"] = list(namespaces)
    call = Call("POST", _path, body, policy=_once)
    return parsed(CreateWebhookResponse, (yield from call_relayer(connection, call)).value)


def _list(connection: Connection) -> Flow[list[Webhook]]:
    reply = yield from call_relayer(connection, Call("GET", _path))
    return parsed(WebhooksResponse, reply.value).webhooks


def _remove(connection: Connection, webhook_id: str) -> Flow[None]:
    yield from call_relayer(connection, Call("DELETE", _path_of(webhook_id), policy=_once))


def _test(connection: Connection, webhook_id: str) -> Flow[TestWebhookResponse]:
    call = Call("POST", f"{_path_of(webhook_id)}/test", {}, policy=_once)
    return parsed(TestWebhookResponse, (yield from call_relayer(connection, call)).value)


def _deliveries(connection: Connection, webhook_id: str, limit: int) -> Flow[list[WebhookDelivery]]:
    call = Call("GET", f"{_path_of(webhook_id)}/deliveries?limit={limit}")
    return parsed(WebhookDeliveriesResponse, (yield from call_relayer(connection, call)).value).deliveries


def _path_of(webhook_id: str) -> str:
    return f"{_path}/{quote(webhook_id, safe='')}"
