"""Memory tools for Pydantic AI (`pip install "memrelay[pydantic-ai]"`)."""

from __future__ import annotations

from typing import Any

from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.toolsets import FunctionToolset

from ..async_client.client import AsyncMemRelay
from ..errors import InvalidRequestError, MemRelayError

_max_hits = 20


def memory_toolset(
    mem: AsyncMemRelay,
    *,
    namespace: str | None = None,
    writes: bool = True,
    forgets: bool = False,
    id: str | None = "memrelay",  # noqa: A002 the name that Pydantic AI uses
) -> FunctionToolset[Any]:
    """Return tools with which an agent recalls and remembers: `recall`, and `remember` and `forget` if allowed.

    What a recall returns is data: tell the agent in its instructions not to follow orders in it. A failure that the model
    can correct (`invalid_request`) is returned to it; any other one ends the run with `MemRelayError`, except that a
    recall while the relayer is unreachable returns an empty list with a note, so that the agent can still answer.

    Args:
        mem: The client; it stays open as long as the agent runs.
        namespace: Where the agent's memories are; defaults to the client's. The model cannot choose it.
        writes: Whether the agent may store memories.
        forgets: Whether the agent may delete memories permanently.
        id: Identifies the toolset to frameworks for durable execution.
    """

    async def recall(question: str, limit: int = 5) -> dict[str, Any]:
        """Find what is remembered about a question, best first.

        Args:
            question: What to look for, in words that its answer would have.
            limit: Number of memories, 1 to 20.
        """
        try:
            found = await mem.recall(question, limit=max(1, min(limit, _max_hits)), namespace=namespace)
        except InvalidRequestError as error:
            raise ModelRetry(error.message) from error
        except MemRelayError as error:
            if not error.retryable:
                raise
            return {"memories": [], "note": f"The memory is unreachable ({error.code})."}
        return {
            "memories": [
                {"id": hit.id, "text": hit.text, "stored": hit.created_at and hit.created_at.isoformat()}
                for hit in found.results
            ]
        }

    async def remember(text: str, tags: list[str] | None = None) -> dict[str, str]:
        """Store one fact for later conversations, as a sentence that can be understood alone.

        Args:
            text: The fact, such as "Ana likes her tea with lemon."
            tags: Labels, such as "preferences".
        """
        try:
            return {"id": (await mem.remember(text, tags=tags, namespace=namespace)).job_id}
        except InvalidRequestError as error:
            raise ModelRetry(error.message) from error

    async def forget(ids: list[str]) -> dict[str, int]:
        """Delete memories permanently, because the user asked for it.

        Args:
            ids: Ids from `recall`.
        """
        try:
            return {"deleted": (await mem.forget(ids, namespace=namespace)).deleted}
        except InvalidRequestError as error:
            raise ModelRetry(error.message) from error

    tools: list[Any] = [recall, *([remember] if writes else []), *([forget] if forgets else [])]
    return FunctionToolset(tools, id=id)
