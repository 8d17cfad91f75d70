"""What the folds of all protocols share: the kind of them, and how deltas become an answer."""

from __future__ import annotations

import json
from io import StringIO
from typing import Dict, List, NoReturn, Optional, Protocol, Union

from cer_verify import Members, units, well_formed

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

    Text and a list are a list: the text is a part of it. Text that was appended to is a `StringIO` until the draft is
    `settled`.
    """
    for name, value in delta.items():
        known = draft.get(name)
        if isinstance(value, str) and isinstance(known, (str, StringIO)) and name not in _REPLACED:
            draft[name] = appended(known, value)
        elif isinstance(value, list):
            draft[name] = _merged(_parts_of(known), value)
        elif isinstance(value, str) and isinstance(known, list):
            _add_text(known, value)
        elif isinstance(value, dict) and isinstance(known, dict):
            add_delta(known, value)
        elif value is not None or name not in draft:
            draft[name] = value


def appended(known: Union[str, StringIO], text: str) -> StringIO:
    """A text to which more is appended: a copy in each chunk would take longer with every chunk."""
    if isinstance(known, str):
        begun = StringIO()
        begun.write(known)
        known = begun
    known.write(text)
    return known


def settled(draft: Members) -> Members:
    """The same draft, with text in place of what was appended to. Not recursive: it may have any number of levels."""
    rest: List[object] = [draft]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            value.update({name: text_of(member) for name, member in value.items() if isinstance(member, StringIO)})
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
    return draft


def text_of(appended_to: StringIO) -> str:
    """The whole text. Deltas may cut a character in two surrogates."""
    text = appended_to.getvalue()
    return text if well_formed(text) else units(text).decode("utf-16-be", "surrogatepass")


def _parts_of(known: object) -> List[object]:
    if isinstance(known, list):
        return known
    parts: List[object] = []
    if isinstance(known, (str, StringIO)):
        _add_text(parts, known if isinstance(known, str) else text_of(known))
    return parts


def _add_text(parts: List[object], text: str) -> None:
    if not text:
        return
    last = parts[-1] if parts else None
    if isinstance(last, dict) and last.get("type") == "text":
        add_delta(last, {"text": text})
    else:
        parts.append({"type": "text", "text": text})


def place_of(index: object) -> object:
    """The place of an item in its list: two items are one where their `index` is the same JSON. None for no index."""
    return index if index is None or isinstance(index, float) else json.dumps(index)


def _place_in(item: object) -> object:
    return place_of(item.get("index")) if isinstance(item, dict) else None


class _Items(List[object]):
    """A list that is merged, and those of its items that state an `index`, by their places."""

    def __init__(self, items: List[object]) -> None:
        super().__init__()
        self._placed: Dict[object, Members] = {}
        for item in items:
            self.take(item, _place_in(item))

    def find(self, place: object) -> Optional[Members]:
        return None if place is None else self._placed.get(place)

    def take(self, item: object, place: object) -> None:
        self.append(item)
        if isinstance(item, dict) and place is not None:
            self._placed.setdefault(place, item)


def _merged(known: List[object], added: List[object]) -> List[object]:
    """Adds to the list itself: a copy in each chunk would take longer with every chunk, as would a search."""
    items = known if isinstance(known, _Items) else _Items(known)
    for item in added:
        place = _place_in(item)
        same = items.find(place)
        if isinstance(item, dict) and same is not None:
            add_delta(same, item)
        else:
            items.take(item, place)
    return items


# Maximum choices of an answer over the limit whose ends are recognised: no provider gives as many.
_MAX_CHOICES = 1000


def keep_reasons(choices: Dict[object, Members], name: str) -> bool:
    """Leaves of each choice whether it has its reason to finish: an answer over the limit needs no more.

    Returns False for choices that are too many, or placed by texts of any length, all of which are dropped.
    """
    is_kept = len(choices) <= _MAX_CHOICES and not any(isinstance(place, str) for place in choices)
    if not is_kept:
        choices.clear()
    for place, choice in choices.items():
        choices[place] = {name: "" if isinstance(choice.get(name), str) else None}
    return is_kept


def state(draft: Members, stated: Members) -> None:
    """Replaces members; a later null says nothing about a known member."""
    draft.update({name: value for name, value in stated.items() if value is not None or name not in draft})
