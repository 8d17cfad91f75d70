"""The JSON of values that frameworks and functions use."""

from __future__ import annotations

import base64
import dataclasses
import math
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Mapping, Tuple
from uuid import UUID

from cer_client.executions import Json
from cer_verify import MAX_SAFE_INTEGER

MAX_DEPTH = 96


def json_of(value: object, around: Tuple[object, ...] = ()) -> Json:
    """The JSON of a value: bytes are base64, large integers, times, ids and paths text, other objects their members.

    An object without known members is the name of its class. `around` holds the values that this one is part of.
    Raises ValueError for a value that contains itself.
    """
    if isinstance(value, Enum):
        return json_of(value.value, around)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (UUID, Decimal, PurePath)):
        return str(value)
    if any(value is outer for outer in around):
        raise ValueError("a value contains itself")
    within = (*around, value)
    if len(around) < MAX_DEPTH and isinstance(value, Mapping):
        members = value.items()
        return {name if isinstance(name, str) else str(name): json_of(member, within) for name, member in members}
    if len(around) < MAX_DEPTH and isinstance(value, (list, tuple, set, frozenset)):
        return [json_of(item, within) for item in value]
    if len(around) < MAX_DEPTH and dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: json_of(getattr(value, part.name), within) for part in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    if len(around) < MAX_DEPTH and callable(dump) and not isinstance(value, type):
        return json_of(dump(), within)
    return type(value).__name__


def content_of(value: object) -> Json:
    """A value as certificates take input and output: text, an object or a list; another is the member `value`."""
    found = json_of(value)
    return found if isinstance(found, (str, dict, list)) else {"value": found}
