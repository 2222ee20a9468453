"""The toolset for Pydantic AI, with a model that the test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx
import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memrelay import AsyncMemRelay
from memrelay.adapters.pydantic_ai import memory_toolset

from ..shared import async_client_for, failure
from .conftest import credentials

Step = Callable[[Any], ModelResponse]


def call(name: str, **arguments: Any) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(tool_name=name, args=arguments)])


def scripted(*steps: Step) -> FunctionModel:
    """Return a model that takes these steps; each gets the result of the previous tool call."""
    left = iter(steps)

    def respond(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        last = messages[-1]
        parts = last.parts if isinstance(last, ModelRequest) else []
        results = [part.content for part in parts if isinstance(part, ToolReturnPart)]
        return next(left)(results[-1] if results else None)

    return FunctionModel(respond)


def names_of(toolset: Any) -> set[str]:
    return set(toolset.tools)


def test_an_agent_remembers_recalls_and_forgets(namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials) as mem:
            toolset = memory_toolset(mem, namespace=namespace, forgets=True)
            remembering = Agent(
                scripted(
                    lambda _: call("remember", text="Ana likes her tea with lemon.", tags=["preferences"]),
                    lambda stored: ModelResponse(parts=[TextPart(stored["id"])]),
                ),
                toolsets=[toolset],
            )
            job_id = (await remembering.run("I am Ana, and I like my tea with lemon.")).output
            await mem.wait_for_job(job_id, timeout=60)

            seen: list[Any] = []

            def forget_what_was_found(found: Any) -> ModelResponse:
                seen.append(found)
                return call("forget", ids=[each["id"] for each in found["memories"]])

            asking = Agent(
                scripted(
                    lambda _: call("recall", question="what does Ana drink?", limit=50),
                    forget_what_was_found,
                    lambda result: ModelResponse(parts=[TextPart(json.dumps(result))]),
                ),
                toolsets=[toolset],
            )
            assert (await asking.run("What does Ana drink? Then forget it.")).output == '{"deleted": 1}'
            assert [each["text"] for each in seen[0]["memories"]] == ["Ana likes her tea with lemon."]
            assert (await mem.recall("what does Ana drink?", namespace=namespace)).results == []

    anyio.run(main)


def test_offers_only_what_is_allowed_and_answers_without_a_relayer() -> None:
    def unreachable(_: httpx.Request) -> httpx.Response:
        return failure(503, "overloaded")

    async def main() -> None:
        async with async_client_for(unreachable, max_attempts=1) as mem:
            assert names_of(memory_toolset(mem)) == {"recall", "remember"}
            assert names_of(memory_toolset(mem, writes=False)) == {"recall"}
            agent = Agent(
                scripted(
                    lambda _: call("recall", question="q"),
                    lambda found: ModelResponse(parts=[TextPart(found["note"])]),
                ),
                toolsets=[memory_toolset(mem)],
            )
            assert (await agent.run("q")).output == "The memory is unreachable (overloaded)."

    anyio.run(main)
