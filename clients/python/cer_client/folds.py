"""The unstreamed answer of each provider's protocol, from the events of a stream."""

from __future__ import annotations

import json
from typing import Callable, Dict, List, NoReturn, Optional, Protocol

from cer_verify import SVC_V1, Members, canonicalize, get

# Members that name something: a later chunk repeats or replaces them.
_REPLACED = ("role", "id", "type", "index", "name", "finish_reason", "stop_reason", "format")


class Fold(Protocol):
    """Rebuilds an answer. `end` is `open`, `complete` or `failed` as the protocol itself says."""

    end: str

    def push(self, data: str) -> None: ...

    @property
    def is_whole(self) -> bool:
        """Whether an end of the stream here is a complete answer."""

    def forget(self) -> None:
        """Drops the content so far, which exceeds the limit. The end is still recognised."""

    def answer(self) -> Members: ...


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def object_in(text: str) -> Optional[Members]:
    """The JSON object in a text, as SDKs read it; None for anything else. Numbers are doubles."""
    try:
        # Not strictly: an event with an integer that a double rounds is part of the answer.
        value = json.loads(text, parse_int=float, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _add(draft: Members, delta: Members) -> None:
    """Adds a delta: text is appended, objects are merged, lists are merged by the members' `index`.

    Text and a list are a list: the text is a part of it.
    """
    for name, value in delta.items():
        known = draft.get(name)
        if isinstance(value, str) and isinstance(known, str) and name not in _REPLACED:
            draft[name] = known + value
        elif isinstance(value, list):
            draft[name] = _merged(_parts_of(known), value)
        elif isinstance(value, str) and isinstance(known, list):
            _add_text(known, value)
        elif isinstance(value, dict) and isinstance(known, dict):
            _add(known, value)
        elif value is not None or name not in draft:
            draft[name] = value


def _parts_of(known: object) -> List[object]:
    if isinstance(known, list):
        return known
    parts: List[object] = []
    if isinstance(known, str):
        _add_text(parts, known)
    return parts


def _add_text(parts: List[object], text: str) -> None:
    if not text:
        return
    last = parts[-1] if parts else None
    if isinstance(last, dict) and last.get("type") == "text":
        _add(last, {"text": text})
    else:
        parts.append({"type": "text", "text": text})


def _merged(merged: List[object], added: List[object]) -> List[object]:
    """Adds to the list itself: a copy in each chunk would take longer with every chunk."""
    for item in added:
        index = item.get("index") if isinstance(item, dict) else None
        candidates = merged if index is not None else []
        same = [one for one in candidates if isinstance(one, dict) and one.get("index") == index]
        if isinstance(item, dict) and same and isinstance(same[0], dict):
            _add(same[0], item)
        else:
            merged.append(item)
    return merged


def _state(draft: Members, stated: Members) -> None:
    """Replaces members; a later null says nothing about a known member."""
    draft.update({name: value for name, value in stated.items() if value is not None or name not in draft})


# Members of a choice that arrive in parts. Others, as the verdicts of a content filter, are stated again by chunks.
_PARTS = ("text", "logprobs")


class ChatFold:
    """Streams of chat completions and of text completions. They end with `[DONE]`."""

    def __init__(self) -> None:
        self.end = "open"
        self._head: Members = {}
        self._choices: Dict[str, Members] = {}

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
        known = self._choices.setdefault(repr(choice.get("index")), {})
        delta = choice.pop("delta", None)
        if isinstance(delta, dict):
            stated = known.get("message")
            message: Members = stated if isinstance(stated, dict) else {}
            known["message"] = message
            _add(message, delta)
        for name, value in choice.items():
            stated = known.get(name)
            if name in _PARTS:
                _add(known, {name: value})
            elif isinstance(value, dict) and isinstance(stated, dict):
                _state(stated, value)
            else:
                _state(known, {name: value})

    @property
    def is_whole(self) -> bool:
        finished = [isinstance(choice.get("finish_reason"), str) for choice in self._choices.values()]
        return bool(finished) and all(finished)

    def forget(self) -> None:
        for index, choice in self._choices.items():
            self._choices[index] = {"finish_reason": choice.get("finish_reason")}

    def answer(self) -> Members:
        return {**self._head, "choices": list(self._choices.values())}


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
        self._items: Dict[str, object] = {}
        self._texts: Dict[str, str] = {}

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
            self._items[repr(index)] = item
        if not isinstance(kind, str):
            return
        if kind.endswith(".delta") and isinstance(delta, str):
            part = event.get("content_index")
            place = canonicalize([kind, index, event.get("summary_index") if part is None else part], SVC_V1)
            self._texts[place] = self._texts.get(place, "") + delta
        self.end = _RESPONSE_ENDS.get(kind, "open")

    def forget(self) -> None:
        self._items.clear()
        self._texts.clear()

    def answer(self) -> Members:
        if self.end == "complete":
            return self._response
        output = {"output": list(self._items.values())} if self._items else {}
        return {**self._response, **output, "partial": dict(self._texts)}


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
        self._blocks: Dict[str, Members] = {}

    def push(self, data: str) -> None:
        event = object_in(data) if self.end == "open" else None
        if event is None:
            return
        kind, index = event.get("type"), repr(event.get("index"))
        started, block, delta = event.get("message"), event.get("content_block"), event.get("delta")
        if kind == "message_start" and isinstance(started, dict):
            self._message.update(started)
        elif kind == "content_block_start" and isinstance(block, dict):
            self._blocks[index] = dict(block)
            # The answer is of the model that took over.
            if block.get("type") == "fallback" and isinstance(get(block, "to", "model"), str):
                self._message["model"] = get(block, "to", "model")
        elif kind == "content_block_delta" and isinstance(delta, dict):
            _add_to_block(self._blocks.get(index, {}), delta)
        elif kind == "message_delta":
            self._add_delta(event)
        elif kind == "error":
            self._message["error"], self.end = event.get("error"), "failed"
        elif kind == "message_stop":
            self.end = "complete"

    def _add_delta(self, event: Members) -> None:
        delta, usage = event.get("delta"), event.get("usage")
        if isinstance(delta, dict):
            _state(self._message, delta)
        _state(self._message, {name: event[name] for name in _BESIDE_DELTA if name in event})
        if isinstance(usage, dict):
            known = self._message.get("usage")
            counts: Members = known if isinstance(known, dict) else {}
            _state(counts, usage)
            self._message["usage"] = counts

    def forget(self) -> None:
        self._blocks.clear()

    def answer(self) -> Members:
        return {**self._message, "content": [_with_input(block) for block in self._blocks.values()]}


def _add_to_block(block: Members, delta: Members) -> None:
    # The type of a delta names its kind, not that of the block.
    rest = {name: value for name, value in delta.items() if name != "type"}
    if delta.get("type") == "citations_delta":
        known = block.get("citations")
        block["citations"] = [*(known if isinstance(known, list) else []), delta.get("citation")]
    elif delta.get("type") in _FINAL:
        block.update(rest)
    else:
        _add(block, rest)


def _with_input(block: Members) -> Members:
    """The input of a tool arrives as pieces of its JSON text; a text that is not whole stays as it arrived."""
    text = block.get("partial_json")
    if not isinstance(text, str):
        return block
    found = object_in(text or "{}")
    if found is None:
        return block
    return {**{name: value for name, value in block.items() if name != "partial_json"}, "input": found}


# Routes of model providers by the end of their path, and how each streams.
_DIALECTS: Dict[str, Callable[[], Fold]] = {
    "/chat/completions": ChatFold,
    "/completions": ChatFold,
    "/responses": ResponsesFold,
    "/messages": MessagesFold,
    "/embeddings": ChatFold,
}


def fold_for(path: str) -> Optional[Callable[[], Fold]]:
    """The fold of a model provider's route; None for any other path."""
    return next((fold for ending, fold in _DIALECTS.items() if path.endswith(ending)), None)
