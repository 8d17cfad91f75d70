"""The content encodings of answers, decoded as httpx does for the program."""

from __future__ import annotations

import zlib
from itertools import chain
from typing import Iterable, Iterator, List, Optional

# Maximum bytes of input that are inflated at once, and of each part that they inflate to.
_INPUT_BYTES, _PART_BYTES = 64 * 1024, 1024 * 1024
# Bits of the window of zlib.
_GZIP, _ZLIB, _RAW = 31, 15, -15


class _Inflater:
    """A body that was sent in one of zlib's formats. What follows the end of the format is left out, as in httpx."""

    def __init__(self, name: str) -> None:
        self._inflate = zlib.decompressobj(_GZIP if name == "gzip" else _ZLIB)
        # `deflate` is the format of zlib, and for some servers its raw form.
        self._may_be_raw = name == "deflate"

    def parts(self, content: bytes) -> Iterator[bytes]:
        """Raises zlib.error."""
        for at in range(0, len(content), _INPUT_BYTES):
            rest = content[at : at + _INPUT_BYTES]
            is_full = True
            # After a full part there may be more of it inside of zlib, also without further input.
            while (rest or is_full) and not self._inflate.eof:
                part = self._next(rest)
                rest, is_full = self._inflate.unconsumed_tail, len(part) == _PART_BYTES
                yield part

    def _next(self, content: bytes) -> bytes:
        may_be_raw, self._may_be_raw = self._may_be_raw, False
        try:
            return self._inflate.decompress(content, _PART_BYTES)
        except zlib.error:
            if not may_be_raw:
                raise
        self._inflate = zlib.decompressobj(_RAW)
        return self._inflate.decompress(content, _PART_BYTES)


class Decoder:
    """A body in the encodings gzip and deflate, or in none. Those that httpx does not know are left as they are."""

    def __init__(self, names: List[str]) -> None:
        self._inflaters = [_Inflater(name) for name in reversed(names) if name in ("gzip", "deflate")]

    def parts(self, chunk: bytes) -> Iterable[bytes]:
        """What the program gets of a chunk, in parts that do not fill the memory. Raises zlib.error."""
        parts: Iterable[bytes] = (chunk,)
        for inflater in self._inflaters:
            parts = chain.from_iterable(map(inflater.parts, parts))
        return parts


def decoder_of(content_encoding: str) -> Optional[Decoder]:
    """None for a body that is only known as it was sent."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    return None if "br" in names or "zstd" in names else Decoder(names)
