"""Verifies Certified Execution Records offline, with the standard library alone.

Written from docs/spec.md, whose headings the comments cite. Use it as a command:

    python -m cer_verify certificate.json --keys keys.json

or as a module: `parse_json(bytes)`, `parse_key_set(value)`, `verify(value, Options(...))`.

Values are JSON as Python has it: None, bool, float, str, list and dict. Numbers that were parsed are float. A lone
surrogate of an escape is kept in its string.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import gzip
import hashlib
import hmac
import io
import json
import math
import os
import re
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Callable, Dict, Iterable, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

VERSION = "0.1.0"
VERIFIER = f"cer-verify-python/{VERSION}"

MAX_FILE_DEPTH = 130
MAX_CANONICAL_DEPTH = 160
MAX_SAFE_INTEGER = 2**53 - 1

Json = object
Members = Dict[str, object]


class _Absent:
    """The value of a member that an object does not have; None is JSON's null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def get(value: Json, *names: str) -> Json:
    """The member at a path of names, or ABSENT where there is none."""
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value


def has(value: Json, name: str) -> bool:
    return get(value, name) is not ABSENT


def given(value: Json) -> bool:
    """Whether there is a value other than null."""
    return value is not ABSENT and value is not None


def first_given(*values: Json) -> Json:
    """The first value other than null, or ABSENT."""
    return next((value for value in values if given(value)), ABSENT)


def text_of(value: Json) -> str:
    """The string, or "" for any other value."""
    return value if isinstance(value, str) else ""


def is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(left: Json, right: Json) -> bool:
    """JSON equality: members in any order, numbers as doubles, strings by letter."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return float(left) == float(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return left is right or (isinstance(left, str) and isinstance(right, str) and left == right)


def pick(value: Json, names: Iterable[str]) -> Members:
    """An object with the members present of those named."""
    return {name: value[name] for name in names if name in value} if isinstance(value, dict) else {}


def contains(value: Json, text: str) -> bool:
    """Whether the string occurs anywhere as a value."""
    if isinstance(value, str):
        return value == text
    if isinstance(value, dict):
        return any(contains(member, text) for member in value.values())
    return isinstance(value, list) and any(contains(item, text) for item in value)


# Text and paths. See "Strict JSON".


def units(text: str) -> bytes:
    """The UTF-16 code units of a text, two bytes each, which compare like the units."""
    return text.encode("utf-16-be", "surrogatepass")


def unit_count(text: str) -> int:
    return len(text) if text.isascii() else len(units(text)) // 2


def well_formed(text: str) -> bool:
    """Whether a text has no lone surrogate."""
    return text.isascii() or not re.search("[\ud800-\udfff]", text)


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")


def has_control(text: str) -> bool:
    return _CONTROL.search(text) is not None


def at(path: str, name: str) -> str:
    """A path with a member name appended."""
    if unit_count(name) > 64:
        name = units(name)[:128].decode("utf-16-be", "replace") + "…"
    elif _PLAIN_NAME.match(name):
        return f"{path}.{name}" if path else name
    return f"{path}[{_quote(name, True)}]"


def index(path: str, position: int) -> str:
    return f"{path}[{position}]"


# Strict JSON.


class JsonFault(ValueError):
    """A refused text. `code` is JSON_SYNTAX for text that is not JSON, else JSON_NOT_STRICT with the path."""

    def __init__(self, code: str, path: str, rule: str) -> None:
        super().__init__(f"{path}: {rule}" if path else rule)
        self.code, self.path, self.rule = code, path, rule


_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN_TEXT = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*)(\.[0-9]+)?)([eE][+-]?[0-9]+)?")
_INTEGRAL = re.compile(r"-?[0-9]+(?:\.0+)?\Z")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Tuple[Tuple[str, Json], ...] = (("null", None), ("true", True), ("false", False))


class _Parser:
    def __init__(self, text: str, max_depth: int) -> None:
        self.text, self.max_depth, self.position = text, max_depth, 0
        self.fault: Optional[JsonFault] = None

    def parse(self) -> Json:
        self.space()
        value = self.value("", 1)
        self.space()
        if self.position < len(self.text):
            raise self.syntax()
        if self.fault is not None:
            raise self.fault
        return value

    def syntax(self) -> JsonFault:
        line = self.text.count("\n", 0, self.position) + 1
        column = self.position - self.text.rfind("\n", 0, self.position)
        return JsonFault("JSON_SYNTAX", "", f"not JSON at line {line}, column {column}")

    def refuse(self, path: str, rule: str) -> None:
        """Keeps the first fault: text that turns out not to be JSON at all is refused as that."""
        if self.fault is None:
            self.fault = JsonFault("JSON_NOT_STRICT", path, rule)

    def space(self) -> None:
        found = _SPACE.match(self.text, self.position)
        if found is not None:
            self.position = found.end()

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def take(self, character: str) -> bool:
        if self.peek() == character:
            self.position += 1
            return True
        return False

    def value(self, path: str, depth: int) -> Json:
        start = self.peek()
        if start in ("{", "["):
            if depth > self.max_depth:
                raise JsonFault("JSON_NOT_STRICT", path, f"more than {self.max_depth} levels")
            self.position += 1
            return self.object(path, depth) if start == "{" else self.array(path, depth)
        if start == '"':
            return self.string()
        for word, constant in _WORDS:
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return constant
        return self.number(path)

    def object(self, path: str, depth: int) -> Members:
        members: Members = {}
        self.space()
        while not self.take("}"):
            if members:
                if not self.take(","):
                    raise self.syntax()
                self.space()
            if self.peek() != '"':
                raise self.syntax()
            name = self.string()
            if name in members:
                self.refuse(at(path, name), "two members of one name")
            self.space()
            if not self.take(":"):
                raise self.syntax()
            self.space()
            members[name] = self.value(at(path, name), depth + 1)
            self.space()
        return members

    def array(self, path: str, depth: int) -> List[Json]:
        items: List[Json] = []
        self.space()
        while not self.take("]"):
            if items:
                if not self.take(","):
                    raise self.syntax()
                self.space()
            items.append(self.value(index(path, len(items)), depth + 1))
            self.space()
        return items

    def string(self) -> str:
        self.position += 1
        pieces: List[str] = []
        while True:
            plain = _PLAIN_TEXT.match(self.text, self.position)
            if plain is not None:
                pieces.append(plain.group())
                self.position = plain.end()
            if self.take('"'):
                break
            if not self.take("\\"):
                raise self.syntax()
            pieces.append(self.escape())
        text = "".join(pieces)
        # An escaped pair of surrogates is one character.
        return text if well_formed(text) else units(text).decode("utf-16-be", "surrogatepass")

    def escape(self) -> str:
        letter = self.peek()
        short = _ESCAPES.get(letter)
        if short is not None:
            self.position += 1
            return short
        digits = _HEX4.match(self.text, self.position + 1)
        if letter != "u" or digits is None:
            raise self.syntax()
        self.position += 5
        return chr(int(digits.group(), 16))

    def number(self, path: str) -> float:
        found = _NUMBER.match(self.text, self.position)
        if found is None:
            raise self.syntax()
        self.position = found.end()
        literal, mantissa = found.group(), found.group(1)
        number = float(literal)
        if math.isinf(number):
            self.refuse(path, "a number that overflows")
        elif number == 0 and re.search("[1-9]", mantissa):
            self.refuse(path, "a number that underflows to 0")
        elif (
            abs(number) > MAX_SAFE_INTEGER
            and _INTEGRAL.match(literal)
            and format_number(number) != literal.split(".")[0]
        ):
            self.refuse(path, "an integer that a double would round")
        return number


def parse_json(text: bytes, max_depth: int = MAX_FILE_DEPTH) -> Json:
    """Reads JSON text strictly.

    Raises JsonFault. See docs/spec.md, "Strict JSON".
    """
    if text.startswith(b"\xef\xbb\xbf"):
        raise JsonFault("JSON_SYNTAX", "", "a byte order mark, which is not JSON")
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        raise JsonFault("JSON_NOT_STRICT", "", "not valid UTF-8") from None
    return _Parser(decoded, max_depth).parse()


# Canonicalization profiles.

SVC_V1, JCS_V1 = "svc-v1", "jcs-v1"


class CanonicalError(ValueError):
    """A value without a canonical form; `path` names it."""

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(f"{path}: {rule}" if path else rule)
        self.path, self.rule = path, rule


_QUOTED = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(found: "re.Match[str]") -> str:
    character = found.group()
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _quote(text: str, loose: bool) -> str:
    if not loose and not well_formed(text):
        raise CanonicalError("", "a lone surrogate")
    return f'"{_QUOTED.sub(_escaped, text)}"'


def format_number(number: float) -> str:
    """A finite number as ECMAScript writes it."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The decimal point is after this many digits.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


class _Canonicalizer:
    def __init__(self, profile: str) -> None:
        self.loose = profile == SVC_V1
        self.out: List[str] = []

    def write(self, value: Json, path: str, depth: int) -> None:
        if value is None:
            self.out.append("null")
        elif isinstance(value, bool):
            self.out.append("true" if value else "false")
        elif isinstance(value, str):
            self.string(value, path)
        elif isinstance(value, (int, float)):
            self.out.append(self.number(value, path))
        elif depth >= MAX_CANONICAL_DEPTH:
            raise CanonicalError(path, "more than 160 levels")
        elif isinstance(value, list):
            self.array(value, path, depth)
        elif isinstance(value, dict):
            self.object(value, path, depth)
        else:
            raise CanonicalError(path, "not a JSON value")

    def string(self, text: str, path: str) -> None:
        try:
            self.out.append(_quote(text, self.loose))
        except CanonicalError as error:
            raise CanonicalError(path, error.rule) from None

    @staticmethod
    def number(value: float, path: str) -> str:
        try:
            number = float(value)
        except OverflowError:
            raise CanonicalError(path, "not a number that a double has") from None
        if not math.isfinite(number) or number != value:
            raise CanonicalError(path, "not a number that a double has")
        return format_number(number)

    def array(self, items: List[Json], path: str, depth: int) -> None:
        self.out.append("[")
        for position, item in enumerate(items):
            if position > 0:
                self.out.append(",")
            self.write(item, index(path, position), depth + 1)
        self.out.append("]")

    def object(self, members: Members, path: str, depth: int) -> None:
        self.out.append("{")
        if any(not isinstance(name, str) for name in members):
            raise CanonicalError(path, "a member name that is not a string")
        for position, name in enumerate(sorted(members, key=units)):
            if position > 0:
                self.out.append(",")
            self.string(name, path)
            self.out.append(":")
            self.write(members[name], at(path, name), depth + 1)
        self.out.append("}")


def canonicalize(value: Json, profile: str = JCS_V1, path: str = "") -> str:
    """The canonical text of a value. Raises CanonicalError. See "Canonicalization profiles"."""
    writer = _Canonicalizer(profile)
    writer.write(value, path, 0)
    return "".join(writer.out)


# Hashing values.

_HASH = re.compile(r"sha256:[0-9a-f]{64}\Z")


def is_hash(value: Json) -> bool:
    return isinstance(value, str) and _HASH.match(value) is not None


def hash_bytes(content: bytes) -> str:
    """SHA-256, written as a hash."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def hashed_bytes(value: Json, profile: str, path: str = "") -> bytes:
    """The bytes that a raw value is hashed as: a string as UTF-8, any other value as its canonical form."""
    if not isinstance(value, str):
        return canonicalize(value, profile, path).encode()
    if not well_formed(value):
        raise CanonicalError(path, "not well-formed Unicode")
    return value.encode()


def hash_canonical(value: Json, profile: str) -> str:
    return hash_bytes(canonicalize(value, profile).encode())


# Times. An instant is (seconds since 1970, nanoseconds).

Instant = Tuple[int, int]

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,9}))?"
    r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))\Z"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _days_before(year: int) -> int:
    """Days from 1 January of the year 1 to that of another year, in the Gregorian calendar."""
    last = year - 1
    return last * 365 + last // 4 - last // 100 + last // 400


def parse_time(value: Json) -> Optional[Instant]:
    """The instant of a time, to the nanosecond; None for any other value. See "Times"."""
    found = _TIME.match(value) if isinstance(value, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found.group(part)) for part in range(1, 7))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] + (leap and month == 2):
        return None
    days = _days_before(year) - _days_before(1970) + sum(_DAYS[: month - 1]) + (leap and month > 2) + day - 1
    seconds = days * 86400 + hour * 3600 + minute * 60 + second
    if found.group(8) is not None:
        offset = int(found.group(9)) * 3600 + int(found.group(10)) * 60
        seconds -= offset if found.group(8) == "+" else -offset
    return seconds, int((found.group(7) or "0").ljust(9, "0"))


# Signatures: Ed25519 under the strict rule of "Signatures".

_P = 2**255 - 19
_Q = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

# X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z.
Point = Tuple[int, int, int, int]

_NEUTRAL: Point = (0, 1, 1, 0)


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _double(point: Point) -> Point:
    x, y, z, _ = point
    a, b = x * x % _P, y * y % _P
    h = a + b
    e, g = h - (x + y) * (x + y), a - b
    f = 2 * z * z + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _decode_point(encoded: bytes) -> Optional[Point]:
    """The point of a canonical encoding; None for any other."""
    if len(encoded) != 32:
        return None
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P != 0:
        x = x * _ROOT % _P
    if (v * x * x - u) % _P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _is_neutral(point: Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0


def _strict_point(encoded: bytes) -> Optional[Point]:
    """A point that is canonical, on the curve and not of small order."""
    point = _decode_point(encoded)
    if point is None or _is_neutral(_double(_double(_double(point)))):
        return None
    return point


_BASE = _decode_point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def verify_ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `[S]B = R + [k]A` holds, with S below the group order and A and R canonical and not of small order."""
    public, commitment = _strict_point(key), _strict_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or s >= _Q or public is None or commitment is None or _BASE is None:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _Q
    x, y, z, t = public
    minus = (_P - x, y, z, _P - t)
    both = _add(_BASE, minus)
    found = _NEUTRAL
    for bit in range(252, -1, -1):
        found = _double(found)
        pair = (s >> bit & 1, k >> bit & 1)
        if pair == (1, 1):
            found = _add(found, both)
        elif pair == (1, 0):
            found = _add(found, _BASE)
        elif pair == (0, 1):
            found = _add(found, minus)
    return (found[0] - commitment[0] * found[2]) % _P == 0 and (found[1] - commitment[1] * found[2]) % _P == 0


def decode_base64url(text: Json) -> Optional[bytes]:
    """The bytes of base64url without padding, where this is the one text of them."""
    if not isinstance(text, str) or not re.match(r"[A-Za-z0-9_-]*\Z", text):
        return None
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return None
    return decoded if encode_base64url(decoded) == text else None


def encode_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decode_base64(text: Json) -> Optional[bytes]:
    """The bytes of padded base64, where this is the one text of them."""
    if not isinstance(text, str) or not re.match(r"[A-Za-z0-9+/]*={0,2}\Z", text):
        return None
    try:
        decoded = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    return decoded if base64.b64encode(decoded).decode() == text else None


def verify_text(key: Optional[bytes], message: str, signature: Json) -> bool:
    decoded = decode_base64url(signature)
    return key is not None and decoded is not None and verify_ed25519(key, message.encode(), decoded)


# Node key set and key choice.

_SPKI = bytes.fromhex("302a300506032b6570032100")
_KEY_TIMES = ("createdAt", "notBefore", "retiredAt", "revokedAt", "compromisedSince", "contextUnprotectedBefore")


def _raw_key(value: Json) -> Optional[bytes]:
    """`publicKey`: base64 of the SPKI DER, or of the 32 bytes in either alphabet."""
    decoded = decode_base64(value)
    if decoded is not None and len(decoded) == 44 and decoded.startswith(_SPKI):
        return decoded[12:]
    if decoded is None:
        decoded = decode_base64url(value)
    return decoded if decoded is not None and len(decoded) == 32 else None


def _public_key(entry: Json) -> Optional[bytes]:
    key, jwk = _raw_key(get(entry, "publicKey")), get(entry, "publicKeyJwk")
    use = get(jwk, "use")
    if has(jwk, "d") or (given(use) and use != "sig"):
        return None
    if get(jwk, "kty") == "OKP" and get(jwk, "crv") == "Ed25519":
        x = decode_base64url(get(jwk, "x"))
        if x is not None and len(x) == 32:
            if key is not None and key != x:
                return None
            key = x
    return key if key is not None and _strict_point(key) is not None else None


class Chosen(NamedTuple):
    """A key, or the code of the finding. A signature outside the life of its key comes with the key too."""

    key: Optional[bytes]
    code: str


class KeySet:
    """The key set of a node that the caller pins."""

    def __init__(self, node_id: str, entries: Sequence[Json]) -> None:
        self.node_id = node_id
        self.entries: Dict[str, List[Json]] = {}
        for entry in entries:
            kid = get(entry, "kid")
            if isinstance(kid, str):
                self.entries.setdefault(kid, []).append(entry)

    def choose(self, kid: str, signed: Instant) -> Chosen:
        """See "Key choice"."""
        entries = self.entries.get(kid, [])
        if not entries:
            return Chosen(None, "ATTESTATION_KEY_NOT_FOUND")
        entry, usable = entries[0], len(entries) == 1
        for name in _KEY_TIMES:
            usable = usable and (not given(get(entry, name)) or parse_time(get(entry, name)) is not None)
        begin, end = parse_time(get(entry, "notBefore")), parse_time(get(entry, "retiredAt"))
        key = _public_key(entry)
        if (begin is not None and signed < begin) or (end is not None and signed > end):
            return Chosen(key, "ATTESTATION_KEY_NOT_FOUND")
        status = get(entry, "status")
        endings = [get(entry, name) for name in ("revokedAt", "compromisedSince", "revocationReason")]
        if status == "revoked" or any(given(ending) for ending in endings):
            return Chosen(None, "KEY_REVOKED")
        known = not given(status) or status in ("active", "retired")
        if key is None or not usable or not known or get(entry, "algorithm") != "Ed25519":
            return Chosen(None, "ATTESTATION_KEY_FORMAT_UNSUPPORTED")
        return Chosen(key, "")

    def status(self, kid: str) -> str:
        status = get(self.entries[kid][0], "status")
        return status if isinstance(status, str) else "active"

    def fingerprint(self, kid: str) -> Optional[str]:
        """SHA-256 of the SPKI DER; None for a key that cannot be used."""
        key = _public_key(self.entries[kid][0])
        return None if key is None else hash_bytes(_SPKI + key)

    def context_unprotected(self, kid: str, signed: Instant) -> bool:
        """Whether the key's receipts of that time may leave the context out of the hash."""
        entries = self.entries.get(kid, [])
        limit = parse_time(get(entries[0], "contextUnprotectedBefore")) if len(entries) == 1 else None
        return limit is not None and limit > signed


def parse_key_set(value: Json) -> KeySet:
    """Reads a key set. Raises ValueError where the value is not one. See "Node key set"."""
    node_id, keys = get(value, "nodeId"), get(value, "keys")
    if not isinstance(node_id, str) or not isinstance(keys, list):
        raise ValueError("not a key set: nodeId must be a string and keys an array")
    return KeySet(node_id, keys)


def _choose(keys: Optional[KeySet], kid: str, signed: Instant) -> Chosen:
    return Chosen(None, "VERIFICATION_MATERIAL_UNAVAILABLE") if keys is None else keys.choose(kid, signed)


# Findings and the report.

PASS, FAIL, SKIPPED = "PASS", "FAIL", "SKIPPED"
REDACTED = "[REDACTED]"
RESEAL, HASH_ONLY, PROJECT = "signed-redacted-reseal", "hash-only-timestamp", "cer.project.bundle.v1"

# The first that applies is the code of the result. See "Verification codes".
CODES = (
    "SCHEMA_ERROR SCHEMA_KEY_INVALID PROTECTED_FIELD_MISSING PROTECTED_SET_MISMATCH INVALID_SHA256_FORMAT "
    "CANONICALIZATION_ERROR SNAPSHOT_HASH_MISMATCH INPUT_HASH_MISMATCH OUTPUT_HASH_MISMATCH TOOL_OUTPUT_HASH_MISMATCH "
    "CERTIFICATE_HASH_MISMATCH PROJECT_HASH_MISMATCH STEP_REGISTRY_MISMATCH CHAIN_BREAK_DETECTED "
    "TOOL_EVIDENCE_MISSING INCOMPLETE_ARTIFACT ATTESTATION_MISSING VERIFICATION_MATERIAL_UNAVAILABLE "
    "ATTESTATION_KEY_NOT_FOUND KEY_REVOKED ATTESTATION_KEY_FORMAT_UNSUPPORTED ATTESTATION_INVALID_SIGNATURE "
    "LOG_PROOF_MISSING LOG_PROOF_MALFORMED LOG_UNKNOWN LOG_SIGNATURE_INVALID LOG_INCLUSION_INVALID "
    "LOG_LABEL_MISMATCH LOG_QUORUM_NOT_MET LOG_TIME_CONFLICT LOG_BACKDATED UNKNOWN_ERROR"
).split()


@dataclass(frozen=True)
class Finding:
    """One fault. `member` is its path; no finding holds a value of the bundle except hashes."""

    code: str
    member: str
    detail: str
    expected: Optional[str] = None
    computed: Optional[str] = None
    reason: Optional[str] = None

    def as_json(self) -> Members:
        parts: Members = {"code": self.code, "member": self.member, "detail": self.detail}
        for name in ("expected", "computed", "reason"):
            if getattr(self, name) is not None:
                parts[name] = getattr(self, name)
        return parts


def _sorted_findings(findings: Iterable[Finding]) -> List[Finding]:
    return sorted(findings, key=lambda finding: CODES.index(finding.code))


def _reason_codes(findings: Iterable[Finding]) -> List[str]:
    codes = [code for finding in findings for code in (finding.code, finding.reason) if code is not None]
    return list(dict.fromkeys(codes))


@dataclass
class Checks:
    """The outcomes of the layers: PASS, FAIL or SKIPPED."""

    bundle_integrity: str = FAIL
    node_signature: str = SKIPPED
    receipt_consistency: str = SKIPPED
    envelope: str = SKIPPED

    def as_json(self) -> Members:
        return {
            "bundleIntegrity": self.bundle_integrity,
            "nodeSignature": self.node_signature,
            "receiptConsistency": self.receipt_consistency,
            "envelope": self.envelope,
        }


@dataclass(frozen=True)
class Options:
    """What the caller pins and demands. Without keys nothing that is signed can be checked."""

    keys: Optional[KeySet] = None
    node_id: Optional[str] = None
    require_attestation: bool = False
    require_full_artifact: bool = False
    log_policy: Optional[LogPolicy] = None
    require_log: bool = False


@dataclass
class Report:
    """The result for a bundle or package. See "Verification report", "Structured result" and "Classification"."""

    status: str
    code: str
    checks: Checks
    reason_codes: List[str]
    certificate_hash: Optional[str]
    bundle_type: Optional[str]
    classification: str
    content_mode: Optional[str]
    provenance: Optional[str]
    relaxations: List[str]
    supplemental: bool
    findings: List[Finding]
    computed_certificate_hash: Optional[str]
    original_certificate_hash: Optional[str]
    signed: Optional[Members]
    stated: Optional[Members]
    # What the caller's log policy says; None without a policy.
    transparency: Optional[Members] = None

    @property
    def ok(self) -> bool:
        return self.status != "FAILED"


# Members and their rules.

Rule = Callable[[Json], bool]
Rules = Sequence[Tuple[str, Rule]]


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_array(value: Json) -> bool:
    return isinstance(value, list)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_non_empty(value: Json) -> bool:
    return isinstance(value, str) and value != ""


def _is_label(value: Json) -> bool:
    return isinstance(value, str) and 1 <= unit_count(value) <= 256 and not has_control(value)


def _is_time(value: Json) -> bool:
    return parse_time(value) is not None


def _is_raw(value: Json) -> bool:
    return isinstance(value, (str, list, dict))


def _is_integer(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == math.floor(value)


def _is_positive_integer(value: Json) -> bool:
    return _is_integer(value) and isinstance(value, (int, float)) and 1 <= value <= MAX_SAFE_INTEGER


def _are_numbers(value: Json) -> bool:
    return isinstance(value, list) and all(is_number(item) for item in value)


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _never(_: Json) -> bool:
    return False


def _or_null(rule: Rule) -> Rule:
    return lambda value: value is None or rule(value)


def _one_of(*texts: str) -> Rule:
    return lambda value: isinstance(value, str) and value in texts


def is_sealed(value: Json) -> bool:
    """Whether a value is the sealed object of "Confidential executions"."""
    return (
        isinstance(value, dict)
        and len(value) == 3
        and value.get("_redacted") is True
        and value.get("scheme") == "hmac-sha256-v1"
        and is_hash(value.get("commitment"))
    )


def opens(sealed: Json, salt: bytes, value: Json) -> bool:
    """Whether a commitment was made from this value and salt. Text is a str; JSON is the parsed value.

    Raises CanonicalError for a value that has no bytes to hash. See "Commitments".
    """
    if not is_sealed(sealed) or len(salt) != 32:
        return False
    commitment = hmac.new(salt, hashed_bytes(value, JCS_V1), hashlib.sha256).hexdigest()
    return hmac.compare_digest(text_of(get(sealed, "commitment")), "sha256:" + commitment)


_EXECUTION: Rules = (
    ("executionId", _is_label),
    ("timestamp", _is_time),
    ("provider", _is_label),
    ("model", _is_label),
)
_EXECUTION_OPTIONAL: Rules = (
    ("modelVersion", _or_null(_is_label)),
    ("appId", _or_null(_is_label)),
    ("sdkVersion", _or_null(_is_non_empty)),
    ("metadata", _is_object),
)
_PARAMETERS: Rules = (
    ("temperature", is_number),
    ("maxTokens", is_number),
    ("topP", _or_null(is_number)),
    ("seed", _or_null(is_number)),
)
_SIGNAL: Rules = (("type", _is_non_empty), ("source", _is_non_empty), ("payload", _is_object))
_V2: Rules = (
    ("type", _one_of("ai.execution.v2")),
    ("executionSurface", _one_of("ai")),
    ("modelVersion", _or_null(_is_label)),
    ("appId", _or_null(_is_label)),
    ("executionRole", _one_of("advisory", "operative", "unspecified")),
)
_RENDER: Rules = (
    ("type", _one_of("codemode.render.v1")),
    ("executionId", _is_label),
    ("timestamp", _is_time),
    ("seed", _is_text),
    ("vars", _are_numbers),
    ("execution", _is_object),
    ("canvas", _is_object),
    ("hashScheme", _is_non_empty),
    ("sdkVersion", _is_non_empty),
    ("rendererVersion", _is_non_empty),
)
_CANVAS: Rules = (("width", _is_positive_integer), ("height", _is_positive_integer))
_LOOKS_LIKE_HASH = re.compile(r"sha-?256:", re.IGNORECASE | re.ASCII)

HASH_SCOPE = ("bundleType", "version", "createdAt", "snapshot", "context", "contextSummary", "policyEvaluation")
_FLAT_SCOPE = tuple(
    "bundleType version createdAt protocolVersion sdkVersion runtimeHash codeHash seed varsHash executionId timestamp "
    "width height mode totalFrames fps animationHash posterHash".split()
)
_FLAT_MEMBERS = ("runtimeHash", "codeHash", "seed", "varsHash", "protocolVersion")

_V1_LAYOUT, _V2_LAYOUT, _RENDER_LAYOUT, _HASH_LAYOUT, _FLAT_LAYOUT = "v1", "v2", "render", "hash-only", "flat"
_LAYOUT_BY_SNAPSHOT = {
    "ai.execution.v1": _V1_LAYOUT,
    "ai.execution.v2": _V2_LAYOUT,
    "codemode.render.v1": _RENDER_LAYOUT,
}
_LAYOUT_BY_BUNDLE = {
    "cer.ai.execution.v1": _V1_LAYOUT,
    "cer.ai.execution.v2": _V2_LAYOUT,
    "cer.codemode.render.v1": _RENDER_LAYOUT,
    HASH_ONLY: _HASH_LAYOUT,
    "legacy": _V1_LAYOUT,
}


@dataclass(frozen=True)
class _Shape:
    """What the type of a bundle says of its layout. `protocol` and `profile` are None where the protocol is unknown."""

    layout: Optional[str]
    is_reseal: bool
    is_legacy: bool
    protocol: Optional[str]
    profile: Optional[str]


def _shape_of(bundle: Members) -> _Shape:
    kind, snapshot = bundle.get("bundleType", ABSENT), get(bundle, "snapshot")
    is_flat = "snapshot" not in bundle and all(name in bundle for name in _FLAT_MEMBERS)
    is_reseal, layout = kind == RESEAL, _LAYOUT_BY_BUNDLE.get(text_of(kind))
    if (kind is ABSENT or kind == "legacy") and is_flat:
        layout = _FLAT_LAYOUT
    elif is_reseal:
        named = get(snapshot, "type")
        layout = _V1_LAYOUT if named is ABSENT else _LAYOUT_BY_SNAPSHOT.get(text_of(named))
    stated = get(bundle if layout == _FLAT_LAYOUT else snapshot, "protocolVersion")
    protocol = stated if given(stated) else "1.2.0"
    if not isinstance(protocol, str) or protocol not in ("1.2.0", "1.3.0", "1.3.1"):
        return _Shape(layout, is_reseal, kind == "legacy" and layout == _V1_LAYOUT, None, None)
    profile = SVC_V1 if protocol == "1.2.0" else JCS_V1
    return _Shape(layout, is_reseal, kind == "legacy" and layout == _V1_LAYOUT, protocol, profile)


# Receipt.


class _ReceiptSet(NamedTuple):
    names: Tuple[str, ...]
    time: str
    kid: str


_RECEIPT_SETS = {
    "full": _ReceiptSet(("certificateHash", "timestamp", "nodeId", "kid"), "timestamp", "kid"),
    "hash-only": _ReceiptSet(("scope", "certificateHash", "timestamp", "nodeId", "kid"), "timestamp", "kid"),
    "reseal": _ReceiptSet(
        tuple("scope originalCertificateHash redactionPolicy certificateHash timestamp nodeId kid".split()),
        "timestamp",
        "kid",
    ),
    "project": _ReceiptSet(("projectHash", "registeredAt", "nodeId", "kid"), "registeredAt", "kid"),
    "older": _ReceiptSet(
        tuple(
            "receiptVersion attestationId attestedAt attestorKeyId certificateHash nodeId nodeRuntimeHash "
            "protocolVersion timestampType".split()
        ),
        "attestedAt",
        "attestorKeyId",
    ),
}
_HASH_MEMBERS = ("certificateHash", "projectHash", "originalCertificateHash", "nodeRuntimeHash")


@dataclass(frozen=True)
class _Receipt:
    """A well-formed receipt of one of the five disjoint sets of members."""

    kind: str
    value: Members
    kid: str
    when: str
    instant: Instant


def _receipt_kind(value: Json) -> str:
    if any(has(value, name) for name in ("receiptVersion", "attestorKeyId", "timestampType")):
        return "older"
    if has(value, "projectHash") or has(value, "registeredAt"):
        return "project"
    scope = get(value, "scope")
    return scope if isinstance(scope, str) and scope in ("hash-only", "reseal") else "full"


def _read_receipt(value: Json) -> Tuple[Optional[_Receipt], str]:
    """A receipt, or the code of what is wrong with its form."""
    if not isinstance(value, dict):
        return None, "ATTESTATION_MISSING"
    kind = _receipt_kind(value)
    names, time, kid = _RECEIPT_SETS[kind]
    if any(name not in value for name in names):
        return None, "ATTESTATION_MISSING"
    instant = parse_time(value[time])
    rules = [is_hash if name in _HASH_MEMBERS else _is_text for name in names]
    is_formed = len(value) == len(names) and all(rule(value[name]) for name, rule in zip(names, rules))
    if not is_formed or instant is None:
        return None, "ATTESTATION_INVALID_SIGNATURE"
    return _Receipt(kind, value, text_of(value[kid]), text_of(value[time]), instant), ""


def _read_flat(attestation: Json) -> Json:
    """A receipt laid flat in `meta.attestation`. See "Attestation"."""
    if not isinstance(attestation, dict):
        return ABSENT
    names, time, _ = _RECEIPT_SETS[_receipt_kind(attestation)]
    flat = pick(attestation, names)
    return flat if len(flat) == len(names) and isinstance(flat[time], str) else ABSENT


def _check_signature(keys: Optional[KeySet], receipt: _Receipt, signature: Json, path: str) -> Tuple[str, str]:
    """The code and member of what is wrong with a signature over a receipt, or empty texts."""
    key, code = _choose(keys, receipt.kid, receipt.instant)
    if code != "" and key is None:
        return code, f"{path}.receipt"
    try:
        message = canonicalize(receipt.value, JCS_V1)
    except CanonicalError:
        return "ATTESTATION_INVALID_SIGNATURE", f"{path}.signature"
    if not verify_text(key, message, signature):
        return "ATTESTATION_INVALID_SIGNATURE", f"{path}.signature"
    return (code, f"{path}.receipt") if code else ("", "")


# Log proofs. See "Log proofs" and "Transparency log".

MMD_SECONDS, CLOCK_TOLERANCE_S = 3600, 300
_MAX_PROOFS, _MAX_PATH, _MAX_NOTE_BYTES, _MAX_SIGNATURE_LINES = 8, 53, 256 * 1024, 64
_NOTE_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_KEY_NAME = re.compile("[^\\s+\ufeff\x00-\x1f\x7f-\x9f]+\\Z")
_DECIMAL = re.compile("(?:0|[1-9][0-9]*)\\Z")
_LEAF_TYPE = "svc.log-leaf.v1"
_LABEL_MEMBERS = {"appId", "at", "bundleType", "kind", "number", "tenant"}
_LEAF_KINDS = ("certificate", "hash-only", "reseal", "project", "again")
_LOG_SENTENCES = {
    "LOG_PROOF_MISSING": "has no proof that a transparency log holds the receipt",
    "LOG_PROOF_MALFORMED": "is not in the form of a proof, an opening or a checkpoint",
    "LOG_UNKNOWN": "is of a log that the policy does not name",
    "LOG_SIGNATURE_INVALID": "has a signature of a log or witness of the policy that does not verify",
    "LOG_INCLUSION_INVALID": "does not show this receipt at its place in the log",
    "LOG_LABEL_MISMATCH": "files the receipt under another time, app, type or kind than the certificate has",
    "LOG_QUORUM_NOT_MET": "has too few witnesses of the policy",
    "LOG_TIME_CONFLICT": "was witnessed before the time that the receipt states",
    "LOG_BACKDATED": "entered the log too late: the receipt was dated back, or kept out of the log",
    "LOG_LATE": "was witnessed late, and nothing shows that it was logged in time",
}


class _Malformed(ValueError):
    """A text that is not a policy, proof, opening or checkpoint."""


class _NoteKey(NamedTuple):
    """A verifier key of signed notes: `kind` is 1 for logs, 4 for the cosignatures of witnesses."""

    name: str
    key_id: bytes
    kind: int
    key: bytes


class _Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes
    # What is signed, and the signature lines: name, key id, signature.
    text: str
    lines: List[Tuple[str, bytes, bytes]]


class _Cosigned(NamedTuple):
    """A checkpoint under a policy: which witnesses cosigned, at which seconds since 1970."""

    times: Dict[str, List[int]]
    is_quorum_met: bool


def _note_key(vkey: str) -> _NoteKey:
    """Reads `<name>+<id>+<base64 of type and key>`."""
    name, _, rest = vkey.partition("+")
    key_id, _, encoded = rest.partition("+")
    typed = decode_base64(encoded)
    if not _KEY_NAME.match(name) or typed is None or len(typed) != 33 or _strict_point(typed[1:]) is None:
        raise _Malformed("a key is not name, id and Ed25519 key, joined by plus")
    found = hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4]
    if found.hex() != key_id or typed[0] not in (1, 4):
        raise _Malformed("the id of a key is not that of name and key, or its type is not supported")
    return _NoteKey(name, found, typed[0], typed[1:])


class LogPolicy:
    """Which logs are accepted, and which cosignatures make their checkpoints valid: a tlog-policy."""

    def __init__(self, text: str) -> None:
        """Raises ValueError naming the line and the rule."""
        self.logs: List[_NoteKey] = []
        self.witnesses: Dict[str, _NoteKey] = {}
        self._rules: Dict[str, Callable[[Iterable[str]], bool]] = {}
        self._grouped: List[str] = []
        self._quorum: Optional[Callable[[Iterable[str]], bool]] = None
        for number, line in enumerate(text.split("\n"), 1):
            try:
                self._read(line)
            except ValueError as error:
                raise _Malformed(f"policy line {number}: {error}") from None
        if self._quorum is None:
            raise _Malformed("policy: needs one quorum line")

    def is_met(self, cosigned: Iterable[str]) -> bool:
        return self._quorum is not None and self._quorum(cosigned)

    def _read(self, line: str) -> None:
        if re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]", line):
            raise _Malformed("has a control character")
        keyword, *words = [word for word in re.split("[ \t]+", line) if word] or ["#"]
        if keyword.startswith("#"):
            return
        if keyword == "log" and 1 <= len(words) <= 2:
            self.logs.append(self._key(words[0], 1, self.logs))
        elif keyword == "witness" and 2 <= len(words) <= 3:
            name, key = words[0], self._key(words[1], 4, self.witnesses.values())
            self._define(name, lambda cosigned: name in cosigned)
            self.witnesses[name] = key
        elif keyword == "group" and len(words) >= 3:
            self._group(words[0], words[1], words[2:])
        elif keyword == "quorum" and len(words) == 1 and self._quorum is None:
            self._quorum = (lambda _: True) if words[0] == "none" else self._rules.get(words[0])
            if self._quorum is None:
                raise _Malformed("names what no earlier line defines")
        else:
            raise _Malformed("is not a line of a policy, or a second quorum")

    @staticmethod
    def _key(vkey: str, kind: int, known: Iterable[_NoteKey]) -> _NoteKey:
        key = _note_key(vkey)
        if key.kind != kind or any(key.key == other.key for other in known):
            raise _Malformed("needs a key of its kind that no other line has")
        return key

    def _define(self, name: str, rule: Callable[[Iterable[str]], bool]) -> None:
        if name == "none" or name in self._rules:
            raise _Malformed("defines a name twice, or none")
        self._rules[name] = rule

    def _group(self, name: str, threshold: str, members: List[str]) -> None:
        known = {"all": len(members), "any": 1}
        number = int(threshold) if re.match("[1-9][0-9]{0,3}\\Z", threshold) else 0
        needed = known.get(threshold, number)
        if not 1 <= needed <= len(members):
            raise _Malformed("needs a threshold from 1 to the number of its members")
        for member in members:
            if member not in self._rules or member in self._grouped:
                raise _Malformed("names a member twice, or one that no earlier line defines")
            self._grouped.append(member)
        rules = [self._rules[member] for member in members]
        self._define(name, lambda cosigned: sum(rule(cosigned) for rule in rules) >= needed)


def _whole_number(text: str) -> int:
    if not _DECIMAL.match(text) or len(text) > 16 or int(text) > MAX_SAFE_INTEGER:
        raise _Malformed("not a decimal number without leading zeros, at most 2^53-1")
    return int(text)


def _digest(text: str) -> bytes:
    decoded = decode_base64(text)
    if decoded is None or len(decoded) != 32:
        raise _Malformed("not base64 of 32 bytes")
    return decoded


def _read_checkpoint(note: str) -> _Checkpoint:
    """Reads a signed checkpoint without judging its signatures."""
    if _NOTE_CONTROL.search(note) or len(note.encode()) > _MAX_NOTE_BYTES:
        raise _Malformed("a note has control characters, or over 256 KiB")
    text, gap, signatures = note.rpartition("\n\n")
    lines = signatures.split("\n")
    if gap == "" or lines.pop() != "" or len(lines) > _MAX_SIGNATURE_LINES:
        raise _Malformed("a note ends with signature lines after an empty line")
    read = [_read_line(line) for line in lines]
    parts = text.split("\n")
    if len(parts) != 3 or parts[0] == "":
        raise _Malformed("a checkpoint is origin, size and root")
    size, root = _whole_number(parts[1]), _digest(parts[2])
    if size == 0 and root != hashlib.sha256().digest():
        raise _Malformed("the root of an empty log is that of the empty tree")
    return _Checkpoint(parts[0], size, root, text + "\n", read)


def _read_line(line: str) -> Tuple[str, bytes, bytes]:
    parts = line.split(" ")
    decoded = decode_base64(parts[2]) if len(parts) == 3 else None
    if decoded is None or parts[0] != "\u2014" or not _KEY_NAME.match(parts[1]) or len(decoded) <= 4:
        raise _Malformed("a signature line is an em dash, a key name and a signature")
    return parts[1], decoded[:4], decoded[4:]


def _judge_checkpoint(checkpoint: _Checkpoint, policy: LogPolicy) -> Tuple[Optional[_Cosigned], str]:
    """What a policy says of the signatures, or the code of the refusal. Lines of other keys count for nothing."""
    logs = [key for key in policy.logs if key.name == checkpoint.origin]
    known = {(key.name, key.key_id): key for key in (*policy.witnesses.values(), *logs)}
    is_signed = False
    times: Dict[str, List[int]] = {name: [] for name in policy.witnesses}
    for name, key_id, signature in checkpoint.lines:
        key = known.get((name, key_id))
        if key is None:
            continue
        message, when = checkpoint.text, -1
        if key.kind == 4:
            when, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = f"cosignature/v1\ntime {when}\n{message}"
        if when > MAX_SAFE_INTEGER or not verify_ed25519(key.key, message.encode(), signature):
            return None, "LOG_SIGNATURE_INVALID"
        is_signed = is_signed or key.kind == 1
        for witness, its_key in policy.witnesses.items():
            if its_key is key:
                times[witness].append(when)
    if not is_signed:
        return None, "LOG_UNKNOWN"
    found = {name: sorted(when) for name, when in times.items() if when}
    return _Cosigned(found, policy.is_met(found)), ""


def _quorum_time(cosigned: _Cosigned, policy: LogPolicy, is_latest: bool) -> Optional[int]:
    """When the cosignatures meet the quorum: from the earliest on, or from the latest down. None without a quorum."""
    if policy.is_met(()):
        return None
    counted: List[str] = []
    marks = sorted(((times[-1 if is_latest else 0], name) for name, times in cosigned.times.items()), reverse=is_latest)
    for when, name in marks:
        counted.append(name)
        if policy.is_met(counted):
            return when
    return None


def _is_included(leaf: bytes, position: int, size: int, path: List[bytes], root: bytes) -> bool:
    """See RFC 9162, 2.1.3.2."""
    node, last, found = position, size - 1, leaf
    if position >= size:
        return False
    for sibling in path:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            found = hashlib.sha256(b"\1" + sibling + found).digest()
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = hashlib.sha256(b"\1" + found + sibling).digest()
        node, last = node // 2, last // 2
    return last == 0 and found == root


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _salt(opening: Members, name: str) -> bytes:
    decoded = decode_base64url(opening[name])
    if decoded is None or len(decoded) != 32:
        raise _Malformed(f"{name} is not base64url of 32 bytes")
    return decoded


def _leaf_of(extra: bytes, receipt: Json, signature: str) -> Tuple[bytes, Json]:
    """The leaf hash that an opening leads to, and the label of an owner's opening."""
    opening = parse_json(extra, 6)
    names = set(opening) if isinstance(opening, dict) else set()
    if not isinstance(opening, dict) or opening.get("type") != _LEAF_TYPE:
        raise _Malformed("not an opening")
    label: Json = ABSENT
    if names == {"type", "receiptSalt", "tenantCommitment"} and is_hash(opening["tenantCommitment"]):
        tenant = bytes.fromhex(text_of(opening["tenantCommitment"])[7:])
    elif names == {"type", "receiptSalt", "tenantSalt", "label"} and _is_label_formed(opening["label"]):
        label = opening["label"]
        tenant = _hmac(_salt(opening, "tenantSalt"), canonicalize(label).encode())
    else:
        # The other forms open no receipt.
        raise _Malformed("not the opening of a receipt")
    digest = hashlib.sha256(canonicalize({"receipt": receipt, "signature": signature}).encode()).digest()
    commitment = _hmac(_salt(opening, "receiptSalt"), digest)
    entry = b"\1" + hashlib.sha256(commitment + tenant).digest()
    return hashlib.sha256(b"\0" + entry).digest(), label


def _is_label_formed(label: Json) -> bool:
    return (
        isinstance(label, dict)
        and set(label) == _LABEL_MEMBERS
        and all(label[name] is None or isinstance(label[name], str) for name in ("appId", "bundleType"))
        and isinstance(label["at"], str)
        and label["kind"] in _LEAF_KINDS
        and _is_positive_integer(label["number"])
        and is_hash(label["tenant"])
    )


class LogClaim(NamedTuple):
    """A proof as a package carries it, the receipt that it must be about, and what its label must say.

    With no kinds the certificate is not here, and nothing of the label is compared but the time.
    """

    proof: str
    not_before: Optional[str]
    receipt: Json
    signature: str
    signed_at: str
    app_id: Optional[str] = None
    bundle_type: Optional[str] = None
    kinds: Tuple[str, ...] = ()


def _transparency(status: str, code: Optional[str], **more: Json) -> Members:
    nothing: Members = dict.fromkeys(("origin", "index", "treeSize", "loggedAfter", "loggedBy"))
    detail = None if code is None else _LOG_SENTENCES[code]
    return {"status": status, "code": code, **nothing, "witnesses": [], **more, "detail": detail}


def _iso(seconds: Optional[int]) -> Optional[str]:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def judge_log_proof(claim: LogClaim, policy: LogPolicy, mmd_seconds: int = MMD_SECONDS) -> Members:
    """What a log says of a receipt: the object `transparency` of the specification. It does not raise."""
    try:
        return _judged(claim, policy, mmd_seconds)
    except (ValueError, OverflowError, OSError):
        return _transparency("invalid", "LOG_PROOF_MALFORMED")


def _judged(claim: LogClaim, policy: LogPolicy, mmd_seconds: int) -> Members:
    head, gap, note = claim.proof.partition("\n\n")
    lines = head.split("\n")
    if gap == "" or lines.pop(0) != "c2sp.org/tlog-proof@v1":
        raise _Malformed("not a proof")
    extra = decode_base64(lines.pop(0)[6:]) if lines and lines[0].startswith("extra ") else b""
    if extra is None or not lines or not lines[0].startswith("index ") or len(lines) > _MAX_PATH + 1:
        raise _Malformed("a proof has extra, index and path")
    position, path = _whole_number(lines.pop(0)[6:]), [_digest(line) for line in lines]
    checkpoint = _read_checkpoint(note)
    leaf, label = _leaf_of(extra, claim.receipt, claim.signature)
    before = None if claim.not_before is None else _read_checkpoint(claim.not_before)
    about: Members = {"origin": checkpoint.origin, "index": position, "treeSize": checkpoint.size}
    cosigned, code = _judge_checkpoint(checkpoint, policy)
    if cosigned is None:
        return _transparency("unknown-log" if code == "LOG_UNKNOWN" else "invalid", code, **about)
    about["witnesses"] = list(cosigned.times)
    if not _is_included(leaf, position, checkpoint.size, path, checkpoint.root):
        return _transparency("invalid", "LOG_INCLUSION_INVALID", **about)
    if label is not ABSENT and not _is_label_right(label, claim):
        return _transparency("invalid", "LOG_LABEL_MISMATCH", **about)
    if not cosigned.is_quorum_met:
        return _transparency("invalid", "LOG_QUORUM_NOT_MET", **about)
    logged_by, logged_after = _quorum_time(cosigned, policy, False), None
    # A checkpoint of the same log that ends before the leaf bounds the time from below; any other says nothing.
    if before is not None and before.origin == checkpoint.origin and before.size <= position:
        earlier, _ = _judge_checkpoint(before, policy)
        if earlier is not None and earlier.is_quorum_met:
            logged_after = _quorum_time(earlier, policy, True)
    remark = _time_code(claim.signed_at, logged_after, logged_by, mmd_seconds)
    about.update({"loggedAfter": _iso(logged_after), "loggedBy": _iso(logged_by)})
    return _transparency("included" if remark in (None, "LOG_LATE") else "invalid", remark, **about)


def _is_label_right(label: Json, claim: LogClaim) -> bool:
    if get(label, "at") != claim.signed_at:
        return False
    names = (get(label, "appId"), get(label, "bundleType"))
    return not claim.kinds or (get(label, "kind") in claim.kinds and names == (claim.app_id, claim.bundle_type))


def _time_code(signed_at: str, after: Optional[int], by: Optional[int], mmd_seconds: int) -> Optional[str]:
    instant = parse_time(signed_at)
    if instant is None:
        raise _Malformed("the receipt has no time")
    latest = instant[0] + mmd_seconds + CLOCK_TOLERANCE_S
    if by is not None and by < instant[0] - CLOCK_TOLERANCE_S:
        return "LOG_TIME_CONFLICT"
    if after is not None and after > latest:
        return "LOG_BACKDATED"
    return "LOG_LATE" if by is not None and by > latest else None


def _log_claims(value: Json, signature: Json, places: Iterable[Json], label: LogClaim) -> List[LogClaim]:
    """The claims of `logProofs` in these places, about one receipt."""
    receipt, _ = _read_receipt(value)
    if receipt is None or not isinstance(signature, str):
        return []
    claims: List[LogClaim] = []
    for place in places:
        listed = get(place, "logProofs")
        for entry in listed if isinstance(listed, list) else []:
            before = get(entry, "notBefore")
            claim = label._replace(
                # What is not a text is no proof either, and is reported as such.
                proof=text_of(get(entry, "proof")),
                not_before=before if isinstance(before, str) else None,
                receipt=receipt.value,
                signature=signature,
                signed_at=receipt.when,
            )
            if claim not in claims:
                claims.append(claim)
    return claims


def _rank_of(found: Members) -> int:
    """The most telling result: a label that does not fit, then inclusion, then the first fault."""
    if found["code"] == "LOG_LABEL_MISMATCH":
        return 0
    if found["status"] == "included":
        return 1 if found["code"] is None else 2
    return 3 if found["status"] == "invalid" else 4


# Verification of a bundle. See "Verification".

_ENVELOPE_SCOPE = ("bundleType", "version", "createdAt", "snapshot", "context", "contextSummary")
_ENVELOPE_FIVE = ("attestationId", "attestedAt", "kid", "nodeRuntimeHash", "protocolVersion")
_ATTESTED_PARTS = (
    "receipt signature signatureB64Url attestation verificationEnvelope verificationEnvelopeSignature".split()
)


class _Evaluation:
    """The one evaluation of a bundle that every layer writes its findings to."""

    def __init__(self, options: Options, package: Members, bundle: Members) -> None:
        self.options, self.package, self.bundle = options, package, bundle
        self.shape = _shape_of(bundle)
        self.findings: List[Finding] = []
        self.relaxations: List[str] = []
        self.checks = Checks()
        self.receipt: Optional[_Receipt] = None
        self.computed: Optional[str] = None
        self.is_older = False
        self.lacks_context = False

    # Findings.

    def fault(self, code: str, member: str, detail: str) -> None:
        self.findings.append(Finding(code, member, detail))

    def mismatch(self, member: str, detail: str) -> None:
        self.fault("ATTESTATION_INVALID_SIGNATURE", member, detail)

    def unsupported(self, member: str, detail: str) -> None:
        self.findings.append(Finding("SCHEMA_ERROR", member, detail, reason="SCHEMA_VERSION_UNSUPPORTED"))

    # Rules of members.

    @property
    def is_resealed(self) -> bool:
        return self.shape.is_reseal or self.is_older

    def is_removed(self, value: Json) -> bool:
        """A value that a reseal may lack."""
        return self.is_resealed and (value is ABSENT or value == REDACTED)

    def optional(self, path: str, value: Json, rule: Rule) -> None:
        if value is not ABSENT and not self.is_removed(value) and not rule(value):
            self.fault("SCHEMA_ERROR", path, "against its rule")

    def optionals(self, path: str, parent: Json, rules: Rules) -> None:
        for name, rule in rules:
            self.optional(at(path, name), get(parent, name), rule)

    def required(self, path: str, value: Json, rule: Rule) -> None:
        if value is ABSENT and not self.is_removed(value):
            self.fault("PROTECTED_FIELD_MISSING", path, "missing")
        self.optional(path, value, rule)

    def requireds(self, path: str, parent: Json, rules: Rules) -> None:
        for name, rule in rules:
            self.required(at(path, name), get(parent, name), rule)

    def within(self, path: str, parent: Json, rules: Rules) -> None:
        """Members that an object must have, where an absent one is a fault of form."""
        for name, rule in rules:
            value = get(parent, name)
            if not self.is_removed(value) and not rule(value):
                self.fault("SCHEMA_ERROR", at(path, name), "missing or against its rule")

    def must_hash(self, path: str, value: Json) -> bool:
        if self.is_removed(value):
            return False
        if not is_hash(value):
            self.fault("INVALID_SHA256_FORMAT", path, "not a hash")
            return False
        return True

    # Layer 1: integrity.

    def verify_integrity(self) -> None:
        bundle, shape, snapshot = self.bundle, self.shape, get(self.bundle, "snapshot")
        if shape.layout is None:
            if shape.is_reseal:
                self.fault("SCHEMA_ERROR", "snapshot.type", "not a known type")
            else:
                self.unsupported("bundleType", "not a known type")
            return
        self.check_places()
        if not is_hash(bundle.get("certificateHash")):
            self.fault("INVALID_SHA256_FORMAT", "certificateHash", "not a hash")
        if shape.layout == _HASH_LAYOUT and snapshot is not None:
            self.fault("SCHEMA_ERROR", "snapshot", "not null")
        elif shape.layout not in (_HASH_LAYOUT, _FLAT_LAYOUT) and not isinstance(snapshot, dict):
            self.fault("SCHEMA_ERROR", "snapshot", "not an object")
        version = "0.2" if shape.layout == _V2_LAYOUT else "0.1"
        if shape.layout != _FLAT_LAYOUT and bundle.get("version") != version:
            self.unsupported("version", f"not {version}")
        if shape.layout == _HASH_LAYOUT:
            return
        if shape.layout == _FLAT_LAYOUT:
            self.check_flat()
        else:
            self.check_created_at()
            self.check_context()
            if not isinstance(snapshot, dict):
                return
            self.check_snapshot(snapshot)
        self.check_certificate_hash()

    def check_places(self) -> None:
        """`meta`, and where a receipt is present the attestations, are objects."""
        meta = get(self.bundle, "meta")
        if meta is not ABSENT and not isinstance(meta, dict):
            self.fault("SCHEMA_ERROR", "meta", "not an object")
        if self.found_receipt() is ABSENT:
            return
        for path, holder in (("meta.attestation", meta), ("package.attestation", self.package)):
            found = get(holder, "attestation")
            if given(found) and not isinstance(found, dict):
                self.fault("SCHEMA_ERROR", path, "not an object")

    def check_created_at(self) -> None:
        created_at = get(self.bundle, "createdAt")
        if created_at is ABSENT and not self.is_resealed:
            self.fault("SCHEMA_ERROR", "createdAt", "missing")
        self.optional("createdAt", created_at, _is_time)

    def check_context(self) -> None:
        for name in ("context", "contextSummary", "policyEvaluation"):
            self.optional(name, get(self.bundle, name), _is_object)
        signals = get(self.bundle, "context", "signals")
        self.optional("context.signals", signals, _is_array)
        for position, signal in enumerate(signals if isinstance(signals, list) else []):
            path = index("context.signals", position)
            self.optional(path, signal, _is_object)
            if isinstance(signal, dict):
                self.within(path, signal, _SIGNAL)

    def check_snapshot(self, snapshot: Members) -> None:
        for name in snapshot:
            if unit_count(name) > 256 or has_control(name):
                self.fault("SCHEMA_KEY_INVALID", at("snapshot", name), "over 256 units, or control characters")
        if self.shape.protocol is None:
            self.unsupported("snapshot.protocolVersion", "not a known protocol")
        if self.shape.layout == _V1_LAYOUT:
            self.check_v1(snapshot)
        elif self.shape.layout == _V2_LAYOUT:
            self.check_v2(snapshot)
            self.check_protected_set()
        else:
            self.check_render(snapshot)

    @property
    def scope(self) -> Tuple[str, ...]:
        """The members that the hash is over. See "Hash scope"."""
        if self.shape.layout == _HASH_LAYOUT:
            return ()
        if self.shape.layout == _FLAT_LAYOUT:
            return _FLAT_SCOPE
        return ("protectedSet", *HASH_SCOPE) if self.shape.layout == _V2_LAYOUT else HASH_SCOPE

    def check_certificate_hash(self) -> None:
        if self.shape.profile is None:
            return
        try:
            self.computed = hash_canonical(pick(self.bundle, self.scope), self.shape.profile)
        except CanonicalError as error:
            self.fault("CANONICALIZATION_ERROR", error.path, error.rule)
            return
        stated = self.bundle.get("certificateHash")
        if not isinstance(stated, str) or not is_hash(stated) or stated == self.computed:
            return
        if self.excludes_context(stated, self.shape.profile):
            return
        detail = "not the computed hash"
        found = Finding("CERTIFICATE_HASH_MISMATCH", "certificateHash", detail, stated, self.computed)
        self.findings.append(found)

    def excludes_context(self, stated: str, profile: str) -> bool:
        """Accepts the hash without context, for reseals of older nodes under keys that say so."""
        keys, receipt = self.options.keys, self.receipt
        if not self.is_older or "context" not in self.bundle or keys is None or receipt is None:
            return False
        if not keys.context_unprotected(receipt.kid, receipt.instant):
            return False
        without = [name for name in self.scope if name != "context"]
        if hash_canonical(pick(self.bundle, without), profile) != stated:
            return False
        self.computed, self.lacks_context = stated, True
        self.relaxations.append("context-excluded")
        return True

    def check_flat(self) -> None:
        self.relaxations.append("flat-render-record")
        if self.shape.protocol not in ("1.2.0", "1.3.0"):
            self.unsupported("protocolVersion", "not 1.2.0 or 1.3.0")
        for name in ("runtimeHash", "codeHash", "varsHash", "animationHash", "posterHash"):
            if name in self.bundle and not is_hash(self.bundle[name]):
                self.fault("INVALID_SHA256_FORMAT", name, "not a hash")

    # Executions and renders.

    def check_execution(self, snapshot: Members) -> None:
        """What v1 and v2 have in common."""
        self.requireds("snapshot", snapshot, _EXECUTION)
        self.optionals("snapshot", snapshot, _EXECUTION_OPTIONAL)
        self.check_parameters(get(snapshot, "parameters"))
        if "prevStepHash" in snapshot:
            self.must_hash("snapshot.prevStepHash", snapshot["prevStepHash"])
        self.check_tools(get(snapshot, "toolCalls"))

    def check_parameters(self, parameters: Json) -> None:
        path = "snapshot.parameters"
        self.optional(path, parameters, _is_object)
        if not isinstance(parameters, dict):
            return
        if self.shape.protocol == "1.3.1":
            names = [name for name, _ in _PARAMETERS]
            for name in names:
                if name not in parameters and not self.is_resealed:
                    self.fault("SCHEMA_ERROR", at(path, name), "missing")
            if any(name not in names for name in parameters):
                self.fault("SCHEMA_ERROR", path, "another member than the four")
        self.optionals(path, parameters, _PARAMETERS)

    def check_v1(self, snapshot: Members) -> None:
        self.check_types(snapshot)
        self.check_execution(snapshot)
        if self.shape.protocol == "1.3.1":
            self.required("snapshot.parameters", get(snapshot, "parameters"), _is_object)
            self.required("snapshot.prompt", get(snapshot, "prompt"), _is_non_empty)
            self.requireds("snapshot", snapshot, (("input", is_sealed), ("output", is_sealed)))
        else:
            self.optionals("snapshot", snapshot, (("prompt", _is_non_empty), ("input", _is_raw), ("output", _is_raw)))
        found = [
            self.differing(snapshot, "snapshot", name, f"{code}_HASH_MISMATCH", True)
            for name, code in (("input", "INPUT"), ("output", "OUTPUT"))
        ]
        faults = [finding for finding in found if finding is not None]
        if len(faults) == 2:
            first = faults[0]
            detail = "input and output are not hashed as stated"
            faults = [Finding("SNAPSHOT_HASH_MISMATCH", first.member, detail, first.expected, first.computed)]
        self.findings.extend(faults)

    def check_types(self, snapshot: Members) -> None:
        kind, surface = get(snapshot, "type"), get(snapshot, "executionSurface")
        if self.shape.is_legacy and kind is not ABSENT and surface is not ABSENT:
            self.fault("SCHEMA_ERROR", "snapshot.type", "not one of the legacy shapes")
        self.optional("snapshot.type", kind, _one_of("ai.execution.v1"))
        self.optional("snapshot.executionSurface", surface, _one_of("ai"))
        if self.is_resealed:
            return
        if kind is ABSENT:
            self.relaxations.append("snapshot-type-absent")
        if surface is ABSENT:
            self.relaxations.append("execution-surface-absent")

    def differing(self, parent: Members, path: str, name: str, code: str, is_required: bool) -> Optional[Finding]:
        """A finding where a raw or sealed value does not have its hash."""
        value, stated = get(parent, name), get(parent, f"{name}Hash")
        member = at(path, f"{name}Hash")
        is_formed = (is_required or stated is not ABSENT) and self.must_hash(member, stated)
        is_unsealed = self.shape.protocol == "1.3.1" and not is_sealed(value)
        if self.shape.profile is None or not _is_raw(value) or self.is_removed(value) or is_unsealed:
            return None
        try:
            computed = hash_bytes(hashed_bytes(value, self.shape.profile, at(path, name)))
        except CanonicalError as error:
            self.fault("CANONICALIZATION_ERROR", error.path, error.rule)
            return None
        if not is_formed or stated == computed:
            return None
        return Finding(code, member, "not the hash of the value", text_of(stated), computed)

    def check_tools(self, calls: Json) -> None:
        """See "Tool calls"."""
        self.optional("snapshot.toolCalls", calls, _is_array)
        raw = _never if self.shape.protocol == "1.3.1" else _is_raw
        for position, call in enumerate(calls if isinstance(calls, list) else []):
            path = index("snapshot.toolCalls", position)
            self.optional(path, call, _is_object)
            if not isinstance(call, dict):
                continue
            self.within(path, call, (("toolId", _is_non_empty), ("at", _is_time)))
            self.optionals(path, call, (("input", raw), ("output", raw)))
            if "output" not in call and "outputHash" not in call and not self.is_resealed:
                self.fault("TOOL_EVIDENCE_MISSING", path, "neither output nor outputHash")
            for name, code in (("input", "INPUT_HASH_MISMATCH"), ("output", "TOOL_OUTPUT_HASH_MISMATCH")):
                found = self.differing(call, path, name, code, False)
                if found is not None:
                    self.findings.append(found)

    def check_v2(self, snapshot: Members) -> None:
        if self.shape.protocol == "1.2.0":
            self.unsupported("snapshot.protocolVersion", "not 1.3.0 or 1.3.1")
        self.requireds("snapshot", snapshot, _V2)
        self.check_execution(snapshot)
        self.optional("snapshot.instruction", get(snapshot, "instruction"), _is_non_empty)
        kinds = _one_of("system", "derived", "label")
        self.optional("snapshot.instructionKind", get(snapshot, "instructionKind"), kinds)
        if ("instruction" in snapshot) != ("instructionKind" in snapshot) and not self.is_resealed:
            detail = "only with an instruction, and always with one"
            self.fault("SCHEMA_ERROR", "snapshot.instructionKind", detail)
        is_confidential = self.shape.protocol == "1.3.1"
        if is_confidential:
            self.required("snapshot.prompt", get(snapshot, "prompt"), _is_non_empty)
        elif "prompt" in snapshot:
            self.fault("SCHEMA_ERROR", "snapshot.prompt", "only under 1.3.1")
        for name in ("input", "output"):
            value = get(snapshot, name)
            self.required(at("snapshot", name), value, is_sealed if is_confidential else _is_raw)
            if not is_confidential and _LOOKS_LIKE_HASH.match(text_of(value)):
                self.must_hash(at("snapshot", name), value)

    def check_protected_set(self) -> None:
        expected: Members = {
            "protectedSetId": "cer.ai.execution.v2",
            "protectedFields": [name for name in HASH_SCOPE if name in self.bundle],
            "stabilitySchemeId": JCS_V1,
        }
        if not same(expected, get(self.bundle, "protectedSet")):
            self.fault("PROTECTED_SET_MISMATCH", "protectedSet", "not the set computed again")

    def check_render(self, snapshot: Members) -> None:
        if self.shape.protocol == "1.3.1":
            self.unsupported("snapshot.protocolVersion", "not 1.2.0 or 1.3.0")
        self.requireds("snapshot", snapshot, _RENDER)
        execution, canvas = get(snapshot, "execution"), get(snapshot, "canvas")
        if isinstance(execution, dict):
            self.within("snapshot.execution", execution, (("mode", _one_of("static", "loop")),))
        if isinstance(canvas, dict):
            self.within("snapshot.canvas", canvas, _CANVAS)
        for name in ("codeHash", "outputHash", "imageHash"):
            self.must_hash(at("snapshot", name), get(snapshot, name))

    # Layer 2: receipt.

    @property
    def is_around_reseal(self) -> bool:
        """A package whose receipt and signature are those of the original."""
        return self.shape.is_reseal and given(self.package.get("resealedCertificateHash"))

    def found_receipt(self) -> Json:
        """The receipt of the bundle, else that of the package."""
        attestation = get(self.bundle, "meta", "attestation")
        found = first_given(get(attestation, "receipt"), _read_flat(attestation))
        if found is ABSENT and not self.is_around_reseal:
            found = first_given(get(self.package, "receipt"))
        return found

    def has_any_part(self) -> bool:
        """Whether there is a part of an attestation other than `meta.attestation`."""
        meta = get(self.bundle, "meta")
        envelope = (get(meta, "verificationEnvelope"), get(meta, "verificationEnvelopeSignature"))
        return any(given(part) for part in (*envelope, *(self.package.get(name) for name in _ATTESTED_PARTS)))

    def verify_receipt(self) -> None:
        attestation, found = get(self.bundle, "meta", "attestation"), self.found_receipt()
        signature = first_given(get(attestation, "signature"), get(attestation, "signatureB64Url"))
        if not self.is_around_reseal:
            package = self.package
            signature = first_given(signature, package.get("signature"), package.get("signatureB64Url"))
        is_bare = found is ABSENT and signature is ABSENT and not given(attestation) and not self.has_any_part()
        if is_bare and self.shape.layout != _HASH_LAYOUT:
            return
        self.checks.node_signature = self.checks.receipt_consistency = FAIL
        receipt, code = _read_receipt(found)
        if receipt is None:
            self.fault(code, "meta.attestation.receipt", "not a receipt")
            return
        if signature is ABSENT:
            self.fault("ATTESTATION_MISSING", "meta.attestation.signature", "missing")
            return
        self.receipt = receipt
        code, member = _check_signature(self.options.keys, receipt, signature, "meta.attestation")
        if code == "":
            self.checks.node_signature = PASS
        else:
            self.fault(code, member, "the signature or its key")
        before = len(self.findings)
        self.check_binding(receipt, signature)
        self.check_original(receipt)
        if len(self.findings) == before:
            self.checks.receipt_consistency = PASS

    @property
    def receipt_passes(self) -> bool:
        return self.checks.node_signature == PASS and self.checks.receipt_consistency == PASS

    def check_binding(self, receipt: _Receipt, signature: Json) -> None:
        """The receipt is about this bundle and node, and no copy differs."""
        path = "meta.attestation.receipt"
        named = get(receipt.value, "certificateHash")
        if named is not ABSENT and not same(named, self.bundle.get("certificateHash")):
            self.mismatch(f"{path}.certificateHash", "another hash")
        if not _is_this_node(self.options, receipt):
            self.mismatch(f"{path}.nodeId", "another node")
        kinds: Tuple[str, ...] = ("full", "older")
        if self.shape.is_reseal:
            kinds = ("reseal",)
        elif self.shape.layout == _HASH_LAYOUT:
            kinds = ("hash-only",)
        if receipt.kind not in kinds:
            self.mismatch(f"{path}.scope", "not the scope of this type")
        attestation = get(self.bundle, "meta", "attestation")
        is_answered = self.checks.envelope != SKIPPED
        self.check_copies("meta.attestation", attestation, receipt, signature, is_answered)
        if self.is_around_reseal:
            self.check_around_reseal()
        else:
            self.check_package(receipt, signature)

    def check_copies(self, path: str, copies: Json, receipt: _Receipt, signature: Json, is_answered: bool) -> None:
        """Compares the unsigned copies in an object with the signed values. See "Attestation"."""
        signed = receipt.value
        wanted: List[Tuple[str, Json]] = [
            *((name, get(signed, name)) for name in ("certificateHash", "nodeId")),
            *((name, receipt.kid) for name in ("kid", "attestorKeyId")),
            *((name, receipt.when) for name in ("attestedAt", "issuedAt", "timestamp")),
            *((name, get(signed, name)) for name in ("originalCertificateHash", "redactionPolicy")),
            *((name, get(signed, name)) for name in ("attestationId", "nodeRuntimeHash")),
            *((name, signature) for name in ("signature", "signatureB64Url")),
        ]
        for name, want in wanted:
            found = get(copies, name)
            is_token = name == "timestamp" and not isinstance(found, str)
            if given(found) and want is not ABSENT and not is_token and not same(found, want):
                self.mismatch(at(path, name), "a copy that differs")
        kind, protocol = get(copies, "bundleType"), get(copies, "protocolVersion")
        if given(kind) and not same(kind, get(self.bundle, "bundleType")):
            self.mismatch(at(path, "bundleType"), "a copy that differs")
        # A hash-only bundle has no protocol, and an unknown one is a finding of layer 1.
        is_known = self.shape.protocol is not None and self.shape.layout != _HASH_LAYOUT
        if given(protocol) and is_known and not is_answered and protocol != self.shape.protocol:
            self.mismatch(at(path, "protocolVersion"), "a copy that differs")

    def same(self, member: str, left: Json, right: Json) -> None:
        """Compares two values where both are there."""
        if given(left) and given(right) and not same(left, right):
            self.mismatch(member, "differs from the same value in the bundle")

    def check_package(self, receipt: _Receipt, signature: Json) -> None:
        """Compares the package around the bundle with it. See "Packages"."""
        package, meta = self.package, get(self.bundle, "meta")
        created_at = get(package, "createdAt")
        if given(created_at) and not same(created_at, get(self.bundle, "createdAt")):
            self.mismatch("package.createdAt", "not the bundle's")
        if given(get(package, "resealedCertificateHash")):
            self.mismatch("package.resealedCertificateHash", "around a bundle that is not a reseal")
        self.same("package.receipt", get(package, "receipt"), receipt.value)
        self.check_copies("package", package, receipt, signature, False)
        attestation, summary = get(meta, "attestation"), get(package, "attestation")
        self.check_copies("package.attestation", summary, receipt, signature, False)
        for name in ("verificationEnvelope", "verificationEnvelopeSignature"):
            self.same(at("package", name), get(package, name), get(meta, name))
        for name in ("attestationId", "nodeRuntimeHash"):
            self.same(at("package", name), get(package, name), get(attestation, name))
        for name in summary if isinstance(summary, dict) else ():
            if name != "timestamp":
                self.same(at("package.attestation", name), get(summary, name), get(attestation, name))

    def check_around_reseal(self) -> None:
        """Compares what is around a reseal with the original that its provenance names."""
        original = get(self.bundle, "meta", "provenance", "original")
        receipt = get(original, "receipt")
        kid = first_given(get(receipt, "kid"), get(receipt, "attestorKeyId"))
        when = first_given(get(receipt, "timestamp"), get(receipt, "attestedAt"))
        signature, original_hash = get(original, "signature"), get(original, "certificateHash")
        for name, want in (
            ("resealedCertificateHash", get(self.bundle, "certificateHash")),
            ("certificateHash", original_hash),
            ("receipt", receipt),
            ("signature", signature),
            ("signatureB64Url", signature),
            ("nodeId", get(receipt, "nodeId")),
            ("kid", kid),
            ("attestorKeyId", kid),
            ("issuedAt", when),
        ):
            found = get(self.package, name)
            if given(found) and not same(found, want):
                self.mismatch(at("package", name), "not the original's")
        summary = get(self.package, "attestation")
        self.same("package.attestation.certificateHash", get(summary, "certificateHash"), original_hash)
        self.same("package.attestation.attestedAt", get(summary, "attestedAt"), when)

    def check_original(self, receipt: _Receipt) -> None:
        """Compares the provenance of a reseal with its receipt. See "signed-redacted-reseal"."""
        if not self.shape.is_reseal or receipt.kind != "reseal":
            return
        provenance, named = get(self.bundle, "meta", "provenance"), get(receipt.value, "originalCertificateHash")
        for name in ("originalCertificateHash", "redactionPolicy"):
            claimed = get(provenance, name)
            if claimed is not ABSENT and not same(claimed, get(receipt.value, name)):
                self.mismatch(at("meta.provenance", name), "not what the receipt says")
        original, path = get(provenance, "original"), "meta.provenance.original"
        if not isinstance(original, dict):
            return
        claimed = get(original, "certificateHash")
        if claimed is not ABSENT and not same(claimed, named):
            self.mismatch(f"{path}.certificateHash", "not what the receipt says")
        first, _ = _read_receipt(get(original, "receipt"))
        if (
            first is None
            or not given(get(original, "signature"))
            or first.kind not in ("full", "older")
            or not same(get(first.value, "certificateHash"), named)
            or not same(get(first.value, "nodeId"), get(receipt.value, "nodeId"))
        ):
            self.mismatch(f"{path}.receipt", "not a signed receipt of this node over the original's hash")
            return
        if self.options.keys is None:
            return  # the reseal's own receipt is reported as uncheckable already
        code, member = _check_signature(self.options.keys, first, get(original, "signature"), path)
        if code != "":
            self.fault(code, member, "the original's signature or its key")

    # Layer 3: envelope.

    def verify_envelope(self) -> str:
        path, meta = "meta.verificationEnvelope", get(self.bundle, "meta")
        envelope, signature = (
            first_given(get(meta, name), get(self.package, name))
            for name in ("verificationEnvelope", "verificationEnvelopeSignature")
        )
        if (envelope is ABSENT and signature is ABSENT) or self.shape.is_reseal:
            return SKIPPED
        if envelope is ABSENT:
            return self.failed(path, "missing beside its signature")
        if signature is ABSENT:
            return self.failed("meta.verificationEnvelopeSignature", "missing")
        if contains(pick(self.bundle, self.scope), REDACTED):
            return SKIPPED
        if not isinstance(envelope, dict):
            return self.failed(path, "not an object")
        if envelope.get("envelopeType") != "svc.verification.envelope.v2":
            return self.failed(f"{path}.envelopeType", "not a known type")
        signed = get(envelope, "attestation")
        if not isinstance(signed, dict) or not self.is_five(signed):
            return self.failed(f"{path}.attestation", "not exactly the five members in their form")
        self.check_five(path, signed, meta)
        kid = get(envelope, "kid")
        if kid is not ABSENT and not same(kid, signed["kid"]):
            self.mismatch(f"{path}.kid", "a copy that differs")
        self.check_envelope_signature(signed, signature)
        return FAIL if self.findings else PASS

    def failed(self, member: str, detail: str) -> str:
        self.mismatch(member, detail)
        return FAIL

    @staticmethod
    def is_five(signed: Members) -> bool:
        is_formed = len(signed) == 5 and all(isinstance(get(signed, name), str) for name in _ENVELOPE_FIVE)
        return is_formed and _is_time(signed["attestedAt"])

    def check_five(self, path: str, signed: Members, meta: Json) -> None:
        attestation = get(meta, "attestation")
        if not isinstance(attestation, dict):
            attestation = get(self.package, "attestation")
        receipt, _ = _read_receipt(self.found_receipt())
        for name in _ENVELOPE_FIVE:
            stated = get(attestation, name)
            if stated is ABSENT and receipt is not None and name in ("kid", "attestedAt"):
                stated = receipt.kid if name == "kid" else receipt.when
            is_same = same(signed[name], stated)
            if name == "protocolVersion":
                is_same = is_same and signed[name] == self.shape.protocol
            if not is_same:
                self.mismatch(f"{path}.attestation.{name}", "not that of meta.attestation")

    def check_envelope_signature(self, signed: Members, signature: Json) -> None:
        instant = parse_time(signed["attestedAt"])
        key, code = _choose(self.options.keys, text_of(signed["kid"]), instant or (0, 0))
        if code != "":
            is_unavailable = code == "VERIFICATION_MATERIAL_UNAVAILABLE"
            code = code if is_unavailable else "ATTESTATION_INVALID_SIGNATURE"
            self.fault(code, "meta.verificationEnvelope.attestation.kid", "no usable key")
            return
        payload: Members = {"attestation": signed, "bundle": pick(self.bundle, _ENVELOPE_SCOPE)}
        try:
            message = canonicalize(payload, JCS_V1)
        except CanonicalError:
            self.mismatch("meta.verificationEnvelope", "no canonical form")
            return
        if not verify_text(key, message, signature):
            self.mismatch("meta.verificationEnvelopeSignature", "not a valid signature")

    # The whole.

    @property
    def is_labelled(self) -> bool:
        """The unsigned labels of reseals by older nodes."""
        meta = get(self.bundle, "meta")
        labels = (get(meta, "provenance", "kind"), get(meta, "attestation", "mode"))
        return self.bundle.get("bundleType") == "cer.ai.execution.v1" and "redacted_reseal" in labels

    def run(self) -> Report:
        self.checks.envelope = self.verify_envelope()
        envelope, self.findings = self.findings, []
        self.verify_receipt()
        receipt, self.findings = self.findings, []
        self.is_older = self.is_labelled and self.receipt_passes
        self.verify_integrity()
        self.checks.bundle_integrity = FAIL if self.findings else PASS
        options = self.options
        if options.require_full_artifact and (self.is_resealed or self.shape.layout == _HASH_LAYOUT):
            self.fault("INCOMPLETE_ARTIFACT", "bundleType", "a full artefact was demanded")
        if options.require_attestation and self.checks.node_signature == SKIPPED:
            self.fault("ATTESTATION_MISSING", "meta.attestation", "an attestation was demanded")
        found, transparency = [*self.findings, *receipt, *envelope], self.transparency()
        if options.require_log and (transparency is None or transparency["status"] != "included"):
            # Without a policy no proof can be judged, and the demand is not met.
            code = "LOG_UNKNOWN" if transparency is None else text_of(transparency["code"])
            found.append(Finding(code, "logProofs", _LOG_SENTENCES[code]))
        report = self.report(found)
        report.transparency = transparency
        return report

    def transparency(self) -> Optional[Members]:
        """See "Log proofs"."""
        policy = self.options.log_policy
        if policy is None:
            return None
        meta, snapshot = get(self.bundle, "meta"), get(self.bundle, "snapshot")
        attestation, original = get(meta, "attestation"), get(meta, "provenance", "original")
        found, signature = (
            self.found_receipt(),
            first_given(get(attestation, "signature"), get(attestation, "signatureB64Url")),
        )
        around = self.package
        if not self.is_around_reseal:
            signature = first_given(signature, around.get("signature"), around.get("signatureB64Url"))
        receipt, _ = _read_receipt(found)
        kind = "" if receipt is None else receipt.kind
        again = ("again",) if isinstance(get(meta, "attestationHistory"), list) else ()
        kinds = {"full": ("certificate", *again), "older": ("certificate", *again), "hash-only": (kind, *again)}
        app_id, bundle_type = get(snapshot, "appId"), get(self.bundle, "bundleType")
        label = LogClaim(
            *("", None, None, "", ""),
            app_id if isinstance(app_id, str) else None,
            bundle_type if isinstance(bundle_type, str) else None,
            kinds.get(kind, (kind,)),
        )
        own = (meta, attestation) if self.is_around_reseal else (meta, attestation, around)
        claims = _log_claims(found, signature, own, label)
        # The original itself is not here, so its type and app cannot be compared.
        firsts = (original, around) if self.is_around_reseal else (original,)
        unlabelled = LogClaim("", None, None, "", "")
        claims += _log_claims(get(original, "receipt"), get(original, "signature"), firsts, unlabelled)
        judged = [judge_log_proof(claim, policy) for claim in claims[:_MAX_PROOFS]]
        return min(judged, key=_rank_of, default=_transparency("absent", "LOG_PROOF_MISSING"))

    def report(self, found: List[Finding]) -> Report:
        findings = _sorted_findings(found)
        code = findings[0].code if findings else "OK"
        is_sealed_both = all(is_sealed(get(self.bundle, "snapshot", name)) for name in ("input", "output"))
        is_confidential = self.shape.protocol == "1.3.1" and self.receipt_passes and is_sealed_both
        status = classification = "FAILED"
        if code == "OK":
            classification = "LEGACY_VERIFIED" if self.relaxations else "VERIFIED"
            status = "VERIFIED_CONFIDENTIAL" if is_confidential and not self.relaxations else "VERIFIED"
        elif code == "VERIFICATION_MATERIAL_UNAVAILABLE" or (
            code == "ATTESTATION_MISSING" and self.shape.layout == _HASH_LAYOUT
        ):
            classification = "UNVERIFIABLE"
        supplemental = self.is_supplemental()
        reasons = _reason_codes(findings)
        certificate_hash, bundle_type = get(self.bundle, "certificateHash"), get(self.bundle, "bundleType")
        is_proven = self.shape.is_reseal and self.receipt_passes
        return Report(
            status=status,
            code=code,
            checks=self.checks,
            reason_codes=[*reasons, "CONTEXT_NOT_PROTECTED"] if supplemental else reasons,
            certificate_hash=text_of(certificate_hash) if is_hash(certificate_hash) else None,
            bundle_type=bundle_type if isinstance(bundle_type, str) else None,
            classification=classification,
            content_mode="HASH_BOUND" if self.shape.protocol == "1.3.1" else None,
            provenance="proven" if is_proven else "claimed" if self.is_resealed or self.is_labelled else None,
            relaxations=self.relaxations,
            supplemental=supplemental,
            findings=findings,
            computed_certificate_hash=self.computed,
            original_certificate_hash=self.original_hash() if is_proven else None,
            signed=self.signed_facts(),
            stated=self.stated_times(),
        )

    def original_hash(self) -> Optional[str]:
        return None if self.receipt is None else text_of(get(self.receipt.value, "originalCertificateHash")) or None

    def is_supplemental(self) -> bool:
        """See "Supplemental content"."""
        outside = ["signals", "declaration"]
        if self.shape.layout == _HASH_LAYOUT:
            outside += ["context", "contextSummary", "policyEvaluation"]
        return self.lacks_context or any(given(self.bundle.get(name)) for name in outside)

    def signed_facts(self) -> Optional[Members]:
        receipt, keys = self.receipt, self.options.keys
        if receipt is None or keys is None or not self.receipt_passes:
            return None
        attestation_id = get(receipt.value, "attestationId")
        if self.checks.envelope == PASS:
            attestation_id = first_given(attestation_id, get(self.bundle, "meta", "attestation", "attestationId"))
        return {
            "nodeId": get(receipt.value, "nodeId"),
            "kid": receipt.kid,
            "keyFingerprint": keys.fingerprint(receipt.kid),
            "keyStatus": keys.status(receipt.kid),
            "attestedAt": receipt.when,
            "attestationId": attestation_id if isinstance(attestation_id, str) else None,
        }

    def stated_times(self) -> Members:
        times = (get(self.bundle, "createdAt"), get(self.bundle, "snapshot", "timestamp"))
        created_at, timestamp = (time if isinstance(time, str) else None for time in times)
        return {"createdAt": created_at, "timestamp": timestamp}


def _is_this_node(options: Options, receipt: _Receipt) -> bool:
    """Whether a receipt names the node of the key set and the pinned node, where there are such."""
    node_id = get(receipt.value, "nodeId")
    is_keys_node = options.keys is None or options.keys.node_id == node_id
    return is_keys_node and options.node_id in (None, node_id)


def _failed_report(finding: Finding) -> Report:
    """The report of an input in which no bundle was found."""
    return Report(
        status="FAILED",
        code=finding.code,
        checks=Checks(),
        reason_codes=_reason_codes([finding]),
        certificate_hash=None,
        bundle_type=None,
        classification="FAILED",
        content_mode=None,
        provenance=None,
        relaxations=[],
        supplemental=False,
        findings=[finding],
        computed_certificate_hash=None,
        original_certificate_hash=None,
        signed=None,
        stated=None,
    )


def _unwrapped(value: Json) -> Tuple[Optional[Tuple[Members, Members]], Finding]:
    """The package and the bundle in it, or why there are none. See "Packages"."""

    def refused(path: str, detail: str) -> Tuple[None, Finding]:
        return None, Finding("SCHEMA_ERROR", path, detail)

    if not isinstance(value, dict):
        return refused("", "not an object")
    path = ""
    for level in range(2):
        if sum(name in value for name in ("snapshot", "cer", "bundle")) > 1:
            return refused(path, "more than one of a bundle, cer and bundle")
        if level == 1 or "bundle" not in value:
            break
        path, inner = "bundle", value["bundle"]
        if not isinstance(inner, dict):
            return refused(path, "not an object")
        value = inner
    if "bundle" in value:
        return refused(path, "{bundle} within {bundle}")
    bundle = value.get("cer", value)
    if not isinstance(bundle, dict):
        return refused(at(path, "cer"), "not an object")
    return (value, bundle), Finding("OK", "", "")


def verify(value: Json, options: Options = Options()) -> Report:
    """Evaluates a bundle, a package, or either of them as {bundle}. It does not raise."""
    found, fault = _unwrapped(value)
    if found is None:
        return _failed_report(fault)
    try:
        return _Evaluation(options, *found).run()
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return _failed_report(Finding("UNKNOWN_ERROR", "", f"not foreseen: {type(error).__name__}"))


# Projects. See "Project bundle" and "Project verification".

_PROJECT_SCOPE = tuple(
    "bundleType version protocolVersion projectBundleId projectTitle startedAt completedAt totalSteps stepRegistry "
    "projectGoal projectSummary appName frameworkName".split()
)
_PROJECT_TEXTS = ("version", "protocolVersion", "projectBundleId", "projectTitle", "startedAt", "completedAt")
_PROJECT_PRIORITY = (
    "PROJECT_HASH_MISMATCH",
    "STEP_REGISTRY_MISMATCH",
    "CHAIN_BREAK_DETECTED",
    "CERTIFICATE_HASH_MISMATCH",
    "SCHEMA_ERROR",
)
_ENTRY: Rules = (("sequence", _is_integer), ("executionId", _is_text), ("parentStepIds", _are_texts))


@dataclass
class Step:
    """The result for one step of a project."""

    step_id: str
    entry: Json
    status: str = "VERIFIED"
    code: str = "OK"
    findings: List[Finding] = field(default_factory=list)

    def as_json(self) -> Members:
        sequence, execution_id = get(self.entry, "sequence"), get(self.entry, "executionId")
        return {
            "stepId": self.step_id,
            "sequence": int(sequence) if isinstance(sequence, (int, float)) else None,
            "executionId": execution_id if isinstance(execution_id, str) else None,
            "certificateHash": text_of(get(self.entry, "certificateHash")),
            "ok": self.status == "VERIFIED",
            "status": self.status,
            "code": self.code,
            "errors": [f"{finding.member}: {finding.detail}" for finding in self.findings],
        }


@dataclass
class ProjectReport:
    """The result for a project bundle. See "POST /v1/project-bundle/verify"."""

    status: str = "FAILED"
    code: str = "OK"
    project_hash: Optional[str] = None
    computed_project_hash: Optional[str] = None
    project_hash_valid: bool = False
    structural_valid: bool = False
    total_steps: int = 0
    passed_steps: int = 0
    attested_steps: int = 0
    steps: List[Step] = field(default_factory=list)
    node_receipt: str = SKIPPED
    findings: List[Finding] = field(default_factory=list)
    registered_at: Optional[str] = None
    signed: Optional[Members] = None

    @property
    def ok(self) -> bool:
        return self.status != "FAILED"


def is_project(value: Json) -> bool:
    """Whether a value, or what it has as {bundle}, calls itself a project bundle."""
    return PROJECT in (get(value, "bundleType"), get(value, "bundle", "bundleType"))


class _ProjectEvaluation:
    def __init__(self, options: Options, body: Members, bundle: Members) -> None:
        self.options, self.body, self.bundle = options, body, bundle
        self.report = ProjectReport()
        self.findings: List[Finding] = []
        registry = get(bundle, "stepRegistry")
        self.registry: List[Json] = registry if isinstance(registry, list) else []
        self.is_public = False

    def fault(self, code: str, member: str, detail: str) -> None:
        self.findings.append(Finding(code, member, detail))

    def structure(self, member: str, detail: str) -> None:
        self.fault("STEP_REGISTRY_MISMATCH", member, detail)

    def run(self) -> ProjectReport:
        self.check_form()
        self.check_hash()
        # No structure and no steps without a registry of the right form.
        if not any(finding.member.startswith("stepRegistry") for finding in self.findings):
            self.report.node_receipt = self.check_receipt()
            self.is_public = self.report.node_receipt == PASS
            if self.options.require_attestation and self.report.node_receipt == SKIPPED:
                self.fault("ATTESTATION_MISSING", "meta.attestation", "an attestation was demanded")
            self.check_registry()
            self.check_parents()
            self.check_embedded()
            self.check_listed()
            self.check_chain()
            structural = ("STEP_REGISTRY_MISMATCH", "CHAIN_BREAK_DETECTED", "SCHEMA_ERROR")
            self.report.structural_valid = all(finding.code not in structural for finding in self.findings)
            self.report.steps = [self.step(entry) for entry in self.registry]
        return self.finish()

    def finish(self) -> ProjectReport:
        """Chooses the code: by priority, else the first failing step's, else the first other finding's."""
        report, findings = self.report, _sorted_findings(self.findings)
        codes = [step.code for step in report.steps if step.status == "FAILED"]
        codes += [finding.code for finding in findings]
        report.passed_steps = sum(step.status == "VERIFIED" for step in report.steps)
        report.code = next((code for code in _PROJECT_PRIORITY if code in codes), codes[0] if codes else "OK")
        report.status = "FAILED" if codes else "VERIFIED"
        report.findings = sorted(findings, key=lambda finding: finding.code != report.code)
        report.total_steps = len(self.registry)
        return report

    # The project by itself.

    def check_form(self) -> None:
        bundle = self.bundle
        if bundle.get("bundleType") != PROJECT:
            self.fault("SCHEMA_ERROR", "bundleType", "not a project bundle")
        for name in _PROJECT_TEXTS:
            if name in bundle and not isinstance(bundle[name], str):
                self.fault("SCHEMA_ERROR", name, "not a string")
        integrity = get(bundle, "integrity")
        if not isinstance(integrity, dict):
            self.fault("SCHEMA_ERROR", "integrity", "not an object")
        elif integrity.get("algorithm") != "sha256-canonical-json":
            self.fault("SCHEMA_ERROR", "integrity.algorithm", "not a known algorithm")
        attestation = get(bundle, "meta", "attestation")
        if given(attestation) and not isinstance(attestation, dict):
            self.fault("SCHEMA_ERROR", "meta.attestation", "not an object")
        if not isinstance(get(bundle, "stepRegistry"), list):
            self.fault("SCHEMA_ERROR", "stepRegistry", "not an array")
            return
        for position, entry in enumerate(self.registry):
            self.check_entry(index("stepRegistry", position), entry)
        if not is_hash(get(integrity, "projectHash")):
            self.fault("INVALID_SHA256_FORMAT", "integrity.projectHash", "not a hash")

    def check_entry(self, path: str, entry: Json) -> None:
        if not isinstance(entry, dict):
            self.fault("SCHEMA_ERROR", path, "not an object")
            return
        if not _is_non_empty(entry.get("stepId")):
            self.fault("SCHEMA_ERROR", f"{path}.stepId", "not a non-empty string")
        if not is_hash(entry.get("certificateHash")):
            self.fault("INVALID_SHA256_FORMAT", f"{path}.certificateHash", "not a hash")
        for name, rule in _ENTRY:
            if name in entry and not rule(entry[name]):
                self.fault("SCHEMA_ERROR", at(path, name), "against its rule")

    def check_hash(self) -> None:
        """See "Project hash"."""
        stated = get(self.bundle, "integrity", "projectHash")
        if not isinstance(stated, str) or not is_hash(stated):
            return
        self.report.project_hash = stated
        tags = get(self.bundle, "tags")
        scope = ("tags", *_PROJECT_SCOPE) if isinstance(tags, list) and tags else _PROJECT_SCOPE
        try:
            computed = hash_canonical(pick(self.bundle, scope), SVC_V1)
        except CanonicalError as error:
            self.fault("CANONICALIZATION_ERROR", error.path, error.rule)
            return
        self.report.computed_project_hash = computed
        self.report.project_hash_valid = computed == stated
        if computed != stated:
            detail = "not the computed hash"
            found = Finding("PROJECT_HASH_MISMATCH", "integrity.projectHash", detail, stated, computed)
            self.findings.append(found)

    # The node's receipt. See "Project receipt".

    def check_receipt(self) -> str:
        attestation = get(self.bundle, "meta", "attestation")
        places = (attestation, self.bundle, self.body)
        found = first_given(*(get(place, "receipt") for place in places))
        signature = first_given(*(get(place, "signature") for place in places))
        if found is ABSENT and signature is ABSENT and not given(attestation):
            return SKIPPED
        if given(attestation) and not isinstance(attestation, dict):
            return FAIL  # a fault of form
        receipt, code = _read_receipt(found)
        if receipt is None:
            self.fault(code, "meta.attestation.receipt", "not a receipt")
            return FAIL
        if receipt.kind != "project":
            self.fault("ATTESTATION_INVALID_SIGNATURE", "meta.attestation.receipt", "not a receipt of a project")
            return FAIL
        if signature is ABSENT:
            self.fault("ATTESTATION_MISSING", "meta.attestation.signature", "missing")
            return FAIL
        before = len(self.findings)
        code, member = _check_signature(self.options.keys, receipt, signature, "meta.attestation")
        if code != "":
            self.fault(code, member, "the signature or its key")
        self.check_bound(receipt, signature, attestation)
        if len(self.findings) > before:
            return FAIL
        self.report.registered_at = receipt.when
        if self.options.keys is not None:
            fingerprint = self.options.keys.fingerprint(receipt.kid)
            node_id = get(receipt.value, "nodeId")
            self.report.signed = {"nodeId": node_id, "kid": receipt.kid, "keyFingerprint": fingerprint}
        return PASS

    def check_bound(self, receipt: _Receipt, signature: Json, attestation: Json) -> None:
        invalid, path = "ATTESTATION_INVALID_SIGNATURE", "meta.attestation.receipt"
        if not same(get(receipt.value, "projectHash"), get(self.bundle, "integrity", "projectHash")):
            self.fault(invalid, f"{path}.projectHash", "another project")
        if not _is_this_node(self.options, receipt):
            self.fault(invalid, f"{path}.nodeId", "another node")
        places: List[Tuple[str, Json]] = [("meta.attestation", attestation), ("", self.bundle)]
        if self.body is not self.bundle:
            places.append(("", self.body))
        wanted: Members = {**receipt.value, "receipt": receipt.value, "signature": signature}
        for place, holder in places:
            for name, want in wanted.items():
                found = get(holder, name)
                if given(found) and not same(found, want):
                    self.fault(invalid, at(place, name), "a copy that differs")

    # Registry and structure. See "Project structure".

    def step_id(self, entry: Json) -> str:
        return text_of(get(entry, "stepId"))

    def embedded(self, entry: Json) -> Json:
        return get(self.bundle, "embeddedBundles", self.step_id(entry))

    def is_withdrawn(self, entry: Json) -> bool:
        """A step that is listed as such and absent, in the public form under a passing receipt."""
        listed = get(self.bundle, "withdrawn")
        is_absent = self.is_public and self.embedded(entry) is ABSENT
        return is_absent and isinstance(listed, list) and get(entry, "stepId") in listed

    def may_be_reseal(self, bundle: Json) -> bool:
        """A reseal in the place of a step; its own evaluation shows whether its receipt says so."""
        return self.is_public and get(bundle, "bundleType") == RESEAL

    def check_registry(self) -> None:
        total = get(self.bundle, "totalSteps")
        if not is_number(total) or not same(total, float(len(self.registry))):
            self.structure("totalSteps", "not the length of the registry")
        if not self.registry:
            self.structure("stepRegistry", "no step")
        for name in ("stepId", "sequence", "certificateHash", "executionId"):
            seen = set()
            for position, entry in enumerate(self.registry):
                value = get(entry, name)
                if value is ABSENT:
                    continue
                if value in seen:
                    self.structure(f"{index('stepRegistry', position)}.{name}", "not unique")
                seen.add(value)

    def check_parents(self) -> None:
        """Parents are registered and form no cycle: steps without open parents are removed until none is left."""
        waiting = {self.step_id(entry): 0 for entry in self.registry}
        children: Dict[str, List[str]] = {}
        for position, entry in enumerate(self.registry):
            parents = get(entry, "parentStepIds")
            for parent in parents if isinstance(parents, list) else []:
                if parent not in waiting:
                    self.structure(f"{index('stepRegistry', position)}.parentStepIds", "not a registered step")
                    continue
                waiting[self.step_id(entry)] += 1
                children.setdefault(text_of(parent), []).append(self.step_id(entry))
        ready = [step for step, count in waiting.items() if count == 0]
        done = 0
        while ready:
            done += 1
            for child in children.get(ready.pop(), []):
                waiting[child] -= 1
                if waiting[child] == 0:
                    ready.append(child)
        if done < len(waiting):
            self.structure("stepRegistry", "a cycle of parents")

    def check_embedded(self) -> None:
        embedded = get(self.bundle, "embeddedBundles")
        if not isinstance(embedded, dict):
            self.structure("embeddedBundles", "not an object")
            return
        for position, entry in enumerate(self.registry):
            self.check_embedding(index("stepRegistry", position), entry)
        registered = {self.step_id(entry) for entry in self.registry}
        if any(name not in registered for name in embedded):
            self.structure("embeddedBundles", "a step that is not registered")

    def check_embedding(self, path: str, entry: Json) -> None:
        bundle = self.embedded(entry)
        if bundle is ABSENT:
            if not self.is_withdrawn(entry):
                self.structure(path, "no embedded bundle")
            return
        if has(bundle, "bundle") or has(bundle, "cer"):
            self.structure(path, "a package, not the bundle itself")
            return
        stated, is_reseal = get(bundle, "certificateHash"), self.may_be_reseal(bundle)
        if is_hash(stated) and not same(stated, get(entry, "certificateHash")) and not is_reseal:
            self.structure(f"{path}.certificateHash", "not the hash of the embedded bundle")
        for name in ("executionId", "modelIdentity"):
            one, other = get(entry, name), get(bundle, "snapshot", name)
            if one is ABSENT or other is ABSENT or same(one, other) or (is_reseal and other == REDACTED):
                continue
            self.structure(at(path, name), "not that of the snapshot")

    def check_listed(self) -> None:
        """`steps`, where present, lists the registry."""
        steps = get(self.bundle, "steps")
        if steps is ABSENT:
            return
        if not isinstance(steps, list) or len(steps) != len(self.registry):
            self.structure("steps", "not one object for each step")
            return
        names = ("stepId", "sequence", "executionId", "modelIdentity", "parentStepIds", "stepLabel", "stepType")
        for position, (step, entry) in enumerate(zip(steps, self.registry)):
            pairs = [(get(step, name), get(entry, name)) for name in names]
            is_same = same(get(step, "certificateHash"), get(entry, "certificateHash")) and isinstance(step, dict)
            if not is_same or any(ABSENT not in pair and not same(*pair) for pair in pairs):
                self.structure(index("steps", position), "not the step of the registry")

    def check_chain(self) -> None:
        """See "Chains"."""
        links = [get(self.embedded(entry), "snapshot", "prevStepHash") for entry in self.registry]
        if not any(given(link) for link in links):
            return
        last: Optional[float] = None
        for position, (entry, link) in enumerate(zip(self.registry, links)):
            if self.breaks_chain(position, entry, link):
                path = at("embeddedBundles", self.step_id(entry)) + ".snapshot.prevStepHash"
                self.fault("CHAIN_BREAK_DETECTED", path, "not the hash of the step before")
            sequence = get(entry, "sequence")
            if isinstance(sequence, (int, float)):
                if last is not None and sequence != last + 1:
                    self.fault("CHAIN_BREAK_DETECTED", f"{index('stepRegistry', position)}.sequence", "not contiguous")
                last = sequence

    def breaks_chain(self, position: int, entry: Json, link: Json) -> bool:
        if position == 0:
            return given(link)
        is_hidden = self.may_be_reseal(self.embedded(entry)) and (link is ABSENT or link == REDACTED)
        if is_hidden or self.is_withdrawn(entry):
            return False
        return not same(link, get(self.registry[position - 1], "certificateHash"))

    # Steps.

    def step(self, entry: Json) -> Step:
        step, bundle = Step(self.step_id(entry), entry), self.embedded(entry)
        if bundle is ABSENT:
            demands = self.options.require_attestation or self.options.require_full_artifact
            is_excused = self.is_withdrawn(entry) and not demands
            step.status, step.code = "WITHDRAWN" if is_excused else "FAILED", "INCOMPLETE_ARTIFACT"
        elif has(bundle, "bundle") or has(bundle, "cer"):
            step.status, step.code = "FAILED", "STEP_REGISTRY_MISMATCH"
        else:
            self.verify_step(entry, bundle, step)
        return step

    def verify_step(self, entry: Json, bundle: Json, step: Step) -> None:
        kind, named = get(bundle, "bundleType"), get(bundle, "certificateHash")
        is_own_reseal = kind == RESEAL and same(named, get(entry, "certificateHash"))
        if kind == HASH_ONLY or is_own_reseal:
            step.status, step.code = "FAILED", "INCOMPLETE_ARTIFACT"
            return
        report = verify(bundle, self.options)
        step.findings = report.findings
        if not report.ok:
            step.status, step.code = "FAILED", report.code
            return
        if self.may_be_reseal(bundle) and report.provenance == "proven":
            named = get(bundle, "meta", "attestation", "receipt", "originalCertificateHash")
        if not same(named, get(entry, "certificateHash")):
            step.status, step.code = "FAILED", "STEP_REGISTRY_MISMATCH"
        elif report.checks.node_signature == PASS and report.checks.receipt_consistency == PASS:
            self.report.attested_steps += 1


def verify_project(value: Json, options: Options = Options()) -> ProjectReport:
    """Evaluates a project bundle, or one as {bundle}. It does not raise."""

    def refused(path: str, detail: str) -> ProjectReport:
        finding = Finding("SCHEMA_ERROR", path, detail)
        return ProjectReport(code=finding.code, findings=[finding])

    if not isinstance(value, dict) or (value.get("bundleType") == PROJECT and "bundle" in value):
        return refused("", "not one project bundle")
    bundle = value.get("bundle", value)
    if not isinstance(bundle, dict):
        return refused("bundle", "not an object")
    try:
        return _ProjectEvaluation(options, value, bundle).run()
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        finding = Finding("UNKNOWN_ERROR", "", f"not foreseen: {type(error).__name__}")
        return ProjectReport(code=finding.code, findings=[finding])


# Command line. See "Command line" and "Verification report".

EXIT_VERIFIED, EXIT_FAILED, EXIT_USAGE = 0, 1, 3
MAX_BYTES = 256 * 1024 * 1024


class UsageError(Exception):
    """A mistake in the call: exit code 3."""


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def report_json(report: Report, key_set: Json) -> Members:
    """The report as `--json` writes it."""
    parts: Members = {
        "status": report.status,
        "checks": report.checks.as_json(),
        "reasonCodes": report.reason_codes,
        "certificateHash": report.certificate_hash,
    }
    if report.original_certificate_hash is not None:
        parts["originalCertificateHash"] = report.original_certificate_hash
        parts["resealedCertificateHash"] = report.certificate_hash
    parts.update({"bundleType": report.bundle_type, "verifiedAt": _now(), "verifier": VERIFIER})
    if report.content_mode is not None:
        parts["contentMode"] = report.content_mode
    if report.transparency is not None:
        parts["transparency"] = report.transparency
    parts.update({"code": report.code, "findings": [finding.as_json() for finding in report.findings]})
    parts.update({"keySet": key_set, "computedCertificateHash": report.computed_certificate_hash})
    return {**parts, "signed": report.signed, "statedByProducer": report.stated}


def project_json(report: ProjectReport, key_set: Json) -> Members:
    """The report of a project as `--json` writes it."""
    is_sound = report.structural_valid and report.project_hash_valid
    is_sound = is_sound and all(step.status in ("VERIFIED", "WITHDRAWN") for step in report.steps)
    checks = Checks(PASS if is_sound else FAIL, report.node_receipt, report.node_receipt)
    codes = [] if report.ok else [report.code, *(finding.code for finding in report.findings)]
    submitted, computed = report.project_hash, report.computed_project_hash
    return {
        "status": report.status,
        "checks": checks.as_json(),
        "reasonCodes": list(dict.fromkeys(codes)),
        "certificateHash": None,
        "projectHash": submitted,
        "bundleType": PROJECT,
        "verifiedAt": _now(),
        "verifier": VERIFIER,
        "code": report.code,
        "findings": [finding.as_json() for finding in report.findings],
        "keySet": key_set,
        "projectHashes": {"submitted": submitted, "computed": computed, "valid": report.project_hash_valid},
        "steps": [step.as_json() for step in report.steps],
        "nodeReceipt": report.node_receipt,
        "registeredAt": report.registered_at,
        "signed": report.signed,
    }


def _read(path: str) -> bytes:
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or 'cannot be read'}") from None
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(name, content)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{name}: is larger than 256 MiB")
    if content[:4] == b"PK\x03\x04":
        raise UsageError(f"{name}: is a ZIP archive: an audit package is checked with cer verify-package")
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff") or re.match(rb"(?s)(?:\0[^\0]){2}|(?:[^\0]\0){2}", content)
    if wide:
        raise UsageError(f"{name}: is UTF-16 text: save it as UTF-8")
    return content[3:] if content.startswith(b"\xef\xbb\xbf") else content


def _unpacked(name: str, content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, EOFError, ValueError):
        raise UsageError(f"{name}: is a gzip file that is damaged") from None


def _read_keys(path: str) -> Tuple[KeySet, Members]:
    try:
        keys = parse_key_set(parse_json(_read(path)))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    changed = datetime.fromtimestamp(os.stat(path).st_mtime, timezone.utc) if path != "-" else None
    date = None if changed is None else changed.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return keys, {"nodeId": keys.node_id, "from": path, "date": date}


def _read_policy(path: str) -> LogPolicy:
    try:
        return LogPolicy(_read(path).decode())
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


class _ArgumentParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _evaluated(path: str, options: Options, key_set: Json) -> Members:
    try:
        value = parse_json(_read(path))
    except JsonFault as fault:
        if fault.code == "JSON_SYNTAX":
            raise UsageError(f"{path}: {fault.rule}") from None
        finding = Finding("SCHEMA_ERROR", fault.path, fault.rule, reason="BUNDLE_CORRUPTED")
        return report_json(_failed_report(finding), key_set)
    if is_project(value):
        return project_json(verify_project(value, options), key_set)
    return report_json(verify(value, options), key_set)


def _printable(text: str) -> str:
    """Text of a certificate without control characters and lone surrogates."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", "�", text)


def _readable(report: Members) -> str:
    code, checks = text_of(report["code"]), get(report, "checks")
    status = text_of(report["status"])
    lines = [status if code == "OK" else f"{status} ({code})"]
    names = {"bundleIntegrity": "Integrity", "nodeSignature": "Signature", "receiptConsistency": "Receipt"}
    for name, title in {**names, "envelope": "Envelope"}.items():
        lines.append(f"  {title:<10} {text_of(get(checks, name))}")
    if status != "FAILED" and get(checks, "nodeSignature") == SKIPPED:
        lines.append("  Integrity only: no node signed this.")
    for label, name in (("Node", "nodeId"), ("Key", "keyFingerprint"), ("Signed", "attestedAt")):
        fact = get(report, "signed", name)
        if isinstance(fact, str):
            lines.append(f"  {label:<10} {_printable(fact)}")
    log = report.get("transparency")
    if log is not None:
        lines.append(_printable(f"  {'Log':<10} {text_of(get(log, 'status'))} {text_of(get(log, 'code'))}".rstrip()))
    findings = report["findings"]
    for finding in findings if isinstance(findings, list) else []:
        member, detail = (text_of(get(finding, name)) for name in ("member", "detail"))
        lines.append(_printable(f"  {member or 'the file'}: {detail} [{text_of(get(finding, 'code'))}]"))
    return "\n".join(lines)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code: 0 verified, 1 failed, 3 usage."""
    parser = _ArgumentParser(prog="cer_verify", description="Verify a certificate, a package or a project offline.")
    parser.add_argument("file", metavar="FILE", help="the file; - is standard input")
    parser.add_argument("--keys", metavar="FILE", help="the published key set of the node")
    parser.add_argument("--node", metavar="NODE_ID", help="fail unless this node signed")
    parser.add_argument("--log-policy", metavar="FILE", help="check log proofs under this policy (tlog-policy)")
    parser.add_argument("--require-log", action="store_true", help="fail unless a log of the policy holds the receipt")
    parser.add_argument("--require-attestation", action="store_true", help="fail when no node signed")
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    try:
        given_arguments = parser.parse_args(arguments)
        if given_arguments.file == "-" and given_arguments.keys == "-":
            raise UsageError("FILE and --keys cannot both be standard input")
        keys, key_set = (None, None) if given_arguments.keys is None else _read_keys(given_arguments.keys)
        if given_arguments.require_log and given_arguments.log_policy is None:
            raise UsageError("--require-log needs --log-policy")
        policy = None if given_arguments.log_policy is None else _read_policy(given_arguments.log_policy)
        options = Options(
            keys=keys,
            node_id=given_arguments.node,
            require_attestation=given_arguments.require_attestation,
            log_policy=policy,
            require_log=given_arguments.require_log,
        )
        report = _evaluated(given_arguments.file, options, key_set)
    except UsageError as error:
        sys.stderr.write(f"cer_verify: {_printable(str(error))}\n")
        return EXIT_USAGE
    text = json.dumps(report, indent=2)
    sys.stdout.write((text if given_arguments.json else _readable(report)) + "\n")
    if report["status"] != "FAILED":
        return EXIT_VERIFIED
    findings = report["findings"]
    decisive = [one for one in (findings if isinstance(findings, list) else []) if get(one, "code") == report["code"]]
    reason = get(decisive[0], "reason") if decisive else ABSENT
    failure = {**report, "reason": reason if isinstance(reason, str) else report["code"]}
    sys.stderr.write(json.dumps(failure, indent=2) + "\n")
    return EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())
