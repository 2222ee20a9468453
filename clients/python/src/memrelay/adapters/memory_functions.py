"""The functions behind the tools of every framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..async_client.client import AsyncMemRelay
from ..errors import InvalidRequestError, MemRelayError

_max_hits = 20


def memory_functions(
    mem: AsyncMemRelay,
    namespace: str | None,
    on_invalid: Callable[[InvalidRequestError], dict[str, Any]],
    *,
    writes: bool,
    forgets: bool,
) -> list[Callable[..., Any]]:
    """Return `recall`, and `remember` and `forget` if allowed. Frameworks read their signatures and docstrings.

    `on_invalid` makes the result of a request that the model can correct. A recall while the relayer is unreachable
    returns no memories and a note, so that the agent can still answer; every other failure is raised.
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
            return on_invalid(error)
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

    async def remember(text: str, tags: list[str] | None = None) -> dict[str, Any]:
        """Store one fact for later conversations, as a sentence that can be understood alone.

        Args:
            text: The fact, such as "Ana likes her tea with lemon."
            tags: Labels, such as "preferences".
        """
        try:
            return {"id": (await mem.remember(text, tags=tags, namespace=namespace)).job_id}
        except InvalidRequestError as error:
            return on_invalid(error)

    async def forget(ids: list[str]) -> dict[str, Any]:
        """Delete memories permanently, because the user asked for it.

        Args:
            ids: Ids from `recall`.
        """
        try:
            return {"deleted": (await mem.forget(ids, namespace=namespace)).deleted}
        except InvalidRequestError as error:
            return on_invalid(error)

    return [recall, *([remember] if writes else []), *([forget] if forgets else [])]
