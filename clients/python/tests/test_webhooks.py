"""The verification of webhooks, with the vectors of the TypeScript client (packages/sdk/test/webhook-vectors.test.ts)."""

from __future__ import annotations

import pickle
from typing import Any

import anyio
import httpx
import pytest

from memrelay import MemRelayError, webhooks
from memrelay.webhooks import WebhookVerificationError, verify

from .shared import async_client_for, client_for, failure, read_json

cases: list[Any] = read_json("packages/sdk/vectors/webhooks-v1.json")
webhook = {
    "id": "3f2b8c1e-7a4d-4e9b-8f00-1234567890ab",
    "url": "https://hooks.example.com/",
    "events": ["memory.failed", "of.a.newer.relayer"],
    "public_key": "ab" * 32,
    "created_at": "2031-05-08T12:00:00.000Z",
    "status": "active",
}


@pytest.mark.parametrize("case", cases, ids=[each["name"] for each in cases])
def test_finds_the_same(case: dict[str, Any]) -> None:
    def call() -> dict[str, Any]:
        return verify(case["headers"], case["body"], case["secrets"], now=case["now"])

    if case["result"] == "valid":
        assert call()["id"] == case["headers"]["webhook-id"]
        return
    with pytest.raises(WebhookVerificationError) as raised:
        call()
    assert raised.value.code == pickle.loads(pickle.dumps(raised.value)).code == case["result"]
    assert not any(secret.removeprefix("whsec_") in str(raised.value) for secret in case["secrets"])


def test_reads_headers_of_frameworks_and_bytes() -> None:
    valid = cases[0]
    headers = httpx.Headers({name.upper(): value for name, value in valid["headers"].items()})
    payload = verify(headers, valid["body"].encode(), valid["secrets"][0], now=valid["now"])
    assert payload["type"] == "memory.stored"
    with pytest.raises(WebhookVerificationError, match="300 seconds"):
        verify(headers, valid["body"], valid["secrets"])


def test_manages_webhooks_with_both_clients() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path.endswith("/test"):
            return httpx.Response(200, json={"delivered": False, "error": "timeout", "duration_ms": 10_000})
        if request.method == "POST":
            return httpx.Response(201, json={"webhook": webhook, "secret": "whsec_x"})
        if request.method == "DELETE":
            return httpx.Response(200, json={"deleted": webhook["id"]})
        return httpx.Response(200, json={"webhooks": [webhook], "deliveries": []})

    mem = client_for(answer)
    created = webhooks.add_webhook(mem, webhook["url"], events=["memory.failed"])  # type: ignore[arg-type]
    assert (created.secret, created.webhook.namespaces) == ("whsec_x", None)
    assert webhooks.list_webhooks(mem) == [created.webhook]
    assert webhooks.test_webhook(mem, created.webhook.id).error == "timeout"
    assert webhooks.webhook_deliveries(mem, created.webhook.id) == []
    webhooks.remove_webhook(mem, created.webhook.id)

    async def main() -> None:
        async with async_client_for(answer) as other:
            assert (await webhooks.add_webhook_async(other, "https://a.example")).webhook == created.webhook
            assert await webhooks.list_webhooks_async(other) == [created.webhook]
            assert not (await webhooks.test_webhook_async(other, "i")).delivered
            assert await webhooks.webhook_deliveries_async(other, "i") == []
            await webhooks.remove_webhook_async(other, "i")

    anyio.run(main)


def test_does_not_register_twice_after_a_lost_response() -> None:
    sent: list[httpx.Request] = []

    def lost(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return failure(503, "overloaded")

    with pytest.raises(MemRelayError, match="failed"):
        webhooks.add_webhook(client_for(lost), "https://a.example")
    assert len(sent) == 1
