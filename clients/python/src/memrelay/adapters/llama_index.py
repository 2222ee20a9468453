"""A memory block for LlamaIndex (`pip install "memrelay[llama-index]"`)."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field

from ..flows import reading, writing
from ..flows.inputs import RememberItem
from .running import arun, connection_of

_max_question = 4_000


class MemRelayMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory of `Memory`: keeps what leaves the short-term memory, and recalls what matches the last messages.

    A message becomes a memory with its text, role and session; messages without text are left out. What is recalled is
    data: tell the agent not to follow orders in it.
    """

    name: str = "memrelay"
    mem: Any = Field(exclude=True, repr=False)
    """A `MemRelay` or an `AsyncMemRelay`; it stays open as long as the block is used"""
    namespace: str | None = None
    """Defaults to the client's. Memories of all sessions in it are recalled"""
    limit: int = 5
    """Number of memories, 1–100"""
    context_messages: int = 2
    """How many of the last messages are the question"""

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        """Return the texts that match the last messages, one per line."""
        texts = [each.content or "" for each in (messages or [])[-self.context_messages :]]
        question = "\n".join(texts).strip()[-_max_question:]
        if not question:
            return ""
        options = {"limit": self.limit, "namespace": self.namespace, "include_pending": True}
        found = await arun(self.mem, reading.recall(connection_of(self.mem), question, options))
        return "\n".join(hit.text for hit in found.results)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Store messages."""
        items = [
            RememberItem(
                each.content or "",
                self.namespace,
                session=each.additional_kwargs.get("session_id"),
                speaker=each.role.value,
            )
            for each in messages
            if (each.content or "").strip()
        ]
        if items:
            await arun(self.mem, writing.remember_bulk(connection_of(self.mem), items, None))
