"""The tools for the OpenAI Agents SDK, with a model that the test scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest

pytest.importorskip("agents")

from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from memrelay import AsyncMemRelay
from memrelay.adapters.openai_agents import memory_tools

from ..shared import async_client_for, failure
from .conftest import credentials

Step = Callable[[Any], Any]


def call(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", id="f", call_id=f"call-{name}", name=name, arguments=json.dumps(arguments)
    )


def say(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[content])


class Scripted(Model):
    """A model that takes these steps; each gets the output of the previous tool call."""

    def __init__(self, *steps: Step) -> None:
        self._steps = iter(steps)

    async def get_response(self, *arguments: Any, **named: Any) -> ModelResponse:
        items = named["input"] if "input" in named else arguments[1]
        outputs = [each["output"] for each in items if isinstance(each, dict) and "output" in each]
        answer = next(self._steps)(outputs[-1] if outputs else None)
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def agent_of(model: Model, mem: AsyncMemRelay, **options: Any) -> Agent[Any]:
    return Agent(name="assistant", model=model, tools=memory_tools(mem, **options))


async def run(agent: Agent[Any], text: str) -> str:
    return str((await Runner.run(agent, text, run_config=RunConfig(tracing_disabled=True))).final_output)


def test_an_agent_remembers_and_recalls(namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials) as mem:
            writing = Scripted(lambda _: call("remember", text="Ana likes her tea with lemon.", tags=None), say)
            stored = await run(agent_of(writing, mem, namespace=namespace), "I am Ana.")
            (stored_id,) = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", stored)
            await mem.wait_for_job(stored_id, timeout=60)
            assert [each.id async for each in mem.memories(namespace=namespace)] == [stored_id]
            asking = Scripted(lambda _: call("recall", question="what does Ana drink?", limit=50), say)
            assert "Ana likes her tea with lemon." in await run(agent_of(asking, mem, namespace=namespace), "?")

    anyio.run(main)


def test_offers_only_what_is_allowed_and_answers_without_a_relayer() -> None:
    async def main() -> None:
        async with async_client_for(lambda _: failure(503, "overloaded"), max_attempts=1) as mem:
            assert [each.name for each in memory_tools(mem)] == ["recall", "remember"]
            assert [each.name for each in memory_tools(mem, writes=False, forgets=True)] == ["recall", "forget"]
            model = Scripted(lambda _: call("recall", question="q", limit=5), say)
            assert "unreachable (overloaded)" in await run(agent_of(model, mem), "q")

    anyio.run(main)


def test_returns_an_invalid_request_to_the_model() -> None:
    async def main() -> None:
        async with async_client_for(lambda _: failure(400, "invalid_request")) as mem:
            model = Scripted(lambda _: call("remember", text="", tags=None), say)
            assert "It failed." in await run(agent_of(model, mem), "q")

    anyio.run(main)
