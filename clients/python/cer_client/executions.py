"""Sealing of described executions. See docs/spec.md, "Describing an execution", "Sealing" and "Commitments"."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from typing import Callable, Dict, List, Mapping, Optional, Tuple

from cer_verify import (
    JCS_V1,
    SVC_V1,
    encode_base64url,
    has_control,
    hash_bytes,
    hash_canonical,
    hashed_bytes,
    is_hash,
    is_number,
    parse_time,
    pick,
    text_of,
    unit_count,
    well_formed,
)

Json = object
Members = Dict[str, object]
# The sentence that names the broken rule, or None.
Rule = Callable[[Json], Optional[str]]

BUNDLE_TYPE = "cer.ai.execution.v1"
PROTOCOLS = ("1.2.0", "1.3.0", "1.3.1")
_HASHED = ("bundleType", "version", "createdAt", "snapshot", "context")


@dataclass(frozen=True)
class Sealed:
    """A sealed execution: hashes or commitments and facts, no content. `text` is the bundle on one line."""

    execution_id: str
    certificate_hash: str
    text: str
    # That of the snapshot; of a commitment under 1.3.1.
    output_hash: str
    # `{input: {salt}, output: {salt}}` under 1.3.1.
    openings: Optional[Members]


class RequestFault(ValueError):
    """A description that breaks rules; `faults` names each with its member, never with its value."""

    def __init__(self, faults: List[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def seal_execution(
    request: Json, created_at: str, execution_id: str, salts: Optional[Mapping[str, bytes]] = None
) -> Sealed:
    """Seals the description of an execution, as a node would. `created_at` and `execution_id` are defaults.

    The salts of 1.3.1 are drawn here unless they are given. Raises RequestFault, and CanonicalError for content
    without a canonical form.
    """
    faults = faults_of(request)
    if faults or not isinstance(request, dict):
        raise RequestFault(faults)
    protocol = text_of(_stated(request, "protocolVersion")) or "1.2.0"
    created = text_of(_stated(request, "createdAt")) or created_at
    identity = text_of(_stated(request, "executionId")) or execution_id
    values, openings = _values(request, protocol, salts)
    snapshot: Members = {
        "type": "ai.execution.v1",
        "protocolVersion": protocol,
        "executionSurface": "ai",
        "executionId": identity,
        "timestamp": text_of(_stated(request, "timestamp")) or created,
        "provider": request["provider"],
        "model": request["model"],
        "modelVersion": _stated(request, "modelVersion"),
        **values,
        "appId": _stated(request, "appId"),
    }
    if _stated(request, "parameters") is not None:
        snapshot["parameters"] = request["parameters"]
    bundle: Members = {"bundleType": BUNDLE_TYPE, "version": "0.1", "createdAt": created, "snapshot": snapshot}
    if _stated(request, "context") is not None:
        bundle["context"] = request["context"]
    elif _stated(request, "signals") is not None:
        bundle["context"] = {"signals": request["signals"]}
    bundle["certificateHash"] = certificate_hash = hash_canonical(pick(bundle, _HASHED), profile_of(protocol))
    text = json.dumps(bundle, separators=(",", ":"))
    return Sealed(identity, certificate_hash, text, text_of(values["outputHash"]), openings)


def profile_of(protocol: str) -> str:
    """The canonicalization profile of a protocol."""
    return SVC_V1 if protocol == "1.2.0" else JCS_V1


def _values(request: Members, protocol: str, salts: Optional[Mapping[str, bytes]]) -> Tuple[Members, Optional[Members]]:
    """What the snapshot has of input and output, and their openings."""
    members: Members = {}
    profile = profile_of(protocol)
    if protocol != "1.3.1":
        for name in ("input", "output"):
            raw = _stated(request, name)
            stated = request.get(f"{name}Hash")
            members[f"{name}Hash"] = stated if raw is None else hash_bytes(hashed_bytes(raw, profile, name))
        return members, None
    members["prompt"] = request["prompt"]
    openings: Members = {}
    for name in ("input", "output"):
        salt = os.urandom(32) if salts is None else salts[name]
        commitment = hmac.new(salt, hashed_bytes(request[name], JCS_V1, name), hashlib.sha256).hexdigest()
        sealed: Members = {"_redacted": True, "scheme": "hmac-sha256-v1", "commitment": f"sha256:{commitment}"}
        members[name] = sealed
        members[f"{name}Hash"] = hash_canonical(sealed, JCS_V1)
        openings[name] = {"salt": encode_base64url(salt)}
    return members, openings


# Rules. See "Members and their rules".


def _stated(request: Members, name: str) -> Json:
    """A direct member; null means absent. See "Null in requests"."""
    return request.get(name)


def _label(value: Json) -> Optional[str]:
    if not isinstance(value, str):
        return "must be a string"
    if not 1 <= unit_count(value) <= 256:
        return "must have 1 to 256 characters"
    return "must not contain control characters" if has_control(value) else None


def _well_formed_label(value: Json) -> Optional[str]:
    return _label(value) or (None if well_formed(text_of(value)) else "must not contain a lone surrogate")


def _time(value: Json) -> Optional[str]:
    is_time = parse_time(value) is not None
    return None if is_time else "must be an ISO-8601 timestamp with seconds and a time zone"


def _object(value: Json) -> Optional[str]:
    return None if isinstance(value, dict) else "must be an object"


def _text(value: Json) -> Optional[str]:
    return None if isinstance(value, str) and value else "must be a non-empty string"


def _raw(value: Json) -> Optional[str]:
    if isinstance(value, str):
        return None if well_formed(value) else "must not contain a lone surrogate"
    return None if isinstance(value, (dict, list)) else "must be a string, an object or an array"


def _hash(value: Json) -> Optional[str]:
    return None if is_hash(value) else "must be sha256: and 64 lower-case hex digits"


def _number(value: Json) -> Optional[str]:
    return None if is_number(value) else "must be a finite number"


def _number_or_null(value: Json) -> Optional[str]:
    return None if value is None or is_number(value) else "must be a finite number or null"


_REQUIRED: Tuple[Tuple[str, Rule], ...] = (("provider", _label), ("model", _label))
_OPTIONAL: Tuple[Tuple[str, Rule], ...] = (
    ("executionId", _well_formed_label),
    ("modelVersion", _label),
    ("appId", _label),
    ("createdAt", _time),
    ("timestamp", _time),
    ("metadata", _object),
)
_PARAMETERS: Mapping[str, Rule] = {
    "temperature": _number,
    "maxTokens": _number,
    "topP": _number_or_null,
    "seed": _number_or_null,
}
_SIGNAL: Tuple[Tuple[str, Rule], ...] = (("type", _text), ("source", _text), ("payload", _object))


def faults_of(request: Json) -> List[str]:
    """Every fault of a description as `member: rule`; empty when it can be sealed."""
    if not isinstance(request, dict):
        return ["body: must be a JSON object"]
    faults: List[str] = []
    if _stated(request, "bundleType") not in (None, BUNDLE_TYPE):
        faults.append(f"bundleType: must be {BUNDLE_TYPE}")
    protocol = _stated(request, "protocolVersion")
    if protocol not in (None, *PROTOCOLS):
        faults.append(f"protocolVersion: must be one of {', '.join(PROTOCOLS)}")
    for name, rule in _REQUIRED:
        faults += _member_faults(request, name, rule, True)
    for name, rule in _OPTIONAL:
        faults += _member_faults(request, name, rule, False)
    faults += _context_faults(request)
    return faults + (_confidential_faults(request) if protocol == "1.3.1" else _plain_faults(request))


def _member_faults(request: Members, name: str, rule: Rule, is_required: bool) -> List[str]:
    value = _stated(request, name)
    broken = ("is required" if is_required else None) if value is None else rule(value)
    return [] if broken is None else [f"{name}: {broken}"]


def _context_faults(request: Members) -> List[str]:
    context, signals = _stated(request, "context"), _stated(request, "signals")
    faults: List[str] = []
    if context is not None:
        if signals is not None:
            faults.append("signals: must not be given beside context")
        if not isinstance(context, dict):
            faults.append("context: must be an object")
        elif "signals" not in context:
            faults.append("context.signals: is required")
        else:
            faults += _signal_faults(context["signals"], "context.signals")
    return faults if signals is None else faults + _signal_faults(signals, "signals")


def _signal_faults(signals: Json, path: str) -> List[str]:
    if not isinstance(signals, list):
        return [f"{path}: must be an array"]
    faults: List[str] = []
    for position, signal in enumerate(signals):
        if not isinstance(signal, dict):
            faults.append(f"{path}[{position}]: must be an object")
            continue
        for name, rule in _SIGNAL:
            broken = rule(signal[name]) if name in signal else "is required"
            if broken is not None:
                faults.append(f"{path}[{position}].{name}: {broken}")
    return faults


def _plain_faults(request: Members) -> List[str]:
    """Raw value or hash, exactly one of them."""
    faults: List[str] = []
    for name in ("input", "output"):
        has_raw, has_hash = (_stated(request, one) is not None for one in (name, f"{name}Hash"))
        if has_raw and has_hash:
            faults.append(f"{name}Hash: must not be given beside {name}")
        elif has_raw:
            faults += _member_faults(request, name, _raw, True)
        elif has_hash:
            faults += _member_faults(request, f"{name}Hash", _hash, True)
        else:
            faults.append(f"{name}: is required, or {name}Hash")
    parameters = _stated(request, "parameters")
    return faults if parameters is None else faults + _parameter_faults(parameters, False)


def _confidential_faults(request: Members) -> List[str]:
    faults: List[str] = []
    for name in ("input", "output"):
        faults += _member_faults(request, name, _raw, True)
        if _stated(request, f"{name}Hash") is not None:
            faults.append(f"{name}Hash: is forbidden under 1.3.1")
    faults += _member_faults(request, "prompt", _text, True)
    parameters = _stated(request, "parameters")
    return faults + (["parameters: is required"] if parameters is None else _parameter_faults(parameters, True))


def _parameter_faults(parameters: Json, is_exact: bool) -> List[str]:
    if not isinstance(parameters, dict):
        return ["parameters: must be an object"]
    faults: List[str] = []
    for name, rule in _PARAMETERS.items():
        if name not in parameters:
            broken: Optional[str] = "is required" if is_exact else None
        else:
            broken = rule(parameters[name])
        if broken is not None:
            faults.append(f"parameters.{name}: {broken}")
    if is_exact and any(name not in _PARAMETERS for name in parameters):
        faults.append(f"parameters: must have exactly {', '.join(_PARAMETERS)}")
    return faults
