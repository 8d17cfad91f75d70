"""Streams of OpenAI's chat completions and text completions, which other providers have too."""

from __future__ import annotations

from typing import Dict

from cer_client.folds.fold import add_delta, keep_reasons, object_in, place_of, settled, state
from cer_verify import Members

# Members of a choice that arrive in parts. Others, as the verdicts of a content filter, are stated again by chunks.
_PARTS = ("text", "logprobs")


class ChatFold:
    """Streams of chat completions and of text completions. They end with `[DONE]`."""

    def __init__(self) -> None:
        self.end = "open"
        self._head: Members = {}
        self._choices: Dict[object, Members] = {}
        self._has_reasons = True

    def push(self, data: str) -> None:
        if self.end != "open":
            return
        if data == "[DONE]":
            self.end = "complete"
            return
        chunk = object_in(data)
        if chunk is None:
            return
        choices = chunk.pop("choices", None)
        self._head.update(chunk)
        if chunk.get("error") is not None:
            self.end = "failed"
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict):
                self._add_choice(choice)

    def _add_choice(self, choice: Members) -> None:
        known = self._choices.setdefault(place_of(choice.get("index")), {})
        delta = choice.pop("delta", None)
        if isinstance(delta, dict):
            stated = known.get("message")
            message: Members = stated if isinstance(stated, dict) else {}
            known["message"] = message
            add_delta(message, delta)
        for name, value in choice.items():
            stated = known.get(name)
            if name in _PARTS:
                add_delta(known, {name: value})
            elif isinstance(value, dict) and isinstance(stated, dict):
                state(stated, value)
            else:
                state(known, {name: value})

    @property
    def is_whole(self) -> bool:
        finished = [isinstance(choice.get("finish_reason"), str) for choice in self._choices.values()]
        return self._has_reasons and bool(finished) and all(finished)

    def forget(self) -> None:
        self._head = {}
        self._has_reasons = keep_reasons(self._choices, "finish_reason") and self._has_reasons

    def answer(self) -> Members:
        return settled({**self._head, "choices": list(self._choices.values())})
