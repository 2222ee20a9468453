"""Every error that this package raises, except a cancellation by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models.jobs import BulkStatusResult, JobRecord


class MemRelayError(Exception):
    """A failed call. Tell failures apart by `code` or by the subclass, never by the message.

    Attributes:
        code: A code of the relayer's catalogue (docs/errors.md) or of this client, such as `invalid_argument`. A newer
            relayer may return codes that this version does not know.
        status: The HTTP status; None if there was no response.
        request_id: Identifies the call in the relayer's log.
        retryable: True if the same call may succeed later unchanged. The client has already used up its own retries.
        retry_after: Seconds to wait, if the relayer requested a pause.
        details: Further fields of the response, such as `issues`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retryable = retryable
        self.retry_after = retry_after
        self.details: dict[str, Any] = dict(details or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross processes, e.g. from a worker pool; their constructors differ from `args`
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[MemRelayError], args: tuple[Any, ...], state: dict[str, Any]) -> MemRelayError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidRequestError(MemRelayError):
    """The relayer rejected the request itself (400, 413, 415 and similar); `details["issues"]` names the fields."""


class AuthenticationError(MemRelayError):
    """The relayer does not accept the key, the signature or the clock (401)."""


class PermissionDeniedError(MemRelayError):
    """The key may not do this in this namespace, or the decryption session was rejected (403)."""


class NotFoundError(MemRelayError):
    """There is no such memory, job or route for this key (404)."""


class ConflictError(MemRelayError):
    """The request contradicts the current state (409), e.g. an idempotency key was used for another body."""


class RateLimitedError(MemRelayError):
    """Too many requests (429), and `retry_after` would pass the deadline of the call."""


class StorageLimitError(MemRelayError):
    """The owner has used up the storage that this server allows (507)."""


class UnavailableError(MemRelayError):
    """The relayer or something behind it failed or is not configured (500 to 504)."""


class NetworkError(MemRelayError):
    """No response arrived: `network_error` if the connection failed, `timeout` if it took too long."""

    def __init__(self, code: str, message: str, *, request_id: str | None = None) -> None:
        super().__init__(code, message, request_id=request_id, retryable=True)


class InvalidArgumentError(MemRelayError, ValueError):
    """An argument that the relayer would reject (`invalid_argument`); nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_argument", message)


class CredentialsError(MemRelayError):
    """There are no credentials, or they cannot be used (`invalid_credentials`). The message never contains a key."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_credentials", message)


class BundleError(MemRelayError):
    """A bundle cannot be read: `invalid_bundle`, `bundle_cut_off`, `unsupported_bundle` or `wrong_passphrase`."""


class JobFailedError(MemRelayError):
    """The relayer gave up on a memory; `job.error` says why."""

    def __init__(self, job: JobRecord) -> None:
        reason = f"{job.error} ({job.error_code})" if job.error else "no reason given"
        super().__init__("job_failed", f"Job {job.job_id} failed: {reason}")
        self.job = job


class JobTimeoutError(MemRelayError):
    """The wait timed out before the jobs ended. They continue; `jobs` has their last known states."""

    def __init__(self, jobs: Sequence[JobRecord | BulkStatusResult], timeout: float) -> None:
        running = sum(job.status == "running" for job in jobs)
        super().__init__(
            "job_timeout",
            f"{running} of {len(jobs)} job(s) not finished after {timeout:g} s. They are accepted and continue; "
            "wait again with their ids.",
            retryable=True,
        )
        self.jobs = list(jobs)


_by_status: dict[int, type[MemRelayError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitedError,
    507: StorageLimitError,
}


def error_class(status: int, code: str) -> type[MemRelayError]:
    """Return the class of an error response."""
    if code in ("invalid_response", "account_mismatch"):
        return MemRelayError
    if status in _by_status:
        return _by_status[status]
    return InvalidRequestError if 400 <= status < 500 else UnavailableError
