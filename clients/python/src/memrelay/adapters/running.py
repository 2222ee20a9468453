"""Runs flows for frameworks that have both synchronous and asynchronous methods."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import anyio.to_thread

from ..async_client.client import AsyncMemRelay
from ..core.connection import Connection
from ..core.effects import Flow
from ..errors import InvalidArgumentError
from ..sync_client.client import MemRelay

T = TypeVar("T")

Client: TypeAlias = MemRelay | AsyncMemRelay


def connection_of(mem: Client) -> Connection:
    """Return what flows need to know about a client."""
    return mem._connection


def run(mem: Client, flow: Flow[T]) -> T:
    """Run a flow. Raises `InvalidArgumentError` for an asynchronous client, which would need its event loop."""
    if isinstance(mem, AsyncMemRelay):
        flow.close()
        raise InvalidArgumentError("Synchronous methods need a MemRelay; with an AsyncMemRelay, await the others.")
    return mem._run(flow)


async def arun(mem: Client, flow: Flow[T]) -> T:
    """Run a flow with the asynchronous client, or with the synchronous one in a thread."""
    if isinstance(mem, AsyncMemRelay):
        return await mem._run(flow)
    return await anyio.to_thread.run_sync(mem._run, flow)
