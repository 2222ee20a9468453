"""The retriever and the chat history for LangChain, with a model that the test scripts."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

pytest.importorskip("langchain_core")

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables.history import RunnableWithMessageHistory

from memrelay import AsyncMemRelay, MemRelay
from memrelay.adapters.langchain import MemRelayChatMessageHistory, MemRelayRetriever
from memrelay.errors import InvalidArgumentError

from .conftest import credentials


def test_retrieves_documents(mem: MemRelay, namespace: str) -> None:
    mem.remember_and_wait("Ana keeps bees.", tags=["ana"], metadata={"source": "chat"}, timeout=60)
    mem.remember_and_wait("Bo bakes bread.", tags=["bo"], timeout=60)
    retriever = MemRelayRetriever(mem=mem, limit=3)
    (document,) = retriever.invoke("who keeps bees?")
    assert document.page_content == "Ana keeps bees."
    assert document.id == next(entry.id for entry in mem.memories(tags={"any": ["ana"]}, namespace=namespace))
    assert document.metadata["tags"] == ["ana"]
    assert document.metadata["metadata"] == {"source": "chat"}
    bo = MemRelayRetriever(mem=mem, tag_filter={"any": ["bo"]}, min_score=-1)
    assert [each.page_content for each in bo.invoke("who keeps bees?")] == ["Bo bakes bread."]
    chain = retriever | (lambda documents: documents[0].page_content)
    assert chain.invoke("bees") == "Ana keeps bees."

    async def main() -> None:
        assert [each.page_content for each in await retriever.ainvoke("bees")] == ["Ana keeps bees."]
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as client:
            assert len(await MemRelayRetriever(mem=client).ainvoke("bees")) == 1

    anyio.run(main)


conversation: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("ok"),
    AIMessage("", tool_calls=[{"name": "look", "args": {"at": ["ü", 1]}, "id": "c1", "type": "tool_call"}]),
    ToolMessage("found", tool_call_id="c1"),
    HumanMessage("ok"),
    AIMessage("ok", additional_kwargs={"deep": {"er": None}}, response_metadata={"model": "fake"}),
    HumanMessage([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:,x"}}]),
]


def test_a_history_keeps_every_message_as_it_was(mem: MemRelay) -> None:
    history = MemRelayChatMessageHistory(mem, "s1")
    assert history.messages == []
    history.add_messages(conversation[:2])
    for message in conversation[2:]:
        history.add_message(message)
    assert history.messages == conversation
    assert MemRelayChatMessageHistory(mem, "s1", limit=2).messages == conversation[-2:]
    other = MemRelayChatMessageHistory(mem, "s2")
    many = [HumanMessage(f"number {number}") for number in range(45)]
    other.add_messages(many)
    other.add_user_message("last")
    assert other.messages == [*many, HumanMessage("last")]
    assert MemRelayChatMessageHistory(mem, "s2", limit=30).messages == [*many[-29:], HumanMessage("last")]
    other.clear()
    assert other.messages == []
    assert history.messages == conversation
    for wrong in ("", " ", "x" * 129):
        with pytest.raises(InvalidArgumentError, match="session_id"):
            MemRelayChatMessageHistory(mem, wrong)


def test_the_asynchronous_methods_of_a_history(mem: MemRelay, namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as client:
            for each in (client, mem):
                history = MemRelayChatMessageHistory(each, "a")
                await history.aadd_messages(conversation)
                assert await history.aget_messages() == conversation
                await history.aclear()
                assert await history.aget_messages() == []

    anyio.run(main)


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_chat_continues(mem: MemRelay) -> None:
    seen: list[Any] = []

    def answers() -> Any:
        yield AIMessage("Hello Ana.")
        yield AIMessage("You are Ana.")

    class Model(GenericFakeChatModel):
        def _generate(self, messages: list[BaseMessage], *rest: Any, **named: Any) -> Any:
            seen.append([each.content for each in messages])
            return super()._generate(messages, *rest, **named)

    def history_of(session_id: str) -> BaseChatMessageHistory:
        return MemRelayChatMessageHistory(mem, session_id)

    chat = RunnableWithMessageHistory(Model(messages=answers()), history_of)
    config: Any = {"configurable": {"session_id": "visit"}}
    chat.invoke("I am Ana.", config=config)
    assert chat.invoke("Who am I?", config=config).content == "You are Ana."
    assert seen[1] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert [each.content for each in history_of("visit").messages] == [*seen[1], "You are Ana."]
