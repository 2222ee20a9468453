"""Errors of requests that got no response."""

from __future__ import annotations

from ..errors import NetworkError
from .effects import Exchange


def late(request: Exchange) -> NetworkError:
    """Return the error of a response that took too long."""
    return NetworkError(
        "timeout",
        f"No complete response from {request.origin} within {request.timeout:.3g} s.",
        request_id=request.request_id,
    )


def unreachable(request: Exchange, reason: object) -> NetworkError:
    """Return the error of a connection that failed."""
    return NetworkError(
        "network_error",
        f"Cannot reach {request.origin}: {reason}. Check server_url and that the relayer is running.",
        request_id=request.request_id,
    )
