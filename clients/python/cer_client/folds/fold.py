"""What the folds of all protocols share: the kind of them, and how deltas become an answer."""

from __future__ import annotations

import json
from typing import List, NoReturn, Optional, Protocol

from cer_verify import Members

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


def add_delta(draft: Members, delta: Members) -> None:
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
            add_delta(known, value)
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
        add_delta(last, {"text": text})
    else:
        parts.append({"type": "text", "text": text})


def _merged(merged: List[object], added: List[object]) -> List[object]:
    """Adds to the list itself: a copy in each chunk would take longer with every chunk."""
    for item in added:
        index = item.get("index") if isinstance(item, dict) else None
        candidates = merged if index is not None else []
        same = [one for one in candidates if isinstance(one, dict) and one.get("index") == index]
        if isinstance(item, dict) and same and isinstance(same[0], dict):
            add_delta(same[0], item)
        else:
            merged.append(item)
    return merged


def state(draft: Members, stated: Members) -> None:
    """Replaces members; a later null says nothing about a known member."""
    draft.update({name: value for name, value in stated.items() if value is not None or name not in draft})
