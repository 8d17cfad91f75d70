"""Sealing of a call in this process."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Optional

from cer_client.executions import Json, Members, Sealed, seal_execution
from cer_verify import canonicalize, is_number, unit_count, well_formed

# Sampling parameters under their names in a certificate, and those in requests.
_PARAMETERS = {
    "temperature": ("temperature",),
    "maxTokens": (
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "maxOutputTokens",
        "maxTokens",
        "num_predict",
    ),
    "topP": ("top_p", "topP", "p"),
    "seed": ("seed",),
}
# Members of a request that hold them, of Gemini and of Ollama.
_HOLDERS = ("generationConfig", "options")


@dataclass(frozen=True)
class Call:
    """A call as an observer describes it when it ended."""

    provider: str
    model: str
    input: Json
    # None when only the hash of its bytes is known.
    output: Json
    # SHA-256 of the answer's bytes in hex; None where no bytes were seen.
    output_sha256: Optional[str]
    parameters: Members
    # `model-call` or `tool-call`.
    kind: str
    # Facts in clear: no content.
    payload: Members
    # The input as it was sent; None: its JSON. Sealed where the rules of JSON refuse the value.
    input_text: Optional[str] = None


def now() -> str:
    """The present time in UTC with milliseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def uuid_v7() -> str:
    """A UUID version 7: its first 48 bits are the time in milliseconds. See RFC 9562, 5.7."""
    content = bytearray((time.time_ns() // 1_000_000).to_bytes(6, "big") + os.urandom(10))
    content[6] = content[6] & 0x0F | 0x70
    content[8] = content[8] & 0x3F | 0x80
    digits = content.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def parameters_of(request: Json) -> Members:
    """The sampling parameters that a request states, whatever the names of its SDK."""
    if not isinstance(request, dict):
        return {}
    found: Members = {}
    for held in (request, *(request.get(holder) for holder in _HOLDERS)):
        if isinstance(held, dict):
            found = {**_parameters_in(held), **found}
    return found


def _parameters_in(members: Members) -> Members:
    found: Members = {}
    for name, names in _PARAMETERS.items():
        values = [members[member] for member in names if is_number(members.get(member))]
        if values:
            found[name] = values[0]
    return found


def label_of(value: object, otherwise: str) -> str:
    """A label as certificates take it."""
    return value[:256] if isinstance(value, str) and value else otherwise


# Maximum characters of an id or a code that a certificate states: a provider can put any text there.
_MAX_ID_LENGTH = 1024


def is_id(value: object) -> bool:
    """Whether a value is an id or a code of a provider that a certificate can state."""
    return isinstance(value, str) and unit_count(value) <= _MAX_ID_LENGTH and well_formed(value)


def seal(call: Call, execution_id: str, app_id: str, started_at: str, protocol: str, prompt: str = "") -> Sealed:
    """Seals a call that has ended. Under 1.3.1 `prompt` is bound in clear and the salts are drawn here.

    Raises RequestFault and cer_verify.CanonicalError for what the protocol does not take.
    """
    request: Members = {
        "protocolVersion": protocol,
        "executionId": execution_id,
        "timestamp": started_at,
        "provider": call.provider,
        "model": call.model,
        "input": _content(call.input),
        "output": _content(call.output),
        "parameters": call.parameters,
        "appId": app_id,
    }
    stated = None if call.output_sha256 is None else f"sha256:{call.output_sha256}"
    payload = dict(call.payload)
    if protocol == "1.3.1":
        request["prompt"] = prompt
        # The hash of an answer in clear would confirm a guess of it.
        if call.output is None and stated is not None:
            request["output"] = {"responseSha256": stated}
    elif stated is not None:
        payload["responseSha256"] = stated
        if call.output is None:
            request["output"], request["outputHash"] = None, stated
    request["signals"] = [{"type": call.kind, "source": "cer_client", "payload": payload}]
    return seal_execution(request, now(), execution_id)


def _content(value: Json) -> Json:
    """A value that an input or output may have: another one is its own canonical text, which hashes to the same."""
    return value if isinstance(value, (str, list, dict)) else canonicalize(value)
