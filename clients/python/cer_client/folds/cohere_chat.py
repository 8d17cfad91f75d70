"""Streams of Cohere's `/v2/chat`."""

from __future__ import annotations

from typing import Dict, List

from cer_client.folds.fold import add_delta, object_in, place_of, settled, state
from cer_verify import Members


class CohereFold:
    """These streams end with `message-end`."""

    is_whole = False

    def __init__(self) -> None:
        self.end = "open"
        self._answer: Members = {}
        self._message: Members = {}
        # Items of the message's lists: by the name of the list, then by their index.
        self._lists: Dict[str, Dict[object, Members]] = {}
        self._logprobs: List[Members] = []

    def push(self, data: str) -> None:
        event = object_in(data) if self.end == "open" else None
        if event is None:
            return
        if "id" in event:
            state(self._answer, {"id": event["id"]})
        logprobs, delta = event.get("logprobs"), event.get("delta")
        if isinstance(logprobs, dict):
            self._logprobs.append(logprobs)
        if not isinstance(delta, dict):
            return
        message = delta.pop("message", None)
        if isinstance(message, dict):
            self._add(message, place_of(event.get("index")))
        if event.get("type") == "message-end":
            self._answer.update(delta)
            self.end = "failed" if delta.get("finish_reason") == "ERROR" else "complete"

    def _add(self, message: Members, place: object) -> None:
        """An event has one item of a list under the name of the list."""
        for name, value in message.items():
            if isinstance(value, dict):
                add_delta(self._lists.setdefault(name, {}).setdefault(place, {}), value)
            # The first event has every list, empty.
            elif not isinstance(value, list):
                add_delta(self._message, {name: value})

    def forget(self) -> None:
        self._answer, self._message, self._lists, self._logprobs = {}, {}, {}, []

    def answer(self) -> Members:
        lists = {name: list(items.values()) for name, items in self._lists.items()}
        logprobs = {"logprobs": self._logprobs} if self._logprobs else {}
        return {**self._answer, "message": settled({**self._message, **lists}), **logprobs}
