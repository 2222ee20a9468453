"""The session for the OpenAI Agents SDK, with a model that the test scripts."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

pytest.importorskip("agents")

from agents import Agent, RunConfig, Runner
from agents.memory import Session

from memrelay import AsyncMemRelay, MemRelay
from memrelay.adapters.openai_agents_session import MemRelaySession

from .conftest import credentials
from .test_openai_agents import Scripted, say


def user(text: str) -> Any:
    return {"role": "user", "content": text}


class Recording(Scripted):
    def __init__(self, *answers: str) -> None:
        super().__init__(*((lambda _, text=text: say(text)) for text in answers))
        self.inputs: list[Any] = []

    async def get_response(self, *arguments: Any, **named: Any) -> Any:
        items = named["input"] if "input" in named else arguments[1]
        self.inputs.append([each.get("content") for each in items])
        return await super().get_response(*arguments, **named)


def test_a_run_continues_the_conversation(namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as mem:
            model = Recording("Hello Ana.", "You are Ana.")
            agent = Agent(name="assistant", model=model)
            config = RunConfig(tracing_disabled=True)
            session = MemRelaySession("visit", mem)
            assert isinstance(session, Session)
            await Runner.run(agent, "I am Ana.", session=session, run_config=config)
            result = await Runner.run(agent, "Who am I?", session=MemRelaySession("visit", mem), run_config=config)
            assert result.final_output == "You are Ana."
            first, answered, last = model.inputs[1]
            assert (first, last) == ("I am Ana.", "Who am I?")
            assert answered[0]["text"] == "Hello Ana."
            assert len(await session.get_items()) == 4

    anyio.run(main)


def test_items_are_added_limited_popped_and_cleared(namespace: str, mem: MemRelay) -> None:
    async def main() -> None:
        session = MemRelaySession("s", mem)
        assert await session.get_items() == []
        assert await session.pop_item() is None
        items = [user("ok"), user("ok"), {"type": "function_call_output", "call_id": "c", "output": "ü"}, user("ok")]
        await session.add_items(items)
        await session.add_items([])
        assert await session.get_items() == items
        assert await session.get_items(2) == items[-2:]
        assert await session.get_items(0) == []
        assert await session.pop_item() == items[-1]
        assert await session.get_items() == items[:-1]
        assert await MemRelaySession("other", mem).get_items() == []
        await session.clear_session()
        assert await session.get_items() == []
        assert list(mem.memories(namespace=namespace)) == []

    anyio.run(main)


def test_the_settings_of_a_session_limit_its_items(mem: MemRelay) -> None:
    settings = pytest.importorskip("agents.memory.session_settings")

    async def main() -> None:
        session = MemRelaySession("s", mem, session_settings=settings.SessionSettings(limit=1))
        await session.add_items([user("one"), user("two")])
        assert await session.get_items() == [user("two")]
        assert len(await session.get_items(5)) == 2

    anyio.run(main)
