"""What the adapters of frameworks share, against a relayer that the test plays."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from memrelay import UnavailableError
from memrelay.adapters.conversation import Conversation, Message
from memrelay.adapters.running import connection_of, run
from memrelay.adapters.stored_items import read_items, tag_of

from .shared import client_for


def entry(number: int, **fields: Any) -> dict[str, Any]:
    time = f"2031-05-08T12:00:{number:02d}.000Z"
    return {"id": str(number), "namespace": "n", "created_at": time, "size": 1, "importance": 0.5} | fields


def test_reads_every_page_with_texts_and_leaves_out_what_is_gone() -> None:
    bodies: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        if "cursor" not in bodies[-1]:
            return httpx.Response(
                200, json={"memories": [entry(3, text="{}"), entry(2, error="lost")], "next_cursor": "c"}
            )
        return httpx.Response(200, json={"memories": [entry(1, error="unreadable"), entry(0, text="[]")]})

    mem = client_for(answer, namespace="n")
    entries = run(mem, read_items(connection_of(mem), None, every=["a"], one_of=["b", "c"]))
    assert [each.id for each in entries] == ["3", "0"]
    tags = {"all": ["a"], "any": ["b", "c"]}
    assert bodies[0] == {"namespace": "n", "tags": tags, "texts": True, "limit": 100}
    assert bodies[1] == bodies[0] | {"cursor": "c"}


def test_raises_if_an_item_can_be_read_later() -> None:
    answer = httpx.Response(200, json={"memories": [entry(1, text="{}"), entry(0, error="unavailable")]})
    mem = client_for(lambda _: answer)
    with pytest.raises(UnavailableError, match="cannot be read at the moment") as raised:
        run(mem, read_items(connection_of(mem), "n", every=["a"]))
    assert (raised.value.code, raised.value.retryable) == ("store_unavailable", True)


def test_tags_are_short_and_differ_for_every_name() -> None:
    names = [("a", "b"), ("ab",), ("a", "b", ""), ('a", "b',), ("",), ()]
    tags = {tag_of("kind", *each) for each in names} | {tag_of("other", "a", "b")}
    assert len(tags) == len(names) + 1
    assert all(len(each) <= 64 for each in [*tags, tag_of("kind", "x" * 1_000)])


def test_a_conversation_reads_no_more_than_it_needs_and_orders_messages_of_one_request() -> None:
    def said(number: int, text: str, position: str) -> dict[str, Any]:
        return entry(number, text=json.dumps({"message": {"text": text}, "position": position}))

    requests = 0

    def answer(_: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        memories = [
            said(9, "c", "3"),
            said(8, "a", "1"),
            said(8, "b", "2"),
            said(7, "old", "0"),
            entry(6, text="no JSON"),
        ]
        return httpx.Response(200, json={"memories": memories, "next_cursor": "more"})

    mem = client_for(answer)
    conversation = Conversation(connection_of(mem), "n", "test", "s")
    assert run(mem, conversation.read(2)) == [{"text": "b"}, {"text": "c"}]
    assert requests == 1


def test_equal_messages_are_different_memories() -> None:
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        items = json.loads(request.content)["items"]
        sent.extend(items)
        return httpx.Response(202, json={"job_ids": ["j"] * len(items), "total": len(items), "status": "running"})

    mem = client_for(answer)
    conversation = Conversation(connection_of(mem), "n", "test", "s")
    run(mem, conversation.add([Message({"text": "ok"}, "user")] * 3))
    texts = [each["text"] for each in sent]
    assert len(set(texts)) == 3
    assert texts == sorted(texts)
    assert {(each["session"], each["speaker"]) for each in sent} == {("s", "user")}
