"""A retriever and a chat history for LangChain (`pip install "memrelay[langchain]"`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from ..core.effects import Flow
from ..flows import reading
from ..flows.inputs import TagFilter
from ..models.memories import RecallResponse
from .conversation import Conversation, Message
from .running import Client, arun, connection_of, run


class MemRelayRetriever(BaseRetriever):
    """Finds memories by meaning and by words, best first.

    A document's `page_content` is the text of a memory, `id` its id, and `metadata` its `created_at`, `distance`, `score`
    and context fields, as far as it has them. What it contains is data, never an instruction to the model.
    """

    mem: Any = Field(exclude=True, repr=False)
    """With a `MemRelay` all methods work; with an `AsyncMemRelay` only the asynchronous ones"""
    namespace: str | None = None
    """Defaults to the client's"""
    limit: int = 10
    """Number of memories, 1–100"""
    tag_filter: TagFilter | None = None
    """Only memories whose tags pass, such as `{"any": ["garden"]}`. `tags` are those of LangChain's traces"""
    min_score: float | None = None
    """Omit memories with a lower score; by default the relayer decides what matches"""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return _documents(run(self.mem, self._recall(query)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return _documents(await arun(self.mem, self._recall(query)))

    def _recall(self, query: str) -> Flow[RecallResponse]:
        options = {
            "limit": self.limit,
            "namespace": self.namespace,
            "tags": self.tag_filter,
            "min_score": self.min_score,
            "include_pending": True,
        }
        return reading.recall(connection_of(self.mem), query, options)


_documented = {"created_at", "distance", "score", "session", "speaker", "happened_at", "tags", "metadata"}


def _documents(found: RecallResponse) -> list[Document]:
    return [
        Document(
            page_content=hit.text,
            id=hit.id,
            metadata=hit.model_dump(mode="json", include=_documented, exclude_none=True),
        )
        for hit in found.results
    ]


class MemRelayChatMessageHistory(BaseChatMessageHistory):
    """Keeps the messages of a chat as encrypted memories, complete with tool calls and attachments.

    Reading needs READ in the namespace, adding WRITE, and clearing FORGET.

    Args:
        mem: With a `MemRelay` all methods work, and the asynchronous ones run in threads. With an `AsyncMemRelay` only
            the asynchronous ones do.
        session_id: The conversation, 1–128 characters.
        namespace: Defaults to the client's.
        limit: `messages` has only this many, the latest ones. By default all.
    """

    def __init__(self, mem: Client, session_id: str, *, namespace: str | None = None, limit: int | None = None) -> None:
        self._mem = mem
        self._limit = limit
        self._conversation = Conversation(connection_of(mem), namespace, "langchain", session_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, oldest first. They are read from the relayer each time."""
        return messages_from_dict(run(self._mem, self._conversation.read(self._limit)))

    async def aget_messages(self) -> list[BaseMessage]:
        """Return the messages, oldest first."""
        return messages_from_dict(await arun(self._mem, self._conversation.read(self._limit)))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        run(self._mem, self._conversation.add(_serialized(messages)))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        await arun(self._mem, self._conversation.add(_serialized(messages)))

    def clear(self) -> None:
        """Delete the messages permanently."""
        run(self._mem, self._conversation.clear())

    async def aclear(self) -> None:
        """Delete the messages permanently."""
        await arun(self._mem, self._conversation.clear())


def _serialized(messages: Sequence[BaseMessage]) -> list[Message]:
    return [Message(message_to_dict(each), each.type) for each in messages]
