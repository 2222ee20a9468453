"""The events of a streamed answer (`text/event-stream`)."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass

from ..error_codes import is_retryable
from ..errors import MemRelayError, NetworkError, error_class
from ..models.base import parsed
from ..models.memories import AskResponse


@dataclass(frozen=True)
class AskDelta:
    """A piece of the answer."""

    text: str


class EventReader:
    """Turns the bytes of a streamed answer into its pieces, and at the end the complete answer."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> Iterator[AskDelta | AskResponse]:
        """Return the events that end in these bytes. Raises the error that the relayer reports."""
        *events, self._rest = (self._rest + self._decoder.decode(data)).split("\n\n")
        for text in events:
            fields = dict(line.split(":", 1) for line in text.split("\n") if ":" in line)
            event, content = fields.get("event", "").strip(), fields.get("data", "").strip()
            if event == "delta":
                yield AskDelta(str(self._parse(content).get("text", "")))
            elif event == "done":
                yield parsed(AskResponse, self._parse(content))
            elif event == "error":
                value = self._parse(content)
                code = str(value.get("error", "invalid_response"))
                raise error_class(503, code)(
                    code,
                    f"{value.get('message', '')} [{code}, request {self._request_id}]",
                    request_id=self._request_id,
                    retryable=is_retryable(0, code),
                )

    def interrupted(self) -> NetworkError:
        """Return the error of a stream that ended before the answer was complete."""
        return NetworkError("network_error", "The answer was interrupted.", request_id=self._request_id)

    def _parse(self, content: str) -> dict[str, object]:
        try:
            value = json.loads(content)
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
        raise MemRelayError(
            "invalid_response", "An event of the answer is not a JSON object.", request_id=self._request_id
        )
