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
import bisect
import contextlib
import gzip
import hashlib
import hmac
import io
import itertools
import json
import math
import os
import re
import struct
import sys
import unicodedata
import zlib
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import (
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

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
        name = units(name)[:128].decode("utf-16-be", "surrogatepass") + "…"
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
    if text[:2] in (b"\xff\xfe", b"\xfe\xff") or re.match(rb"(?s)(?:\0[^\0]){2}|(?:[^\0]\0){2}", text):
        raise JsonFault("JSON_SYNTAX", "", "UTF-16 text: encode it as UTF-8")
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

    def inside(self, outer: str) -> CanonicalError:
        """The same error of a value that has this one at a path."""
        joint = "." if outer and self.path and not self.path.startswith("[") else ""
        return CanonicalError(f"{outer}{joint}{self.path}", self.rule)


_ENCODER = json.JSONEncoder(ensure_ascii=False)
_SURROGATE = re.compile("[\ud800-\udfff]")


def _quote(text: str, loose: bool) -> str:
    if well_formed(text):
        return _ENCODER.encode(text)
    if not loose:
        raise CanonicalError("", "a lone surrogate")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", _ENCODER.encode(text))


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
    """Its errors have paths from the value that a method was given."""

    def __init__(self, profile: str) -> None:
        self.loose = profile == SVC_V1
        self.out: List[str] = []

    def write(self, value: Json, depth: int) -> None:
        if isinstance(value, str):
            self.out.append(_quote(value, self.loose))
        elif value is None:
            self.out.append("null")
        elif isinstance(value, bool):
            self.out.append("true" if value else "false")
        elif isinstance(value, (int, float)):
            self.out.append(self.number(value))
        elif depth >= MAX_CANONICAL_DEPTH:
            raise CanonicalError("", "more than 160 levels")
        elif isinstance(value, list):
            self.array(value, depth)
        elif isinstance(value, dict):
            self.object(value, depth)
        else:
            raise CanonicalError("", "not a JSON value")

    @staticmethod
    def number(value: float) -> str:
        try:
            number = float(value)
        except OverflowError:
            raise CanonicalError("", "not a number that a double has") from None
        if not math.isfinite(number) or number != value:
            raise CanonicalError("", "not a number that a double has")
        return format_number(number)

    def array(self, items: List[Json], depth: int) -> None:
        self.out.append("[")
        for position, item in enumerate(items):
            if position > 0:
                self.out.append(",")
            try:
                self.write(item, depth + 1)
            except CanonicalError as error:
                raise error.inside(index("", position)) from None
        self.out.append("]")

    def object(self, members: Members, depth: int) -> None:
        self.out.append("{")
        if any(not isinstance(name, str) for name in members):
            raise CanonicalError("", "a member name that is not a string")
        # Code points and code units order ASCII alike.
        names = sorted(members) if "".join(members).isascii() else sorted(members, key=units)
        for position, name in enumerate(names):
            if position > 0:
                self.out.append(",")
            self.out.append(_quote(name, self.loose))
            self.out.append(":")
            try:
                self.write(members[name], depth + 1)
            except CanonicalError as error:
                raise error.inside(at("", name)) from None
        self.out.append("}")


def canonicalize(value: Json, profile: str = JCS_V1, path: str = "") -> str:
    """The canonical text of a value. Raises CanonicalError. See "Canonicalization profiles"."""
    writer = _Canonicalizer(profile)
    try:
        writer.write(value, 0)
    except CanonicalError as error:
        raise error.inside(path) from None
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
    use, alg = get(jwk, "use"), get(jwk, "alg")
    if has(jwk, "d") or (given(use) and use != "sig") or (given(alg) and alg not in ("EdDSA", "Ed25519")):
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
    # The timestamp that rescues a record under a revoked key.
    rescue: Optional[Members] = None


class KeySet:
    """The key set of a node that the caller pins."""

    def __init__(self, node_id: str, entries: Sequence[Json], revocations_known_until: Optional[str] = None) -> None:
        self.node_id = node_id
        # Of a set that a key history vouches for: a later revocation is not in it.
        self.revocations_known_until = revocations_known_until
        self.entries: Dict[str, List[Json]] = {}
        for entry in entries:
            kid = get(entry, "kid")
            if isinstance(kid, str):
                self.entries.setdefault(kid, []).append(entry)

    def choose(self, kid: str, signed: Instant, timestamps: Iterable[Timestamp] = ()) -> Chosen:
        """See "Key choice". Timestamps over the receipt may rescue a record under a revoked key."""
        entries = self.entries.get(kid, [])
        if not entries:
            return Chosen(None, "ATTESTATION_KEY_NOT_FOUND")
        entry, usable = entries[0], len(entries) == 1
        for name in _KEY_TIMES:
            usable = usable and (not given(get(entry, name)) or parse_time(get(entry, name)) is not None)
        begin, end = parse_time(get(entry, "notBefore")), parse_time(get(entry, "retiredAt"))
        status, reason = get(entry, "status"), get(entry, "revocationReason")
        usable = usable and (not given(status) or status in ("active", "retired", "revoked"))
        usable = usable and (not given(reason) or isinstance(reason, str))
        key = _public_key(entry) if usable and get(entry, "algorithm") == "Ed25519" else None
        if (begin is not None and signed < begin) or (end is not None and signed > end):
            return Chosen(key, "ATTESTATION_KEY_NOT_FOUND")
        endings = (get(entry, "revokedAt"), get(entry, "compromisedSince"), reason)
        rescue = None
        if status == "revoked" or any(given(ending) for ending in endings):
            rescue = _rescue(entry, timestamps)
            if rescue is None:
                return Chosen(None, "KEY_REVOKED")
        if key is None:
            return Chosen(None, "ATTESTATION_KEY_FORMAT_UNSUPPORTED")
        return Chosen(key, "", rescue)

    def status(self, kid: str) -> str:
        entry = self.entries[kid][0]
        if any(given(get(entry, name)) for name in ("revokedAt", "compromisedSince", "revocationReason")):
            return "revoked"
        return text_of(get(entry, "status")) or "active"

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


def _choose(keys: Optional[KeySet], kid: str, signed: Instant, timestamps: Iterable[Timestamp] = ()) -> Chosen:
    return Chosen(None, "VERIFICATION_MATERIAL_UNAVAILABLE") if keys is None else keys.choose(kid, signed, timestamps)


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
_FORM_CODES = CODES[: CODES.index("CANONICALIZATION_ERROR")]


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
    # The roots of time-stamping authorities; without them no token is looked at.
    tsa_roots: Optional[TsaRoots] = None


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
    # The most significant external timestamp, and the one that a record under a revoked key rests on.
    timestamp: Optional[Timestamp] = None
    key_rescue: Optional[Members] = None

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


def _is_safe_integer(value: Json) -> bool:
    return _is_integer(value) and abs(_whole(value)) <= MAX_SAFE_INTEGER


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
    # What the copies of the protocol repeat, known or not; None for a mistyped one.
    effective: Optional[str]
    protocol: Optional[str]
    profile: Optional[str]


def _shape_of(bundle: Members) -> _Shape:
    kind, snapshot = bundle.get("bundleType", ABSENT), get(bundle, "snapshot")
    is_flat = "snapshot" not in bundle and all(name in bundle for name in _FLAT_MEMBERS)
    is_reseal, layout = kind == RESEAL, _LAYOUT_BY_BUNDLE.get(text_of(kind))
    if (kind is ABSENT or kind == "legacy") and is_flat:
        layout = _FLAT_LAYOUT
    elif kind == "legacy":
        is_older = isinstance(snapshot, dict) and not ("type" in snapshot and "executionSurface" in snapshot)
        layout = _V1_LAYOUT if is_older else None
    elif is_reseal:
        named = get(snapshot, "type")
        layout = _V1_LAYOUT if named is ABSENT else _LAYOUT_BY_SNAPSHOT.get(text_of(named))
    stated = get(bundle if layout == _FLAT_LAYOUT else snapshot, "protocolVersion")
    protocol = stated if given(stated) else "1.2.0"
    if not isinstance(protocol, str) or protocol not in ("1.2.0", "1.3.0", "1.3.1"):
        return _Shape(layout, is_reseal, protocol if isinstance(protocol, str) else None, None, None)
    profile = SVC_V1 if protocol == "1.2.0" else JCS_V1
    return _Shape(layout, is_reseal, protocol, protocol, profile)


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
    if has(value, "receiptVersion"):
        return "older"
    scope = get(value, "scope")
    if scope is not ABSENT:
        return scope if isinstance(scope, str) and scope in ("hash-only", "reseal") else "full"
    return "project" if has(value, "projectHash") else "full"


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


def _before(keys: Optional[KeySet], code: str) -> str:
    """The code of a fault in the form of a receipt, or the one that comes first where there are no keys."""
    return "VERIFICATION_MATERIAL_UNAVAILABLE" if keys is None and code == "ATTESTATION_INVALID_SIGNATURE" else code


def _receipt_in(attestation: Json) -> Json:
    """The receipt of an attestation: its member, or the one laid flat among its members. See "Attestation"."""
    if given(get(attestation, "receipt")):
        return get(attestation, "receipt")
    is_older = given(get(attestation, "receiptVersion"))
    if not is_older and not isinstance(get(attestation, "timestamp"), str):
        return ABSENT
    names = _RECEIPT_SETS["older" if is_older else "reseal"].names
    return {name: get(attestation, name) for name in names if given(get(attestation, name))}


def _check_signature(
    keys: Optional[KeySet], receipt: _Receipt, signature: Json, path: str, timestamps: Iterable[Timestamp]
) -> Tuple[str, str]:
    """The code and member of what is wrong with a signature over a receipt, or empty texts."""
    key, code, _ = _choose(keys, receipt.kid, receipt.instant, timestamps)
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
    if gap == "" or lines.pop() != "" or not 1 <= len(lines) <= _MAX_SIGNATURE_LINES:
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


# The last second of the year 9999: a later time has no form in ISO 8601 with four digits for the year.
_LAST_TIME = 253_402_300_799


def _judge_checkpoint(checkpoint: _Checkpoint, policy: LogPolicy) -> Tuple[Optional[_Cosigned], str]:
    """What a policy says of the signatures, or the code of the refusal. Lines of other keys count for nothing."""
    logs = [key for key in policy.logs if key.name == checkpoint.origin]
    if not {(key.name, key.key_id) for key in logs} & {line[:2] for line in checkpoint.lines}:
        return None, "LOG_UNKNOWN"
    known = {(key.name, key.key_id): key for key in (*policy.witnesses.values(), *logs)}
    times: Dict[str, List[int]] = {name: [] for name in policy.witnesses}
    for name, key_id, signature in checkpoint.lines:
        key = known.get((name, key_id))
        if key is None:
            continue
        message, when = checkpoint.text, -1
        if key.kind == 4:
            when, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = f"cosignature/v1\ntime {when}\n{message}"
        if when > _LAST_TIME or not verify_ed25519(key.key, message.encode(), signature):
            return None, "LOG_SIGNATURE_INVALID"
        for witness, its_key in policy.witnesses.items():
            if its_key is key:
                times[witness].append(when)
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


def is_included(leaf: bytes, position: int, size: int, path: List[bytes], root: bytes) -> bool:
    """Whether a tree with this root has a leaf hash at this place. See RFC 9162, 2.1.3.2."""
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


class _Opening(NamedTuple):
    """What a leaf shows: `public`, `owner`, `label` or `erased`."""

    form: str
    # A salt, or under `label` the commitment to the receipt; under `erased` the hash of the leaf.
    receipt: bytes
    # The commitment to the label.
    tenant: bytes = b""
    label: Json = ABSENT

    def leaf(self, digest: Optional[bytes]) -> Optional[bytes]:
        """The hash of the leaf; None where the form commits to a digest that is not known."""
        if self.form == "erased":
            return self.receipt
        if self.form != "label" and digest is None:
            return None
        commitment = self.receipt if self.form == "label" or digest is None else _hmac(self.receipt, digest)
        return hashlib.sha256(b"\0\1" + hashlib.sha256(commitment + self.tenant).digest()).digest()


def _hash_in(members: Members, name: str) -> bytes:
    if not is_hash(members[name]):
        raise _Malformed(f"{name} is not a hash")
    return bytes.fromhex(text_of(members[name])[7:])


def _read_opening(opening: Json) -> _Opening:
    names = set(opening) if isinstance(opening, dict) else set()
    if not isinstance(opening, dict) or opening.get("type") != _LEAF_TYPE:
        raise _Malformed("not an opening")
    if names == {"type", "receiptSalt", "tenantCommitment"}:
        return _Opening("public", _salt(opening, "receiptSalt"), _hash_in(opening, "tenantCommitment"))
    if names == {"type", "leafHash"}:
        return _Opening("erased", _hash_in(opening, "leafHash"))
    if not _is_label_formed(opening.get("label")):
        raise _Malformed("not an opening")
    tenant = (
        _hmac(_salt(opening, "tenantSalt"), canonicalize(opening["label"]).encode()) if "tenantSalt" in names else b""
    )
    if names == {"type", "receiptSalt", "tenantSalt", "label"}:
        return _Opening("owner", _salt(opening, "receiptSalt"), tenant, opening["label"])
    if names == {"type", "receiptCommitment", "tenantSalt", "label"}:
        return _Opening("label", _hash_in(opening, "receiptCommitment"), tenant, opening["label"])
    raise _Malformed("not an opening")


def _attestations(holder: Json) -> List[Json]:
    """The earlier attestations of a record."""
    history = get(holder, "attestationHistory")
    return [get(one, "attestation") for one in (history if isinstance(history, list) else [])]


def _receipt_digest(receipt: Json, signature: Json) -> bytes:
    return hashlib.sha256(canonicalize({"receipt": receipt, "signature": signature}).encode()).digest()


def _leaf_of(extra: bytes, receipt: Json, signature: str) -> Tuple[bytes, Json]:
    """The leaf hash that an opening leads to, and the label of an owner's opening."""
    value = parse_json(extra, 6)
    opening = _read_opening(value)
    if canonicalize(value).encode() != extra:
        raise _Malformed("not canonical JSON")
    leaf = opening.leaf(_receipt_digest(receipt, signature))
    if opening.form not in ("public", "owner") or leaf is None:
        # The other forms open no receipt.
        raise _Malformed("not the opening of a receipt")
    return leaf, opening.label


def _is_label_formed(label: Json) -> bool:
    return (
        isinstance(label, dict)
        and set(label) - {"deletes"} == _LABEL_MEMBERS
        and all(label[name] is None or isinstance(label[name], str) for name in ("appId", "bundleType"))
        and isinstance(label["at"], str)
        and label["kind"] in (*_LEAF_KINDS, "deletion")
        and _is_positive_integer(label["number"])
        and is_hash(label["tenant"])
        and (_ranges_of(label) is not None if label["kind"] == "deletion" else "deletes" not in label)
    )


def _ranges_of(label: Json) -> Optional[List[Tuple[int, int]]]:
    """The numbers that a deletion names: ascending ranges."""
    listed, before = get(label, "deletes"), 0
    ranges: List[Tuple[int, int]] = []
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, list) or len(one) != 2 or not all(_is_positive_integer(end) for end in one):
            return None
        first, last = _whole(one[0]), _whole(one[1])
        if first <= before or last < first:
            return None
        ranges.append((first, last))
        before = last
    return ranges if 1 <= len(ranges) <= 100 else None


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


def _absent_log(options: Options) -> Optional[Members]:
    """What is reported of a record without a proof; None without a policy."""
    return None if options.log_policy is None else _transparency("absent", "LOG_PROOF_MISSING")


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


def _read_proof(proof: str) -> Tuple[int, List[bytes], bytes, _Checkpoint]:
    """Index, path, `extra` and checkpoint of a tlog-proof."""
    head, gap, note = proof.partition("\n\n")
    lines = head.split("\n")
    if gap == "" or lines.pop(0) != "c2sp.org/tlog-proof@v1":
        raise _Malformed("not a proof")
    extra = decode_base64(lines.pop(0)[6:]) if lines and lines[0].startswith("extra ") else b""
    if extra is None or not lines or not lines[0].startswith("index ") or len(lines) > _MAX_PATH + 1:
        raise _Malformed("a proof has extra, index and path")
    position, path = _whole_number(lines.pop(0)[6:]), [_digest(line) for line in lines]
    return position, path, extra, _read_checkpoint(note)


def _judged(claim: LogClaim, policy: LogPolicy, mmd_seconds: int) -> Members:
    position, path, extra, checkpoint = _read_proof(claim.proof)
    leaf, label = _leaf_of(extra, claim.receipt, claim.signature)
    before = None if claim.not_before is None else _read_checkpoint(claim.not_before)
    about: Members = {"origin": checkpoint.origin, "index": position, "treeSize": checkpoint.size}
    cosigned, code = _judge_checkpoint(checkpoint, policy)
    if cosigned is None:
        return _transparency("unknown-log" if code == "LOG_UNKNOWN" else "invalid", code, **about)
    about["witnesses"] = list(cosigned.times)
    if not is_included(leaf, position, checkpoint.size, path, checkpoint.root):
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
                # A value that is not a text is reported as an invalid proof.
                proof=text_of(get(entry, "proof")),
                not_before=before if isinstance(before, str) else None,
                receipt=receipt.value,
                signature=signature,
                signed_at=receipt.when,
            )
            if claim not in claims:
                claims.append(claim)
            # A hostile certificate may list a million different ones.
            if len(claims) == _MAX_PROOFS:
                return claims
    return claims


def _rank_of(found: Members) -> int:
    """The most significant result: a label that does not fit, then inclusion, then the first fault."""
    if found["code"] == "LOG_LABEL_MISMATCH":
        return 0
    if found["status"] == "included":
        return 1 if found["code"] is None else 2
    return 3 if found["status"] == "invalid" else 4


# External timestamps: RFC 3161 tokens. See "External timestamps".

_MAX_TOKENS, _MAX_TOKEN_BYTES, _MAX_TOKEN_CERTIFICATES = 8, 64 * 1024, 16
_MAX_CHAIN, _MAX_CHAIN_SIGNATURES = 6, 24
_MAX_DER_DEPTH, _MAX_DER_ELEMENTS, _MAX_ROOTS_TEXT = 24, 8000, 1024 * 1024
_BOOLEAN, _INTEGER, _BITS, _OCTETS, _NULL, _OID, _GENERAL_TIME, _SEQUENCE, _SET = 1, 2, 3, 4, 5, 6, 0x18, 0x30, 0x31
_CONTEXT = tuple(range(0xA0, 0xA4))


class TokenFault(ValueError):
    """Why a token or a certificate of a time-stamping authority does not count."""


class _Der(NamedTuple):
    """One DER element: its tag byte, its content, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes


def _der_at(data: bytes, start: int) -> _Der:
    """The element that begins here: a token has one reading, so lengths have their one DER form."""
    if start + 2 > len(data) or data[start] & 0x1F == 0x1F:
        raise TokenFault("DER: ends inside an element, or a tag has several bytes")
    length, position = data[start + 1], start + 2
    if length >= 0x80:
        octets = length & 0x7F
        length = int.from_bytes(data[position : position + octets], "big")
        if not 1 <= octets <= 4 or length < 0x80 or length >> (8 * (octets - 1)) == 0:
            raise TokenFault("DER: a length is indefinite, padded or too long")
        position += octets
    if position + length > len(data):
        raise TokenFault("DER: ends inside an element")
    return _Der(data[start], data[position : position + length], data[start : position + length])


def _members_of(element: _Der) -> List[_Der]:
    """The elements inside a constructed element."""
    if element.tag & 0x20 == 0:
        raise TokenFault("DER: an element that must be constructed is primitive")
    members: List[_Der] = []
    position = 0
    while position < len(element.content):
        members.append(_der_at(element.content, position))
        position += len(members[-1].whole)
    return members


def _read_der(data: bytes) -> _Der:
    """Reads exactly one element, and every element inside it."""
    whole = _der_at(data, 0)
    if len(whole.whole) != len(data):
        raise TokenFault("DER: bytes follow the element")
    waiting, count = [(whole, 1)], 0
    while waiting:
        element, depth = waiting.pop()
        count += 1
        if depth > _MAX_DER_DEPTH or count > _MAX_DER_ELEMENTS:
            raise TokenFault("DER: has more levels or elements than a token has")
        if not _is_in_form(element):
            raise TokenFault("DER: a value is not in its one form")
        if element.tag & 0x20:
            if element.tag & 0xC0 == 0 and element.tag not in (_SEQUENCE, _SET):
                raise TokenFault("DER: a primitive type is in pieces")
            waiting += [(member, depth + 1) for member in _members_of(element)]
    return whole


def _is_in_form(element: _Der) -> bool:
    """Whether a value of these types is in the one form that it has."""
    content = element.content
    if element.tag == _BOOLEAN:
        return content in (b"\0", b"\xff")
    if element.tag == _INTEGER:
        is_padded = len(content) > 1 and content[0] in (0, 0xFF) and (content[0] ^ content[1]) & 0x80 == 0
        return content != b"" and not is_padded
    if element.tag == _OID:
        starts = b"\0" + content[:-1]
        is_padded = any(byte == 0x80 and before < 0x80 for before, byte in zip(starts, content))
        return content != b"" and content[-1] < 0x80 and not is_padded
    if element.tag == _BITS:
        return content != b"" and content[0] <= (7 if len(content) > 1 else 0)
    return element.tag != _NULL or content == b""


def _algorithm(element: _Der, name: str) -> List[_Der]:
    """The members of an algorithm identifier: an object identifier, and parameters or none."""
    members = _sequence(element, name, 1)
    if len(members) > 2:
        raise TokenFault(f"{name}: has too many members")
    _oid(members[0], name)
    return members


def _typed(element: _Der, *tags: int, name: str = "token") -> _Der:
    if element.tag not in tags:
        raise TokenFault(f"{name}: a member is of another type")
    return element


def _sequence(element: _Der, name: str, least: int = 0) -> List[_Der]:
    members = _members_of(_typed(element, _SEQUENCE, name=name))
    if len(members) < least:
        raise TokenFault(f"{name}: a member is missing")
    return members


def _shaped(members: Sequence[_Der], name: str, *tags: Sequence[int]) -> Sequence[_Der]:
    """Members that must have these tags, each one of several, and no further members."""
    if len(members) != len(tags) or any(member.tag not in own for member, own in zip(members, tags)):
        raise TokenFault(f"{name}: a member is missing, of another type or too many")
    return members


def _in_order(members: Sequence[_Der], name: str, *tags: int) -> None:
    """Optional members: each at most once, in this order, and no others."""
    found = [member.tag for member in members]
    if [tag for tag in tags if tag in found] != found:
        raise TokenFault(f"{name}: a member is out of order, twice there or of another type")


def _oid(element: _Der, name: str = "token") -> str:
    arcs, value = [], 0
    for byte in _typed(element, _OID, name=name).content:
        value = value << 7 | byte & 0x7F
        if value >> 46:
            raise TokenFault("DER: an object identifier has too large an arc")
        if byte & 0x80 == 0:
            arcs.append(value)
            value = 0
    if not arcs:
        raise TokenFault("DER: an object identifier is empty")
    first = min(arcs[0] // 40, 2)
    return ".".join(str(arc) for arc in (first, arcs[0] - 40 * first, *arcs[1:]))


def _integer(element: _Der, name: str, tag: int = _INTEGER) -> int:
    content = _typed(element, tag, name=name).content
    is_padded = len(content) > 1 and content[0] in (0, 0xFF) and (content[0] ^ content[1]) & 0x80 == 0
    if content == b"" or is_padded:
        raise TokenFault(f"{name}: must be a number in its shortest form")
    return int.from_bytes(content, "big", signed=True)


def _positive(element: _Der, name: str, tag: int = _INTEGER) -> int:
    number = _integer(element, name, tag)
    if number < 0:
        raise TokenFault(f"{name}: must not be negative")
    return number


# Signatures of authorities: RSA and ECDSA with SHA-256 or stronger.

_SHA256 = "2.16.840.1.101.3.4.2.1"
_DIGESTS = {_SHA256: "sha256", "2.16.840.1.101.3.4.2.2": "sha384", "2.16.840.1.101.3.4.2.3": "sha512"}
_RSA, _RSA_PSS, _MGF1 = "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10", "1.2.840.113549.1.1.8"
_EC_KEY, _ED25519 = "1.2.840.10045.2.1", "1.3.101.112"
_RSA_HASHES = {f"1.2.840.113549.1.1.{end}": name for end, name in ((11, "sha256"), (12, "sha384"), (13, "sha512"))}
_EC_HASHES = {f"1.2.840.10045.4.3.{end}": name for end, name in ((2, "sha256"), (3, "sha384"), (4, "sha512"))}
# The DigestInfo of PKCS #1 v1.5 before the digest.
_DIGEST_INFO = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
_MAX_SPKI_BYTES, _MIN_RSA_BITS, _MAX_EXPONENT_BITS = 2200, 2048, 64


class _Curve(NamedTuple):
    """A short Weierstrass curve with a = -3."""

    p: int
    b: int
    n: int
    base: Tuple[int, int]


_P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
_P384 = 2**384 - 2**128 - 2**96 + 2**32 - 1
_P521 = 2**521 - 1
# SEC 2: the coefficient b, the order n and the base point, each as one number in hexadecimal.
_CURVES = {
    "1.2.840.10045.3.1.7": _Curve(
        _P256,
        0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
        0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        (
            0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
            0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
        ),
    ),
    "1.3.132.0.34": _Curve(
        _P384,
        0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
        (
            0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
            0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
        ),
    ),
    "1.3.132.0.35": _Curve(
        _P521,
        int(
            "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1"
            "56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
            16,
        ),
        int(
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
            "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
            16,
        ),
        (
            int(
                "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dba"
                "a14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
                16,
            ),
            int(
                "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c"
                "97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
                16,
            ),
        ),
    ),
}

# Jacobian coordinates; z = 0 is the point at infinity.
_Jacobian = Tuple[int, int, int]


def _ec_double(point: _Jacobian, p: int) -> _Jacobian:
    x, y, z = point
    if z == 0 or y == 0:
        return 0, 1, 0
    delta, gamma = z * z % p, y * y % p
    beta, alpha = x * gamma % p, 3 * (x - delta) * (x + delta) % p
    doubled = (alpha * alpha - 8 * beta) % p
    return doubled, (alpha * (4 * beta - doubled) - 8 * gamma * gamma) % p, 2 * y * z % p


def _ec_add(one: _Jacobian, other: _Jacobian, p: int) -> _Jacobian:
    if one[2] == 0 or other[2] == 0:
        return other if one[2] == 0 else one
    square1, square2 = one[2] * one[2] % p, other[2] * other[2] % p
    u1, u2 = one[0] * square2 % p, other[0] * square1 % p
    s1, s2 = one[1] * square2 * other[2] % p, other[1] * square1 * one[2] % p
    if u1 == u2:
        return _ec_double(one, p) if s1 == s2 else (0, 1, 0)
    h, r = u2 - u1, s2 - s1
    cube, v = h * h * h % p, u1 * h * h % p
    x = (r * r - cube - 2 * v) % p
    return x, (r * (v - x) - s1 * cube) % p, h * one[2] * other[2] % p


def _verify_ecdsa(curve: _Curve, point: bytes, name: str, message: bytes, signature: bytes) -> bool:
    size = (curve.p.bit_length() + 7) // 8
    if len(point) != 2 * size + 1 or point[0] != 4:
        raise TokenFault("publicKey: is not an uncompressed point")
    x, y = int.from_bytes(point[1 : size + 1], "big"), int.from_bytes(point[size + 1 :], "big")
    if max(x, y) >= curve.p or (y * y - x * x * x + 3 * x - curve.b) % curve.p:
        raise TokenFault("publicKey: is not a point of the curve")
    numbers = _sequence(_read_der(signature), "signature")
    if len(numbers) != 2:
        raise TokenFault("signature: must have exactly two numbers")
    r, s = _positive(numbers[0], "signature.r"), _positive(numbers[1], "signature.s")
    if not 0 < r < curve.n or not 0 < s < curve.n:
        return False
    digest = hashlib.new(name, message).digest()
    z = int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - curve.n.bit_length())
    inverse = pow(s, -1, curve.n)
    u1, u2 = z * inverse % curve.n, r * inverse % curve.n
    base, key = (*curve.base, 1), (x, y, 1)
    table = {1: base, 2: key, 3: _ec_add(base, key, curve.p)}
    found: _Jacobian = (0, 1, 0)
    for bit in range(curve.n.bit_length() - 1, -1, -1):
        found = _ec_double(found, curve.p)
        chosen = (u1 >> bit & 1) + 2 * (u2 >> bit & 1)
        if chosen:
            found = _ec_add(found, table[chosen], curve.p)
    if found[2] == 0:
        return False
    return found[0] * pow(found[2], -2, curve.p) % curve.p % curve.n == r


def _verify_rsa(key: bytes, name: str, salt: Optional[int], message: bytes, signature: bytes) -> bool:
    """PKCS #1 v1.5, or PSS with this length of the salt."""
    numbers = _sequence(_read_der(key), "publicKey")
    if len(numbers) != 2:
        raise TokenFault("publicKey: must be modulus and exponent")
    modulus, exponent = _positive(numbers[0], "publicKey"), _positive(numbers[1], "publicKey")
    if modulus.bit_length() < _MIN_RSA_BITS:
        raise TokenFault(f"publicKey: RSA keys must have at least {_MIN_RSA_BITS} bits")
    if exponent % 2 == 0 or exponent < 3 or exponent.bit_length() > _MAX_EXPONENT_BITS or modulus % 2 == 0:
        raise TokenFault("publicKey: does not match its algorithm")
    size, value = (modulus.bit_length() + 7) // 8, int.from_bytes(signature, "big")
    if len(signature) != size or value >= modulus:
        return False
    found, digest = pow(value, exponent, modulus), hashlib.new(name, message).digest()
    if salt is None:
        ending = b"\0" + _DIGEST_INFO[name] + digest
        return found.to_bytes(size, "big") == b"\0\1" + b"\xff" * (size - 2 - len(ending)) + ending
    bits = modulus.bit_length() - 1
    return found.bit_length() <= bits and _is_pss(found.to_bytes((bits + 7) // 8, "big"), bits, name, salt, digest)


def _is_pss(encoded: bytes, bits: int, name: str, salt: int, digest: bytes) -> bool:
    """EMSA-PSS-VERIFY of RFC 8017, 9.1.2."""
    size, rest = len(digest), len(encoded) - len(digest) - 1
    if rest < salt + 1 or encoded[-1] != 0xBC:
        return False
    seed = encoded[rest : rest + size]
    blocks = (hashlib.new(name, seed + count.to_bytes(4, "big")).digest() for count in range(-(-rest // size)))
    mask = int.from_bytes(b"".join(blocks)[:rest], "big") ^ int.from_bytes(encoded[:rest], "big")
    plain = (mask & (1 << (bits - 8 * (size + 1))) - 1).to_bytes(rest, "big")
    start = rest - salt
    if plain[:start] != b"\0" * (start - 1) + b"\1":
        return False
    return hashlib.new(name, b"\0" * 8 + digest + plain[start:]).digest() == seed


def _pss_terms(algorithm: Sequence[_Der]) -> Tuple[str, int]:
    """The digest and the length of the salt. Absent parameters mean SHA-1, which never counts."""
    terms = {member.tag: _members_of(member) for member in (_sequence(algorithm[1], "PSS") if algorithm[1:] else [])}
    trailer = terms.get(_CONTEXT[3])
    if any(tag not in _CONTEXT or len(inner) != 1 for tag, inner in terms.items()):
        raise TokenFault("signatureAlgorithm: RSASSA-PSS has other parameters")
    if _CONTEXT[0] not in terms or _CONTEXT[1] not in terms or (trailer and _integer(trailer[0], "PSS") != 1):
        raise TokenFault("signatureAlgorithm: RSASSA-PSS without parameters means SHA-1")
    digest = _oid(_sequence(terms[_CONTEXT[0]][0], "PSS", 1)[0])
    mask = _sequence(terms[_CONTEXT[1]][0], "PSS", 2)
    if _oid(mask[0]) != _MGF1 or _oid(_sequence(mask[1], "PSS", 1)[0]) != digest:
        raise TokenFault("signatureAlgorithm: RSASSA-PSS must mask with the digest it signs with")
    salt = terms.get(_CONTEXT[2])
    return _digest_name(digest), 20 if salt is None else _positive(salt[0], "PSS")


def _digest_name(oid: str) -> str:
    if oid not in _DIGESTS:
        raise TokenFault("digestAlgorithm: must be SHA-256, SHA-384 or SHA-512")
    return _DIGESTS[oid]


def _is_signed(algorithm: _Der, stated: Optional[str], spki: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a key signed these bytes. `stated` is the digest of a CMS that names only the kind of key.

    Raises TokenFault for an algorithm or key that is unknown, too weak or too large.
    """
    if len(spki) > _MAX_SPKI_BYTES:
        raise TokenFault("publicKey: is too large")
    parts = _sequence(algorithm, "signatureAlgorithm", 1)
    key_algorithm, bits = _shaped(_sequence(_read_der(spki), "publicKey"), "publicKey", [_SEQUENCE], [_BITS])
    key_parts = _sequence(key_algorithm, "publicKey", 1)
    kind, used, key = _oid(key_parts[0]), _oid(parts[0]), bits.content[1:]
    if bits.content[:1] != b"\0":
        raise TokenFault("publicKey: does not match its algorithm")
    if kind == _RSA:
        name = _RSA_HASHES.get(used) or (stated if used == _RSA else None)
        if name is not None:
            return _verify_rsa(key, name, None, message, signature)
        if used == _RSA_PSS:
            return _verify_rsa(key, *_pss_terms(parts), message, signature)
    if kind == _EC_KEY:
        name = _EC_HASHES.get(used) or (stated if used == _EC_KEY else None)
        curve = _CURVES.get(_oid(key_parts[1])) if len(key_parts) == 2 and key_parts[1].tag == _OID else None
        if name is not None and curve is not None:
            return _verify_ecdsa(curve, key, name, message, signature)
    if kind == used == _ED25519:
        return verify_ed25519(key, message, signature)
    raise TokenFault("signatureAlgorithm: is unknown, weaker than SHA-256, or of another key")


# Certificates of authorities.

_BASIC, _KEY_USAGE, _PURPOSES, _KEY_IDENTIFIER = "2.5.29.19", "2.5.29.15", "2.5.29.37", "2.5.29.14"
# Policies describe the authority's rules: the caller pins roots, not policies.
_UNDERSTOOD = {_BASIC, _KEY_USAGE, _PURPOSES, _KEY_IDENTIFIER, "2.5.29.35", "2.5.29.17", "2.5.29.32"}
_TIME_STAMPING = "1.3.6.1.5.5.7.3.8"
_NAMES = {0x0C: "utf-8", 0x13: "latin-1", 0x14: "latin-1", 0x16: "latin-1", 0x1E: "utf-16-be"}
_X509_TIMES = {0x17: re.compile(rb"[0-9]{12}Z\Z"), _GENERAL_TIME: re.compile(rb"[0-9]{14}Z\Z")}


def _x509_time(element: _Der) -> Instant:
    pattern = _X509_TIMES.get(element.tag)
    if pattern is None or not pattern.match(element.content):
        raise TokenFault("certificate: a time is not one")
    digits = element.content.decode()
    if element.tag == 0x17:
        digits = ("20" if digits < "50" else "19") + digits
    time = parse_time(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z")
    if time is None:
        raise TokenFault("certificate: a time is not one")
    return time


def _display_name(subject: _Der) -> str:
    """The common name, else the organization, else the first part of a name."""
    parts: Dict[str, str] = {}
    for relative in _sequence(subject, "certificate"):
        for attribute in _members_of(_typed(relative, _SET)):
            members = _sequence(attribute, "certificate", 2)
            if len(members) > 2:
                raise TokenFault("certificate: a name has another attribute")
            kind, value = members
            parts.setdefault(_oid(kind), value.content.decode(_NAMES.get(value.tag, "latin-1"), "replace"))
    name = parts.get("2.5.4.3") or parts.get("2.5.4.10") or next(iter(parts.values()), "")
    return "".join(" " if unicodedata.category(one) in ("Cc", "Cf", "Cs") else one for one in name)[:200]


class _Certificate:
    """The parts of an X.509 certificate that matter for a token."""

    def __init__(self, element: _Der) -> None:
        """Raises TokenFault."""
        self.whole = element.whole
        tbs, self.algorithm, signature = _shaped(
            _sequence(element, "certificate"), "certificate", [_SEQUENCE], [_SEQUENCE], [_BITS]
        )
        members = _sequence(tbs, "certificate", 6)
        start = 1 if members[0].tag == _CONTEXT[0] else 0
        if start == 1:
            _shaped(_members_of(members[0]), "certificate", [_INTEGER])
        types = (_INTEGER, *[_SEQUENCE] * 5)
        serial, inner, issuer, validity, subject, key = (
            _typed(member, tag, name="certificate") for member, tag in zip(members[start:], types)
        )
        self.tbs, self.signature, self.serial = tbs.whole, signature.content[1:], serial.content
        self.issuer, self.subject, self.spki = issuer.whole, subject.whole, key.whole
        begin, end = _sequence(validity, "certificate", 2)
        self.valid = _x509_time(begin), _x509_time(end)
        kind, _ = _shaped(_sequence(key, "certificate"), "certificate", [_SEQUENCE], [_BITS])
        for algorithm in (inner, self.algorithm, kind):
            _algorithm(algorithm, "certificate")
        _display_name(issuer)
        self.name = _display_name(subject)
        _in_order(members[start + 6 :], "certificate", 0x81, 0x82, _CONTEXT[3])
        found = [member for member in members[start + 6 :] if member.tag == _CONTEXT[3]]
        self.read_extensions(_sequence(_members_of(found[0])[0], "certificate") if found else [])

    def read_extensions(self, extensions: List[_Der]) -> None:
        values: Dict[str, Tuple[bool, bytes]] = {}
        for extension in extensions:
            members = _sequence(extension, "certificate", 2)
            critical = [[_BOOLEAN]] if len(members) > 2 else []
            _shaped(members, "certificate", [_OID], *critical, [_OCTETS])
            name, is_critical = _oid(members[0]), members[1].tag == _BOOLEAN and members[1].content != b"\0"
            if name in values:
                raise TokenFault("certificate: has a duplicate extension")
            values[name] = is_critical, _typed(members[-1], _OCTETS).content
        self.has_unknown = any(critical and name not in _UNDERSTOOD for name, (critical, _) in values.items())
        basic = _sequence(_read_der(values[_BASIC][1]), "certificate") if _BASIC in values else []
        is_stated = [[_BOOLEAN]] if basic and basic[0].tag == _BOOLEAN else []
        _shaped(basic, "certificate", *is_stated, *[[_INTEGER]] * (len(basic) > len(is_stated)))
        self.is_ca = any(member.tag == _BOOLEAN and member.content != b"\0" for member in basic)
        limits = [_positive(member, "certificate") for member in basic if member.tag == _INTEGER]
        self.path_length = limits[0] if limits else None
        usage = _typed(_read_der(values[_KEY_USAGE][1]), _BITS).content[1:2] if _KEY_USAGE in values else b"\xff"
        bits = usage[0] if usage else 0
        self.may_certify = bits & 0x04 != 0
        is_critical, purposes = values.get(_PURPOSES, (False, b""))
        named = [_oid(purpose) for purpose in _sequence(_read_der(purposes), "certificate")] if purposes else []
        # RFC 3161, 2.3: critical, and timeStamping alone. The key usage must allow signatures, too.
        self.may_timestamp = is_critical and named == [_TIME_STAMPING] and bits & 0xC0 != 0
        self.identifier = values[_KEY_IDENTIFIER][1][2:] if _KEY_IDENTIFIER in values else None

    def is_issued_by(self, issuer: _Certificate) -> bool:
        try:
            return _is_signed(self.algorithm, None, issuer.spki, self.tbs, self.signature)
        except TokenFault:
            return False

    def fault(self, when: Instant, cas_below: Optional[int] = None) -> Optional[str]:
        """Why it does not count at a time; with the number of authorities below it, as an issuer."""
        if not self.valid[0] <= when <= self.valid[1]:
            return "was not valid at the time of the timestamp"
        if self.has_unknown:
            return "has a critical extension that is unknown"
        if cas_below is None:
            return None
        if not self.is_ca or not self.may_certify:
            return "is not a certificate authority"
        is_long = self.path_length is not None and cas_below > self.path_length
        return "does not allow a chain of this length" if is_long else None


class TsaRoots:
    """The root certificates whose tokens the caller trusts: a PEM file."""

    def __init__(self, pem: str) -> None:
        """Raises ValueError naming the certificate at fault."""
        blocks = re.findall(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----", pem)
        if not blocks or len(blocks) != pem.count("-----BEGIN") or len(pem) > _MAX_ROOTS_TEXT:
            raise ValueError("roots: must hold PEM certificates and nothing else")
        self.certificates: List[_Certificate] = []
        for number, block in enumerate(blocks, 1):
            try:
                self.certificates.append(_Certificate(_read_der(decode_base64(re.sub(r"\s", "", block)) or b"")))
            except TokenFault:
                raise ValueError(f"roots: certificate {number} cannot be read") from None


class _Chain:
    """The search for a chain to a pinned root. Revocation is not asked: verification is offline."""

    def __init__(self, roots: TsaRoots, others: List[_Certificate], when: Instant) -> None:
        self.roots, self.others, self.when = roots.certificates, others, when
        self.left, self.fault = _MAX_CHAIN_SIGNATURES, ""

    def leads_to_root(self, certificate: _Certificate, cas_below: int = 0) -> bool:
        if any(root.whole == certificate.whole for root in self.roots):
            return True
        if cas_below > _MAX_CHAIN:
            return False
        issuers = [root for root in self.roots if root.subject == certificate.issuer]
        if any(self.certifies(root, certificate, cas_below) for root in issuers):
            return True
        # A self-issued certificate ends a chain, and this one is not pinned.
        others = [one for one in self.others if one.subject == certificate.issuer != one.issuer]
        return any(
            self.certifies(one, certificate, cas_below) and self.leads_to_root(one, cas_below + 1) for one in others
        )

    def certifies(self, issuer: _Certificate, certificate: _Certificate, cas_below: int) -> bool:
        """A valid signature by an issuer that may not sign is a fault."""
        if self.left == 0:
            return False
        self.left -= 1
        if not certificate.is_issued_by(issuer):
            return False
        fault = issuer.fault(self.when, cas_below)
        self.fault = self.fault or (f"a certificate of the chain {fault}" if fault else "")
        return fault is None


# Tokens.

_SIGNED_DATA, _TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
_CONTENT_TYPE, _MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
_SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.47"
_GEN_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(\.[0-9]{0,8}[1-9])?Z\Z")


class _TstInfo:
    """What a token says: the imprint of the timestamped data, and its time."""

    def __init__(self, content: bytes) -> None:
        members = _sequence(_read_der(content), "tstInfo", 5)
        version, policy, imprint, serial, time = members[:5]
        if _integer(version, "tstInfo.version") != 1:
            raise TokenFault("tstInfo.version: must be 1")
        _oid(policy, "tstInfo.policy")
        _typed(serial, _INTEGER, name="tstInfo.serialNumber")
        algorithm, digest = _shaped(_sequence(imprint, "tstInfo"), "tstInfo.imprint", [_SEQUENCE], [_OCTETS])
        self.algorithm, self.imprint = _oid(_algorithm(algorithm, "tstInfo")[0]), digest.content
        found = _GEN_TIME.match(_typed(time, _GENERAL_TIME, name="tstInfo.genTime").content.decode("latin-1"))
        year, month, day, hour, minute, second, fraction = found.groups("") if found else ("",) * 7
        self.gen_time = f"{year}-{month}-{day}T{hour}:{minute}:{second}{fraction}Z"
        instant = parse_time(self.gen_time)
        if instant is None:
            raise TokenFault("tstInfo.genTime: must be a time in UTC")
        self.instant, self.accuracy = instant, 0
        _in_order(members[5:], "tstInfo", _SEQUENCE, _BOOLEAN, _INTEGER, _CONTEXT[0], _CONTEXT[1])
        for member in members[5:]:
            if member.tag == _SEQUENCE:
                self.accuracy = self.read_accuracy(_members_of(member))
            if member.tag == _CONTEXT[1] and any(
                part.tag == _BOOLEAN and part.content != b"\0"
                for extension in _members_of(member)
                for part in _sequence(extension, "tstInfo")
            ):
                raise TokenFault("tstInfo: has a critical extension that is unknown")

    @staticmethod
    def read_accuracy(members: List[_Der]) -> int:
        """In nanoseconds. The limit of some days is more than any authority states."""
        units = {_INTEGER: (10**9, 1_000_000), 0x80: (10**6, 999), 0x81: (10**3, 999)}
        _in_order(members, "tstInfo.accuracy", *units)
        total = 0
        for member in members:
            unit, limit = units.get(member.tag, (0, -1))
            value = _positive(member, "tstInfo.accuracy", member.tag)
            if value > limit:
                raise TokenFault("tstInfo.accuracy: is out of range")
            total += value * unit
        return total


class _Token:
    """A token: CMS signed data over a TSTInfo by one signer."""

    def __init__(self, content: bytes) -> None:
        """Raises TokenFault for anything but a token."""
        if len(content) > _MAX_TOKEN_BYTES:
            raise TokenFault(f"token: must have at most {_MAX_TOKEN_BYTES} bytes")
        kind, holder = _shaped(_sequence(_read_der(content), "token"), "token", [_OID], [_CONTEXT[0]])
        if _oid(kind) != _SIGNED_DATA:
            raise TokenFault("token.contentType: must be signed data")
        (held,) = _shaped(_members_of(holder), "token.content", [_SEQUENCE])
        data = _sequence(held, "token.content", 4)
        optional = [[_CONTEXT[0], _CONTEXT[1]] for _ in data[3:-1]]
        _shaped(data, "token.content", [_INTEGER], [_SET], [_SEQUENCE], *optional, [_SET])
        for digest in _members_of(data[1]):
            _algorithm(digest, "token.digestAlgorithms")
        content_type, wrapped = _shaped(_sequence(data[2], "token"), "token.content", [_OID], [_CONTEXT[0]])
        if _oid(content_type) != _TST_INFO:
            raise TokenFault("token: must contain a TSTInfo")
        (octets,) = _shaped(_members_of(wrapped), "token.content", [_OCTETS])
        self.content, self.info = octets.content, _TstInfo(octets.content)
        for lists in (member for member in data[3:-1] if member.tag == _CONTEXT[1]):
            for one in _members_of(lists):
                _typed(one, _SEQUENCE, _CONTEXT[1])
        sets = [member for member in data[3:-1] if member.tag == _CONTEXT[0]]
        listed = _members_of(sets[0]) if sets else []
        if len(listed) > _MAX_TOKEN_CERTIFICATES:
            raise TokenFault(f"token: has more than {_MAX_TOKEN_CERTIFICATES} certificates")
        self.certificates = [_Certificate(one) for one in listed]
        signers = _members_of(data[-1])
        if len(signers) != 1:
            raise TokenFault("token: must have exactly one signer")
        self.read_signer(_sequence(signers[0], "signer", 5))

    def read_signer(self, members: List[_Der]) -> None:
        if members[3].tag != _CONTEXT[0]:
            raise TokenFault("signer: has no signed attributes")
        optional = [[_CONTEXT[1]]] if len(members) == 7 else []
        _, self.sid, digest, attributes, self.algorithm, signature = _shaped(
            members,
            "signer",
            [_INTEGER],
            [_SEQUENCE, 0x80],
            [_SEQUENCE],
            [_CONTEXT[0]],
            [_SEQUENCE],
            [_OCTETS],
            *optional,
        )[:6]
        self.digest = _digest_name(_oid(_algorithm(digest, "signer")[0]))
        _algorithm(self.algorithm, "signer")
        if self.sid.tag == _SEQUENCE:
            _shaped(_sequence(self.sid, "signer"), "signer", [_SEQUENCE], [_INTEGER])
        # What is signed is the SET, not the attributes under their implicit tag.
        self.attributes, self.signature = bytes([_SET]) + attributes.whole[1:], signature.content
        self.values: Dict[str, List[_Der]] = {}
        for attribute in _members_of(attributes):
            name, values = _shaped(_sequence(attribute, "signer.attribute"), "signer.attribute", [_OID], [_SET])
            self.values.setdefault(_oid(name), []).extend(_members_of(values))
        if _oid(self.value(_CONTENT_TYPE, _OID)) != _TST_INFO:
            raise TokenFault("signer.contentType: must be that of the content")

    def value(self, name: str, tag: int) -> _Der:
        found = self.values.get(name, [])
        if len(found) != 1 or found[0].tag != tag:
            raise TokenFault("signer: an attribute must occur once, with one value of its type")
        return found[0]

    def is_named(self, certificate: _Certificate) -> bool:
        """Whether the signer names this certificate."""
        if self.sid.tag == 0x80:
            return certificate.identifier == self.sid.content
        issuer, serial = _sequence(self.sid, "signer", 2)[:2]
        return certificate.issuer == issuer.whole and certificate.serial == serial.content

    def verify(self, roots: TsaRoots, is_imprint: Callable[[bytes], bool]) -> Tuple[str, str]:
        """The status and the name of the authority. Raises TokenFault where the token is invalid."""
        if self.info.algorithm != _SHA256 or len(self.info.imprint) != 32:
            raise TokenFault("the imprint must be SHA-256")
        if not is_imprint(self.info.imprint):
            raise TokenFault("the imprint does not match")
        if hashlib.new(self.digest, self.content).digest() != self.value(_MESSAGE_DIGEST, _OCTETS).content:
            raise TokenFault("messageDigest does not match the content")
        known = [one for one in (*self.certificates, *roots.certificates) if self.is_named(one)]
        if not known:
            raise TokenFault("the certificate of the authority is not in the token")
        certificate = known[0]
        self.check_binding(certificate)
        if not certificate.may_timestamp:
            raise TokenFault("the extended key usage must be critical and timeStamping alone")
        if not _is_signed(self.algorithm, self.digest, certificate.spki, self.attributes, self.signature):
            raise TokenFault("the signature is not valid")
        fault = certificate.fault(self.info.instant)
        if fault is not None:
            raise TokenFault(f"the certificate of the authority {fault}")
        chain = _Chain(roots, self.certificates, self.info.instant)
        if chain.leads_to_root(certificate):
            return "verified", certificate.name
        if chain.fault:
            raise TokenFault(chain.fault)
        return "untrusted", certificate.name

    def check_binding(self, certificate: _Certificate) -> None:
        """ESSCertIDv2 of RFC 5035: the first names the signer's certificate; its digest is SHA-256 unless stated."""
        named = _sequence(self.value(_SIGNING_CERTIFICATE, _SEQUENCE), "signer", 1)[0]
        members = _sequence(_sequence(named, "signer", 1)[0], "signer", 1)
        has_algorithm = members[0].tag == _SEQUENCE
        digest = _digest_name(_oid(_sequence(members[0], "signer", 1)[0])) if has_algorithm else "sha256"
        stated = _typed(members[1 if has_algorithm and members[1:] else 0], _OCTETS, name="signer").content
        if hashlib.new(digest, certificate.whole).digest() != stated:
            raise TokenFault("ESSCertIDv2 names another certificate")


@dataclass(frozen=True)
class Timestamp:
    """What one external timestamp says. `accuracy` counts nanoseconds; a token that does not count has `detail`."""

    status: str
    covers: str = ""
    gen_time: str = ""
    accuracy: int = 0
    provider: str = ""
    detail: str = ""

    @property
    def is_of_receipt(self) -> bool:
        return self.status == "verified" and self.covers == "receipt"

    @property
    def latest(self) -> Instant:
        """When the data existed at the latest."""
        seconds, nanoseconds = parse_time(self.gen_time) or (0, 0)
        carry, rest = divmod(nanoseconds + self.accuracy, 10**9)
        return seconds + carry, rest

    def as_json(self) -> Members:
        parts: Members = {"type": "rfc3161", "status": self.status}
        if self.status == "invalid":
            return {**parts, "detail": self.detail}
        if self.status == "not-checked":
            return parts
        return {**parts, "covers": self.covers, "provider": self.provider, "genTime": self.gen_time}

    @property
    def rank(self) -> int:
        if self.status in ("invalid", "not-checked"):
            return 3
        return 2 if self.status == "untrusted" else 0 if self.covers == "receipt" else 1


def _candidates(receipt: Json, signature: Json, stated: Json) -> List[Tuple[str, bytes]]:
    """What a token may cover: the signing, or only the content."""
    found: List[Tuple[str, bytes]] = []
    if isinstance(receipt, dict) and isinstance(signature, str):
        with contextlib.suppress(CanonicalError):
            found.append(("receipt", _receipt_digest(receipt, signature)))
    if isinstance(stated, str) and is_hash(stated):
        found += [("content", bytes.fromhex(stated[7:])), ("content", hashlib.sha256(stated.encode()).digest())]
    return found


def _place_in_batch(value: Json) -> Tuple[int, int, List[bytes]]:
    """`inclusion`: the index of the leaf, the size of the tree, the path."""
    size, position, path = (get(value, name) for name in ("treeSize", "leafIndex", "path"))
    is_formed = _is_positive_integer(size) and _is_integer(position) and isinstance(path, list)
    if not is_formed or not isinstance(path, list) or len(path) > _MAX_PATH or not all(is_hash(one) for one in path):
        raise TokenFault("inclusion: must be {treeSize, leafIndex, path} with hashes in path")
    return _whole(position), _whole(size), [bytes.fromhex(text_of(one)[7:]) for one in path]


def _whole(value: Json) -> int:
    return int(value) if isinstance(value, (int, float)) else 0


def _check_timestamp(token: str, inclusion: Json, candidates: List[Tuple[str, bytes]], roots: TsaRoots) -> Timestamp:
    covered: List[str] = []

    def is_imprint(imprint: bytes) -> bool:
        for covers, digest in candidates:
            is_it = digest == imprint
            if inclusion is not ABSENT:
                position, size, path = _place_in_batch(inclusion)
                is_it = position >= 0 and is_included(
                    hashlib.sha256(b"\0" + digest).digest(), position, size, path, imprint
                )
            if is_it:
                covered.append(covers)
                return True
        return False

    try:
        decoded = decode_base64(token) if len(token) <= -(-_MAX_TOKEN_BYTES // 3) * 4 else None
        if decoded is None:
            raise TokenFault(f"token: must be base64 of at most {_MAX_TOKEN_BYTES} bytes")
        if inclusion is not ABSENT:
            _place_in_batch(inclusion)
        read = _Token(decoded)
        status, provider = read.verify(roots, is_imprint)
    except TokenFault as fault:
        return Timestamp("invalid", detail=str(fault))
    except (ArithmeticError, LookupError, ValueError):
        return Timestamp("invalid", detail="the token cannot be read")
    return Timestamp(status, covered[0], read.info.gen_time, read.info.accuracy, provider)


def _tokens_in(places: Iterable[Json]) -> List[Tuple[str, Json]]:
    """The tokens and their places in a batch. `timestamp` repeats the token of an entry of `timestamps`."""
    found: List[Tuple[str, Json]] = []

    def add(value: Json, is_repetition: bool) -> None:
        token, inclusion = get(value, "token"), first_given(get(value, "inclusion"))
        if get(value, "type") != "rfc3161" or not isinstance(token, str) or len(found) >= _MAX_TOKENS:
            return
        for known, place in found:
            if known == token and (same(place, inclusion) or (is_repetition and inclusion is ABSENT)):
                return
        found.append((token, inclusion))

    held = list(places)
    for place in held:
        listed = get(place, "timestamps")
        for entry in listed if isinstance(listed, list) else []:
            add(entry, False)
    for place in held:
        add(get(place, "timestamp"), True)
    return found


def check_timestamps(
    receipt: Json, signature: Json, stated: Json, places: Iterable[Json], roots: Optional[TsaRoots]
) -> List[Timestamp]:
    """The external timestamps of these places, the most significant first. It does not raise."""
    tokens = _tokens_in(places)
    if tokens and roots is None:
        return [Timestamp("not-checked")]
    candidates = _candidates(receipt, signature, stated)
    timestamps = [
        _check_timestamp(token, inclusion, candidates, roots) for token, inclusion in tokens if roots is not None
    ]
    return sorted(timestamps, key=lambda timestamp: timestamp.rank)


def _rescue(entry: Json, timestamps: Iterable[Timestamp]) -> Optional[Members]:
    """Why a receipt under a revoked key still counts: `keyRescue`, or None."""
    since, reason = get(entry, "compromisedSince"), get(entry, "revocationReason")
    before, limit = "compromisedSince", since
    if not given(since):
        if reason == "keyCompromise":
            return None
        before, limit = "revokedAt", get(entry, "revokedAt")
    end = parse_time(limit)
    for timestamp in timestamps:
        if end is not None and timestamp.is_of_receipt and timestamp.latest < end:
            facts = {"genTime": timestamp.gen_time, "accuracy": timestamp.accuracy, "provider": timestamp.provider}
            why = reason if isinstance(reason, str) else None
            return {"kid": get(entry, "kid"), "revocationReason": why, "before": before, "limit": limit, **facts}
    return None


# Key histories. See "Key history" and "Key history verification".

_MAX_ENTRIES, _MAX_ROOT_SIGNATURES = 10_000, 16
_MINTED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")
_REASONS = ("keyCompromise", "superseded", "cessationOfOperation", "unspecified")
# Of each kind of change the members beside `type`, and those that may be absent.
_CHANGES: Dict[str, Tuple[Tuple[str, ...], Tuple[str, ...]]] = {
    "key-added": (("key",), ()),
    "key-activated": (("kid",), ()),
    "key-retired": (("kid", "retiredAt"), ()),
    "key-revoked": (("kid", "revokedAt", "reason"), ("compromisedSince",)),
    "root-added": (("root",), ("endorsement",)),
    "root-replaced": (("kid", "root"), ("endorsement",)),
    "root-revoked": (("kid", "reason"), ("compromisedSince",)),
}


class HistoryFault(ValueError):
    """Why a key history is refused: the code, the path of the member, and the rule."""

    def __init__(self, code: str, member: str, detail: str) -> None:
        super().__init__(f"{member}: {detail}" if member else detail)
        self.code, self.member, self.detail = code, member, detail

    def as_json(self) -> Members:
        return {"code": self.code, "member": self.member, "detail": self.detail}


def _invalid(member: str, detail: str) -> HistoryFault:
    return HistoryFault("KEY_HISTORY_INVALID", member, detail)


def _exact(value: Json, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> Members:
    """An object with these members and no others."""
    names, known = set(required), set(optional)
    if not isinstance(value, dict) or not names <= set(value) <= names | known:
        raise _invalid(place, "must have exactly its members")
    return value


def _short_text(members: Members, place: str, name: str) -> str:
    text = members[name]
    if not isinstance(text, str) or not _is_label(text) or not well_formed(text):
        raise _invalid(f"{place}.{name}", "must be text of 1 to 256 characters without control characters")
    return text


def _time_in(members: Members, place: str, name: str, is_minted: bool = False) -> str:
    text = _short_text(members, place, name)
    if parse_time(text) is None or (is_minted and not _MINTED.match(text)):
        raise _invalid(f"{place}.{name}", "must be a time")
    return text


def _count_in(members: Members, place: str, name: str) -> int:
    if not _is_positive_integer(members[name]):
        raise _invalid(f"{place}.{name}", "must be an integer from 1")
    return _whole(members[name])


def _spki_in(members: Members, place: str) -> bytes:
    """The key of base64 of the SPKI DER and nothing else: two spellings would be two keys."""
    decoded = decode_base64(_short_text(members, place, "publicKey"))
    if decoded is None or len(decoded) != 44 or not decoded.startswith(_SPKI) or _strict_point(decoded[12:]) is None:
        raise _invalid(f"{place}.publicKey", "must be base64 of the SPKI DER")
    return decoded[12:]


def _jwk(key: bytes) -> Members:
    return {"crv": "Ed25519", "kty": "OKP", "x": encode_base64url(key)}


def _list_of(value: Json, place: str, most: int) -> List[Json]:
    if not isinstance(value, list) or len(value) > most:
        raise _invalid(place, f"must be an array of at most {most}")
    return value


def _check_change(change: Members, place: str) -> None:
    """The form of a change; whether it is possible at its place is known only when the chain is."""
    for name in change:
        if name == "key":
            _check_key(change["key"], f"{place}.key")
        elif name == "root":
            _check_root(change["root"], f"{place}.root")
        elif name == "endorsement":
            endorsement = _exact(change["endorsement"], f"{place}.endorsement", ("kid", "signature"))
            for member in endorsement:
                _short_text(endorsement, f"{place}.endorsement", member)
        elif name in ("retiredAt", "revokedAt", "compromisedSince"):
            _time_in(change, place, name)
        elif _short_text(change, place, name) not in _REASONS and name == "reason":
            raise _invalid(f"{place}.reason", "is not a known reason")


def _check_key(value: Json, place: str) -> None:
    names = ("kid", "algorithm", "publicKey", "createdAt", "notBefore")
    key = _exact(value, place, names, ("contextUnprotectedBefore",))
    _short_text(key, place, "kid")
    if key["algorithm"] != "Ed25519":
        raise _invalid(f"{place}.algorithm", "must be Ed25519")
    _spki_in(key, place)
    for name in key:
        if name not in ("kid", "algorithm", "publicKey"):
            _time_in(key, place, name)


def _check_root(value: Json, place: str) -> None:
    root = _exact(value, place, ("kid", "publicKey"))
    thumbprint = hashlib.sha256(canonicalize(_jwk(_spki_in(root, place))).encode()).digest()
    if _short_text(root, place, "kid") != encode_base64url(thumbprint):
        raise _invalid(f"{place}.kid", "must be the key's thumbprint")


class _Root:
    def __init__(self, kid: str, key: bytes, endorsed_by: Optional[str]) -> None:
        self.kid, self.key, self.endorsed_by, self.status = kid, key, endorsed_by, "live"

    @property
    def fingerprint(self) -> str:
        return hash_bytes(_SPKI + self.key)


class _Replay:
    """What the changes of a history amount to, one after the other."""

    def __init__(self) -> None:
        self.keys: Dict[str, Members] = {}
        self.roots: Dict[str, _Root] = {}
        # Every key ever added: one with both roles could sign in one for the other.
        self.known: List[bytes] = []
        self.active: Optional[str] = None

    def key_set(self, node_id: str) -> Members:
        return {"nodeId": node_id, "activeKid": self.active, "keys": list(self.keys.values())}

    def apply(self, change: Members, issued_at: str, place: str) -> None:
        kind = change["type"]
        if kind == "key-added":
            self.add_key(change["key"], f"{place}.key")
        elif kind in ("root-added", "root-replaced"):
            if kind == "root-replaced" and self.root_of(change, place).status != "live":
                raise _invalid(f"{place}.kid", "names a root that was replaced or revoked")
            self.add_root(change, place)
        elif kind == "root-revoked":
            root = self.root_of(change, place)
            if root.status == "revoked":
                raise _invalid(f"{place}.kid", "names a root that was revoked")
            if "compromisedSince" in change:
                _not_after(text_of(change["compromisedSince"]), issued_at, f"{place}.compromisedSince")
            root.status = "revoked"
        else:
            self.change_key(change, issued_at, place)

    def claim(self, key: bytes, place: str) -> None:
        if key in self.known:
            raise _invalid(place, "is a key that the history names already")
        self.known.append(key)

    def add_key(self, value: Json, place: str) -> None:
        added = value if isinstance(value, dict) else {}
        kid, key = text_of(get(added, "kid")), _spki_in(added, place)
        if kid in self.keys:
            raise _invalid(f"{place}.kid", "names a key that is known already")
        self.claim(key, place)
        self.keys[kid] = {**added, "publicKeyJwk": _jwk(key), "status": "active"}

    def add_root(self, change: Members, place: str) -> None:
        root = change["root"] if isinstance(change["root"], dict) else {}
        kid, key = text_of(get(root, "kid")), _spki_in(root, f"{place}.root")
        endorser = text_of(get(change, "endorsement", "kid")) if "endorsement" in change else None
        self.claim(key, f"{place}.root.publicKey")
        if endorser is not None and (endorser not in self.roots or self.roots[endorser].status != "live"):
            raise _invalid(f"{place}.endorsement.kid", "must name a root that counts at that point")
        if change["type"] == "root-replaced":
            self.root_of(change, place).status = "replaced"
        self.roots[kid] = _Root(kid, key, endorser)

    def root_of(self, change: Members, place: str) -> _Root:
        kid = text_of(change["kid"])
        if kid not in self.roots:
            raise _invalid(f"{place}.kid", "names a root that was never added")
        return self.roots[kid]

    def change_key(self, change: Members, issued_at: str, place: str) -> None:
        kid = text_of(change["kid"])
        if kid not in self.keys:
            raise _invalid(f"{place}.kid", "names a key that was never added")
        key = self.keys[kid]
        if change["type"] == "key-revoked":
            self.revoke(key, change, issued_at, place)
        elif key["status"] != "active" or (change["type"] == "key-activated" and self.active == kid):
            raise _invalid(f"{place}.kid", "names a key that was retired or revoked, or is active already")
        elif change["type"] == "key-activated":
            self.active = kid
            return
        else:
            retired_at = text_of(change["retiredAt"])
            _not_after(retired_at, issued_at, f"{place}.retiredAt")
            _not_after(text_of(key["notBefore"]), retired_at, f"{place}.kid")
            self.keys[kid] = {**key, "status": "retired", "retiredAt": retired_at}
        self.active = None if self.active == kid else self.active

    def revoke(self, key: Members, change: Members, issued_at: str, place: str) -> None:
        revoked_at = text_of(change["revokedAt"])
        more: Members = {"revokedAt": revoked_at, "revocationReason": change["reason"]}
        _not_after(revoked_at, issued_at, f"{place}.revokedAt")
        if "compromisedSince" in change:
            more["compromisedSince"] = change["compromisedSince"]
            _not_after(text_of(more["compromisedSince"]), revoked_at, f"{place}.compromisedSince")
        kept = {
            name: value
            for name, value in key.items()
            if name not in ("revokedAt", "revocationReason", "compromisedSince")
        }
        revoked = {**kept, "status": "revoked", **more}
        if key["status"] == "revoked":
            now, before = _trusted_until(revoked), _trusted_until(key)
            is_less = before is not None and (now is None or now < before)
            if key["revokedAt"] != revoked_at or not is_less:
                raise _invalid(place, "must have the time of the first revocation and trust the key for less time")
        self.keys[text_of(key["kid"])] = revoked


def _not_after(earlier: str, later: str, place: str) -> None:
    one, other = parse_time(earlier), parse_time(later)
    if one is None or other is None or one > other:
        raise _invalid(place, "must not be after that")


def _trusted_until(key: Members) -> Optional[Instant]:
    """Up to when timestamps rescue records under a revoked key; None when they do not."""
    if "compromisedSince" in key:
        return parse_time(key["compromisedSince"])
    return None if key["revocationReason"] == "keyCompromise" else parse_time(key["revokedAt"])


class SeenHistory(NamedTuple):
    """The state of a history that was accepted last."""

    version: int
    seq: int
    hash: str


class KeyHistory(NamedTuple):
    """An accepted history: the key set to verify with, the state to keep, and remarks for the caller."""

    keys: KeySet
    seen: SeenHistory
    notices: List[str]


class _History:
    """A document that is consistent in itself."""

    def __init__(self, value: Json) -> None:
        """Raises HistoryFault."""
        document = _exact(value, "document", ("type", "nodeId", "entries", "statement", "signatures"))
        if document["type"] != "svc.key-history.v1":
            raise _invalid("document.type", "must be svc.key-history.v1")
        self.node_id = _short_text(document, "document", "nodeId")
        listed = _list_of(document["entries"], "entries", _MAX_ENTRIES)
        self.entries = [self.entry(entry, index("entries", position)) for position, entry in enumerate(listed)]
        self.statement = None if document["statement"] is None else self.read_statement(document["statement"])
        signatures = _list_of(document["signatures"], "signatures", _MAX_ROOT_SIGNATURES)
        self.signatures = [_exact(one, "signatures", ("kid", "signature")) for one in signatures]
        for signature in self.signatures:
            for name in signature:
                _short_text(signature, "signatures", name)
        self.hashes = self.follow_chain()
        self.signed, self.replay = self.check_statement()

    @staticmethod
    def entry(value: Json, place: str) -> Members:
        entry = _exact(value, place, ("seq", "prevHash", "issuedAt", "change"))
        _count_in(entry, place, "seq")
        _time_in(entry, place, "issuedAt", True)
        kind = get(entry["change"], "type")
        if not is_hash(entry["prevHash"]) or not isinstance(kind, str) or kind not in _CHANGES:
            raise _invalid(place, "must have a hash, and a change of a known kind")
        required, optional = _CHANGES[kind]
        _check_change(_exact(entry["change"], f"{place}.change", ("type", *required), optional), f"{place}.change")
        return entry

    @staticmethod
    def read_statement(value: Json) -> Members:
        names = ("type", "version", "issuedAt", "nextUpdate", "nodeId", "historyHead", "keySet")
        statement = _exact(value, "statement", names)
        if statement["type"] != "svc.key-set-statement.v1":
            raise _invalid("statement.type", "must be svc.key-set-statement.v1")
        _count_in(statement, "statement", "version")
        _short_text(statement, "statement", "nodeId")
        times = [_time_in(statement, "statement", name, True) for name in ("issuedAt", "nextUpdate")]
        head = _exact(statement["historyHead"], "statement.historyHead", ("seq", "hash"))
        _count_in(head, "statement.historyHead", "seq")
        keys = statement["keySet"]
        if not isinstance(get(keys, "nodeId"), str) or not isinstance(get(keys, "keys"), list):
            raise _invalid("statement.keySet", "must be {nodeId, activeKid, keys}")
        if not is_hash(head["hash"]) or times[1] <= times[0]:
            raise _invalid("statement", "must have a hash, and nextUpdate after issuedAt")
        return statement

    def follow_chain(self) -> List[str]:
        hashes: List[str] = []
        expected = hash_canonical({"type": "svc.key-history.v1", "nodeId": self.node_id}, JCS_V1)
        for position, entry in enumerate(self.entries):
            if _whole(entry["seq"]) != position + 1 or entry["prevHash"] != expected:
                path = index("entries", position)
                raise HistoryFault("KEY_HISTORY_CHAIN_BROKEN", path, "does not follow the entry before")
            expected = hash_canonical(entry, JCS_V1)
            hashes.append(expected)
        return hashes

    def check_statement(self) -> Tuple[Members, _Replay]:
        statement = self.statement
        if statement is None:
            raise HistoryFault("KEY_HISTORY_UNSIGNED", "statement", "is null: no root has signed yet")
        if statement["nodeId"] != self.node_id:
            raise HistoryFault("KEY_HISTORY_NODE_MISMATCH", "statement.nodeId", "names another node than the document")
        head = _whole(get(statement, "historyHead", "seq"))
        if head > len(self.hashes) or self.hashes[head - 1] != get(statement, "historyHead", "hash"):
            raise HistoryFault("KEY_HISTORY_HEAD_MISMATCH", "statement.historyHead", "is not an entry of this history")
        covered, replay, before = _Replay(), _Replay(), ""
        for position, entry in enumerate(self.entries):
            issued_at, path = text_of(entry["issuedAt"]), index("entries", position)
            if issued_at < before:
                raise _invalid(f"{path}.issuedAt", "must not be before that of the entry before")
            change, before = entry["change"], issued_at
            # Pending entries must be possible too, or a root would sign an impossible history.
            for one in (covered, replay) if position < head else (replay,):
                one.apply(change if isinstance(change, dict) else {}, issued_at, f"{path}.change")
        if text_of(statement["issuedAt"]) < text_of(self.entries[head - 1]["issuedAt"]):
            raise _invalid("statement.issuedAt", "is before the entry that it covers")
        if not same(statement["keySet"], covered.key_set(self.node_id)):
            raise HistoryFault(
                "KEY_HISTORY_KEY_SET_MISMATCH", "statement.keySet", "differs from the result of the history"
            )
        self.check_endorsements(head, covered.roots)
        return statement, covered

    def check_endorsements(self, head: int, roots: Dict[str, _Root]) -> None:
        for position, entry in enumerate(self.entries[:head]):
            endorsement = get(entry["change"], "endorsement")
            if endorsement is ABSENT or not isinstance(entry["change"], dict):
                continue
            change = {name: value for name, value in entry["change"].items() if name != "endorsement"}
            signed: Members = {**entry, "change": change, "type": "svc.key-history-root.v1", "nodeId": self.node_id}
            root = roots[text_of(get(endorsement, "kid"))]
            if not verify_text(root.key, canonicalize(signed), get(endorsement, "signature")):
                path = f"{index('entries', position)}.change.endorsement"
                raise HistoryFault("KEY_HISTORY_ENDORSEMENT_INVALID", path, "was not made by the root that it names")

    def signers(self) -> List[str]:
        text, found = canonicalize(self.signed), []
        for signature in self.signatures:
            root = self.replay.roots.get(text_of(signature["kid"]))
            if root is not None and root.status == "live" and verify_text(root.key, text, signature["signature"]):
                found.append(root.kid)
        return found

    def trusted(self, pinned: _Root) -> List[str]:
        """The pinned root and those that it endorsed, directly or through others. A revoked one endorses nothing."""
        reached: List[str] = []
        for root in self.replay.roots.values():
            if root.status != "revoked" and (root is pinned or root.endorsed_by in reached):
                reached.append(root.kid)
        return [kid for kid in reached if self.replay.roots[kid].status == "live"]


def verify_key_history(
    value: Json,
    node_id: Optional[str],
    root_fingerprint: Optional[str],
    seen: Optional[SeenHistory] = None,
    clock: Optional[str] = None,
) -> KeyHistory:
    """The keys that a pinned root vouches for. Raises HistoryFault. See "Key history verification"."""
    try:
        history = _History(value)
    except (CanonicalError, RecursionError):
        raise _invalid("", "has no canonical form") from None
    if node_id is None or root_fingerprint is None:
        raise HistoryFault(
            "KEY_HISTORY_ROOT_NOT_PINNED", "", "no root was pinned, so the history vouches only for itself"
        )
    if history.node_id != node_id:
        raise HistoryFault("KEY_HISTORY_NODE_MISMATCH", "nodeId", "is not the node that was pinned")
    pinned = next((root for root in history.replay.roots.values() if root.fingerprint == root_fingerprint), None)
    if pinned is None:
        raise HistoryFault("KEY_HISTORY_ROOT_UNKNOWN", "", "the pinned root is not in this history")
    if pinned.status == "revoked":
        raise HistoryFault("KEY_HISTORY_ROOT_REVOKED", "", "the pinned root was revoked")
    trusted = history.trusted(pinned)
    if not any(kid in trusted for kid in history.signers()):
        detail = "none is by a root that the pinned one vouches for"
        raise HistoryFault("KEY_HISTORY_SIGNATURE_INVALID", "signatures", detail)
    statement = history.signed
    version, seq = _whole(statement["version"]), _whole(get(statement, "historyHead", "seq"))
    if seen is not None:
        if version < seen.version or seq < seen.seq:
            raise HistoryFault("KEY_HISTORY_ROLLBACK", "statement", "is older than what was accepted")
        is_same = history.hashes[seen.seq - 1] == seen.hash
        if not is_same or (version == seen.version and seq != seen.seq):
            raise HistoryFault("KEY_HISTORY_FORK", "entries", "differ from the history that was accepted before")
    notices = ["KEY_HISTORY_PIN_REPLACED"] if pinned.status == "replaced" else []
    now = parse_time(clock)
    for name, code, is_after in (
        ("nextUpdate", "KEY_HISTORY_OVERDUE", True),
        ("issuedAt", "KEY_HISTORY_FROM_FUTURE", False),
    ):
        limit = parse_time(statement[name])
        if now is not None and limit is not None and (now > limit if is_after else now < limit):
            notices.append(code)
    if seq < len(history.entries):
        notices.append("KEY_HISTORY_PENDING")
    entries = get(statement, "keySet", "keys")
    keys = KeySet(node_id, entries if isinstance(entries, list) else [], text_of(statement["issuedAt"]))
    return KeyHistory(keys, SeenHistory(version, seq, history.hashes[seq - 1]), notices)


# Verification of a bundle. See "Verification".

_ENVELOPE_SCOPE = ("bundleType", "version", "createdAt", "snapshot", "context", "contextSummary")
_ENVELOPE_FIVE = ("attestationId", "attestedAt", "kid", "nodeRuntimeHash", "protocolVersion")
_ATTESTED_PARTS = (
    "receipt signature signatureB64Url attestation verificationEnvelope verificationEnvelopeSignature".split()
)


class _Evaluation:
    """The one evaluation of a bundle that every layer writes its findings to."""

    def __init__(self, options: Options, package: Members, bundle: Members) -> None:
        self.options, self.bundle = options, bundle
        # Beside the members of a bare bundle only evidence counts as what is around it; others are unknown members.
        self.package = pick(bundle, (*_ATTESTED_PARTS, "logProofs")) if package is bundle else package
        self.shape = _shape_of(bundle)
        self.findings: List[Finding] = []
        self.relaxations: List[str] = []
        self.checks = Checks()
        self.receipt: Optional[_Receipt] = None
        self.values: List[Finding] = []
        self.computed: Optional[str] = None
        self.is_older = False
        self.is_reseal_alone = False
        self.is_envelope_checked = False
        self.lacks_context = False
        self.timestamps: List[Timestamp] = []

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
        bundle, shape = self.bundle, self.shape
        self.check_places()
        if not self.is_readable():
            return
        if not is_hash(bundle.get("certificateHash")):
            self.fault("INVALID_SHA256_FORMAT", "certificateHash", "not a hash")
        version = "0.2" if shape.layout == _V2_LAYOUT else "0.1"
        if shape.layout != _FLAT_LAYOUT and bundle.get("version") != version:
            self.unsupported("version", f"not {version}")
        snapshot = get(bundle, "snapshot")
        if shape.layout == _HASH_LAYOUT:
            if snapshot is not None:
                self.fault("SCHEMA_ERROR", "snapshot", "not null")
            return
        if shape.layout == _FLAT_LAYOUT:
            self.check_flat()
        elif isinstance(snapshot, dict):
            self.check_created_at()
            self.check_context()
            self.check_snapshot(snapshot)
        # Values and evidence are checked in a bundle of the right form.
        if all(finding.code not in _FORM_CODES for finding in self.findings):
            self.findings.extend(self.values)
        self.values = []
        self.check_certificate_hash()

    def is_readable(self) -> bool:
        """Whether type, layout, snapshot and protocol are known; else nothing more of the form is checked."""
        shape, snapshot = self.shape, get(self.bundle, "snapshot")
        if shape.layout is None:
            if shape.is_reseal or self.bundle.get("bundleType") == "legacy":
                path = "snapshot" if snapshot is ABSENT else "snapshot.type"
                self.unsupported(path, "not a layout of this type")
            else:
                self.unsupported("bundleType", "not a known type")
            return False
        if shape.layout == _HASH_LAYOUT:
            return True
        if shape.layout != _FLAT_LAYOUT and not isinstance(snapshot, dict):
            self.fault("SCHEMA_ERROR", "snapshot", "not an object")
            return False
        self.relax(snapshot)
        if shape.protocol is None:
            path = "protocolVersion" if shape.layout == _FLAT_LAYOUT else "snapshot.protocolVersion"
            self.unsupported(path, "not a known protocol")
            return False
        return True

    def relax(self, snapshot: Json) -> None:
        """See "legacy"."""
        if self.shape.layout == _FLAT_LAYOUT:
            self.relaxations.append("flat-render-record")
        elif self.shape.layout == _V1_LAYOUT and not self.shape.is_reseal:
            lacking = (("type", "snapshot-type-absent"), ("executionSurface", "execution-surface-absent"))
            self.relaxations.extend(name for member, name in lacking if get(snapshot, member) is ABSENT)

    def check_places(self) -> None:
        """`meta`, and where a receipt is present the attestations, are objects."""
        meta = get(self.bundle, "meta")
        if meta is not ABSENT and not isinstance(meta, dict):
            self.fault("SCHEMA_ERROR", "meta", "not an object")
        if self.found_receipt() is ABSENT and not isinstance(self.package.get("receipt"), dict):
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
        if self.shape.layout in (None, _HASH_LAYOUT):
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
        """Accepts the hash without context, for older reseals under keys that say so, where all else is right."""
        keys, receipt = self.options.keys, self.receipt
        if self.findings or not self.is_older or "context" not in self.bundle or keys is None or receipt is None:
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
        if given(get(snapshot, "prevStepHash")):
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
        self.optional("snapshot.type", get(snapshot, "type"), _one_of("ai.execution.v1"))
        self.optional("snapshot.executionSurface", get(snapshot, "executionSurface"), _one_of("ai"))
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
        self.values.extend(faults)

    def differing(self, parent: Members, path: str, name: str, code: str, is_required: bool) -> Optional[Finding]:
        """A finding where a raw or sealed value does not have its hash."""
        value, stated = get(parent, name), get(parent, f"{name}Hash")
        member = at(path, f"{name}Hash")
        is_formed = (is_required or stated is not ABSENT) and self.must_hash(member, stated)
        is_unsealed = self.shape.protocol == "1.3.1" and not is_sealed(value)
        if self.shape.profile is None or not _is_raw(value) or self.is_removed(value) or is_unsealed or not is_formed:
            return None
        try:
            computed = hash_bytes(hashed_bytes(value, self.shape.profile, at(path, name)))
        except CanonicalError as error:
            self.values.append(Finding("CANONICALIZATION_ERROR", error.path, error.rule))
            return None
        if stated == computed:
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
                self.values.append(Finding("TOOL_EVIDENCE_MISSING", path, "neither output nor outputHash"))
            for name, code in (("input", "INPUT_HASH_MISMATCH"), ("output", "TOOL_OUTPUT_HASH_MISMATCH")):
                found = self.differing(call, path, name, code, False)
                if found is not None:
                    self.values.append(found)

    def check_v2(self, snapshot: Members) -> None:
        if self.shape.protocol == "1.2.0":
            self.unsupported("snapshot.protocolVersion", "not 1.3.0 or 1.3.1")
        self.requireds("snapshot", snapshot, (("protocolVersion", _is_text), *_V2))
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
            if _LOOKS_LIKE_HASH.match(text_of(value)):
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
        engine = get(snapshot, "engine")
        self.optional("snapshot.engine", engine, _is_object)
        if isinstance(engine, dict):
            self.within("snapshot.engine", engine, (("name", _is_non_empty),))
        for name in ("codeHash", "outputHash", "imageHash"):
            self.must_hash(at("snapshot", name), get(snapshot, name))

    # Layer 2: receipt.

    @property
    def is_around_reseal(self) -> bool:
        """A package whose receipt and signature are those of the original."""
        return self.shape.is_reseal and given(self.package.get("resealedCertificateHash"))

    def found_receipt(self) -> Json:
        """The receipt of the bundle, else that of the package. See "Packages"."""
        attestation = get(self.bundle, "meta", "attestation")
        found = _receipt_in(attestation)
        if found is ABSENT and not self.is_around_reseal:
            found = first_given(get(self.package, "receipt"), _receipt_in(get(self.package, "attestation")))
        return found

    def found_signature(self) -> Json:
        """The signature over the receipt, of the bundle, else of the package."""
        places = [get(self.bundle, "meta", "attestation")]
        if not self.is_around_reseal:
            places += [self.package, get(self.package, "attestation")]
        return first_given(*(get(place, name) for place in places for name in ("signature", "signatureB64Url")))

    def check_timestamps(self) -> None:
        """The external timestamps of the bundle's own receipt."""
        meta = get(self.bundle, "meta")
        # Around a reseal are the timestamps of the original.
        places = (meta, get(meta, "attestation"), {} if self.is_around_reseal else self.package)
        pair, stated = (self.found_receipt(), self.found_signature()), self.bundle.get("certificateHash")
        self.timestamps = check_timestamps(*pair, stated, places, self.options.tsa_roots)

    def has_any_part(self) -> bool:
        """Whether there is a part of an attestation other than `meta.attestation`."""
        meta = get(self.bundle, "meta")
        envelope = (get(meta, "verificationEnvelope"), get(meta, "verificationEnvelopeSignature"))
        return any(given(part) for part in (*envelope, *(self.package.get(name) for name in _ATTESTED_PARTS)))

    def verify_receipt(self) -> None:
        attestation, found = get(self.bundle, "meta", "attestation"), self.found_receipt()
        signature = self.found_signature()
        is_bare = found is ABSENT and signature is ABSENT and not given(attestation) and not self.has_any_part()
        if is_bare and self.shape.layout != _HASH_LAYOUT:
            return
        self.checks.node_signature = self.checks.receipt_consistency = FAIL
        receipt, code = _read_receipt(found)
        if signature is ABSENT and code != "ATTESTATION_MISSING":
            self.fault("ATTESTATION_MISSING", "meta.attestation.signature", "missing")
            return
        if receipt is None:
            for each in dict.fromkeys((_before(self.options.keys, code), code)):
                self.fault(each, "meta.attestation.receipt", "not a receipt")
            return
        self.receipt = receipt
        code, member = _check_signature(self.options.keys, receipt, signature, "meta.attestation", self.timestamps)
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
        self.check_copies("meta.attestation", attestation, receipt, signature, self.is_envelope_checked)
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
            ("protocolVersion", ABSENT if is_answered else get(signed, "protocolVersion")),
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
        # A hash-only bundle has no protocol, and a mistyped one is a finding of layer 1.
        is_text = self.shape.effective is not None and self.shape.layout != _HASH_LAYOUT
        if given(protocol) and is_text and not is_answered and protocol != self.shape.effective:
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
        attestation, summary = get(meta, "attestation"), get(package, "attestation")
        self.same("package.receipt", get(package, "receipt"), receipt.value)
        self.same("package.attestation.receipt", _receipt_in(summary), receipt.value)
        self.check_copies("package", package, receipt, signature, False)
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
        copies: Members = {
            **{"signature": signature, "signatureB64Url": signature},
            **{"certificateHash": original_hash, "nodeId": get(receipt, "nodeId")},
            **{"kid": kid, "attestorKeyId": kid, "attestedAt": when, "issuedAt": when},
        }
        around = {"resealedCertificateHash": get(self.bundle, "certificateHash"), "receipt": receipt, **copies}
        summary, attestation = get(self.package, "attestation"), get(self.bundle, "meta", "attestation")
        within = summary if isinstance(summary, dict) else {}
        within = {**within, "receipt": _receipt_in(summary)}
        places = (("package", self.package, around), ("package.attestation", within, {**copies, "receipt": receipt}))
        for path, holder, wanted in places:
            for name, want in wanted.items():
                found = get(holder, name)
                if given(found) and not same(found, want):
                    self.mismatch(at(path, name), "not the original's")
            # The attestations of a reseal and of its original share these.
            for name in ("attestationId", "nodeRuntimeHash", "protocolVersion"):
                self.same(at(path, name), get(holder, name), get(attestation, name))

    def check_original(self, receipt: _Receipt) -> None:
        """Compares the provenance of a reseal with its receipt. See "signed-redacted-reseal"."""
        if not self.shape.is_reseal or receipt.kind != "reseal":
            return
        provenance, named = get(self.bundle, "meta", "provenance"), get(receipt.value, "originalCertificateHash")
        signed = {"originalCertificateHash": named, "redactionPolicy": get(receipt.value, "redactionPolicy")}
        for name, value in {**signed, "redactedAt": receipt.when}.items():
            claimed = get(provenance, name)
            if claimed is not ABSENT and not same(claimed, value):
                self.mismatch(at("meta.provenance", name), "not what the receipt says")
        if isinstance(provenance, dict) and provenance.get("kind") != "redacted_reseal":
            self.mismatch("meta.provenance.kind", "not that of a reseal")
        original, path = get(provenance, "original"), "meta.provenance.original"
        if not isinstance(original, dict) or self.options.keys is None:
            return  # without keys the reseal's own receipt is reported as uncheckable already
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
        signature = get(original, "signature")
        timestamps = check_timestamps(first.value, signature, named, (original,), self.options.tsa_roots)
        code, member = _check_signature(self.options.keys, first, signature, path, timestamps)
        if code != "":
            self.fault(code, member, "the original's signature or its key")

    # Layer 3: envelope.

    def verify_envelope(self) -> str:
        path, meta = "meta.verificationEnvelope", get(self.bundle, "meta")
        envelope, signature = (
            first_given(get(meta, name), get({} if self.is_around_reseal else self.package, name))
            for name in ("verificationEnvelope", "verificationEnvelopeSignature")
        )
        if envelope is ABSENT and signature is ABSENT:
            return SKIPPED
        if envelope is ABSENT:
            return self.failed(path, "missing beside its signature")
        if signature is ABSENT:
            return self.failed("meta.verificationEnvelopeSignature", "missing")
        is_reseal = self.shape.is_reseal or (self.is_older and self.is_reseal_alone)
        if is_reseal or contains(pick(self.bundle, self.scope), REDACTED):
            return SKIPPED
        # The envelope of what is a reseal alone is checked only where the receipt, which comes after it, does not hold.
        self.is_envelope_checked = not self.is_reseal_alone
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
        if not self.findings:
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
        receipt, other_names = self.found_receipt(), {"kid": "attestorKeyId", "attestedAt": "timestamp"}
        for name in _ENVELOPE_FIVE:
            stated = get(attestation, name)
            if stated is ABSENT:
                stated = first_given(get(receipt, name), get(receipt, other_names.get(name, name)))
            is_same = same(signed[name], stated)
            if name == "protocolVersion":
                is_same = is_same and signed[name] == self.shape.effective
            if not is_same:
                self.mismatch(f"{path}.attestation.{name}", "not that of meta.attestation")

    def check_envelope_signature(self, signed: Members, signature: Json) -> None:
        payload: Members = {"attestation": signed, "bundle": pick(self.bundle, _ENVELOPE_SCOPE)}
        try:
            message = canonicalize(payload, JCS_V1)
        except CanonicalError:
            self.mismatch("meta.verificationEnvelope", "no canonical form")
            return
        instant = parse_time(signed["attestedAt"])
        key, code, _ = _choose(self.options.keys, text_of(signed["kid"]), instant or (0, 0), self.timestamps)
        if code != "":
            is_unavailable = code == "VERIFICATION_MATERIAL_UNAVAILABLE"
            code = code if is_unavailable else "ATTESTATION_INVALID_SIGNATURE"
            self.fault(code, "meta.verificationEnvelope.attestation.kid", "no usable key")
        elif not verify_text(key, message, signature):
            self.mismatch("meta.verificationEnvelopeSignature", "not a valid signature")

    # The whole.

    @property
    def is_labelled(self) -> bool:
        """The unsigned labels of reseals by older nodes."""
        meta = get(self.bundle, "meta")
        labels = (get(meta, "provenance", "kind"), get(meta, "attestation", "mode"))
        return self.bundle.get("bundleType") == "cer.ai.execution.v1" and "redacted_reseal" in labels

    def is_intact(self) -> bool:
        """Whether the bundle is intact as the type that it states."""
        self.verify_integrity()
        found, self.findings, self.relaxations, self.computed = self.findings, [], [], None
        return not found

    def run(self) -> Report:
        self.check_timestamps()
        # A label that any attacker can add must not excuse the broken envelope of a bundle that is intact without it.
        self.is_reseal_alone = self.is_labelled and not self.is_intact()
        self.checks.envelope = self.verify_envelope()
        envelope, self.findings = self.findings, []
        self.verify_receipt()
        receipt, self.findings = self.findings, []
        self.is_older = self.is_labelled and self.receipt_passes
        if self.is_older and self.is_reseal_alone:
            self.checks.envelope = self.verify_envelope()
            envelope, self.findings = self.findings, []
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
        found, signature, around = self.found_receipt(), self.found_signature(), self.package
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
        return min(judged, key=_rank_of, default=_absent_log(self.options))

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
            timestamp=self.timestamps[0] if self.timestamps else None,
            key_rescue=self.rescue(),
        )

    def rescue(self) -> Optional[Members]:
        receipt = self.receipt
        if receipt is None or not self.receipt_passes:
            return None
        return _choose(self.options.keys, receipt.kid, receipt.instant, self.timestamps).rescue

    def original_hash(self) -> Optional[str]:
        return None if self.receipt is None else text_of(get(self.receipt.value, "originalCertificateHash")) or None

    def is_supplemental(self) -> bool:
        """See "Supplemental content"."""
        if self.shape.layout is None:
            return False
        outside = ["signals", "declaration"]
        if self.shape.layout in (_HASH_LAYOUT, _FLAT_LAYOUT):
            outside += ["context", "contextSummary", "policyEvaluation"]
        return self.lacks_context or any(given(self.bundle.get(name)) for name in outside)

    def signed_facts(self) -> Optional[Members]:
        receipt, keys = self.receipt, self.options.keys
        if receipt is None or keys is None or not self.receipt_passes:
            return None
        attestation_id = get(receipt.value, "attestationId")
        # No token covers the envelope: under a revoked key it says nothing.
        if self.checks.envelope == PASS and self.rescue() is None:
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
    path, outer = "", value
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
    if PROJECT in (get(held, "bundleType") for held in (outer, value, bundle)):
        return refused("bundleType", "a project bundle")
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
_PROJECT_ALGORITHM = "sha256-canonical-json"
_PROJECT_TEXTS = ("version", "protocolVersion", "projectBundleId", "projectTitle", "startedAt", "completedAt")
_PROJECT_PRIORITY = (
    "PROJECT_HASH_MISMATCH",
    "STEP_REGISTRY_MISMATCH",
    "CHAIN_BREAK_DETECTED",
    "CERTIFICATE_HASH_MISMATCH",
    "SCHEMA_ERROR",
)
_ENTRY: Rules = (("sequence", _is_safe_integer), ("executionId", _is_text), ("parentStepIds", _are_texts))


@dataclass
class Step:
    """The result for one step of a project."""

    step_id: str
    entry: Json
    status: str = "VERIFIED"
    code: str = "OK"
    findings: List[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.status not in ("FAILED", "WITHDRAWN")

    def as_json(self) -> Members:
        sequence, execution_id = get(self.entry, "sequence"), get(self.entry, "executionId")
        return {
            "stepId": self.step_id,
            "sequence": int(sequence) if isinstance(sequence, (int, float)) else None,
            "executionId": execution_id if isinstance(execution_id, str) else None,
            "certificateHash": text_of(get(self.entry, "certificateHash")),
            "ok": self.ok,
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
    transparency: Optional[Members] = None
    timestamp: Optional[Timestamp] = None
    key_rescue: Optional[Members] = None

    @property
    def ok(self) -> bool:
        return self.status != "FAILED"


def is_project(value: Json) -> bool:
    """Whether a value, or what it has as {bundle}, calls itself a project bundle."""
    return PROJECT in (get(value, "bundleType"), get(value, "bundle", "bundleType"))


class _ProjectEvaluation:
    def __init__(self, options: Options, body: Members, bundle: Members) -> None:
        self.options, self.body, self.bundle = options, body, bundle
        self.report = ProjectReport(transparency=_absent_log(options))
        self.findings: List[Finding] = []
        registry = get(bundle, "stepRegistry")
        self.registry: List[Json] = registry if isinstance(registry, list) else []
        self.is_public = False
        listed = get(bundle, "withdrawn")
        withdrawn = listed if isinstance(listed, list) else []
        self.withdrawn = {step for step in withdrawn if isinstance(step, str)}
        # A hostile registry may name one large bundle in each of its entries: it is judged where it is first named.
        first: Dict[str, int] = {}
        for position, entry in enumerate(self.registry):
            first.setdefault(self.step_id(entry), position)
        self.repeated = set(range(len(self.registry))) - set(first.values())

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
            if self.options.require_log:
                self.require_log()
            self.check_registry()
            self.check_parents()
            self.check_embedded()
            self.check_listed()
            self.check_chain()
            structural = ("STEP_REGISTRY_MISMATCH", "CHAIN_BREAK_DETECTED", "SCHEMA_ERROR")
            self.report.structural_valid = all(finding.code not in structural for finding in self.findings)
            self.report.steps = [self.step(position, entry) for position, entry in enumerate(self.registry)]
        return self.finish()

    def require_log(self) -> None:
        found = self.report.transparency
        if found is None or found["status"] != "included":
            # Without a policy no proof can be judged, and the demand is not met.
            code = "LOG_UNKNOWN" if found is None else text_of(found["code"])
            self.fault(code, "logProofs", _LOG_SENTENCES[code])

    def finish(self) -> ProjectReport:
        """Chooses the code: by priority, else the first failing step's, else the first other finding's."""
        report, findings = self.report, _sorted_findings(self.findings)
        codes = [step.code for step in report.steps if step.status == "FAILED"]
        codes += [finding.code for finding in findings]
        report.passed_steps = sum(step.ok for step in report.steps)
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
        elif integrity.get("algorithm", _PROJECT_ALGORITHM) != _PROJECT_ALGORITHM:
            self.fault("SCHEMA_ERROR", "integrity.algorithm", "not a known algorithm")
        attestation = get(bundle, "meta", "attestation")
        if given(attestation) and not isinstance(attestation, dict):
            self.fault("SCHEMA_ERROR", "meta.attestation", "not an object")
        if not is_hash(get(integrity, "projectHash")):
            self.fault("INVALID_SHA256_FORMAT", "integrity.projectHash", "not a hash")
        if not isinstance(get(bundle, "stepRegistry"), list):
            self.fault("SCHEMA_ERROR", "stepRegistry", "not an array")
            return
        for position, entry in enumerate(self.registry):
            self.check_entry(index("stepRegistry", position), entry)

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
        if signature is ABSENT:
            receipt, code = None, "ATTESTATION_MISSING"
        if receipt is None:
            self.fault(_before(self.options.keys, code), "meta.attestation.receipt", "not a receipt with its signature")
            return FAIL
        if receipt.kind != "project":
            code = _before(self.options.keys, "ATTESTATION_INVALID_SIGNATURE")
            self.fault(code, "meta.attestation.receipt", "not a receipt of a project")
            return FAIL
        before = len(self.findings)
        holders = (get(self.bundle, "meta"), attestation, self.bundle, self.body)
        named, roots = get(receipt.value, "projectHash"), self.options.tsa_roots
        timestamps = check_timestamps(receipt.value, signature, named, holders, roots)
        self.report.timestamp = timestamps[0] if timestamps else None
        self.check_log(receipt, signature, holders)
        code, member = _check_signature(self.options.keys, receipt, signature, "meta.attestation", timestamps)
        if code != "":
            self.fault(code, member, "the signature or its key")
        self.check_bound(receipt, signature, attestation)
        if len(self.findings) > before:
            return FAIL
        self.report.registered_at = receipt.when
        if self.options.keys is not None:
            self.report.key_rescue = self.options.keys.choose(receipt.kid, receipt.instant, timestamps).rescue
            fingerprint = self.options.keys.fingerprint(receipt.kid)
            node_id = get(receipt.value, "nodeId")
            self.report.signed = {"nodeId": node_id, "kid": receipt.kid, "keyFingerprint": fingerprint}
        return PASS

    def check_log(self, receipt: _Receipt, signature: Json, holders: Iterable[Json]) -> None:
        """See "Log proofs"."""
        policy = self.options.log_policy
        if policy is None:
            return
        label = LogClaim("", None, None, "", "", kinds=("project",))
        claims = _log_claims(receipt.value, signature, holders, label)
        judged = [judge_log_proof(claim, policy) for claim in claims[:_MAX_PROOFS]]
        self.report.transparency = min(judged, key=_rank_of, default=self.report.transparency)

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
        return self.is_public and self.embedded(entry) is ABSENT and self.step_id(entry) in self.withdrawn

    @staticmethod
    def is_reseal(bundle: Json) -> bool:
        """A reseal in the place of a step; the evaluation of the step shows whether it may be there."""
        return get(bundle, "bundleType") == RESEAL

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
            if position not in self.repeated:
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
        if not isinstance(bundle, dict):
            self.structure(path, "not an embedded bundle")
            return
        if has(bundle, "bundle") or has(bundle, "cer"):
            self.structure(path, "a package, not the bundle itself")
            return
        is_reseal = self.is_reseal(bundle)
        if bundle.get("certificateHash") != get(entry, "certificateHash") and not is_reseal:
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
            if position not in self.repeated and self.breaks_chain(position, entry, link):
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
        is_hidden = self.is_reseal(self.embedded(entry)) and (link is ABSENT or link == REDACTED)
        if is_hidden or self.is_withdrawn(entry):
            return False
        return not same(link, get(self.registry[position - 1], "certificateHash"))

    # Steps.

    def step(self, position: int, entry: Json) -> Step:
        step, bundle = Step(self.step_id(entry), entry), self.embedded(entry)
        if position in self.repeated:
            step.status, step.code = "FAILED", "STEP_REGISTRY_MISMATCH"
        elif bundle is ABSENT:
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
        report = verify(bundle, replace(self.options, require_log=False))
        step.findings = report.findings
        if kind == HASH_ONLY or is_own_reseal:
            incomplete = Finding("INCOMPLETE_ARTIFACT", "bundleType", "not a whole certificate")
            step.findings = _sorted_findings([*report.findings, incomplete])
        if step.findings:
            step.status, step.code = "FAILED", step.findings[0].code
            return
        if self.is_public and self.is_reseal(bundle) and report.provenance == "proven":
            named = get(bundle, "meta", "attestation", "receipt", "originalCertificateHash")
        if not same(named, get(entry, "certificateHash")):
            step.status, step.code = "FAILED", "STEP_REGISTRY_MISMATCH"
            return
        step.status = report.status
        if report.checks.node_signature == PASS and report.checks.receipt_consistency == PASS:
            self.report.attested_steps += 1


def verify_project(value: Json, options: Options = Options()) -> ProjectReport:
    """Evaluates a project bundle, or one as {bundle}. It does not raise."""

    def refused(path: str, detail: str) -> ProjectReport:
        return failed(Finding("SCHEMA_ERROR", path, detail))

    def failed(finding: Finding) -> ProjectReport:
        return ProjectReport(code=finding.code, findings=[finding], transparency=_absent_log(options))

    if not isinstance(value, dict):
        return refused("", "not an object")
    bundle = value if value.get("bundleType") == PROJECT else value.get("bundle", value)
    if not isinstance(bundle, dict) or "bundle" in bundle:
        return refused("", "not one project bundle")
    try:
        return _ProjectEvaluation(options, value, bundle).run()
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return failed(Finding("UNKNOWN_ERROR", "", f"not foreseen: {type(error).__name__}"))


# Audit packages. See "Audit package" and "Completeness".

_MAX_PACKAGE_ENTRIES, _MAX_PACKAGE_BYTES, _MAX_FINDINGS = 100_000, 32 * 1024**3, 100
_MAX_RATIO, _RATIO_COUNTS_FROM, _MAX_SMALL_BYTES = 100, 1024 * 1024, 64 * 1024 * 1024
_ENTRY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")
_PART = re.compile(r"(certificates|receipts)/([0-9]{6,})\.ndjson\Z")
_OPENINGS = re.compile(r"log/openings/[0-9]{6,}\.ndjson\Z")
# Extra fields that a header may have, and the bytes of each at most: sizes of 64 bits, and times.
_EXTRA_FIELDS = {0x0001: 28, 0x5455: 13}
_MANIFEST, _MANIFEST_SIGNATURE, _COVERAGE = "manifest.json", "manifest.sig", "coverage.json"
_COMPLETENESS, _LOG_STATEMENT = "log/completeness.json", "log/statement.json"
_RANGE_MARGIN_S = 60


class PackageFault(ValueError):
    """Why a package is refused as a whole: a code and the name of the entry."""

    def __init__(self, code: str, entry: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.entry, self.detail = code, entry, detail


class _Entry(NamedTuple):
    """One entry, as the directory of the ZIP states it."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    # Where its data begins; -1 until the local header was read.
    start: int = -1


def _extra_fields(raw: bytes) -> Optional[Dict[int, bytes]]:
    """The extra fields of a header, or None for others than packages have: one could hold a second name."""
    found: Dict[int, bytes] = {}
    position = 0
    while position < len(raw):
        if position + 4 > len(raw):
            return None
        kind, size = struct.unpack_from("<HH", raw, position)
        if kind in found or size > _EXTRA_FIELDS.get(kind, -1) or position + 4 + size > len(raw):
            return None
        found[kind] = raw[position + 4 : position + 4 + size]
        position += 4 + size
    return found


class _Zip:
    """A ZIP of which every byte belongs to exactly one entry, or to the directory. Nothing is unpacked before that."""

    def __init__(self, file: BinaryIO) -> None:
        """Raises PackageFault."""
        self.file = file
        self.size = file.seek(0, os.SEEK_END)
        count, directory_size, directory, end = self.read_end()
        if directory + directory_size != end:
            raise self.malformed()
        if count > _MAX_PACKAGE_ENTRIES:
            raise PackageFault("PACKAGE_TOO_LARGE", "", f"has more than {_MAX_PACKAGE_ENTRIES} entries")
        # A record of the directory has at most 46 bytes, a name and fields of 64 KiB each.
        if directory_size > count * (46 + 3 * 65535):
            raise self.malformed()
        self.entries: Dict[str, _Entry] = {}
        self.read_directory(count, self.bytes_at(directory, directory_size))
        position = 0
        for entry in list(self.entries.values()):
            position = self.check_place(entry, position)
        if position != directory:
            raise PackageFault("PACKAGE_MALFORMED", "", "has bytes that belong to no entry")

    def malformed(self, name: str = "") -> PackageFault:
        self.file.seek(0)
        if name:
            rule = "is stored in a way that packages do not use"
        elif self.file.read(4) == b"PK\3\4":
            rule = "is not a complete ZIP: was the download cut off?"
        else:
            rule = "is not a ZIP: a certificate and a project are checked without --package"
        return PackageFault("PACKAGE_MALFORMED", name, rule)

    def bytes_at(self, position: int, length: int) -> bytes:
        if position < 0 or position + length > self.size:
            raise self.malformed()
        self.file.seek(position)
        return self.file.read(length)

    def read_end(self) -> Tuple[int, int, int, int]:
        """The number of entries, size and place of the directory, and where it must end."""
        record = self.bytes_at(self.size - 22, 22)
        disk, first, here, count, size, place, comment = struct.unpack("<4xHHHHIIH", record)
        if record[:4] != b"PK\5\6" or comment or disk or first or here != count:
            raise self.malformed()
        locator_at = self.size - 22 - 20
        locator = self.bytes_at(locator_at, 20) if locator_at >= 0 else b""
        if locator[:4] != b"PK\6\7":
            return int(count), int(size), int(place), self.size - 22
        long_at = locator_at - 56
        record = self.bytes_at(long_at, 56)
        disk, first, here, count, size, place = struct.unpack("<16xIIQQQQ", record)
        if record[:4] != b"PK\6\6" or struct.unpack("<8xQ4x", locator)[0] != long_at or disk or first or here != count:
            raise self.malformed()
        return int(count), int(size), int(place), long_at

    def read_directory(self, count: int, raw: bytes) -> None:
        position, total, folded = 0, 0, set()
        for _ in range(count):
            if raw[position : position + 4] != b"PK\1\2" or position + 46 > len(raw):
                raise self.malformed()
            needed, flags, method, crc, packed, size, *lengths, disk, outer, offset = struct.unpack_from(
                "<6xHHH4xIIIHHHHxxII", raw, position
            )
            name_size, extra_size, comment = lengths
            fields_at = position + 46 + name_size
            name = self.safe_name(raw[position + 46 : fields_at].decode("latin-1"))
            position = fields_at + extra_size + comment
            if name.lower() in folded:
                raise PackageFault("ENTRY_DUPLICATE", name, "is in the package more than once")
            folded.add(name.lower())
            if outer >> 16 & 0o170000 not in (0, 0o100000):
                raise PackageFault("ENTRY_SPECIAL_FILE", name, "is a link or another special file")
            if flags & 0x41:
                raise PackageFault("ENTRY_ENCRYPTED", name, "is encrypted")
            extra = _extra_fields(raw[fields_at : fields_at + extra_size])
            # 45 is the version that has sizes of 64 bits.
            if method not in (0, 8) or needed > 45 or flags & 0x2020 or comment or disk or extra is None:
                raise self.malformed(name)
            packed, size, offset = self.long_sizes(extra.get(1, b""), name, packed, size, offset)
            if size > _RATIO_COUNTS_FROM and size > packed * _MAX_RATIO:
                raise PackageFault("PACKAGE_TOO_LARGE", name, f"would grow to more than {_MAX_RATIO} times its size")
            total += size
            if total > _MAX_PACKAGE_BYTES:
                raise PackageFault("PACKAGE_TOO_LARGE", name, "all entries together are too large")
            if method == 0 and packed != size:
                raise self.malformed(name)
            self.entries[name] = _Entry(name, flags, method, crc, packed, size, offset)
        if position != len(raw):
            raise PackageFault("PACKAGE_MALFORMED", "", "has bytes that belong to no entry")

    def long_sizes(self, field: bytes, name: str, packed: int, size: int, offset: int) -> Tuple[int, int, int]:
        """The numbers of 64 bits in place of those that did not fit into 32."""
        wanted = [size, packed, offset]
        for place, number in enumerate(wanted):
            if number == 0xFFFFFFFF:
                if len(field) < 8:
                    raise self.malformed(name)
                wanted[place], field = struct.unpack("<Q", field[:8])[0], field[8:]
        return wanted[1], wanted[0], wanted[2]

    @staticmethod
    def safe_name(name: str) -> str:
        rule = None
        if re.match(r"[/\\]|[A-Za-z]:", name):
            rule = "the name is absolute"
        elif ".." in re.split(r"[/\\]", name):
            rule = "the name leads out of the package"
        elif not _ENTRY_NAME.match(name):
            rule = "the name has characters that no name in a package has"
        if rule is not None:
            raise PackageFault("ENTRY_NAME_UNSAFE", name, rule)
        return name

    def check_place(self, entry: _Entry, start: int) -> int:
        """Compares the entry's own header with the directory. Returns where the next entry must begin."""

        def mismatch(rule: str) -> PackageFault:
            return PackageFault("ENTRY_HEADER_MISMATCH", entry.name, rule)

        if entry.offset != start:
            raise mismatch("does not begin where the entry before it ends: bytes are hidden or used twice")
        head = self.bytes_at(start, 30)
        flags, method, crc, packed, size, name_size, extra_size = struct.unpack("<6xHH4xIIIHH", head)
        tail = self.bytes_at(start + 30, name_size + extra_size)
        if head[:4] != b"PK\3\4" or tail[:name_size] != entry.name.encode("latin-1"):
            raise mismatch("its own header has another name than the directory")
        if flags != entry.flags or method != entry.method:
            raise mismatch("its own header says otherwise how it is stored than the directory")
        if _extra_fields(tail[name_size:]) is None:
            raise mismatch("its own header has fields that no package has")
        begin = int(start + 30 + name_size + extra_size)
        self.entries[entry.name] = entry._replace(start=begin)
        end = begin + entry.packed
        if end > self.size:
            raise self.malformed()
        if flags & 8:
            length = self.descriptor(entry, end)
            if length == 0:
                raise mismatch("the data after it has another size or checksum than the directory")
            return end + length

        def is_same(local: int, stated: int) -> bool:
            return local == stated or (local == 0xFFFFFFFF and stated >= 0xFFFFFFFF)

        if crc != entry.crc or not is_same(packed, entry.packed) or not is_same(size, entry.size):
            raise mismatch("its own header has another size or checksum than the directory")
        return end

    def descriptor(self, entry: _Entry, position: int) -> int:
        """The length of what follows an entry that was written before its sizes were known; 0 where it does not fit."""
        raw = self.bytes_at(position, min(24, self.size - position))
        if raw[:8] != b"PK\7\x08" + struct.pack("<I", entry.crc):
            return 0
        long = len(raw) == 24 and struct.unpack("<QQ", raw[8:]) == (entry.packed, entry.size)
        short = len(raw) >= 16 and struct.unpack("<II", raw[8:16]) == (entry.packed, entry.size)
        return 24 if long else 16 if short else 0

    def chunks(self, entry: _Entry) -> Iterator[bytes]:
        """What an entry holds. Raises PackageFault where it cannot be unpacked, or has another size or CRC-32."""
        inflate = zlib.decompressobj(-15) if entry.method == 8 else None
        fault = PackageFault("PACKAGE_MALFORMED", entry.name, "cannot be unpacked")
        left, position, size, crc = entry.packed, entry.start, 0, 0
        while left > 0 and not (inflate and inflate.eof):
            raw = self.bytes_at(position, min(left, 65536))
            position, left = position + len(raw), left - len(raw)
            while raw:
                try:
                    piece = raw if inflate is None else inflate.decompress(raw, 1 << 20)
                except zlib.error:
                    raise fault from None
                raw = b"" if inflate is None else inflate.unconsumed_tail
                size, crc = size + len(piece), zlib.crc32(piece, crc)
                if size > entry.size:
                    raise fault
                yield piece
        if left or size != entry.size or (inflate is not None and (not inflate.eof or inflate.unused_data)):
            raise fault
        if crc != entry.crc:
            raise PackageFault("PACKAGE_MALFORMED", entry.name, "has another CRC-32 than the directory says")


def _or_absent(rule: Rule) -> Rule:
    return lambda value: value is ABSENT or rule(value)


def _is_count(value: Json) -> bool:
    return _is_integer(value) and isinstance(value, (int, float)) and 0 <= value <= MAX_SAFE_INTEGER


_QUERY: Rules = (
    *((name, _or_null(_is_time)) for name in ("attestedFrom", "attestedTo")),
    *((name, _or_null(_is_non_empty)) for name in ("appId", "bundleType")),
    ("status", _or_null(_one_of("visible", "hidden"))),
    *((name, _or_absent(_is_non_empty)) for name in ("provider", "model", "protocolVersion", "executionId")),
    *((name, _or_absent(lambda value: value is True)) for name in ("timestamped", "logProof")),
    *((name, _or_absent(is_hash)) for name in ("certificateHash", "projectHash", "reviewedHash")),
)
_MANIFEST_RULES: Rules = (
    ("type", _one_of("svc.audit.package.v1")),
    *((name, _is_non_empty) for name in ("nodeId", "kid", "tenantId")),
    ("query", lambda value: _has_rules(value, _QUERY)),
    *((name, _is_time) for name in ("asOf", "signedAt")),
    ("count", _is_count),
    *((name, _or_null(_is_non_empty)) for name in ("firstCursor", "lastCursor")),
    ("entries", lambda value: isinstance(value, list) and all(_has_rules(one, _LISTED) for one in value)),
)
_LISTED: Rules = (("name", _is_non_empty), ("size", _is_count), ("sha256", is_hash))
_LOG_FILTERS = {"attestedFrom", "attestedTo", "appId", "bundleType"}
_REPORTED = "seen sealed aborted failed truncated skipped unsealed dropped dead clients unclosed open waiting".split()
_DAY: Rules = (
    ("day", lambda value: parse_time(f"{text_of(value)}T00:00:00Z") is not None),
    ("appId", _or_null(_is_text)),
    *((name, _is_count) for name in ("certified", "reports", "refused")),
    (
        "refusals",
        lambda value: (
            isinstance(value, dict)
            and all(re.match("[A-Z_]{1,64}\\Z", name) and _is_count(count) for name, count in value.items())
        ),
    ),
    ("reported", _or_null(lambda value: all(_is_count(get(value, name)) for name in _REPORTED))),
)


def _has_rules(value: Json, rules: Rules) -> bool:
    """Whether an object has no other members, and each obeys its rule."""
    is_known = isinstance(value, dict) and set(value) <= {name for name, _ in rules}
    return is_known and all(rule(get(value, name)) for name, rule in rules)


def _cursor(certificate_hash: str, kind: str) -> str:
    return encode_base64url((b"\0" if kind == "full" else b"\1") + bytes.fromhex(certificate_hash[7:]))


def _reviewed_in(bundle: Json) -> Optional[str]:
    """The hash that a human review names, or None for another bundle. See "Human reviews"."""
    snapshot, signals = get(bundle, "snapshot"), get(bundle, "context", "signals")
    signal = signals[0] if isinstance(signals, list) and len(signals) == 1 else ABSENT
    payload, model = get(signal, "payload"), "human-review.v1"
    named = [get(snapshot, "provider"), get(snapshot, "model"), get(signal, "type"), get(signal, "source")]
    is_review = named == ["human", model, "review", model] and get(payload, "subject") in ("certificate", "project")
    is_review = is_review and get(payload, "decision") in ("approved", "rejected", "commented")
    reviewed = get(payload, "reviewed")
    return reviewed if is_review and isinstance(reviewed, str) and is_hash(reviewed) else None


class _Range(NamedTuple):
    """One leaf of a tenant's tree, as a package opens it."""

    number: int
    opening: _Opening
    digest: Optional[bytes]
    # What the line shows as signed: `receipt`, `deletion` or nothing.
    shown: str


def _read_range(value: Json) -> _Range:
    number, opening = get(value, "number"), _read_opening(get(value, "opening"))
    if not _is_positive_integer(number):
        raise _Malformed("a line of openings has a number from 1")
    digest, shown = None, ""
    deletion, receipt = get(value, "deletion"), get(value, "receipt")
    if opening.form == "owner" and receipt is not ABSENT:
        if not isinstance(receipt, dict) or not isinstance(get(value, "signature"), str):
            raise _Malformed("a receipt needs its signature")
        digest, shown = _receipt_digest(receipt, get(value, "signature")), "receipt"
    elif opening.form == "owner" and deletion is not ABSENT:
        audit = get(deletion, "auditHash")
        if not isinstance(audit, str) or get(deletion, "type") != "svc.log-deletion.v1":
            raise _Malformed("a deletion is auditHash, deletes and its type")
        # The numbers are those of the label: a statement about others leads to another leaf.
        stated: Members = {"auditHash": audit, "deletes": get(opening.label, "deletes"), "type": "svc.log-deletion.v1"}
        digest, shown = hashlib.sha256(canonicalize(stated).encode()).digest(), "deletion"
    elif opening.form == "owner" and has(value, "digest"):
        digest = _hash_in(pick(value, ("digest",)), "digest")
    return _Range(_whole(number), opening, digest, shown)


def _append_leaves(size: int, peaks: Sequence[bytes], leaves: Iterable[bytes]) -> List[bytes]:
    """The roots of the complete subtrees with these leaves appended."""
    grown = list(peaks)
    for leaf in leaves:
        left = size
        while left % 2 == 1 and grown:
            leaf, left = hashlib.sha256(b"\1" + grown.pop() + leaf).digest(), left // 2
        grown.append(leaf)
        size += 1
    return grown


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """The root of the tree whose complete subtrees have these roots, the largest first."""
    if not peaks:
        return hashlib.sha256().digest()
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = hashlib.sha256(b"\1" + peak + root).digest()
    return root


def verify_consistency(size1: int, size2: int, root1: bytes, root2: bytes, path: Sequence[bytes]) -> bool:
    """Whether the larger of two trees of a log extends the smaller one. See RFC 9162, 2.1.4.2."""
    if (size1 == 0 and root1 != hashlib.sha256().digest()) or (size1 == size2 and root1 != root2):
        return False
    if size1 in (0, size2):
        return not path
    hashes = [root1, *path] if size1 & (size1 - 1) == 0 else list(path)
    if size1 > size2 or not hashes:
        return False
    node, last = size1 - 1, size2 - 1
    while node % 2 == 1:
        node, last = node // 2, last // 2
    first = second = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            first = hashlib.sha256(b"\1" + sibling + first).digest()
            second = hashlib.sha256(b"\1" + sibling + second).digest()
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            second = hashlib.sha256(b"\1" + second + sibling).digest()
        node, last = node // 2, last // 2
    return last == 0 and first == root1 and second == root2


def tenant_tag(node_id: str, tenant_id: str) -> bytes:
    """The name of a tenant in its labels and in the map of an epoch."""
    return hashlib.sha256(canonicalize(["svc.log-tenant.v1", node_id, tenant_id]).encode()).digest()


def is_in_map(key: bytes, value: bytes, siblings: Sequence[bytes], root: bytes) -> bool:
    """Whether the map of tenants with this root holds a value under a key. Siblings go from leaf to root."""
    found = hashlib.sha256(b"\2" + key + value).digest()
    for depth in range(len(siblings) - 1, -1, -1):
        sibling = siblings[len(siblings) - 1 - depth]
        is_right = key[depth >> 3] >> (7 - (depth & 7)) & 1
        found = hashlib.sha256(b"\3" + (sibling + found if is_right else found + sibling)).digest()
    return found == root


class _Head(NamedTuple):
    size: int
    root: bytes


class _End(NamedTuple):
    """One end of a range: an epoch, and the head of the tenant's tree in it."""

    epoch: int
    entry: str
    proof: str
    head: _Head
    siblings: List[bytes]


def _hashes_in(value: Json) -> List[bytes]:
    if not isinstance(value, list) or len(value) > 256 or not all(is_hash(one) for one in value):
        raise _Malformed("not a list of at most 256 hashes")
    return [bytes.fromhex(text_of(one)[7:]) for one in value]


def _read_end(value: Json) -> _End:
    head = get(value, "head")
    is_exact = isinstance(value, dict) and set(value) == {"epoch", "entry", "proof", "head", "siblings"}
    if not isinstance(value, dict) or not is_exact or not isinstance(head, dict) or set(head) != {"size", "root"}:
        raise _Malformed("an end has exactly its members")
    is_typed = _is_count(value["epoch"]) and _is_count(head["size"])
    if not is_typed or not isinstance(value["entry"], str) or not isinstance(value["proof"], str):
        raise _Malformed("an end has a member of another type")
    read = _Head(_whole(head["size"]), _hash_in(head, "root"))
    return _End(_whole(value["epoch"]), value["entry"], value["proof"], read, _hashes_in(value["siblings"]))


@dataclass
class PackageReport:
    """The result for an audit package: the members that `cer verify-package --json` writes."""

    checks: Members
    manifest: Optional[Members] = None
    is_complete: bool = False
    verified: int = 0
    failed: int = 0
    log: Members = field(default_factory=lambda: dict(_NO_LOG))
    coverage: Optional[Members] = None
    findings: List[Members] = field(default_factory=list)
    finding_count: int = 0

    @property
    def code(self) -> str:
        return text_of(self.findings[0]["code"]) if self.findings else "OK"

    def as_json(self) -> Members:
        manifest = self.manifest
        if manifest is not None:
            listed = manifest["entries"]
            manifest = {**manifest, "entries": len(listed) if isinstance(listed, list) else 0}
        return {
            "status": "FAILED" if self.findings else "VERIFIED",
            "code": self.code,
            "completeness": "complete" if self.is_complete else "unknown",
            "checks": self.checks,
            "manifest": manifest,
            "records": {"total": self.verified + self.failed, "verified": self.verified, "failed": self.failed},
            "log": self.log,
            "coverage": self.coverage,
            "findings": self.findings,
            "findingCount": self.finding_count,
        }


_NO_LOG: Members = {
    **dict.fromkeys(("numbers", "from", "provenUntil", "head")),
    **dict.fromkeys(("leaves", "certificates", "deleted", "elsewhere"), 0),
    "witnesses": [],
    "status": "absent",
}
_ENTRY_CODES = {"ENTRY_UNLISTED", "ENTRY_MISSING", "ENTRY_CHANGED", "MANIFEST_INVALID"}


class _Package:
    """The one check of an audit package."""

    def __init__(self, file: BinaryIO, options: Options) -> None:
        self.file, self.options = file, replace(options, require_attestation=True, require_log=False)
        # Of the package as a whole: its certificates carry no proofs of their own.
        self.requires_log = options.require_log
        self.findings: List[Members] = []
        self.codes: Dict[str, int] = {}
        self.manifest: Optional[Members] = None
        self.listed: Dict[str, Json] = {}
        self.query: Members = {}
        self.counts = {"verified": 0, "failed": 0}
        self.first: Optional[str] = None
        self.last: Optional[str] = None
        self.time = ""
        # The cursors of the present time: a repeated record has the same time.
        self.at_time: Set[str] = set()
        self.tally: Dict[Tuple[str, Optional[str]], int] = {}
        # The digests of all receipts, and of each record its place, its time and its digests.
        self.digests: Set[bytes] = set()
        self.records: List[Tuple[str, Instant, List[bytes]]] = []
        self.log: Members = dict(_NO_LOG)
        self.coverage: Optional[Members] = None

    def add(self, code: str, entry: str, detail: str) -> None:
        self.codes[code] = self.codes.get(code, 0) + 1
        if len(self.findings) < _MAX_FINDINGS:
            self.findings.append({"code": code, "entry": entry, "detail": detail})

    def run(self) -> PackageReport:
        reached, is_signed = "form", False
        try:
            self.zip = _Zip(self.file)
            reached = "contents"
            is_signed = self.check_manifest()
            if self.manifest is not None:
                self.compare_names()
            self.check_records()
            self.read_others()
            self.check_coverage()
            self.check_ends()
            self.check_log()
            if self.requires_log and self.log["status"] == "absent":
                self.add("LOG_PROOF_MISSING", "", "has no proof of the log for its question")
            reached = "end"
        except PackageFault as fault:
            self.add(fault.code, fault.entry, fault.detail)
        return self.report(reached, is_signed)

    def report(self, reached: str, is_signed: bool) -> PackageReport:
        codes = set(self.codes)

        def compared(of: Set[str]) -> str:
            if codes & of:
                return FAIL
            return PASS if self.manifest is not None and reached == "end" else SKIPPED

        is_formed = reached != "form" and not codes & {"PACKAGE_MALFORMED", "PACKAGE_TOO_LARGE"}
        return PackageReport(
            checks={
                "form": PASS if is_formed else FAIL,
                "manifestSignature": PASS if is_signed else SKIPPED if self.manifest is None else FAIL,
                "entries": compared(_ENTRY_CODES),
                "certificates": FAIL if self.counts["failed"] else PASS if reached == "end" else SKIPPED,
                "records": compared({"RECORDS_MISMATCH", "COVERAGE_INVALID"}),
            },
            manifest=self.manifest,
            is_complete=is_signed and reached == "end" and codes <= {"CERTIFICATE_FAILED"},
            verified=self.counts["verified"],
            failed=self.counts["failed"],
            log=self.log,
            coverage=self.coverage,
            findings=self.findings,
            finding_count=sum(self.codes.values()),
        )

    # The manifest and its entries.

    def whole(self, name: str, most: int = _MAX_SMALL_BYTES) -> bytes:
        entry = self.zip.entries[name]
        if entry.size > most:
            raise PackageFault("PACKAGE_TOO_LARGE", name, f"has more than {most} bytes")
        return b"".join(self.zip.chunks(entry))

    def check_manifest(self) -> bool:
        """Reads the manifest. Returns whether the node that the caller trusts signed it."""
        if _MANIFEST not in self.zip.entries:
            self.add("MANIFEST_MISSING", _MANIFEST, "there is no manifest, so the expected contents are unknown")
            return False
        text = self.whole(_MANIFEST)
        fault = self.read_manifest(text)
        if fault is not None:
            self.add("MANIFEST_INVALID", _MANIFEST, fault)
        if _MANIFEST_SIGNATURE not in self.zip.entries:
            self.add("MANIFEST_MISSING", _MANIFEST_SIGNATURE, "there is no signature over the manifest")
            return False
        manifest, keys = self.manifest, self.options.keys
        if manifest is None:
            return False
        signature = self.whole(_MANIFEST_SIGNATURE, 64)
        key, code, _ = _choose(keys, text_of(manifest["kid"]), parse_time(manifest["signedAt"]) or (0, 0))
        names = [None if keys is None else keys.node_id, self.options.node_id]
        if code == "" and any(name not in (None, manifest["nodeId"]) for name in names):
            code = "ATTESTATION_INVALID_SIGNATURE"
        if code == "" and (key is None or not verify_ed25519(key, text, signature)):
            code = "ATTESTATION_INVALID_SIGNATURE"
        if code != "":
            self.add(code, _MANIFEST_SIGNATURE, "no valid signature of the node over this manifest")
        return code == ""

    def read_manifest(self, text: bytes) -> Optional[str]:
        try:
            value = parse_json(text)
        except JsonFault:
            return "is not strict JSON"
        if not isinstance(value, dict) or not _has_rules(value, _MANIFEST_RULES):
            return "is missing a member, or has one that is malformed or unknown"
        with contextlib.suppress(CanonicalError):
            if canonicalize(value).encode() == text:
                self.manifest, query, entries = value, value["query"], value["entries"]
                self.query = query if isinstance(query, dict) else {}
                self.listed = {text_of(get(one, "name")): one for one in (entries if isinstance(entries, list) else [])}
                return None
        return "is not in canonical form"

    def compare_names(self) -> None:
        closing, present = {_MANIFEST, _MANIFEST_SIGNATURE}, self.zip.entries
        entries = get(self.manifest, "entries")
        if isinstance(entries, list) and len(entries) != len(self.listed):
            self.add("MANIFEST_INVALID", _MANIFEST, "lists an entry twice")
        for name in present:
            if name not in self.listed and name not in closing:
                self.add("ENTRY_UNLISTED", name, "is not in the manifest")
        for name in self.listed:
            if name not in present or name in closing:
                self.add("ENTRY_MISSING", name, "is in the manifest and not here")

    def content(self, name: str) -> Iterator[bytes]:
        """What an entry holds; when it ends, its size and hash are compared with the manifest."""
        entry, listed, digest, size = self.zip.entries[name], self.listed.get(name), hashlib.sha256(), 0
        fault: Optional[PackageFault] = None
        try:
            for chunk in self.zip.chunks(entry):
                digest.update(chunk)
                size += len(chunk)
                yield chunk
        except PackageFault as found:
            # A changed file is named as such before its checksum is.
            if size != entry.size:
                raise
            fault = found
        found_hash = "sha256:" + digest.hexdigest()
        if listed is not None and (size != get(listed, "size") or found_hash != get(listed, "sha256")):
            self.add("ENTRY_CHANGED", name, "has another size or SHA-256 than the manifest says")
        elif fault is not None:
            raise fault

    def read_others(self) -> None:
        for name in self.listed:
            if name in self.zip.entries and not _PART.match(name):
                for _ in self.content(name):
                    pass

    @staticmethod
    def lines(name: str, chunks: Iterable[bytes]) -> Iterator[Tuple[int, bytes]]:
        """The lines that hold something, with their numbers."""
        rest, number = b"", 0
        for chunk in chunks:
            *whole, rest = (rest + chunk).split(b"\n")
            if len(rest) > MAX_BYTES:
                raise PackageFault("PACKAGE_TOO_LARGE", name, "a line is too long")
            for line in whole:
                number += 1
                if line.strip(b" \t\r"):
                    yield number, line
        if rest.strip(b" \t\r"):
            yield number + 1, rest

    # Records.

    def check_records(self) -> None:
        found = (_PART.match(name) for name in self.zip.entries)
        for position, number in enumerate(sorted({part.group(2) for part in found if part}, key=int), 1):
            if int(number) != position:
                self.add("RECORDS_MISMATCH", "", f"part {position} is not here")
            pair = [
                self.lines(name, self.content(name)) if name in self.zip.entries else iter(())
                for name in (f"certificates/{number}.ndjson", f"receipts/{number}.ndjson")
            ]
            for certificate, receipt in itertools.zip_longest(*pair):
                at_line = (certificate or receipt)[0]
                place = f"certificates/{number}.ndjson:{at_line}"
                if certificate is None or receipt is None or certificate[0] != receipt[0]:
                    detail = "a certificate lacks its receipt, or a receipt its certificate"
                    self.add("RECORDS_MISMATCH", place, detail)
                    continue
                self.check_record(place, certificate[1], receipt[1])

    def check_record(self, place: str, certificate: bytes, receipt: bytes) -> None:
        try:
            line = parse_json(receipt)
        except JsonFault:
            line = None
        if not isinstance(line, dict):
            self.add("RECORDS_MISMATCH", place, "its receipt is not a strict JSON object")
            return
        try:
            bundle, report = parse_json(certificate), None
        except JsonFault as fault:
            bundle, report = ABSENT, _failed_report(Finding("SCHEMA_ERROR", fault.path, fault.rule))
        wrong = self.order_fault(line) or self.query_fault(line) or self.content_fault(bundle)
        if wrong is not None:
            self.add("RECORDS_MISMATCH", place, wrong)
        self.count(place, line, bundle)
        if report is None:
            # The two together are the answer of a lookup, and one is compared with the other.
            around: Members = {name: line.get(name) for name in ("certificateHash", "receipt", "signature", "kid")}
            if isinstance(line.get("resealedCertificateHash"), str):
                around["resealedCertificateHash"] = line["resealedCertificateHash"]
            report = verify({**around, "cer": bundle}, self.options)
        self.counts["verified" if report.ok else "failed"] += 1
        if not report.ok:
            member = report.findings[0].member if report.findings else ""
            self.add("CERTIFICATE_FAILED", place, f"{report.code}: {member}")

    def order_fault(self, line: Members) -> Optional[str]:
        named, kind, time = (line.get(name) for name in ("certificateHash", "kind", "firstAttestedAt"))
        if not isinstance(time, str) or parse_time(time) is None:
            return "firstAttestedAt: must be a time"
        is_named = isinstance(named, str) and is_hash(named) and isinstance(kind, str)
        if not is_named or _cursor(text_of(named), text_of(kind)) != line.get("cursor"):
            return "cursor: must name this record"
        cursor = text_of(line["cursor"])
        self.first, self.last = self.first or cursor, cursor
        if time < self.time:
            return "is out of order: the record before it is newer"
        self.time, self.at_time = time, self.at_time if time == self.time else set()
        if cursor in self.at_time:
            return "is in the package more than once"
        self.at_time.add(cursor)
        return None

    def query_fault(self, line: Members) -> Optional[str]:
        if not same(line.get("attestedAt"), get(line, "receipt", "timestamp")):
            return "attestedAt: differs from the time in the receipt"
        start, end = self.query.get("attestedFrom"), self.query.get("attestedTo")
        names = ("appId", "bundleType", "status", "executionId")
        fits = (not isinstance(start, str) or self.time >= start) and (not isinstance(end, str) or self.time < end)
        fits = fits and all(self.query.get(name) in (None, line.get(name)) for name in names)
        return None if fits else "does not fit what was asked for"

    def content_fault(self, bundle: Json) -> Optional[str]:
        for name in ("provider", "model", "protocolVersion"):
            asked, found = self.query.get(name), get(bundle, "snapshot", name)
            if name == "protocolVersion" and not given(found):
                found = "1.2.0"
            # A reseal may withhold what the query names.
            if asked is not None and found != asked and (found != REDACTED or name == "protocolVersion"):
                return "does not fit what was asked for"
        asked = self.query.get("reviewedHash")
        # A reseal may withhold the signal that names it.
        if asked is not None and get(bundle, "context") != REDACTED and _reviewed_in(bundle) != asked:
            return "does not fit what was asked for"
        return None

    def count(self, place: str, line: Members, bundle: Json) -> None:
        time, app_id = text_of(line.get("firstAttestedAt")), text_of(line.get("appId")) or None
        instant = parse_time(time)
        self.tally[time[:10], app_id] = self.tally.get((time[:10], app_id), 0) + 1
        # Of a record of which the package has the reseal; those of other records hide nothing.
        named = line.get("certificateHash")
        originals = [one for one in _attestations(line) if get(one, "receipt", "certificateHash") == named]
        signed = [line, *_attestations(get(bundle, "meta")), *originals]
        pairs = [(get(one, "receipt"), get(one, "signature")) for one in signed]
        digests: List[bytes] = []
        for of, signature in pairs:
            # One without canonical form was never signed, and verification says so.
            with contextlib.suppress(CanonicalError):
                if isinstance(of, dict) and isinstance(signature, str):
                    digests.append(_receipt_digest(of, signature))
        self.digests.update(digests)
        if instant is not None:
            self.records.append((place, instant, digests))

    def check_ends(self) -> None:
        if self.manifest is None:
            return
        total = sum(self.counts.values())
        if total != self.manifest["count"]:
            self.add("RECORDS_MISMATCH", "", f"holds {total} records, the manifest says another number")
        if self.first != self.manifest["firstCursor"] or self.last != self.manifest["lastCursor"]:
            self.add("RECORDS_MISMATCH", "", "begins or ends with another record than stated")

    def check_coverage(self) -> None:
        """See "Coverage in a package"."""
        if _COVERAGE not in self.zip.entries:
            return
        try:
            value = parse_json(self.whole(_COVERAGE))
        except JsonFault:
            value = None
        days, ends = get(value, "days"), [get(value, name) for name in ("from", "to")]
        rows = days if isinstance(days, list) else [None]
        is_day = _or_null(_DAY[0][1])
        is_formed = get(value, "type") == "svc.coverage.v1" and isinstance(get(value, "isCounted"), bool)
        is_formed = is_formed and all(is_day(end) for end in ends) and _or_null(_is_text)(get(value, "appId"))
        if not is_formed or not all(all(rule(get(row, name)) for name, rule in _DAY) for row in rows):
            self.add("COVERAGE_INVALID", _COVERAGE, "is malformed")
            return
        stated = {
            (text_of(get(row, "day")), text_of(get(row, "appId")) or None): _whole(get(row, "certified"))
            + _whole(get(row, "reports"))
            for row in rows
        }
        if get(value, "isCounted") is True and any(found > stated.get(key, 0) for key, found in self.tally.items()):
            self.add("COVERAGE_INVALID", _COVERAGE, "counts fewer certificates than the package has")
        refusals: Dict[str, int] = {}
        for row in rows:
            counts = get(row, "refusals")
            for code, number in (counts if isinstance(counts, dict) else {}).items():
                refusals[code] = refusals.get(code, 0) + _whole(number)
        reports = [get(row, "reported") for row in rows if given(get(row, "reported"))]
        names = [name for name in _REPORTED if name not in ("clients", "unclosed", "open", "waiting")]
        reported = {name: sum(_whole(get(one, name)) for one in reports) for name in names} if reports else None
        self.coverage = {
            **{"from": ends[0], "to": ends[1], "isCounted": get(value, "isCounted")},
            **{name: sum(_whole(get(row, name)) for row in rows) for name in ("certified", "refused")},
            **{"refusals": refusals, "reported": reported},
        }

    # Completeness. See "Completeness".

    def check_log(self) -> None:
        is_known = self.query.get("status", "") is None and all(
            name in _LOG_FILTERS or name == "status" for name in self.query
        )
        is_there = self.manifest is not None and _COMPLETENESS in self.zip.entries
        if self.options.log_policy is None or not is_there or not is_known:
            return
        before = sum(self.codes.values())
        try:
            self.check_completeness(self.options.log_policy)
        except (ValueError, LookupError) as fault:
            if isinstance(fault, PackageFault):
                raise
            self.add("LOG_RANGE_INVALID", _COMPLETENESS, str(fault))
        self.log["status"] = "proven" if sum(self.codes.values()) == before else "failed"

    def check_completeness(self, policy: LogPolicy) -> None:
        document = parse_json(self.whole(_COMPLETENESS, 4 * 1024 * 1024))
        names = {"type", "tenantId", "origin", "from", "to", "peaks"}
        is_exact = isinstance(document, dict) and set(document) == names
        if not is_exact or get(document, "type") != "svc.log-completeness.v1":
            raise _Malformed("completeness has exactly its members")
        origin, tenant = text_of(get(document, "origin")), get(self.manifest, "tenantId")
        node_id = text_of(get(self.manifest, "nodeId"))
        if get(document, "tenantId") != tenant:
            self.add("LOG_TENANT_MISMATCH", _COMPLETENESS, "is of another tenant")
        tag = tenant_tag(node_id, text_of(tenant))
        start = None if get(document, "from") is None else _read_end(get(document, "from"))
        end, peaks = _read_end(get(document, "to")), _hashes_in(get(document, "peaks"))
        since, mmd = self.promise(origin)
        first = None if start is None else self.epoch(start, node_id, origin, tag, policy)[0]
        last, witnesses = self.epoch(end, node_id, origin, tag, policy)
        leaves = [
            _read_range(parse_json(line))
            for name in sorted(name for name in self.zip.entries if _OPENINGS.match(name))
            for _, line in self.lines(name, self.zip.chunks(self.zip.entries[name]))
        ]
        fault = self.range_fault(None if start is None else start.head, end.head, peaks, leaves, "sha256:" + tag.hex())
        if fault is not None:
            self.add(fault, _COMPLETENESS, "the leaves are not all between both heads, in their order")
        self.check_start(start, first)
        proven_until = parse_time(last)
        due = None if proven_until is None else (proven_until[0] - mmd, proven_until[1])
        logged = self.count_range(leaves, since, mmd)
        for place, when, digests in self.records:
            is_due = due is not None and (since is None or when >= since) and when < due
            if is_due and not any(digest in logged for digest in digests):
                self.add("LOG_RECORD_UNLOGGED", place, "has a receipt that the log does not hold")
        self.log["numbers"] = [leaves[0].number, leaves[-1].number] if leaves else None
        self.log.update({"from": first, "provenUntil": last, "witnesses": witnesses})
        self.log["head"] = {"size": end.head.size, "root": "sha256:" + end.head.root.hex()}

    def check_start(self, start: Optional[_End], first: Optional[str]) -> None:
        began, asked = parse_time(first), parse_time(self.query.get("attestedFrom"))
        due = None if asked is None else (asked[0] - _RANGE_MARGIN_S, asked[1])
        is_before = began is not None and due is not None and began <= due
        if start is not None and not is_before:
            self.add("LOG_RANGE_INVALID", _COMPLETENESS, "begins after the question does")

    def promise(self, origin: str) -> Tuple[Optional[Instant], int]:
        """Since when the log is kept, and within how many seconds it takes a receipt."""
        if _LOG_STATEMENT not in self.zip.entries:
            return None, MMD_SECONDS
        value = parse_json(self.whole(_LOG_STATEMENT, 4 * 1024 * 1024))
        logs = get(value, "statement", "logs") if has(value, "statement") else get(value, "logs")
        for log in logs if isinstance(logs, list) else []:
            if get(log, "origin") == origin:
                since, mmd = parse_time(get(log, "since")), get(log, "mmdSeconds")
                is_number_of = isinstance(mmd, (int, float)) and mmd > 0
                return since, _whole(mmd) if is_number_of else MMD_SECONDS
        return None, MMD_SECONDS

    def epoch(
        self, end: _End, node_id: str, origin: str, tag: bytes, policy: LogPolicy
    ) -> Tuple[Optional[str], List[Json]]:
        """When the epoch of an end ended and who cosigned it, or None where it is not proven."""
        head: Members = {
            "root": "sha256:" + end.head.root.hex(),
            "size": end.head.size,
            "type": "svc.log-tenant-head.v1",
        }
        value = hashlib.sha256(canonicalize(head).encode()).digest()
        epoch, witnesses = _proven_epoch(end, node_id, origin, policy)
        if epoch is None:
            detail = "an epoch is not in the epochs log under the policy, or is of another node, log or place"
            self.add("LOG_EPOCH_INVALID", _COMPLETENESS, detail)
            return None, []
        if not is_in_map(tag, value, end.siblings, _hash_in(epoch, "tenants")):
            self.add("LOG_HEAD_INVALID", _COMPLETENESS, "the head of the tenant is not in the map of its epoch")
            return None, []
        return text_of(epoch["to"]), witnesses

    @staticmethod
    def range_fault(
        start: Optional[_Head], end: _Head, peaks: List[bytes], leaves: List[_Range], tag: str
    ) -> Optional[str]:
        """Whether the leaves are all that was appended between both heads, each with its number and tenant."""
        size = 0 if start is None else start.size
        is_start = not peaks if start is None else root_of_peaks(peaks) == start.root
        if len(peaks) != bin(size).count("1") or not is_start or size + len(leaves) != end.size:
            return "LOG_RANGE_INVALID"
        hashes: List[bytes] = []
        for position, leaf in enumerate(leaves):
            found = leaf.opening.leaf(leaf.digest)
            if found is None:
                return "LOG_RANGE_INVALID"
            hashes.append(found)
            if leaf.opening.label is ABSENT:
                continue
            if get(leaf.opening.label, "tenant") != tag:
                return "LOG_TENANT_MISMATCH"
            if get(leaf.opening.label, "number") != size + position + 1:
                return "LOG_RANGE_INVALID"
        return None if root_of_peaks(_append_leaves(size, peaks, hashes)) == end.root else "LOG_RANGE_INVALID"

    def is_asked(self, label: Json) -> bool:
        """Whether a leaf belongs to the question by time, app and type; never by its kind."""
        when = parse_time(get(label, "at"))
        start, end = (parse_time(self.query.get(name)) for name in ("attestedFrom", "attestedTo"))
        is_in = when is None or ((start is None or when >= start) and (end is None or when < end))
        return is_in and all(self.query.get(name) in (None, get(label, name)) for name in ("appId", "bundleType"))

    def count_range(self, leaves: List[_Range], since: Optional[Instant], mmd: int) -> Set[bytes]:
        """What each leaf of the range must show. Returns the digests that have their leaf."""
        deletions = (leaf.opening.label for leaf in leaves if leaf.shown == "deletion")
        deleted = sorted(ends for label in deletions for ends in _ranges_of(label) or [])
        firsts = [first for first, _ in deleted]
        # Ranges of several deletions may overlap.
        furthest = list(itertools.accumulate((last for _, last in deleted), max))
        logged: Set[bytes] = set()
        counts = {"certificates": 0, "deleted": 0, "elsewhere": 0}
        latest: Optional[Instant] = None
        for leaf in leaves:
            place, label = f"number {leaf.number}", leaf.opening.label
            if label is not ABSENT:
                when = parse_time(get(label, "at"))
                if when is None:
                    self.add("LOG_RANGE_INVALID", place, "its time is not a time")
                elif since is None or when >= since:
                    if latest is not None and when < (latest[0] - mmd - CLOCK_TOLERANCE_S, latest[1]):
                        self.add("LOG_BACKDATED", place, "is dated before a receipt that was logged earlier")
                    latest = when if latest is None else max(when, latest)
            if leaf.opening.form == "owner":
                if leaf.digest is not None:
                    logged.add(leaf.digest)
                counts["certificates"] += self.count_owned(leaf, place)
            elif leaf.opening.form == "label":
                counts["elsewhere"] += 1
                if self.is_asked(label):
                    self.add("LOG_RECORD_MISSING", place, "belongs to the question, and its record was not handed over")
            elif leaf.opening.form == "erased":
                counts["deleted"] += 1
                before = bisect.bisect_right(firsts, leaf.number)
                if before == 0 or furthest[before - 1] < leaf.number:
                    self.add("LOG_RECORD_MISSING", place, "no logged deletion names this number")
            else:
                self.add("LOG_RANGE_INVALID", place, "has an opening that shows no number")
        self.log.update({"leaves": len(leaves), **counts})
        return logged

    def count_owned(self, leaf: _Range, place: str) -> int:
        """1 for a certificate that was handed over."""
        kind = get(leaf.opening.label, "kind")
        if kind in ("reseal", "project", "deletion"):
            if leaf.shown != ("deletion" if kind == "deletion" else "receipt"):
                self.add("LOG_RECORD_MISSING", place, "the signed receipt of this number is missing")
            return 0
        if leaf.digest is None or leaf.digest not in self.digests:
            self.add("LOG_RECORD_MISSING", place, "the record of this number was not handed over")
            return 0
        return 1


def _proven_epoch(end: _End, node_id: str, origin: str, policy: LogPolicy) -> Tuple[Optional[Members], List[Json]]:
    """The entry of the epochs log at one end of a range, where the log holds it under the policy, and its witnesses."""
    try:
        epoch = parse_json(end.entry.encode(), 4)
        position, path, extra, checkpoint = _read_proof(end.proof)
        names = {"type", "nodeId", "epoch", "from", "to", "log", "tenants", "audit", "keyHistory"}
        if not isinstance(epoch, dict) or set(epoch) != names or canonicalize(epoch) != end.entry:
            return None, []
        is_ours = epoch["type"] == "svc.log-epoch.v1" and epoch["nodeId"] == node_id and is_hash(epoch["tenants"])
        is_ours = is_ours and get(epoch, "log", "origin") == origin and checkpoint.origin == f"{origin}/epochs"
        is_ours = is_ours and epoch["epoch"] == position == end.epoch and isinstance(epoch["to"], str)
        leaf = hashlib.sha256(b"\0" + end.entry.encode()).digest()
        if not is_ours or not is_included(leaf, position, checkpoint.size, path, checkpoint.root):
            return None, []
        cosigned, _ = _judge_checkpoint(checkpoint, policy)
    except ValueError:
        return None, []
    if cosigned is None or not cosigned.is_quorum_met:
        return None, []
    return epoch, list(cosigned.times)


def verify_package(file: BinaryIO, options: Options = Options()) -> PackageReport:
    """Checks an audit package, reading it once. It does not raise for any content. See "Audit package"."""
    return _Package(file, options).run()


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
    parts.update(_beside(report))
    parts.update({"code": report.code, "findings": [finding.as_json() for finding in report.findings]})
    parts.update({"keySet": key_set, "computedCertificateHash": report.computed_certificate_hash})
    return {**parts, "signed": report.signed, "statedByProducer": report.stated}


def _beside(report: Union[Report, ProjectReport]) -> Members:
    """What a report says beside the layers, where there is something to say."""
    timestamp = None if report.timestamp is None else report.timestamp.as_json()
    facts = {"timestamp": timestamp, "transparency": report.transparency, "keyRescue": report.key_rescue}
    return {name: fact for name, fact in facts.items() if fact is not None}


def project_json(report: ProjectReport, key_set: Json) -> Members:
    """The report of a project as `--json` writes it."""
    is_sound = report.structural_valid and report.project_hash_valid
    is_sound = is_sound and all(step.status != "FAILED" for step in report.steps)
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
        "totalSteps": report.total_steps,
        "passedSteps": report.passed_steps,
        "attestedSteps": report.attested_steps,
        "verifiedAt": _now(),
        "verifier": VERIFIER,
        **_beside(report),
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
    if not content:
        raise UsageError(f"{name}: is empty")
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(name, content)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{name}: is larger than 256 MiB")
    if content[:4] == b"PK\x03\x04":
        raise UsageError(f"{name}: is a ZIP archive: an audit package is checked with --package")
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        raise UsageError(f"{name}: is a PNG: cer verify checks the certificate that a picture carries")
    for start, program in _PACKED.items():
        if content.startswith(start):
            raise UsageError(f"{name}: is compressed with {program}: unpack it first")
    return content[3:] if content.startswith(b"\xef\xbb\xbf") else content


_PACKED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "Zstandard"}


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
        raise UsageError(f"{path}: {error}. Save the key set of the node, /.well-known/svc-node.json") from None
    changed = datetime.fromtimestamp(os.stat(path).st_mtime, timezone.utc) if path != "-" else None
    date = None if changed is None else changed.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return keys, {"nodeId": keys.node_id, "from": path, "date": date}


def _read_policy(path: str) -> LogPolicy:
    try:
        return LogPolicy(_read(path).decode())
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def _read_roots(path: str) -> TsaRoots:
    try:
        return TsaRoots(_read(path).decode())
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


_EXAMPLES = """\
examples:
  python3 -m cer_verify certificate.json --keys keys.json
  python3 -m cer_verify certificate.json --history history.json --root sha256:... --seen seen.json
  python3 -m cer_verify records.zip --package --keys keys.json --json > report.json
"""


class _ArgumentParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see: python3 -m cer_verify --help)")


def _read_seen(path: str) -> Optional[SeenHistory]:
    """The history accepted last; None before the first. Without it an old history would pass for the newest."""
    if not os.path.exists(path):
        return None
    try:
        state = parse_json(_read(path))
    except JsonFault:
        state = None
    version, seq, head = (get(state, name) for name in ("version", "seq", "hash"))
    if not _is_positive_integer(version) or not _is_positive_integer(seq) or not is_hash(head):
        reason = "is not a state that cer_verify wrote: restore it, without it an old history passes unnoticed"
        raise UsageError(f"{path}: {reason}")
    return SeenHistory(_whole(version), _whole(seq), text_of(head))


def _keep_seen(path: str, seen: SeenHistory) -> None:
    # Read again: another process may have stored a newer one.
    stored = _read_seen(path)
    if stored is not None and stored.version >= seen.version:
        return
    # Written aside: a run that is interrupted leaves the earlier state whole.
    target = os.path.realpath(path)
    draft = f"{target}.{os.getpid()}.tmp"
    try:
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(seen._asdict(), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise UsageError(f"{path}: {error.strerror or 'cannot be written'}") from None


def _read_history(path: str, node_id: Optional[str], root: str, seen_path: Optional[str]) -> Tuple[KeySet, Members]:
    """The keys that a root vouches for. Raises HistoryFault. The accepted state is kept in a file."""
    try:
        document = parse_json(_read(path))
    except JsonFault as fault:
        raise UsageError(f"{path}: {fault}") from None
    seen = None if seen_path is None else _read_seen(seen_path)
    named = get(document, "nodeId")
    found = verify_key_history(document, node_id or (named if isinstance(named, str) else ""), root, seen, _now())
    if seen_path is not None:
        _keep_seen(seen_path, found.seen)
    facts: Members = {"nodeId": found.keys.node_id, "from": path, "date": found.keys.revocations_known_until}
    return found.keys, {**facts, "rootFingerprint": root, "notices": found.notices}


def _package(path: str, options: Options, key_set: Json) -> Members:
    """The report of an audit package, which is read from its end."""
    try:
        if not os.path.isfile(path):
            raise UsageError(f"{path}: must be a regular file")
        with open(path, "rb") as file:
            report = verify_package(file, options).as_json()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or 'cannot be read'}") from None
    return {**report, "keySet": key_set, "verifier": VERIFIER}


def _readable_package(report: Members) -> str:
    code = text_of(report["code"])
    lines = ["VERIFIED" if code == "OK" else f"FAILED ({code})"]
    checks = report["checks"]
    for name, outcome in checks.items() if isinstance(checks, dict) else ():
        lines.append(f"  {name:<18} {outcome}")
    total, failed, manifest = (get(report, "records", "total"), get(report, "records", "failed"), report["manifest"])
    lines.append(f"  {total} records, {failed} failed; completeness {text_of(report['completeness'])}")
    for title, name in (("Node", "nodeId"), ("Account", "tenantId"), ("As of", "asOf"), ("Signed", "signedAt")):
        lines.append(_printable(f"  {title:<18} {text_of(get(manifest, name))}".rstrip()))
    numbers, log = get(report, "log", "numbers"), report["log"]
    if get(log, "status") == "proven" and isinstance(numbers, list):
        deleted = get(log, "deleted")
        gone = "none was deleted" if deleted == 0 else f"{deleted} deleted, nothing of them is known"
        lines.append(f"  Numbers {numbers[0]} to {numbers[1]} of this tenant; {gone}.")
    else:
        lines.append(f"  {'Log':<18} {text_of(get(log, 'status'))}")
    findings = report["findings"]
    for finding in findings if isinstance(findings, list) else []:
        entry, detail = (text_of(get(finding, name)) for name in ("entry", "detail"))
        lines.append(_printable(f"  {entry or 'the package'}: {detail} [{text_of(get(finding, 'code'))}]"))
    return "\n".join(lines)


def _pinned(arguments: argparse.Namespace) -> Tuple[Optional[KeySet], Json]:
    """The keys that the arguments pin, and what the report says of them."""
    if arguments.history is None:
        if arguments.root is not None or arguments.seen is not None:
            raise UsageError("--root and --seen go with --history")
        return (None, None) if arguments.keys is None else _read_keys(arguments.keys)
    if arguments.keys is not None or not is_hash(arguments.root):
        raise UsageError("--history needs --root, the fingerprint sha256:..., and excludes --keys")
    try:
        return _read_history(arguments.history, arguments.node, arguments.root, arguments.seen)
    except HistoryFault as fault:
        return None, {"refused": fault.as_json()}


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


def _limit_of_project(report: Members) -> str:
    """What a project that verifies does not show. See "Project verification"."""
    if "totalSteps" not in report or report["status"] == "FAILED":
        return ""
    if report["nodeReceipt"] != PASS:
        return ": integrity only, the project signed by no node"
    return "" if report["attestedSteps"] == report["totalSteps"] else ": the registration only, not every step"


def _readable(report: Members) -> str:
    code, checks = text_of(report["code"]), get(report, "checks")
    status = text_of(report["status"])
    lines = [(status if code == "OK" else f"{status} ({code})") + _limit_of_project(report)]
    names = {"bundleIntegrity": "Integrity", "nodeSignature": "Signature", "receiptConsistency": "Receipt"}
    for name, title in {**names, "envelope": "Envelope"}.items():
        lines.append(f"  {title:<10} {text_of(get(checks, name))}")
    if "totalSteps" in report:
        total, passed, attested = (report[f"{name}Steps"] for name in ("total", "passed", "attested"))
        lines.append(f"  {'Steps':<10} {total} registered, {passed} verified, {attested} signed by a node")
    elif status != "FAILED" and get(checks, "nodeSignature") == SKIPPED:
        lines.append("  Integrity only: no node signed this.")
    for label, name in (("Node", "nodeId"), ("Key", "keyFingerprint"), ("Signed", "attestedAt")):
        fact = get(report, "signed", name)
        if isinstance(fact, str):
            lines.append(f"  {label:<10} {_printable(fact)}")
    for name, title in (("timestamp", "Timestamp"), ("keyRescue", "Revoked")):
        fact = report.get(name)
        words = (text_of(get(fact, part)) for part in ("status", "covers", "genTime", "provider", "detail"))
        if fact is not None:
            lines.append(_printable(f"  {title:<10} {' '.join(word for word in words if word)}"))
    log = report.get("transparency")
    if log is not None:
        lines.append(_printable(f"  {'Log':<10} {text_of(get(log, 'status'))} {text_of(get(log, 'code'))}".rstrip()))
    findings = report["findings"]
    for finding in findings if isinstance(findings, list) else []:
        member, detail = (text_of(get(finding, name)) for name in ("member", "detail"))
        lines.append(_printable(f"  {member or 'the file'}: {detail} [{text_of(get(finding, 'code'))}]"))
    if status == "FAILED":
        lines.append(f"  Next: {_NEXT.get(code, _ASK_FOR_ORIGINAL)}")
    return "\n".join(lines)


_ASK_FOR_ORIGINAL = "ask your source for the original, as the node returned it"
_CHECK_KEYS = "check that the key set is that of the node which the receipt names, fetched recently"
_NEXT = {
    "SCHEMA_ERROR": "check that it is the right file, and complete",
    "VERIFICATION_MATERIAL_UNAVAILABLE": "pass the saved key set of the node, /.well-known/svc-node.json: --keys FILE",
    "ATTESTATION_KEY_NOT_FOUND": _CHECK_KEYS,
    "ATTESTATION_INVALID_SIGNATURE": f"{_CHECK_KEYS}, or {_ASK_FOR_ORIGINAL}",
    "KEY_REVOKED": "ask for it to be attested again with a valid key, or pass --tsa-roots if it has a timestamp",
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code: 0 verified, 1 failed, 3 usage."""
    parser = _ArgumentParser(
        prog="cer_verify",
        description="Verify a certificate, a package or a project offline.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # A shortened option that works today is ambiguous once another begins with it.
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="the file; - is standard input")
    parser.add_argument("--keys", metavar="FILE", help="the published key set of the node")
    parser.add_argument("--history", metavar="FILE", help="the key history of the node, in place of --keys")
    parser.add_argument("--root", metavar="FINGERPRINT", help="the root key that must vouch for the history")
    parser.add_argument("--seen", metavar="FILE", help="keeps the history accepted last, which no older one replaces")
    parser.add_argument("--package", action="store_true", help="FILE is an audit package")
    parser.add_argument("--node", metavar="NODE_ID", help="fail unless this node signed")
    parser.add_argument("--log-policy", metavar="FILE", help="check log proofs under this policy (tlog-policy)")
    help_of_log = "fail unless a log of the policy holds the receipt, or proves that the package is complete"
    parser.add_argument("--require-log", action="store_true", help=help_of_log)
    parser.add_argument("--tsa-roots", metavar="FILE", help="check RFC 3161 tokens under these roots (PEM)")
    parser.add_argument("--require-attestation", action="store_true", help="fail when no node signed")
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the encoding of the output does not have is escaped: a fault there would read as a failed verification.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        given_arguments = parser.parse_args(arguments)
        if given_arguments.file == "-" and given_arguments.keys == "-":
            raise UsageError("FILE and --keys cannot both be standard input")
        keys, key_set = _pinned(given_arguments)
        if given_arguments.require_log and given_arguments.log_policy is None:
            raise UsageError("--require-log needs --log-policy")
        policy = None if given_arguments.log_policy is None else _read_policy(given_arguments.log_policy)
        options = Options(
            keys=keys,
            node_id=given_arguments.node,
            require_attestation=given_arguments.require_attestation,
            log_policy=policy,
            require_log=given_arguments.require_log,
            tsa_roots=None if given_arguments.tsa_roots is None else _read_roots(given_arguments.tsa_roots),
        )
        evaluate = _package if given_arguments.package else _evaluated
        report = evaluate(given_arguments.file, options, key_set)
        if keys is not None and keys.revocations_known_until is not None:
            report["revocationsKnownUntil"] = keys.revocations_known_until
    except UsageError as error:
        sys.stderr.write(f"cer_verify: {_printable(str(error))}\n")
        return EXIT_USAGE
    text = json.dumps(report, indent=2)
    readable = _readable_package if given_arguments.package else _readable
    sys.stdout.write((text if given_arguments.json else readable(report)) + "\n")
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
