"""Webhooks of an account."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .base import Model

WebhookEvent = Literal["memory.stored", "memory.failed", "memory.forgotten", "memory.expiring"] | str
"""A newer relayer may have others"""


class Webhook(Model):
    """A URL to which events are sent."""

    id: str
    url: str
    events: list[WebhookEvent]
    namespaces: list[str] | None = None
    """None for all"""
    public_key: str
    """The delegate key that registered it. It receives events of namespaces that this key may read"""
    created_at: datetime
    status: Literal["active", "failing", "disabled"] | str
    """A disabled webhook receives nothing"""
    failing_since: datetime | None = None
    """First failed attempt since the last successful one"""
    last_error: str | None = None
    """Code of the last failed attempt"""
    disabled_at: datetime | None = None
    disabled_reason: str | None = None


class CreateWebhookResponse(Model):
    """A new webhook. The secret verifies its deliveries, and is returned only here."""

    webhook: Webhook
    secret: str


class WebhooksResponse(Model):
    """Oldest first."""

    webhooks: list[Webhook]


class DeleteWebhookResponse(Model):
    """The id of a webhook that was removed."""

    deleted: str


class TestWebhookResponse(Model):
    """The result of a test event."""

    __test__ = False

    delivered: bool
    status: int | None = None
    """HTTP status of the response, if there was one"""
    error: str | None = None
    """Why it was not delivered"""
    duration_ms: int


class WebhookDelivery(Model):
    """An event for a webhook, and what became of it."""

    id: str
    """`webhook-id` of the request: the same in every attempt"""
    type: str
    namespace: str
    memory_ids: list[str]
    reason: str | None = None
    created_at: datetime
    status: Literal["waiting", "delivered", "failed"] | str
    attempts: int
    next_attempt_at: datetime | None = None
    last_error: str | None = None
    ended_at: datetime | None = None


class WebhookDeliveriesResponse(Model):
    """Newest first."""

    deliveries: list[WebhookDelivery]
