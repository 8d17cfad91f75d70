"""Reads the JSON of requests, which wait for it before they are sent."""

from __future__ import annotations

import json
import re
from typing import List, NoReturn, Tuple, Union

from cer_client.executions import Json, Members
from cer_verify import MAX_SAFE_INTEGER, parse_json


def read_json(text: str, max_depth: int) -> Json:
    """The value of JSON text, as `parse_json` reads it. Raises JsonFault.

    What the decoder of the standard library reads and no rule of strict JSON can refuse is taken from it; all other
    text is left to `parse_json`.
    """
    content = text.encode()
    try:
        value: Json = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return parse_json(content, max_depth)
    return value if _has_levels(value, max_depth) else parse_json(content, max_depth)


def stated_in(body: str, value: Json, max_depth: int) -> Json:
    """The value of a body that may have integers that a double does not hold, which are text then.

    `value` is that of the body as strict JSON, or the body. Returns None for any other fault of strict JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        stated: Json = _LOOSE_DECODER.decode(body)
    except (ValueError, RecursionError):
        return None
    return stated if _has_levels(stated, max_depth) else None


def _members(pairs: List[Tuple[str, Json]]) -> Members:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("two members of one name")
    return members


def _number(literal: str) -> float:
    number = float(literal)
    if abs(number) > MAX_SAFE_INTEGER or (number == 0 and re.search("[1-9]", literal)):
        raise ValueError("a number that may lose digits")
    return number


# Characters of the integers that are read as text: a double may not hold them.
_LONG_INTEGER = range(16, 41)


def _integer_or_text(literal: str) -> Union[float, str]:
    return literal if len(literal) in _LONG_INTEGER else _number(literal)


def _no_number(literal: str) -> NoReturn:
    raise ValueError(literal)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_number, parse_int=_number, parse_constant=_no_number
)
_LOOSE_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_number, parse_int=_integer_or_text, parse_constant=_no_number
)


def _has_levels(value: Json, most: int) -> bool:
    """Whether a value has at most this many levels of objects and lists."""
    level: List[Json] = [value]
    for _ in range(most + 1):
        held = [part for part in level if isinstance(part, (dict, list))]
        if not held:
            return True
        level = [part for holder in held for part in (holder.values() if isinstance(holder, dict) else holder)]
    return False
