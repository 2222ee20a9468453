"""What callers pass, and how it is written into a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TypeAlias

from typing_extensions import TypedDict

from ..errors import InvalidArgumentError
from ..models.memories import MetadataValue

Time: TypeAlias = datetime | str
"""An aware `datetime`, or RFC 3339 with an offset"""

Metadata: TypeAlias = Mapping[str, MetadataValue]
"""A flat object, up to 4 KiB of JSON; the relayer does not search it"""

TagFilter = TypedDict("TagFilter", {"any": Sequence[str], "all": Sequence[str], "not": Sequence[str]}, total=False)
"""Which memories to return, by their tags: at least one of `any`, every one of `all`, none of `not`."""


class ScoringWeights(TypedDict, total=False):
    """Weights of a ranking, each 0–100."""

    semantic: float
    recency: float
    recency_half_life_days: float
    importance: float
    context: float
    """Of the memories stored right before and after; by default 1 where such memories belong together, else 0"""
    session: float
    """Of the best memories of the same session; by default 1"""
    speaker: float
    """Of a speaker whom the question names; by default 1"""
    date: float
    """Of a day or month that the question names; by default 1"""


class Keep(Enum):
    """The type of `KEEP`."""

    KEEP = "keep"

    def __repr__(self) -> str:
        return "KEEP"


KEEP = Keep.KEEP
"""Default of the fields of `replace`: the new text keeps the memory's own value. None drops it."""


@dataclass(frozen=True)
class RememberItem:
    """One text of `remember_bulk`, with the fields that are sealed with it."""

    text: str
    namespace: str | None = None
    session: str | None = None
    speaker: str | None = None
    happened_at: Time | None = None
    tags: Sequence[str] | None = None
    metadata: Metadata | None = None
    expires_at: Time | None = None

    def body(self, client_namespace: str | None) -> dict[str, Any]:
        """Return the item as the relayer takes it."""
        return present(
            text=self.text,
            namespace=client_namespace if self.namespace is None else self.namespace,
            session=self.session,
            speaker=self.speaker,
            happened_at=self.happened_at,
            tags=self.tags,
            metadata=self.metadata,
            expires_at=self.expires_at,
        )


def present(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not None, in the forms of the wire."""
    return {name: wire_value(name, value) for name, value in fields.items() if value is not None}


def wire_value(name: str, value: Any) -> Any:
    """Return a value as JSON carries it. Raises `InvalidArgumentError` for a `datetime` without an offset."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidArgumentError(f"{name} must be an aware datetime: pass one with tzinfo, such as timezone.utc.")
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: wire_value(f"{name}.{key}", each) for key, each in value.items()}
    if isinstance(value, str) or not isinstance(value, Iterable):
        if name in ("tags", "ids", "trusted_writers") and isinstance(value, str):
            raise InvalidArgumentError(f"{name} must be a list of texts, not one text.")
        return value
    return list(value)
