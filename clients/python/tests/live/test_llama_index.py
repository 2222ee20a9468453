"""The memory block for LlamaIndex, in the memory of a chat engine with a mock model."""

from __future__ import annotations

import anyio
import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory

from memrelay import AsyncMemRelay, MemRelay
from memrelay.adapters.llama_index import MemRelayMemoryBlock
from memrelay.errors import MemRelayError

from ..shared import async_client_for, failure
from .conftest import credentials


def said(text: str, role: MessageRole = MessageRole.USER) -> ChatMessage:
    return ChatMessage(role=role, content=text)


def test_keeps_what_leaves_the_short_term_memory_and_recalls_it(namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as mem:
            block = MemRelayMemoryBlock(mem=mem)
            memory = Memory.from_defaults(
                session_id="visit",
                token_limit=60,
                chat_history_token_ratio=0.5,
                token_flush_size=30,
                memory_blocks=[block],
                tokenizer_fn=str.split,
            )
            await memory.aput(said("Ana keeps bees behind the house."))
            await memory.aput(said("Noted.", MessageRole.ASSISTANT))
            for number in range(8):
                await memory.aput(said(f"Number {number} is about trains and nothing else."))
                await memory.aput(said("Noted.", MessageRole.ASSISTANT))
            entries = [entry async for entry in mem.memories(texts=True)]
            kept = {entry.text: entry for entry in entries}
            bees = kept["Ana keeps bees behind the house."]
            assert (bees.speaker, bees.session) == ("user", "visit")
            with anyio.fail_after(120):
                while not (await mem.recall("who keeps bees?")).results:
                    await anyio.sleep(0.2)
            await memory.aput(said("Who keeps bees?"))
            given = await memory.aget()
            assert any("Ana keeps bees behind the house." in (each.content or "") for each in given)

    anyio.run(main)


def test_recalls_for_a_chat_engine_and_stores_nothing_empty(mem: MemRelay) -> None:
    mem.remember_and_wait("Bo drives a night train.", timeout=60)
    block = MemRelayMemoryBlock(mem=mem, limit=1)
    memory = Memory.from_defaults(session_id="s", memory_blocks=[block])
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory)
    # The mock model repeats its prompt
    assert "Bo drives a night train." in str(engine.chat("What does Bo drive?"))

    async def main() -> None:
        assert await block.aget([]) == ""
        assert await block.aget([said(" ")]) == ""
        await block.aput([said(" "), ChatMessage(role=MessageRole.ASSISTANT, content=None)])

    anyio.run(main)
    assert len(list(mem.memories())) == 1


def test_reports_an_unreachable_relayer() -> None:
    async def main() -> None:
        async with async_client_for(lambda _: failure(503, "overloaded"), max_attempts=1) as mem:
            with pytest.raises(MemRelayError, match="failed"):
                await MemRelayMemoryBlock(mem=mem).aget([said("q")])

    anyio.run(main)
