"""Counting, forgetting, restoring, keys, and the relayer itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.calls import Call, call_relayer, read_config
from ..core.connection import Connection
from ..core.effects import Flow
from ..errors import InvalidArgumentError
from ..models.base import M, parsed
from ..models.maintenance import (
    ForgetPreview,
    ForgetResponse,
    KeysResponse,
    NamespacesResponse,
    ReindexedFailure,
    ReindexResponse,
    RestoreResponse,
    RewrapResponse,
    StatsResponse,
)
from ..models.service import AccountInfo, HealthInfo, PublicConfig, VersionInfo
from .inputs import present
from .reading import named


def namespaces(connection: Connection) -> Flow[NamespacesResponse]:
    """Return the namespaces that this key may read."""
    return (yield from _get(connection, NamespacesResponse, Call("POST", "/api/namespaces", {})))


def stats(connection: Connection) -> Flow[StatsResponse]:
    """Return counts of everything that this key may read."""
    return (yield from _get(connection, StatsResponse, Call("POST", "/api/stats", {})))


def account(connection: Connection) -> Flow[AccountInfo]:
    """Return whose account this is."""
    return (yield from _get(connection, AccountInfo, Call("GET", "/api/account")))


def health(connection: Connection) -> Flow[HealthInfo]:
    """Read `/health`."""
    return (yield from _get(connection, HealthInfo, Call("GET", "/health", signed=False)))


def version(connection: Connection) -> Flow[VersionInfo]:
    """Read `/version`."""
    return (yield from _get(connection, VersionInfo, Call("GET", "/version", signed=False)))


def config(connection: Connection) -> Flow[PublicConfig]:
    """Read `/config`."""
    return parsed(PublicConfig, (yield from read_config(connection)))


def keys(connection: Connection) -> Flow[KeysResponse]:
    """Return the keys that memories are sealed to."""
    return (yield from _get(connection, KeysResponse, Call("POST", "/api/keys", {})))


def rewrap_keys(connection: Connection, after: str | None) -> Flow[RewrapResponse]:
    """Let the relayer wrap keys for its current key servers."""
    call = Call("POST", "/api/keys/rewrap", present(after=after), reads=True)
    return (yield from _get(connection, RewrapResponse, call))


def _get(connection: Connection, model: type[M], call: Call) -> Flow[M]:
    return parsed(model, (yield from call_relayer(connection, call)).value)


def forget(connection: Connection, ids: Sequence[str] | None, namespace: str | None) -> Flow[ForgetResponse]:
    """Repeat the request until everything requested is forgotten."""
    if ids is None and namespace is None:
        raise InvalidArgumentError("forget needs ids, or a namespace to delete all of its memories.")
    return (yield from _forget_all(connection, _selection(connection, ids, namespace)))


def forget_everything(connection: Connection) -> Flow[ForgetResponse]:
    """Forget all memories of the account."""
    return (yield from _forget_all(connection, {"everything": True}))


def forget_preview(connection: Connection, ids: Sequence[str], namespace: str | None) -> Flow[ForgetPreview]:
    """Return what forgetting these ids would do."""
    call = Call("POST", "/api/forget/preview", _selection(connection, ids, namespace))
    return (yield from _get(connection, ForgetPreview, call))


def _selection(connection: Connection, ids: Sequence[str] | None, namespace: str | None) -> dict[str, object]:
    return present(namespace=namespace or connection.namespace or "default", ids=ids)


def _forget_all(connection: Connection, body: dict[str, object]) -> Flow[ForgetResponse]:
    deleted, blobs = 0, list[str]()
    while True:
        part = yield from _get(connection, ForgetResponse, Call("POST", "/api/forget", body))
        deleted += part.deleted
        blobs += part.blobs_to_delete
        if not part.more:
            # Blobs that one request shares with the next can be deleted after the last one, so only its counts are true
            return part.model_copy(update={"deleted": deleted, "blobs_to_delete": blobs})


def restore(
    connection: Connection,
    namespace: str | None,
    limit: int,
    trusted_writers: Sequence[str] | None,
    on_progress: Callable[[RestoreResponse], None] | None,
    *,
    once: bool,
) -> Flow[RestoreResponse]:
    """Repeat the request until nothing is left, or send it once."""
    options = {"namespace": namespace, "limit": limit, "trusted_writers": trusted_writers}
    restored = 0
    while True:
        call = Call("POST", "/api/restore", named(connection, options), reads=True)
        part = yield from _get(connection, RestoreResponse, call)
        earlier, restored = restored, restored + part.restored
        total = part.model_copy(update={"restored": restored, "skipped": part.skipped - earlier})
        if on_progress is not None:
            on_progress(total)
        if once or not part.more:
            return total


def reindex(
    connection: Connection, namespace: str | None, on_progress: Callable[[ReindexResponse], None] | None
) -> Flow[ReindexResponse]:
    """Repeat the request until everything is re-embedded."""
    reindexed, failed = 0, list[ReindexedFailure]()
    cursor: str | None = None
    while True:
        call = Call("POST", "/api/reindex", named(connection, {"namespace": namespace, "cursor": cursor}), reads=True)
        part = yield from _get(connection, ReindexResponse, call)
        reindexed += part.reindexed
        failed += part.failed or []
        cursor = part.next_cursor
        total = part.model_copy(update={"reindexed": reindexed, "failed": list(failed), "next_cursor": None})
        if on_progress is not None:
            on_progress(total)
        if cursor is None:
            return total
