"""Runs flows with an asynchronous httpx client, on asyncio or trio."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx

from ..core.answers import Answer
from ..core.calls import Opened, event_stream
from ..core.connection import Connection
from ..core.effects import Compute, Effect, Exchange, Flow, Pause
from ..core.network_errors import late, unreachable
from ..core.server_events import AskDelta, EventReader
from ..models.memories import AskResponse

T = TypeVar("T")


class AsyncTransport:
    """Sends what flows ask for. It owns `http_client` unless the caller passes one."""

    def __init__(self, connection: Connection, http_client: httpx.AsyncClient | None) -> None:
        self._connection = connection
        self._owns_http = http_client is None
        self._http = httpx.AsyncClient() if http_client is None else http_client

    async def _run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    result = await self._perform(effect)
                except BaseException as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(result)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Pause):
            return await anyio.sleep(effect.seconds)
        if isinstance(effect, Compute):
            return await anyio.to_thread.run_sync(effect.function)
        try:
            with anyio.fail_after(effect.timeout):
                return await self._exchange(effect)
        except (TimeoutError, httpx.TimeoutException):
            raise late(effect) from None
        except httpx.HTTPError as error:
            raise unreachable(effect, error) from error

    async def _exchange(self, request: Exchange) -> Answer:
        message = self._http.build_request(
            request.method,
            request.url,
            headers=request.headers,
            content=request.content,
            timeout=request.timeout,
        )
        response = await self._http.send(message, stream=True, follow_redirects=False)
        is_open = False
        try:
            if response.has_redirect_location:
                raise unreachable(request, "it redirects to another address")
            headers = {name.lower(): value for name, value in response.headers.items()}
            if request.stream and response.is_success and headers.get("content-type", "").startswith(event_stream):
                is_open = True
                return Answer(response.status_code, headers, stream=response)
            body = await response.aread()
            return Answer(response.status_code, headers, body.decode("utf-8", "replace"))
        finally:
            if not is_open:
                await response.aclose()

    async def _events(self, opened: Opened) -> AsyncGenerator[AskDelta | AskResponse, None]:
        reader = EventReader(opened.request_id)
        response: httpx.Response = opened.stream
        try:
            async for chunk in response.aiter_bytes():
                for event in reader.feed(chunk):
                    yield event
                    if isinstance(event, AskResponse):
                        return
        except httpx.HTTPError as error:
            raise reader.interrupted() from error
        finally:
            await response.aclose()
        raise reader.interrupted()

    async def close(self) -> None:
        """Forget the key and the session, and close connections. Every later call raises `client_closed`."""
        self._connection.close()
        if self._owns_http:
            await self._http.aclose()
