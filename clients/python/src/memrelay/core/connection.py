"""The state that all calls of a client share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..errors import InvalidArgumentError, MemRelayError
from .clock import Clock
from .sessions import SessionCache, Sessions
from .signing import Signer, address_pattern


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of one call, in seconds."""

    max_attempts: int = 4
    deadline: float = 60.0
    """All attempts together"""
    timeout: float = 30.0
    """One attempt"""


@dataclass
class Connection:
    """One delegate key of one account at one relayer."""

    server_url: str
    account_id: str
    signer: Signer = field(repr=False)
    clock: Clock
    sessions: Sessions = field(repr=False)
    policy: RetryPolicy
    namespace: str | None
    package_id: str | None
    """The account package; the first `/config` sets it if the caller did not"""

    def model_policy(self) -> RetryPolicy:
        """Return the policy of calls in which a model reads a long text for a minute or more."""
        return RetryPolicy(self.policy.max_attempts, max(self.policy.deadline, 240.0), max(self.policy.timeout, 120.0))

    def close(self) -> None:
        """Forget the key and the session."""
        self.signer.drop()
        self.sessions.release()


def connect(
    *,
    key: str | bytes,
    account_id: str,
    server_url: str,
    namespace: str | None,
    package_id: str | None,
    session_cache: SessionCache | None,
    policy: RetryPolicy,
) -> Connection:
    """Check the options of a client. Raises `InvalidArgumentError`."""
    if not address_pattern.match(account_id):
        raise InvalidArgumentError("account_id must be the object id of the account: 0x and 64 hex characters.")
    for name, value in (
        ("timeout", policy.timeout),
        ("deadline", policy.deadline),
        ("max_attempts", policy.max_attempts),
    ):
        if not value > 0:
            raise InvalidArgumentError(f"{name} must be greater than 0.")
    signer, clock = Signer(key), Clock()
    return Connection(
        server_url=parse_server_url(server_url),
        account_id=account_id,
        signer=signer,
        clock=clock,
        sessions=Sessions(signer, clock, session_cache),
        policy=policy,
        namespace=namespace,
        package_id=None if package_id is None else parse_package_id(package_id),
    )


def parse_server_url(server_url: str) -> str:
    """Return the base URL without a trailing slash. Raises `InvalidArgumentError`."""
    try:
        url = urlsplit(server_url)
        is_valid = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or url.username or url.query or url.fragment:
        raise InvalidArgumentError("server_url must be the base URL of a relayer, such as https://relayer.example.")
    return server_url.rstrip("/")


def parse_package_id(package_id: str) -> str:
    """Return a package id in the one form that is signed: lower case. Raises `InvalidArgumentError`."""
    if address_pattern.match(package_id):
        return package_id.lower()
    raise InvalidArgumentError("package_id must be an object id: 0x and 64 hex characters.")


def pinned_package(pinned: str | None, configured: str) -> str:
    """Return the package that the relayer reports. Raises `package_mismatch` if another one is pinned."""
    package_id = pinned or parse_package_id(configured)
    if configured.lower() == package_id:
        return package_id
    raise MemRelayError(
        "package_mismatch",
        f"The relayer is configured for package {configured}, this client for {package_id}. Check server_url. If the "
        "relayer has really moved to another package, sign in again or change package_id.",
    )


def check_idempotency_key(key: str) -> str:
    """Return the key. Raises `InvalidArgumentError` unless the relayer would accept it."""
    if re.fullmatch(r"[!-~]{1,128}", key):
        return key
    raise InvalidArgumentError("idempotency_key must be 1 to 128 visible ASCII characters.")
