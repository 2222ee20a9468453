"""Finding and reading memories."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ..core.calls import Call, Opened, call_relayer, open_stream
from ..core.connection import Connection
from ..core.effects import Flow
from ..models.base import parsed
from ..models.memories import (
    AskResponse,
    MemoriesResponse,
    ProfileResponse,
    RecallResponse,
    SingleMemory,
)
from .inputs import present
from .writing import segment


def recall(connection: Connection, query: str, options: dict[str, Any]) -> Flow[RecallResponse]:
    """Find memories by meaning."""
    call = Call("POST", "/api/recall", {"query": query} | named(connection, options), reads=True)
    return parsed(RecallResponse, (yield from call_relayer(connection, call)).value)


def ask(connection: Connection, question: str, options: dict[str, Any]) -> Flow[AskResponse]:
    """Answer a question from memories."""
    reply = yield from call_relayer(connection, _ask_call(connection, question, options, stream=False))
    return parsed(AskResponse, reply.value)


def ask_stream(connection: Connection, question: str, options: dict[str, Any]) -> Flow[Opened]:
    """Open the stream of an answer."""
    return (yield from open_stream(connection, _ask_call(connection, question, options, stream=True)))


def _ask_call(connection: Connection, question: str, options: dict[str, Any], *, stream: bool) -> Call:
    body = {"question": question} | named(connection, options)
    return Call("POST", "/api/ask", body, reads=True, stream=stream, policy=connection.model_policy())


def profile(connection: Connection, options: dict[str, Any]) -> Flow[ProfileResponse]:
    """Return short facts about a subject."""
    call = Call("POST", "/api/profile", named(connection, options), reads=True)
    return parsed(ProfileResponse, (yield from call_relayer(connection, call)).value)


def memory(connection: Connection, memory_id: str, namespace: str | None) -> Flow[SingleMemory]:
    """Read one memory."""
    query = "" if namespace is None else f"?namespace={quote(namespace, safe='')}"
    call = Call("GET", f"/api/memories/{segment(memory_id)}{query}", reads=True)
    return parsed(SingleMemory, (yield from call_relayer(connection, call)).value)


def memories_page(connection: Connection, options: dict[str, Any], *, all_namespaces: bool) -> Flow[MemoriesResponse]:
    """Return one page of the stored memories."""
    body = present(**options) if all_namespaces else named(connection, options)
    if all_namespaces:
        body.pop("namespace", None)
    reply = yield from call_relayer(connection, Call("POST", "/api/memories", body, reads=bool(options.get("texts"))))
    return parsed(MemoriesResponse, reply.value)


def named(connection: Connection, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are set, with the client's namespace as a default."""
    namespace = options.get("namespace")
    return present(**options | {"namespace": connection.namespace if namespace is None else namespace})
