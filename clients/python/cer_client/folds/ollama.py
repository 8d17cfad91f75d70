"""Streams of Ollama's own routes, one JSON object per line."""

from __future__ import annotations

from cer_client.folds.fold import add_delta, object_in, settled, state
from cer_verify import Members

# Members that arrive in parts: of a chat, of a generated text, of both. Others are stated again by lines.
_PARTS = ("message", "response", "thinking", "logprobs")


class OllamaFold:
    """These streams end with `done`."""

    is_whole = False

    def __init__(self) -> None:
        self.end = "open"
        self._head: Members = {}
        self._content: Members = {}

    def push(self, data: str) -> None:
        line = object_in(data) if self.end == "open" else None
        if line is None:
            return
        for name, value in line.items():
            if name in _PARTS:
                add_delta(self._content, {name: value})
            else:
                state(self._head, {name: value})
        if line.get("error") is not None:
            self.end = "failed"
        elif line.get("done") is True:
            self.end = "complete"

    def forget(self) -> None:
        self._head, self._content = {}, {}

    def answer(self) -> Members:
        return settled({**self._head, **self._content})
