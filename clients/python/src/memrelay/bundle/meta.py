"""The metadata that is sealed together with a text (packages/envelope/src/meta.ts)."""

from __future__ import annotations

import calendar
import json
import math
import re
from collections.abc import Callable
from typing import Any

context_fields = ("session", "speaker", "happened_at", "tags", "metadata", "expires_at")
"""The fields that tell to what a memory belongs, and until when it counts."""

_days = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_time_pattern = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-]([0-9]{2}):([0-9]{2}))\Z"
)


class MetaError(ValueError):
    """Metadata outside its rules."""


def decode_meta(data: bytes) -> dict[str, Any]:
    """Read metadata: strict in the known fields; unknown ones are kept. Raises `MetaError`."""
    try:
        meta = json.loads(data.decode(), parse_constant=_refuse_constant)
    except ValueError:
        raise MetaError("meta is not JSON in UTF-8") from None
    if not isinstance(meta, dict):
        raise MetaError("meta is not an object")
    if "__proto__" in meta:
        raise MetaError("bad __proto__")
    for name, is_valid in _rules.items():
        if not is_valid(meta[name]) if name in meta else name in ("ns", "created_at"):
            raise MetaError(f"bad {name}")
    return meta


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_short_text(longest: int) -> Callable[[Any], bool]:
    return lambda value: _is_text(value) and 0 < len(value) <= longest


def _is_time(value: Any) -> bool:
    match = _time_pattern.match(value) if isinstance(value, str) else None
    if match is None:
        return False
    year, month, day, hour, minute, second, offset_hour, offset_minute = (int(each or 0) for each in match.groups())
    if not 1 <= month <= 12:
        return False
    # The calendar of the format also has a year 0, which is a leap year
    days = _days[month - 1] + (month == 2 and calendar.isleap(year))
    return 1 <= day <= days and hour < 24 and minute < 60 and second < 60 and offset_hour < 24 and offset_minute < 60


def _is_list(longest: int, is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        if not isinstance(value, list) or not 1 <= len(value) <= longest:
            return False
        return all(map(is_item, value)) and len(set(value)) == len(value)

    return check


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"[0-9a-f]{32}\Z", value) is not None


def _is_flat(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_text(name) and (each is None or isinstance(each, bool) or _is_text(each) or _is_number(each))
        for name, each in value.items()
    )


_rules: dict[str, Callable[[Any], bool]] = {
    "ns": _is_text,
    "created_at": _is_time,
    "occurred_at": _is_time,
    "importance": _is_number,
    "supersedes": _is_list(200, _is_id),
    "by": _is_text,
    "session": _is_short_text(128),
    "speaker": _is_short_text(128),
    "happened_at": _is_time,
    "tags": _is_list(32, _is_short_text(64)),
    "metadata": _is_flat,
    "expires_at": _is_time,
}
