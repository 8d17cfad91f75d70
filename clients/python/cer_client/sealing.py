"""Sealing of a call in this process. See docs/spec.md, "Sealing" and "Commitments"."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Dict, Optional

from cer_verify import JCS_V1, SVC_V1, encode_base64url, hash_bytes, hash_canonical, hashed_bytes, is_number, pick

Json = object
Members = Dict[str, object]

# Sampling parameters under their names in a certificate, and those in requests.
_PARAMETERS = {
    "temperature": ("temperature",),
    "maxTokens": ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"),
    "topP": ("top_p", "topP"),
    "seed": ("seed",),
}
_HASHED = ("bundleType", "version", "createdAt", "snapshot", "context")


@dataclass(frozen=True)
class Sealed:
    """A sealed execution: hashes or commitments and facts, no content. `text` is the bundle on one line."""

    execution_id: str
    certificate_hash: str
    text: str
    # `{input: {salt}, output: {salt}}` under 1.3.1.
    openings: Optional[Members]


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
    for name, members in _PARAMETERS.items():
        values = [request[member] for member in members if is_number(request.get(member))]
        if values:
            found[name] = values[0]
    return found


def label_of(value: object, otherwise: str) -> str:
    """A label as certificates take it."""
    return value[:256] if isinstance(value, str) and value else otherwise


def seal(call: Call, execution_id: str, app_id: str, started_at: str, protocol: str, prompt: str = "") -> Sealed:
    """Seals a call that has ended. Under 1.3.1 `prompt` is bound in clear and the salts are drawn here.

    Raises cer_verify.CanonicalError for content that the protocol does not take.
    """
    profile = SVC_V1 if protocol == "1.2.0" else JCS_V1
    snapshot: Members = {
        "type": "ai.execution.v1",
        "protocolVersion": protocol,
        "executionSurface": "ai",
        "executionId": execution_id,
        "timestamp": started_at,
        "provider": call.provider,
        "model": call.model,
        "modelVersion": None,
    }
    openings: Optional[Members] = None
    stated = None if call.output_sha256 is None else f"sha256:{call.output_sha256}"
    payload = dict(call.payload)
    if protocol == "1.3.1":
        # The hash of an answer in clear would confirm a guess of it.
        output = {"responseSha256": stated} if call.output is None else call.output
        openings = {name: _commit(snapshot, name, value) for name, value in (("input", call.input), ("output", output))}
        snapshot["prompt"] = prompt
    else:
        snapshot["inputHash"] = hash_bytes(hashed_bytes(call.input, profile, "input"))
        is_hash_only = call.output is None and stated is not None
        snapshot["outputHash"] = stated if is_hash_only else hash_bytes(hashed_bytes(call.output, profile, "output"))
        if stated is not None:
            payload["responseSha256"] = stated
    snapshot["parameters"] = call.parameters
    snapshot["appId"] = app_id
    signal: Members = {"type": call.kind, "source": "cer_client", "payload": payload}
    bundle: Members = {
        "bundleType": "cer.ai.execution.v1",
        "version": "0.1",
        "createdAt": now(),
        "snapshot": snapshot,
        "context": {"signals": [signal]},
    }
    bundle["certificateHash"] = certificate_hash = hash_canonical(pick(bundle, _HASHED), profile)
    return Sealed(execution_id, certificate_hash, json.dumps(bundle, separators=(",", ":")), openings)


def _commit(snapshot: Members, name: str, value: Json) -> Members:
    """Writes the sealed object of a value and its hash. Returns the opening."""
    salt = os.urandom(32)
    commitment = hmac.new(salt, hashed_bytes(value, JCS_V1, name), hashlib.sha256).hexdigest()
    sealed: Members = {"_redacted": True, "scheme": "hmac-sha256-v1", "commitment": f"sha256:{commitment}"}
    snapshot[name] = sealed
    snapshot[f"{name}Hash"] = hash_canonical(sealed, JCS_V1)
    return {"salt": encode_base64url(salt)}
