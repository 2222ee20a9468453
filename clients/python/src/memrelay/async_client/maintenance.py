"""Counting, forgetting, restoring, bundles, and the relayer itself."""

# Written by make_async.py from sync_client: change that instead.

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence

from ..bundle.reading import Bundle, ImportedPart, import_requests, send_import
from ..bundle.records import default_log_n, new_bundle_key
from ..bundle.writing import BundlePosition, BundleWriter, Exporter, ExportProgress, OpenMemory
from ..core.effects import compute
from ..flows import maintenance
from ..models.maintenance import (
    ForgetPreview,
    ForgetResponse,
    KeyEntry,
    NamespaceEntry,
    ReindexResponse,
    RestoreResponse,
    RewrapResponse,
    StatsResponse,
)
from ..models.service import AccountInfo, HealthInfo, PublicConfig, VersionInfo
from .transport import AsyncTransport


class AsyncMaintenance(AsyncTransport):
    """The methods of a client that count, forget, move and restore memories."""

    async def namespaces(self) -> list[NamespaceEntry]:
        """Return the namespaces that this key may read, with their contents."""
        return (await self._run(maintenance.namespaces(self._connection))).namespaces

    async def stats(self) -> StatsResponse:
        """Return counts of everything that this key may read: memories, bytes, jobs."""
        return await self._run(maintenance.stats(self._connection))

    async def forget(self, ids: Sequence[str] | None = None, *, namespace: str | None = None) -> ForgetResponse:
        """Delete memories permanently, by memory, job or blob ids (at most 200), or a whole namespace.

        Their blobs remain until the owner deletes them. With `ids`, `namespace` defaults to the client's. Raises
        `InvalidArgumentError` without `ids` and `namespace`, so that a call that lost its ids does not empty a namespace.
        """
        return await self._run(maintenance.forget(self._connection, ids, namespace))

    async def forget_preview(self, ids: Sequence[str], *, namespace: str | None = None) -> ForgetPreview:
        """Return how many memories `forget` would remove, and which ids match none. Removes nothing."""
        return await self._run(maintenance.forget_preview(self._connection, ids, namespace))

    async def forget_everything(self) -> ForgetResponse:
        """Delete everything of the account permanently. Requires a key that may forget in all namespaces."""
        return await self._run(maintenance.forget_everything(self._connection))

    async def restore(
        self,
        *,
        namespace: str | None = None,
        limit: int = 100,
        trusted_writers: Sequence[str] | None = None,
        once: bool = False,
        on_progress: Callable[[RestoreResponse], None] | None = None,
    ) -> RestoreResponse:
        """Rebuild a namespace from the owner's blobs on chain, repeating the request until nothing is left.

        `limit` is the number of memories of one request, 1–500. `trusted_writers` are further Ed25519 keys (hex) to
        trust. `once` sends only one request. After a temporary failure, call again to continue.
        """
        return await self._run(
            maintenance.restore(self._connection, namespace, limit, trusted_writers, on_progress, once=once)
        )

    async def reindex(
        self,
        *,
        namespace: str | None = None,
        on_progress: Callable[[ReindexResponse], None] | None = None,
    ) -> ReindexResponse:
        """Re-embed the memories of an earlier embedding model, repeating the request until nothing is left."""
        return await self._run(maintenance.reindex(self._connection, namespace, on_progress))

    async def export_bundle(
        self,
        passphrase: str,
        *,
        namespace: str | None = None,
        resume: BundlePosition | None = None,
        on_progress: Callable[[ExportProgress], None] | None = None,
        scrypt_log_n: int = default_log_n,
    ) -> AsyncGenerator[bytes, None]:
        """Yield a bundle part by part, newest memory first; write the parts to a file as they arrive.

        Each envelope is opened and its signature checked before it is included. The passphrase (at least 12 characters)
        stays here: no server sees it or anything derived from it. Without a namespace, everything that the key may read
        is exported. `resume_bundle` tells where to resume an interrupted export.
        """
        key = (
            resume.key
            if resume is not None
            else await self._run(compute(lambda: new_bundle_key(passphrase, scrypt_log_n)))
        )
        writer = BundleWriter(key, self._connection.account_id, namespace, resume, on_progress)
        yield writer.beginning()
        while writer.more:
            yield await self._run(writer.next_record(self._connection))
            writer.report()
        yield writer.end()

    async def export_open(
        self,
        *,
        namespace: str | None = None,
        on_progress: Callable[[ExportProgress], None] | None = None,
    ) -> AsyncGenerator[OpenMemory, None]:
        """Yield the memories with their texts, newest first. They are opened here: no server sends a text.

        Memories that cannot be read are in `on_progress`.
        """
        exporter = Exporter(namespace, None, on_progress)
        while True:
            page = await self._run(exporter.page(self._connection))
            for memory in page.open_memories():
                yield memory
            exporter.report()
            if exporter.cursor is None:
                return

    async def import_bundle(
        self,
        bundle: Bundle,
        *,
        trusted_writers: Sequence[str] | None = None,
        skip: Collection[int] = (),
    ) -> AsyncGenerator[ImportedPart, None]:
        """Send a bundle to the relayer, one request after another. Running it again stores nothing twice.

        The relayer gets each envelope with the secret that opens only that envelope. `trusted_writers` (Ed25519 keys,
        hex) defaults to the keys in the bundle. `skip` has the numbers of requests that an earlier run sent.
        """
        writers = bundle.trusted_writers if trusted_writers is None else trusted_writers
        for request in import_requests(bundle, skip):
            yield await self._run(send_import(self._connection, request, writers))

    async def keys(self) -> list[KeyEntry]:
        """Return the keys that memories are sealed to, in the namespaces that this key may read."""
        return (await self._run(maintenance.keys(self._connection))).keys

    async def rewrap_keys(self, *, after: str | None = None) -> RewrapResponse:
        """Let the relayer wrap keys for its current key servers, some per call: continue with `next` as `after`."""
        return await self._run(maintenance.rewrap_keys(self._connection, after))

    async def account(self) -> AccountInfo:
        """Return whose account this is and what this key may do: a check of credentials that stores nothing."""
        return await self._run(maintenance.account(self._connection))

    async def health(self) -> HealthInfo:
        """Read `/health`, unsigned."""
        return await self._run(maintenance.health(self._connection))

    async def version(self) -> VersionInfo:
        """Read `/version`, unsigned."""
        return await self._run(maintenance.version(self._connection))

    async def config(self) -> PublicConfig:
        """Read `/config`, unsigned. The first package id seen is pinned.

        Raises `package_mismatch` when the relayer names a different one.
        """
        return await self._run(maintenance.config(self._connection))
