"""The store for LangGraph: its operations, and a graph that uses it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import anyio
import pytest

pytest.importorskip("langgraph")

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchOp

from memrelay import AsyncMemRelay, MemRelay
from memrelay.adapters.langgraph_store import MemRelayStore
from memrelay.errors import InvalidArgumentError

from .conftest import credentials

T = TypeVar("T")


@pytest.fixture
def store(mem: MemRelay) -> MemRelayStore:
    return MemRelayStore(mem)


def soon(read: Callable[[], T], is_there: Callable[[T], Any] = bool) -> T:
    """Return a result once it is there: a search with a query finds an item when it is embedded."""
    ends = time.monotonic() + 120
    while True:
        result = read()
        if is_there(result) or time.monotonic() > ends:
            return result
        time.sleep(0.2)


def keys_of(items: list[Any]) -> list[str]:
    return [each.key for each in items]


def test_puts_gets_updates_and_deletes(store: MemRelayStore, mem: MemRelay) -> None:
    path = ("users", "ana")
    store.put(path, "tea", {"text": "lemon", "cups": 2, "nested": {"list": [1, None, "ü"]}})
    first = store.get(path, "tea")
    assert first is not None
    assert (first.key, first.namespace) == ("tea", path)
    assert first.value == {"text": "lemon", "cups": 2, "nested": {"list": [1, None, "ü"]}}
    store.put(path, "tea", {"text": "milk"})
    store.put(path, "tea", {"text": "lemon", "cups": 2, "nested": {"list": [1, None, "ü"]}})
    again = store.get(path, "tea")
    assert again is not None
    assert again.value == first.value
    assert again.created_at == first.created_at < again.updated_at
    assert len(list(mem.memories())) <= 1
    assert store.get(path, "coffee") is None
    assert store.get(("users",), "tea") is None
    store.delete(path, "tea")
    store.delete(path, "tea")
    assert store.get(path, "tea") is None
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {})


def test_keeps_equal_values_of_different_keys_and_namespaces_apart(store: MemRelayStore) -> None:
    addresses = [(("a", "b"), "c"), (("a",), "b"), (("a", "b"), "d"), (("ab",), "c"), (('a", "b',), "c")]
    store.batch([PutOp(path, key, {"same": True, "at": [*path, key]}) for path, key in addresses])
    for path, key in addresses:
        item = store.get(path, key)
        assert item is not None
        assert item.value["at"] == [*path, key]
    store.delete(("a", "b"), "c")
    assert len(store.search((), limit=100)) == 4


def test_searches_by_prefix_and_filter(store: MemRelayStore) -> None:
    for number in range(5):
        store.put(("docs", "even" if number % 2 == 0 else "odd"), str(number), {"n": number, "kind": {"of": "x"}})
    assert keys_of(store.search(("docs",))) == ["4", "3", "2", "1", "0"]
    assert keys_of(store.search(("docs", "odd"))) == ["3", "1"]
    assert keys_of(store.search(("doc",))) == []
    assert keys_of(store.search((), limit=2, offset=1)) == ["3", "2"]
    for wanted, expected in (
        ({"n": 3}, ["3"]),
        ({"n": {"$gte": 3}}, ["4", "3"]),
        ({"n": {"$gt": 1, "$lt": 3}}, ["2"]),
        ({"n": {"$ne": 0}, "kind": {"of": "x"}}, ["4", "3", "2", "1"]),
        ({"missing": {"$lte": 1}}, []),
    ):
        assert keys_of(store.search(("docs",), filter=wanted)) == expected, wanted
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search(("docs",), filter={"n": {"$near": 1}})


def test_searches_by_meaning(store: MemRelayStore) -> None:
    store.put(("m",), "tea", {"text": "Ana drinks tea with lemon"})
    store.put(("m",), "train", {"text": "Bo drives a night train"})
    store.put(("m",), "hidden", {"text": "tea with lemon"}, index=False)
    store.put(("other",), "tea", {"text": "tea with lemon"})
    found = soon(lambda: store.search(("m",), query="tea with lemon"), lambda each: len(each) == 2)
    assert keys_of(found) == ["tea", "train"]
    assert found[0].score is not None
    assert found[1].score is not None
    assert found[0].score > found[1].score
    assert keys_of(store.search(("m",), query="tea with lemon", limit=1, offset=1)) == ["train"]
    assert keys_of(store.search(("m",), query="tea", filter={"text": {"$ne": "x"}}, limit=1)) == ["tea"]
    store.put(("m",), "tea", {"text": "Ana drinks coffee now"})
    assert "tea with lemon" not in str(store.search(("m",), query="tea with lemon"))


def test_lists_namespaces(store: MemRelayStore) -> None:
    paths = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f")]
    store.batch([PutOp(path, "k", {"v": 1}) for path in paths])
    assert store.list_namespaces() == sorted(paths)
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a", "b"), suffix=("i",)) == [("a", "b", "d", "i")]
    assert store.list_namespaces(limit=2, offset=1) == sorted(paths)[1:3]


def test_a_batch_reads_what_was_there_before_it(store: MemRelayStore) -> None:
    store.put(("b",), "k", {"v": 0})
    results = store.batch(
        [
            PutOp(("b",), "k", {"v": 1}),
            GetOp(("b",), "k"),
            PutOp(("b",), "k", {"v": 2}),
            PutOp(("b",), "gone", {"v": 3}),
            PutOp(("b",), "gone", None),
            SearchOp(("b",)),
        ]
    )
    assert [type(each).__name__ for each in results] == ["NoneType", "Item", "NoneType", "NoneType", "NoneType", "list"]
    assert results[1].value == {"v": 0}  # type: ignore[union-attr]
    item = store.get(("b",), "k")
    assert item is not None
    assert item.value == {"v": 2}
    assert store.get(("b",), "gone") is None


def test_an_item_expires(store: MemRelayStore) -> None:
    store.put(("t",), "k", {"v": 1}, ttl=0.1)
    store.put(("t",), "kept", {"v": 1}, ttl=60)
    assert soon(lambda: store.get(("t",), "k"), lambda item: item is None) is None
    assert keys_of(store.search(("t",))) == ["kept"]


def test_asynchronous_methods_take_both_clients(mem: MemRelay, namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as client:
            stores = [MemRelayStore(client), MemRelayStore(mem)]
            for store in stores:
                await store.aput(("a",), "k", {"v": 1})
                item = await store.aget(("a",), "k")
                assert item is not None
                assert item.value == {"v": 1}
                assert keys_of(await store.asearch(())) == ["k"]
                assert await store.alist_namespaces() == [("a",)]
                await store.adelete(("a",), "k")
                assert await store.asearch(()) == []
            with pytest.raises(InvalidArgumentError, match="need a MemRelay"):
                stores[0].get(("a",), "k")

    anyio.run(main)


class State(TypedDict):
    text: str


def test_a_graph_remembers_between_runs(store: MemRelayStore) -> None:
    def note(state: State, *, store: BaseStore) -> State:
        earlier = [each.value["text"] for each in store.search(("notes",))]
        store.put(("notes",), str(len(earlier)), {"text": state["text"]})
        return {"text": ", ".join(earlier)}

    builder = StateGraph(State)
    builder.add_node("note", note)
    builder.add_edge(START, "note")
    builder.add_edge("note", END)
    graph = builder.compile(store=store)
    assert graph.invoke({"text": "one"}) == {"text": ""}
    assert graph.invoke({"text": "two"}) == {"text": "one"}
    assert graph.invoke({"text": "three"}) == {"text": "two, one"}
