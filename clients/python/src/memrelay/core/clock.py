"""The time for timestamps and sessions: the local clock, corrected by the relayer's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

_max_correction = 24 * 3600
"""Seconds. Larger corrections are ignored: a relayer must not collect signatures for a distant future."""
_min_correction = 2
"""Seconds. Smaller differences are network delay and the whole seconds of the Date header."""


class Clock:
    """Seconds since 1970, corrected by the relayer's `Date` headers."""

    def __init__(self, local_now: Callable[[], float] = time.time) -> None:
        self._local_now = local_now
        self._offset = 0.0

    def now(self) -> float:
        """Return the corrected time."""
        return self._local_now() + self._offset

    def correct(self, date_header: str | None) -> bool:
        """Adjust to a `Date` header. True if that changed the clock, so that a new signature may be accepted."""
        server_time = http_date(date_header)
        if server_time is None:
            return False
        difference = server_time - self.now()
        if abs(difference) < _min_correction or abs(self._offset + difference) > _max_correction:
            return False
        self._offset += difference
        return True


def http_date(header: str | None) -> float | None:
    """Return the seconds since 1970 of an HTTP date, or None if it is not one."""
    if header is None:
        return None
    try:
        return parsedate_to_datetime(header).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
