"""Streams of Anthropic's Messages API."""

from __future__ import annotations

from typing import Dict, List

from cer_client.folds.fold import add_delta, object_in, place_of, settled, state
from cer_verify import Members, get

# Kinds of deltas that have the final value of their block.
_FINAL = ("signature_delta", "compaction_delta")
# Members of the message that are beside the delta of its last event.
_BESIDE_DELTA = ("context_management", "input_transformations")


class MessagesFold:
    """Streams of the Messages API. They end with `message_stop`."""

    is_whole = False

    def __init__(self) -> None:
        self.end = "open"
        self._message: Members = {}
        self._blocks: Dict[object, Members] = {}

    def push(self, data: str) -> None:
        event = object_in(data) if self.end == "open" else None
        if event is None:
            return
        kind, place = event.get("type"), place_of(event.get("index"))
        started, block, delta = event.get("message"), event.get("content_block"), event.get("delta")
        if kind == "message_start" and isinstance(started, dict):
            self._message.update(started)
        elif kind == "content_block_start" and isinstance(block, dict):
            self._blocks[place] = dict(block)
            # The answer is of the model that took over.
            if block.get("type") == "fallback" and isinstance(get(block, "to", "model"), str):
                self._message["model"] = get(block, "to", "model")
        elif kind == "content_block_delta" and isinstance(delta, dict):
            _add_to_block(self._blocks.get(place, {}), delta)
        elif kind == "message_delta":
            self._add_delta(event)
        elif kind == "error":
            self._message["error"], self.end = event.get("error"), "failed"
        elif kind == "message_stop":
            self.end = "complete"

    def _add_delta(self, event: Members) -> None:
        delta, usage = event.get("delta"), event.get("usage")
        if isinstance(delta, dict):
            state(self._message, delta)
        state(self._message, {name: event[name] for name in _BESIDE_DELTA if name in event})
        if isinstance(usage, dict):
            known = self._message.get("usage")
            counts: Members = known if isinstance(known, dict) else {}
            state(counts, usage)
            self._message["usage"] = counts

    def forget(self) -> None:
        self._message = {}
        self._blocks.clear()

    def answer(self) -> Members:
        return {**self._message, "content": [_with_input(settled(block)) for block in self._blocks.values()]}


def _add_to_block(block: Members, delta: Members) -> None:
    # The type of a delta names its kind, not that of the block.
    rest = {name: value for name, value in delta.items() if name != "type"}
    if delta.get("type") == "citations_delta":
        stated = block.get("citations")
        known: List[object] = stated if isinstance(stated, list) else []
        known.append(delta.get("citation"))
        block["citations"] = known
    elif delta.get("type") in _FINAL:
        block.update(rest)
    else:
        add_delta(block, rest)


def _with_input(block: Members) -> Members:
    """The input of a tool arrives as pieces of its JSON text; a text that is not whole stays as it arrived."""
    text = block.get("partial_json")
    if not isinstance(text, str):
        return block
    found = object_in(text or "{}")
    if found is None:
        return block
    return {**{name: value for name, value in block.items() if name != "partial_json"}, "input": found}
