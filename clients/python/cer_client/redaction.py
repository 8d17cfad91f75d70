"""Content that is masked before it is hashed. See docs/clients.md, "Masked content"."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Callable, Optional

from cer_client.executions import Json
from cer_client.sealing import Call
from cer_verify import Members, unit_count, well_formed


@dataclass(frozen=True)
class Redaction:
    """Masks content before it is hashed.

    `name` is what certificates name it by, 1 to 256 characters: change it with the rules. `redact` gets a request or
    an answer as JSON, or as text, with `input` or `output` as the part, and returns the value to seal. When it raises,
    or returns None or another value that JSON does not hold, the call gets no certificate. It is called from any
    thread.
    """

    name: str
    redact: Callable[[Json, str], Json]


def checked(redaction: Optional[Redaction]) -> Optional[Redaction]:
    """The same redaction. Raises ValueError for a name that no certificate takes, TypeError without rules."""
    if redaction is not None:
        if not isinstance(redaction, Redaction):
            raise TypeError("redaction: must be a Redaction(name, redact)")
        if not isinstance(redaction.name, str) or not 1 <= unit_count(redaction.name) <= 256:
            raise ValueError("redaction.name: must have 1 to 256 characters")
        if not well_formed(redaction.name):
            raise ValueError("redaction.name: must not contain a lone surrogate")
        if not callable(redaction.redact):
            raise TypeError("redaction.redact: must be a function")
    return redaction


def redacted(call: Call, redaction: Optional[Redaction]) -> Call:
    """The call with masked content; its signal states what was masked, and by which rules.

    An answer of which only the hash of its bytes is known stays as it is. Raises ValueError for a value that JSON does
    not hold, and whatever the redaction raises.
    """
    if redaction is None:
        return call
    stated: Members = {**call.payload, "redactedBy": redaction.name, "redacted": ["input"]}
    masked = replace(call, input=_masked(redaction, call.input, "input"), input_text=None, payload=stated)
    if call.output is None:
        return masked
    # The hash of the answer as it was sent would confirm a guess of what was masked.
    payload: Members = {**stated, "redacted": ["input", "output"]}
    return replace(masked, output=_masked(redaction, call.output, "output"), output_sha256=None, payload=payload)


def _masked(redaction: Redaction, value: Json, part: str) -> Json:
    """The masked value as certificates take input and output: text, an object or a list."""
    found = redaction.redact(value, part)
    try:
        # A copy: the program may keep the value, and change it.
        held: Json = None if found is None else json.loads(json.dumps(found, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        held = None
    if held is None:
        # Not the reason: it may quote the value.
        raise ValueError(f"a call is not certified: JSON does not hold its masked {part}")
    return held if isinstance(held, (str, dict, list)) else {"value": held}
