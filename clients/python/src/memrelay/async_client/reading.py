"""Finding and reading memories."""

# Written by make_async.py from sync_client: change that instead.

from __future__ import annotations

from collections.abc import AsyncGenerator

from ..core.server_events import AskDelta
from ..flows import reading
from ..flows.inputs import ScoringWeights, TagFilter
from ..models.memories import (
    AskResponse,
    MemoriesResponse,
    MemoryEntry,
    ProfileResponse,
    RecallResponse,
    SingleMemory,
)
from .transport import AsyncTransport


class AsyncReading(AsyncTransport):
    """The methods of a client that find and read memories."""

    async def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        namespace: str | None = None,
        tags: TagFilter | None = None,
        context: int | None = None,
        min_score: float | None = None,
        explain: bool | None = None,
        rerank: bool | None = None,
        scoring_weights: ScoringWeights | None = None,
        include_pending: bool = True,
    ) -> RecallResponse:
        """Find memories by meaning and by words, and return their texts, best first.

        Args:
            query: What to look for, up to 64 KiB.
            limit: Number of hits, 1–100; 10 by default.
            namespace: Defaults to the client's, else `default`.
            tags: Only memories whose tags pass, e.g. `{"any": ["garden"], "not": ["done"]}`.
            context: Also return up to this many memories stored right before each hit, and after it; 0–3.
            min_score: Omit hits with a lower score. By default the relayer decides what matches.
            explain: Include in each hit its score and the contributions of vector and keyword search.
            rerank: Let the relayer's chat model sort the best 30 hits; `usage` reports what that cost.
            scoring_weights: Weights of the ranking, each 0–100.
            include_pending: Include memories that are accepted but not yet stored, so that a recall sees earlier writes.
        """
        options = {
            "limit": limit,
            "namespace": namespace,
            "tags": tags,
            "context": context,
            "min_score": min_score,
            "explain": explain,
            "rerank": rerank,
            "scoring_weights": scoring_weights,
            "include_pending": include_pending,
        }
        return await self._run(reading.recall(self._connection, query, options))

    async def ask(
        self,
        question: str,
        *,
        limit: int | None = None,
        namespace: str | None = None,
        tags: TagFilter | None = None,
        context: int | None = None,
        min_score: float | None = None,
        explain: bool | None = None,
        rerank: bool | None = None,
        scoring_weights: ScoringWeights | None = None,
        include_pending: bool = True,
    ) -> AskResponse:
        """Answer a question from the memories and cite them. Arguments as for `recall`; `limit` is 5 by default."""
        options = {
            "limit": limit,
            "namespace": namespace,
            "tags": tags,
            "context": context,
            "min_score": min_score,
            "explain": explain,
            "rerank": rerank,
            "scoring_weights": scoring_weights,
            "include_pending": include_pending,
        }
        return await self._run(reading.ask(self._connection, question, options))

    async def ask_stream(
        self,
        question: str,
        *,
        limit: int | None = None,
        namespace: str | None = None,
        tags: TagFilter | None = None,
        context: int | None = None,
        min_score: float | None = None,
        explain: bool | None = None,
        rerank: bool | None = None,
        scoring_weights: ScoringWeights | None = None,
        include_pending: bool = True,
    ) -> AsyncGenerator[AskDelta | AskResponse, None]:
        """Like `ask`, streamed: pieces of the answer, then the complete one.

        Closing the iterator also stops the answer on the server.
        """
        options = {
            "limit": limit,
            "namespace": namespace,
            "tags": tags,
            "context": context,
            "min_score": min_score,
            "explain": explain,
            "rerank": rerank,
            "scoring_weights": scoring_weights,
            "include_pending": include_pending,
        }
        opened = await self._run(reading.ask_stream(self._connection, question, options))
        async for event in self._events(opened):
            yield event

    async def profile(
        self,
        subject: str | None = None,
        *,
        limit: int | None = None,
        namespace: str | None = None,
        include_pending: bool = True,
    ) -> ProfileResponse:
        """Return short facts about a person, thing or topic, with the memories that state them.

        Without a subject: the most important facts of the namespace. `limit` is 1–100, 20 by default.
        """
        options = {
            "subject": subject,
            "limit": limit,
            "namespace": namespace,
            "include_pending": include_pending,
        }
        return await self._run(reading.profile(self._connection, options))

    async def memory(self, memory_id: str, *, namespace: str | None = None) -> SingleMemory:
        """Return one memory with its text and its versions. Raises `memory_not_found`.

        With a namespace, a memory of another one is not found.
        """
        return await self._run(reading.memory(self._connection, memory_id, namespace))

    async def memories(
        self,
        *,
        namespace: str | None = None,
        all_namespaces: bool = False,
        tags: TagFilter | None = None,
        texts: bool | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[MemoryEntry, None]:
        """Iterate over the stored memories, newest first; pages are fetched as needed.

        `all_namespaces` lists everything that this key may read, even if the client has a namespace. `tags` needs a
        namespace. `page_size` is 1–100, 50 by default. `texts` also returns texts and context fields, and includes
        memories that were accepted a moment ago; an entry that cannot be read has an `error` instead.
        """
        cursor: str | None = None
        while True:
            options = {"namespace": namespace, "tags": tags, "texts": texts, "limit": page_size, "cursor": cursor}
            page = await self._run(reading.memories_page(self._connection, options, all_namespaces=all_namespaces))
            for entry in page.memories:
                yield entry
            cursor = page.next_cursor
            if cursor is None:
                return

    async def memories_page(
        self,
        *,
        namespace: str | None = None,
        all_namespaces: bool = False,
        tags: TagFilter | None = None,
        texts: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MemoriesResponse:
        """Return one page of `memories`; `cursor` is the `next_cursor` of the previous one."""
        options = {"namespace": namespace, "tags": tags, "texts": texts, "limit": limit, "cursor": cursor}
        return await self._run(reading.memories_page(self._connection, options, all_namespaces=all_namespaces))
