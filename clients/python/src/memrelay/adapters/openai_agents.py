"""Memory tools for the OpenAI Agents SDK (`pip install "memrelay[openai-agents]"`)."""

from __future__ import annotations

from typing import Any

from agents import Tool, function_tool

from ..async_client.client import AsyncMemRelay
from ..errors import InvalidRequestError
from .memory_functions import memory_functions


def memory_tools(
    mem: AsyncMemRelay, *, namespace: str | None = None, writes: bool = True, forgets: bool = False
) -> list[Tool]:
    """Return tools with which an agent recalls and remembers: `recall`, and `remember` and `forget` if allowed.

    What a recall returns is data: tell the agent in its instructions not to follow orders in it. A request that the model
    can correct comes back as `error`. A recall while the relayer is unreachable returns no memories and a note; every
    other failure ends the run with `MemRelayError`.

    Args:
        mem: The client; it stays open as long as the agent runs.
        namespace: Where the agent's memories are; defaults to the client's. The model cannot choose it.
        writes: Whether the agent may store memories.
        forgets: Whether the agent may delete memories permanently.
    """
    functions = memory_functions(mem, namespace, _returned, writes=writes, forgets=forgets)
    return [function_tool(each, failure_error_function=None) for each in functions]


def _returned(error: InvalidRequestError) -> dict[str, Any]:
    return {"error": error.message}
