"""Follows one answer of a model, chunk by chunk, as the caller gets it."""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import Callable, Iterable, Mapping, NamedTuple, Optional, Tuple

from cer_client.encoding import decoder_of
from cer_client.folds import Fold, object_in
from cer_client.sealing import is_id
from cer_client.sse import Framing, SseReader
from cer_verify import get, text_of

# Headers that SDKs state the id of a request from.
_REQUEST_ID_HEADERS = ("x-request-id", "request-id")


class Ended(NamedTuple):
    """What a call looked like when it ended."""

    outcome: str
    # HTTP status; None without an answer.
    status: Optional[int]
    # The provider's code of a failure.
    error_code: Optional[str]
    # The answer: JSON, the fold of a stream, or text. None when only its bytes are known.
    output: object
    # Bytes handed to the caller, decoded where their encoding is known, and their SHA-256 in hex.
    size: int
    sha256: str
    streamed: bool
    # The provider's ids of the request, the first of which the certificate names: gateways add their own.
    request_ids: Tuple[str, ...]


class Answer(NamedTuple):
    """The head of a response; names of headers are lower case."""

    status: int
    headers: Mapping[str, str]


class Exchange:
    """`ended` is called once, before the caller gets the last byte."""

    def __init__(
        self, answer: Optional[Answer], fold: Callable[[], Fold], max_bytes: int, ended: Callable[[Ended], None]
    ) -> None:
        self._answer, self._max_bytes, self._ended = answer, max_bytes, ended
        headers: Mapping[str, str] = {} if answer is None else answer.headers
        self._decoder = decoder_of(headers.get("content-encoding", ""))
        is_readable = self._decoder is not None
        framing = _framing_of(headers.get("content-type", ""))
        self._is_stream = framing is not None
        self._fold = fold() if self._is_stream and is_readable else None
        self._sse = SseReader(max_bytes, framing or "sse")
        length = headers.get("content-length", "")
        is_exact = "content-encoding" not in headers and re.fullmatch("[0-9]{1,15}", length) is not None
        self._expected = int(length) if is_exact else None
        # One array: a chunk is an object, however short.
        self._content = bytearray() if is_readable else None
        self._size = 0
        self._hash = hashlib.sha256()
        self._is_over = False

    def hand_on(self, chunk: bytes) -> None:
        """Bytes that the caller is about to get, as they were sent."""
        if self._is_over:
            return
        parts: Iterable[bytes] = (chunk,) if self._decoder is None else self._decoder.parts(chunk)
        try:
            for part in parts:
                self._take(part)
                if self._is_over:
                    return
        except zlib.error:
            # The caller gets no more either.
            self._finish("failed" if self._is_refusal else "truncated")

    def _take(self, content: bytes) -> None:
        self._size += len(content)
        self._hash.update(content)
        if self._size > self._max_bytes:
            self._content = None
        if self._fold is None:
            if self._content is not None:
                self._content += content
            if self._size == self._expected:
                self._finish(self._outcome_of_whole)
            return
        for data in self._sse.push(content):
            self._push(self._fold, data)
        if self._content is None:
            self._fold.forget()
        self._finish_with(self._fold)

    def _push(self, fold: Fold, data: str) -> None:
        """An answer with an event of more levels than can be folded is bound by its bytes."""
        try:
            fold.push(data)
        except RecursionError:
            self._content = None

    def _finish_with(self, fold: Fold) -> None:
        """Ends with the last event of a stream."""
        if fold.end != "open":
            self._finish("failed" if fold.end == "failed" else self._outcome_of_whole)

    def end(self) -> None:
        """The answer ended without an error."""
        fold = self._fold
        if fold is not None:
            for data in self._sse.end():
                self._push(fold, data)
            self._finish_with(fold)
        self._finish(self._outcome_of_whole if fold is None or fold.is_whole else "truncated")

    def cancel(self) -> None:
        """The caller wants no more."""
        self._finish("failed" if self._is_refusal else "aborted")

    def broke(self, error: BaseException) -> None:
        """No answer, or it broke off. Cancellation and time limits are the caller's."""
        is_cancelled = not isinstance(error, Exception) or type(error).__name__.endswith("Timeout")
        if is_cancelled:
            self._finish("aborted")
        else:
            self._finish("failed" if self._answer is None or self._is_refusal else "truncated")

    @property
    def _is_refusal(self) -> bool:
        return self._answer is not None and not 200 <= self._answer.status < 300

    @property
    def _outcome_of_whole(self) -> str:
        return "failed" if self._is_refusal else "complete"

    def _finish(self, end: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        output = self._output()
        outcome = "failed" if end == "complete" and not self._is_stream and _reports_error(output) else end
        headers: Mapping[str, str] = {} if self._answer is None else self._answer.headers
        self._ended(
            Ended(
                outcome=outcome,
                status=None if self._answer is None else self._answer.status,
                error_code=_error_code_of(output) if outcome == "failed" else None,
                output=output,
                size=self._size,
                sha256=self._hash.hexdigest(),
                streamed=self._is_stream,
                request_ids=tuple(headers[name] for name in _REQUEST_ID_HEADERS if is_id(headers.get(name))),
            )
        )
        self._content = None

    def _output(self) -> object:
        if self._content is None:
            return None
        if self._fold is not None:
            return self._fold.answer()
        text = self._content.decode("utf-8-sig", "replace")
        found = object_in(text)
        return text if found is None else found


def _framing_of(content_type: str) -> Optional[Framing]:
    """How the events of a stream are written; None for an answer that is no stream."""
    kind = content_type.lower()
    if kind.startswith("text/event-stream"):
        return "sse"
    return "lines" if kind.startswith("application/x-ndjson") else None


def _reports_error(output: object) -> bool:
    """Whether an unstreamed answer reports an error, as a stream does in its events, whatever its status."""
    error = get(output, "error")
    return isinstance(error, (dict, list)) or bool(text_of(error)) or get(output, "finish_reason") == "ERROR"


def _error_code_of(output: object) -> Optional[str]:
    """Codes that are numbers repeat the HTTP status."""
    found = (get(output, "error", name) for name in ("code", "type", "status"))
    return next((text_of(code) for code in found if is_id(code)), None)
