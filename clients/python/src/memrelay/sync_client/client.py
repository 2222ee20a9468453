"""A client that acts as one delegate key of one account at one relayer."""

from __future__ import annotations

import os
from types import TracebackType

import httpx
from typing_extensions import Self

from ..core.connection import RetryPolicy, connect
from ..core.sessions import SessionCache
from ..credentials import Credentials, load_credentials
from .maintenance import SyncMaintenance
from .reading import SyncReading
from .writing import SyncWriting


class MemRelay(SyncWriting, SyncReading, SyncMaintenance):
    """A client that acts as one delegate key of one account at one relayer.

    Methods raise `MemRelayError`. Temporary failures are retried first, writes included: they have an idempotency key, so
    nothing is stored twice. Calls may overlap. Close it when the key is no longer needed, or use it in a `with` block.

    Args:
        key: The delegate private key: 64 hex characters or 32 bytes. A long-lived secret.
        account_id: Object id of the account, `0x` and 64 hex characters.
        server_url: Base URL of the relayer; a path prefix is allowed where a proxy strips it.
        namespace: Default namespace of calls; if omitted, the relayer uses `default`.
        package_id: The account package; if omitted, the first call that reads takes it from `/config` and pins it.
        session_cache: Pass the same object to several clients of one key to share a session.
        timeout: Seconds of one attempt, from connecting to the last byte of the response.
        deadline: Seconds of one call with all its retries.
        max_attempts: Attempts of one call; 1 turns retries off.
        http_client: Replaces the client's own httpx client, and is not closed with it.
    """

    def __init__(
        self,
        *,
        key: str | bytes,
        account_id: str,
        server_url: str,
        namespace: str | None = None,
        package_id: str | None = None,
        session_cache: SessionCache | None = None,
        timeout: float = 30.0,
        deadline: float = 60.0,
        max_attempts: int = 4,
        http_client: httpx.Client | None = None,
    ) -> None:
        connection = connect(
            key=key,
            account_id=account_id,
            server_url=server_url,
            namespace=namespace,
            package_id=package_id,
            session_cache=session_cache,
            policy=RetryPolicy(max_attempts, deadline, timeout),
        )
        super().__init__(connection, http_client)

    @classmethod
    def connect(
        cls,
        credentials: str | os.PathLike[str] | None = None,
        *,
        server_url: str | None = None,
        namespace: str | None = None,
        session_cache: SessionCache | None = None,
        timeout: float = 30.0,
        deadline: float = 60.0,
        max_attempts: int = 4,
        http_client: httpx.Client | None = None,
    ) -> Self:
        """Create a client with the credentials of this machine.

        They are those at the path `credentials`, else of a sign-in (`~/.mem/credentials.json`), else of the local system
        (`credentials.json` in its data directory). Raises `CredentialsError`.
        """
        return cls.from_credentials(
            load_credentials(credentials),
            server_url=server_url,
            namespace=namespace,
            session_cache=session_cache,
            timeout=timeout,
            deadline=deadline,
            max_attempts=max_attempts,
            http_client=http_client,
        )

    @classmethod
    def from_credentials(
        cls,
        credentials: Credentials,
        *,
        server_url: str | None = None,
        namespace: str | None = None,
        session_cache: SessionCache | None = None,
        timeout: float = 30.0,
        deadline: float = 60.0,
        max_attempts: int = 4,
        http_client: httpx.Client | None = None,
    ) -> Self:
        """Create a client from loaded credentials; `server_url` replaces that of the file."""
        return cls(
            key=credentials.delegate_private_key,
            account_id=credentials.account_id,
            server_url=server_url or credentials.relayer_url,
            package_id=credentials.package_id,
            namespace=namespace,
            session_cache=session_cache,
            timeout=timeout,
            deadline=deadline,
            max_attempts=max_attempts,
            http_client=http_client,
        )

    @property
    def public_key(self) -> str:
        """The delegate public key, 64 lower-case hex characters."""
        return self._connection.signer.public_key.hex()

    @property
    def account_id(self) -> str:
        """Object id of the account."""
        return self._connection.account_id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MemRelay(account_id={self.account_id!r}, server_url={self._connection.server_url!r})"
