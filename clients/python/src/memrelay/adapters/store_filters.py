"""Filters of LangGraph's stores, which are applied to decrypted values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

_operators: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda value, bound: float(value) > float(bound),
    "$gte": lambda value, bound: float(value) >= float(bound),
    "$lt": lambda value, bound: float(value) < float(bound),
    "$lte": lambda value, bound: float(value) <= float(bound),
}


def matches_filter(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Return whether a value has all wanted fields. Raises `ValueError` for an unknown operator."""
    return all(_matches(value.get(name), each) for name, each in (wanted or {}).items())


def _matches(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if not any(key.startswith("$") for key in wanted):
            return isinstance(value, dict) and matches_filter(value, wanted)
        unknown = wanted.keys() - _operators.keys()
        if unknown:
            raise ValueError(f"Unsupported operator: {', '.join(sorted(unknown))}")
        # As in a database, an absent value is neither more nor less than another one
        compares = value is not None or wanted.keys() <= {"$eq", "$ne"}
        return compares and all(_operators[name](value, bound) for name, bound in wanted.items())
    if isinstance(wanted, (list, tuple)):
        is_same_length = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return is_same_length and all(_matches(own, other) for own, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def matches_condition(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Return whether a namespace begins or ends with a path, in which `*` stands for any label."""
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(label in ("*", own) for own, label in zip(part, path, strict=True))
