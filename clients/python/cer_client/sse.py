"""The events of streams, from bytes as they arrive."""

from __future__ import annotations

import codecs
from io import StringIO
from typing import List, Literal

from cer_client.folds import object_in

# Maximum characters of an error that stands between events.
MAX_STRAY = 64 * 1024
# How events are written: server-sent events, or one per line, as in NDJSON.
Framing = Literal["sse", "lines"]


class SseReader:
    """Reads the data of events, wherever chunks are cut. Events with more than `max_length` characters are left out."""

    def __init__(self, max_length: int, framing: Framing = "sse") -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._max_length, self._framing = max_length, framing
        # A line whose end has not arrived: joining its pieces in each chunk would take longer with every chunk.
        self._rest = StringIO()
        # Whether the last line ended with a carriage return: a line feed at the start of the next chunk belongs to it.
        self._is_carriage_last = False
        self._data: List[str] = []
        self._length = 0
        # Lines that are no fields, from one that begins an object: Gemini states an error so, amid a stream.
        self._stray = ""

    def push(self, content: bytes) -> List[str]:
        """The data of the events that end within this chunk."""
        events: List[str] = []
        text = self._decoder.decode(content)
        if text == "":
            return events
        # Not waited for: the carriage return may be the last byte of the stream, or of what its reader takes.
        if self._is_carriage_last and text.startswith("\n"):
            text = text[1:]
        self._is_carriage_last = text.endswith("\r")
        first, *lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest.write(first)
        if lines:
            lines.insert(0, self._rest.getvalue())
            self._rest = StringIO()
            begun = lines.pop()
            for line in lines:
                self._line(line, events)
            self._rest.write(begun)
        # A line that never ends must not fill the memory.
        if self._rest.tell() > self._max_length + 64:
            self._rest = StringIO()
        if self._framing == "sse":
            self._take_error(events)
        return events

    def _take_error(self, events: List[str]) -> None:
        """Gives an error that stands between events as an event of its own, once it is whole.

        Without waiting for the end of its last line: the SDK raises once it has read the object.
        """
        length = len(self._stray) + self._rest.tell()
        if not 0 < length <= MAX_STRAY:
            return
        text = self._stray + self._rest.getvalue()
        found = object_in(text) if text[0] == "{" and text.rstrip().endswith("}") else None
        if found is not None:
            self._stray, self._rest = "", StringIO()
            if "error" in found:
                events.append(text)

    def end(self) -> List[str]:
        """The data that ends with the stream: a last line needs no line feed, an event of `sse` its empty line."""
        events: List[str] = []
        if self._framing == "lines":
            # A character whose other bytes did not arrive.
            self._rest.write(self._decoder.decode(b"", True))
            if self._rest.tell():
                self._line(self._rest.getvalue(), events)
                self._rest = StringIO()
        return events

    def _line(self, line: str, events: List[str]) -> None:
        if self._framing == "lines":
            if len(line) <= self._max_length:
                events.append(line)
            return
        if line == "":
            if self._data and self._length <= self._max_length:
                events.append("\n".join(self._data))
            self._data, self._length = [], 0
            return
        name, _, value = line.partition(":")
        if name != "data":
            if name != "event" and (self._stray or line.startswith("{")) and len(self._stray) <= MAX_STRAY:
                is_first = not self._stray
                self._stray += f"{line}\n"
                # An object ends in its first line or with a brace at the start of one, wherever chunks are cut.
                if is_first or line.startswith("}"):
                    self._take_error(events)
            return
        value = value[1:] if value.startswith(" ") else value
        self._length += len(value) + 1
        if self._length <= self._max_length:
            self._data.append(value)
