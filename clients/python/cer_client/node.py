"""Requests to a node."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead
from typing import List, NamedTuple, Optional, Sequence

from cer_verify import JsonFault, Members, get, parse_json, text_of

# The status of a request whose body is too large.
TOO_LARGE = 413
# The status of a bundle with which the node has a fault of its own.
INTERNAL_ERROR = 500
# The status of a request that is one too many at this time, whatever it has.
TOO_MANY = 429
# Maximum wait that a node can ask for, in seconds. A longer one than a lock can wait would end the thread.
MAX_WAIT_S = 24 * 60 * 60.0
# Longest time of a request, in seconds. A socket takes no infinite one, and no request would be made.
MAX_TIMEOUT_S = 2_000_000.0
# Maximum bytes of an answer.
MAX_ANSWER_BYTES = 256 * 1024 * 1024


class NodeError(Exception):
    """The node did not take a batch; it is sent again. `code` is the node's, UNREACHABLE or UNEXPECTED_ANSWER."""

    def __init__(self, code: str, message: str, status: Optional[int] = None, retry_after: float = 0) -> None:
        super().__init__(message)
        self.code, self.status, self.retry_after = code, status, retry_after


class LineResult(NamedTuple):
    """The result of one line of a batch: the status that a single request would have had, and its answer."""

    status: int
    body: Members


def is_retryable(status: int) -> bool:
    return status in (408, 429) or (status >= 500 and status != 501)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        """The key of the node goes to no other address."""


class Node:
    """The routes of a node that take sealed bundles."""

    def __init__(self, url: str, api_key: Optional[str], timeout: float) -> None:
        self._base, self._timeout = url, min(timeout, MAX_TIMEOUT_S)
        self._api_key = (api_key or "").strip()
        # Errors would quote a key that a header cannot carry.
        if not re.fullmatch(r"[\x20-\x7e]*", self._api_key):
            raise ValueError("api_key: must hold the API key and nothing else")
        self._opener = urllib.request.build_opener(_NoRedirect)

    def attest(self, texts: Sequence[str]) -> List[LineResult]:
        """One request. Returns the results in order. Raises NodeError."""
        content = self._post("/api/attest-batch", "application/x-ndjson", "".join(f"{text}\n" for text in texts))
        lines = [line for line in content.split(b"\n") if line]
        if len(lines) > len(texts):
            raise NodeError("UNEXPECTED_ANSWER", "the answer has more lines than the batch")
        return [_result_of(line, index) for index, line in enumerate(lines)]

    def register(self, text: str) -> LineResult:
        """Registers a project. Raises NodeError."""
        try:
            answer = _object_in(self._post("/v1/project-bundle/register", "application/json", text))
        except NodeError as error:
            # A refused key can be replaced, and an answer without a code is not a node's: the project is sent again.
            is_kept = error.status in (None, 401, 403, TOO_LARGE) or error.code == "UNEXPECTED_ANSWER"
            if is_kept or error.status is None or (is_retryable(error.status) and error.status != INTERNAL_ERROR):
                raise
            return LineResult(error.status, {"error": error.code})
        if answer is None:
            raise NodeError("UNEXPECTED_ANSWER", "the answer is not a JSON object")
        return LineResult(200, answer)

    def _post(self, path: str, content_type: str, text: str) -> bytes:
        headers = {"Accept": content_type, "Content-Type": content_type}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        url = f"{self._base}{path}"
        request = urllib.request.Request(url, text.encode(), headers, method="POST")  # noqa: S310 (checked in settings)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                content: bytes = response.read(MAX_ANSWER_BYTES + 1)
                if response.length and len(content) <= MAX_ANSWER_BYTES:
                    raise IncompleteRead(content)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, bool(self._api_key)) from None
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            raise NodeError("UNREACHABLE", f"the node cannot be reached: {self._base}: {reason}") from error
        if len(content) > MAX_ANSWER_BYTES:
            raise NodeError("ANSWER_TOO_LARGE", f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
        return content


def _refusal(error: urllib.error.HTTPError, has_key: bool) -> NodeError:
    try:
        answer = parse_json(error.read(65536))
    except (JsonFault, OSError, HTTPException):
        answer = None
    code = text_of(get(answer, "error")) or "UNEXPECTED_ANSWER"
    message = text_of(get(answer, "message")) or f"the node answered {error.code} {code}"
    if code == "UNEXPECTED_ANSWER":
        message = f"the answer, status {error.code}, has no known code: is node_url the address of a node?"
    if code == "UNAUTHORIZED" and not has_key:
        message = "no API key was sent: pass api_key or set CER_API_KEY"
    return NodeError(code, message, error.code, _seconds(error.headers.get("Retry-After")))


def _seconds(retry_after: Optional[str]) -> float:
    """`Retry-After`: seconds, or an HTTP date."""
    if retry_after is None:
        return 0
    try:
        is_number = re.fullmatch("[0-9]{1,9}", retry_after) is not None
        wait = float(retry_after) if is_number else parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError):
        return 0
    return min(MAX_WAIT_S, max(0.0, wait))


def _object_in(content: bytes) -> Optional[Members]:
    try:
        value = parse_json(content)
    except JsonFault:
        return None
    return value if isinstance(value, dict) else None


def _result_of(line: bytes, index: int) -> LineResult:
    value = _object_in(line)
    status, body = get(value, "status"), get(value, "body")
    if get(value, "index") != index or not isinstance(status, float) or not isinstance(body, dict):
        raise NodeError("UNEXPECTED_ANSWER", "a line of the answer is not {index, status, body}")
    return LineResult(int(status), body)
