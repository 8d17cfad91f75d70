"""The JSON of values that frameworks and functions use."""

from __future__ import annotations

import base64
import dataclasses
import math
import re
from collections import deque
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple
from uuid import UUID

from cer_client.executions import Json
from cer_verify import MAX_SAFE_INTEGER, SVC_V1, canonicalize

MAX_DEPTH = 96
# Maximum values within a value: one that has another twice, and so on, has more than any memory holds.
MAX_VALUES = 1_000_000

# A program may give a class any text as its name.
_KIND = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)


def json_of(value: object) -> Json:
    """The JSON of a value: bytes are base64, large integers, times, ids and paths text, other objects their members.

    An object without known members is the name of its class. A set is a list, in the order of the canonical texts of
    its values. Raises ValueError for a value that contains itself, that has too many values, or that cannot be read;
    it names the class of the fault and no value.
    """
    return _Walk().json_of(value, ())


def partly_held(value: object) -> Tuple[Json, List[str]]:
    """The content of a value, and the kinds of objects in it of which it has only the name."""
    walk = _Walk()
    content = _as_content(walk.json_of(value, ()))
    return content, list(walk.without)


def held_json_of(value: object) -> Json:
    """The JSON of a value. Raises ValueError for one that it would have only the name of a class of, too."""
    walk = _Walk()
    found = walk.json_of(value, ())
    if walk.without:
        raise ValueError("a call is not certified: its content has a value that JSON does not hold, such as a file")
    return found


def held_content_of(value: object) -> Json:
    return _as_content(held_json_of(value))


def _as_content(found: Json) -> Json:
    """As certificates take input and output: text, an object or a list; another is the member `value`."""
    return found if isinstance(found, (str, dict, list)) else {"value": found}


class _Walk:
    def __init__(self) -> None:
        self._left = MAX_VALUES
        # In the order in which they were met.
        self.without: Dict[str, None] = {}

    def json_of(self, value: object, around: Tuple[object, ...]) -> Json:
        """`around` holds the values that this one is part of."""
        self._left -= 1
        if self._left < 0:
            raise ValueError("a value has too many values")
        if isinstance(value, Enum):
            return self.json_of(value.value, around)
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return int(value) if abs(value) <= MAX_SAFE_INTEGER else str(int(value))
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if isinstance(value, (bytes, bytearray)):
            return base64.b64encode(value).decode()
        if isinstance(value, (date, time)):
            return value.isoformat()
        if isinstance(value, (UUID, Decimal, PurePath, timedelta)):
            return str(value)
        if any(value is outer for outer in around):
            raise ValueError("a value contains itself")
        parts = None if len(around) >= MAX_DEPTH else _read(lambda: _parts_of(value))
        if parts is not None:
            return self._of_parts(parts, (*around, value))
        kind = type(value).__name__
        self.without[kind if _KIND.fullmatch(kind) else "object"] = None
        return kind

    def _of_parts(self, parts: object, around: Tuple[object, ...]) -> Json:
        if isinstance(parts, Mapping):
            members = _read(lambda: list(parts.items()))
            return {_name_of(name): self.json_of(member, around) for name, member in members}
        if isinstance(parts, (set, frozenset)):
            return sorted((self.json_of(item, around) for item in parts), key=lambda item: canonicalize(item, SVC_V1))
        if isinstance(parts, (list, tuple, deque)):
            return [self.json_of(item, around) for item in parts]
        return self.json_of(parts, around)


def _parts_of(value: Any) -> Optional[object]:
    """A mapping, list or set of what a value has, or a plain value for it; None for an object without known members."""
    if isinstance(value, (Mapping, list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    # Models of pydantic; numbers and arrays of numpy and of those made like them.
    for name in ("model_dump", "tolist"):
        dump = getattr(value, name, None)
        if callable(dump):
            parts: object = dump()
            return parts
    return None


def _name_of(name: object) -> str:
    if isinstance(name, Enum):
        return _name_of(name.value)
    return name if isinstance(name, str) else str(name)


def _read(work: Callable[[], Any]) -> Any:
    """Errors of a program's own objects may quote what they hold."""
    try:
        return work()
    except Exception as error:
        raise ValueError(f"a value cannot be read: {type(error).__name__}") from None
