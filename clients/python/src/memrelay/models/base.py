"""What all models share."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from ..errors import MemRelayError


class Model(BaseModel):
    """An immutable part of a response. Fields of newer relayers are kept in `model_extra`."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())


class CamelModel(Model):
    """A part of a response whose names on the wire are `camelCase`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


M = TypeVar("M", bound=Model)


def parsed(model: type[M], value: Any) -> M:
    """Return the response as a model. Raises `invalid_response`, without a text of the response in the message."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, issue["loc"])) + ": " + issue["type"] for issue in error.errors()[:5])
        raise MemRelayError(
            "invalid_response",
            f"The relayer's response has another form than {model.__name__} ({fields}). "
            "Check that the client is not older than the relayer supports.",
        ) from None
