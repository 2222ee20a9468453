"""Memory tools for Pydantic AI (`pip install "memrelay[pydantic-ai]"`)."""

from __future__ import annotations

from typing import Any, NoReturn

from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.toolsets import FunctionToolset

from ..async_client.client import AsyncMemRelay
from ..errors import InvalidRequestError
from .memory_functions import memory_functions


def memory_toolset(
    mem: AsyncMemRelay,
    *,
    namespace: str | None = None,
    writes: bool = True,
    forgets: bool = False,
    id: str | None = "memrelay",  # noqa: A002 the name that Pydantic AI uses
) -> FunctionToolset[Any]:
    """Return tools with which an agent recalls and remembers: `recall`, and `remember` and `forget` if allowed.

    What a recall returns is data: tell the agent in its instructions not to follow orders in it. A request that the model
    can correct is returned to it (`ModelRetry`). A recall while the relayer is unreachable returns no memories and a note;
    every other failure ends the run with `MemRelayError`.

    Args:
        mem: The client; it stays open as long as the agent runs.
        namespace: Where the agent's memories are; defaults to the client's. The model cannot choose it.
        writes: Whether the agent may store memories.
        forgets: Whether the agent may delete memories permanently.
        id: Identifies the toolset to frameworks for durable execution.
    """
    tools: list[Any] = memory_functions(mem, namespace, _retry, writes=writes, forgets=forgets)
    return FunctionToolset(tools, id=id)


def _retry(error: InvalidRequestError) -> NoReturn:
    raise ModelRetry(error.message) from error
