"""What a flow asks of its client.

A flow is a generator that yields effects and receives their results, so that retries, waits and pages are written once
for the synchronous and the asynchronous client.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from .answers import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Exchange:
    """Send one request. The result is an `Answer`; `NetworkError` is raised if there is none in time."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    timeout: float
    """Seconds, from connecting to the last byte of the response"""
    request_id: str
    origin: str
    stream: bool = False
    """Leave the body of a stream of events unread"""


@dataclass(frozen=True)
class Pause:
    """Wait this many seconds."""

    seconds: float


@dataclass(frozen=True)
class Compute:
    """Run a function that takes long enough to block other tasks, without blocking them."""

    function: Callable[[], Any]


Effect = Exchange | Pause | Compute
Flow = Generator[Effect, Any, T]


def exchange(request: Exchange) -> Flow[Answer]:
    """Send one request."""
    answer: Answer = yield request
    return answer


def pause(seconds: float) -> Flow[None]:
    """Wait."""
    yield Pause(seconds)


def compute(function: Callable[[], T]) -> Flow[T]:
    """Run a long computation."""
    result: T = yield Compute(function)
    return result
