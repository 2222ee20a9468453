"""A session for the OpenAI Agents SDK (`pip install "memrelay[openai-agents]"`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agents import TResponseInputItem

from .conversation import Conversation, Message
from .running import Client, arun, connection_of

if TYPE_CHECKING:
    from agents.memory import SessionSettings


class MemRelaySession:
    """Keeps the history of a conversation as encrypted memories: `Runner.run(agent, text, session=…)`.

    Reading needs READ in the namespace, adding WRITE, and `pop_item` and `clear_session` FORGET.

    Args:
        session_id: The conversation, 1–128 characters.
        mem: The client; it stays open as long as the session is used.
        namespace: Defaults to the client's.
        session_settings: `limit` is how many items `get_items` returns by default. Older versions of the SDK have none.
    """

    def __init__(
        self,
        session_id: str,
        mem: Client,
        *,
        namespace: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._mem = mem
        self._conversation = Conversation(connection_of(mem), namespace, "openai-agents", session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest `limit` items, oldest first; all by default."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await arun(self._mem, self._conversation.read(limit)))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items."""
        await arun(self._mem, self._conversation.add([_message(each) for each in items]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Delete the latest item and return it; None if there is none."""
        return cast("TResponseInputItem | None", await arun(self._mem, self._conversation.pop()))

    async def clear_session(self) -> None:
        """Delete all items permanently."""
        await arun(self._mem, self._conversation.clear())


def _message(item: TResponseInputItem) -> Message:
    value = cast("dict[str, Any]", dict(item))
    return Message(value, value.get("role"))
