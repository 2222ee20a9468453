"""What several test files use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from memrelay import AsyncMemRelay, MemRelay

root = Path(__file__).parents[3]
key = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
account_id = "0x" + "0a" * 32
package_id = "0x" + "5d" * 32

Handler = Callable[[httpx.Request], httpx.Response]


def read_json(path: str) -> Any:
    return json.loads((root / path).read_text())


def vectors() -> Any:
    return read_json("packages/sdk/vectors/wire-v1.json")


def client_for(handler: Handler, **options: Any) -> MemRelay:
    """Return a client whose requests reach this function instead of a network."""
    http_client = httpx.Client(transport=httpx.MockTransport(handler))
    return MemRelay(**defaults(options), http_client=http_client)


def async_client_for(handler: Handler, **options: Any) -> AsyncMemRelay:
    http_client = httpx.AsyncClient(transport=httpx.MockTransport(handler))
    return AsyncMemRelay(**defaults(options), http_client=http_client)


def defaults(options: dict[str, Any]) -> dict[str, Any]:
    given = {"key": key, "account_id": account_id, "server_url": "http://relayer.test/prefix", "package_id": package_id}
    return given | options


def failure(status: int, code: str, **headers: str) -> httpx.Response:
    """Return an error response of a relayer."""
    body = {"error": code, "message": "It failed.", "request_id": "r"}
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
