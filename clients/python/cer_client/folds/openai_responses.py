"""Streams of OpenAI's Responses API."""

from __future__ import annotations

from io import StringIO
from typing import Dict

from cer_client.folds.fold import appended, object_in, place_of, text_of
from cer_verify import SVC_V1, Members, canonicalize

_RESPONSE_ENDS = {
    "response.completed": "complete",
    "response.incomplete": "complete",
    "response.failed": "failed",
    "error": "failed",
}


class ResponsesFold:
    """Streams of the Responses API: the last event has all of it; before it, items and text so far are kept."""

    is_whole = False

    def __init__(self) -> None:
        self.end = "open"
        self._response: Members = {}
        self._items: Dict[object, object] = {}
        self._texts: Dict[str, StringIO] = {}

    def push(self, data: str) -> None:
        event = object_in(data) if self.end == "open" else None
        if event is None:
            return
        kind, response, delta = event.get("type"), event.get("response"), event.get("delta")
        if isinstance(response, dict):
            self._response = response
        if kind == "error":
            self._response = {**self._response, "error": event}
        index, item = event.get("output_index"), event.get("item")
        if isinstance(item, dict):
            self._items[place_of(index)] = item
        if not isinstance(kind, str):
            return
        if kind.endswith(".delta") and isinstance(delta, str):
            part = event.get("content_index")
            place = canonicalize([kind, index, event.get("summary_index") if part is None else part], SVC_V1)
            self._texts[place] = appended(self._texts.get(place, ""), delta)
        self.end = _RESPONSE_ENDS.get(kind, "open")

    def forget(self) -> None:
        self._response = {}
        self._items.clear()
        self._texts.clear()

    def answer(self) -> Members:
        if self.end == "complete":
            return self._response
        output = {"output": list(self._items.values())} if self._items else {}
        return {**self._response, **output, "partial": {place: text_of(text) for place, text in self._texts.items()}}
