"""Sends sealed bundles to the node, in the background."""

from __future__ import annotations

import random
import re
import threading
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead
from typing import Callable, List, NamedTuple, Optional, Sequence

from cer_client.spool import Batch, Spool
from cer_verify import JsonFault, Members, get, parse_json, text_of

# Maximum bundles of one request.
BATCH_LINES = 200
# Growth of the most bundles of a request with each that fits. Slow: a limit of a proxy stays, and a size that doubles
# would meet it in every other request.
GROWTH = 1.05
# The status of a request whose body is too large.
TOO_LARGE = 413
# Base and cap of the wait before a retry, in seconds.
BASE_S, CAP_S = 0.25, 30.0
# Maximum wait that a node can ask for, in seconds. A longer one than a lock can wait would end the thread.
MAX_WAIT_S = 24 * 60 * 60.0
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
    """`POST /api/attest-batch` of a node."""

    def __init__(self, url: str, api_key: Optional[str], timeout: float) -> None:
        self._base, self._url, self._timeout = url, f"{url}/api/attest-batch", timeout
        self._api_key = (api_key or "").strip()
        # Errors would quote a key that a header cannot carry.
        if not re.fullmatch(r"[\x20-\x7e]*", self._api_key):
            raise ValueError("api_key: must hold the API key and nothing else")
        self._opener = urllib.request.build_opener(_NoRedirect)

    def attest(self, texts: Sequence[str]) -> List[LineResult]:
        """One request. Returns the results in order. Raises NodeError."""
        headers = {"Accept": "application/x-ndjson", "Content-Type": "application/x-ndjson"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        body = "".join(f"{text}\n" for text in texts).encode()
        request = urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310 (checked in settings)
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
        lines = [line for line in content.split(b"\n") if line]
        if len(lines) > len(texts):
            raise NodeError("UNEXPECTED_ANSWER", "the answer has more lines than the batch")
        return [_result_of(line, index) for index, line in enumerate(lines)]


def _refusal(error: urllib.error.HTTPError, has_key: bool) -> NodeError:
    try:
        answer = parse_json(error.read(65536))
    except (JsonFault, OSError, HTTPException):
        answer = None
    code = text_of(get(answer, "error")) or "UNEXPECTED_ANSWER"
    message = text_of(get(answer, "message")) or f"the node answered {error.code} {code}"
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


def _result_of(line: bytes, index: int) -> LineResult:
    try:
        value = parse_json(line)
    except JsonFault:
        value = None
    status, body = get(value, "status"), get(value, "body")
    if get(value, "index") != index or not isinstance(status, float) or not isinstance(body, dict):
        raise NodeError("UNEXPECTED_ANSWER", "a line of the answer is not {index, status, body}")
    return LineResult(int(status), body)


class DrainHooks(NamedTuple):
    """What the drain reports. No hook raises."""

    attested: Callable[[Members], None]
    dead: Callable[[str, str], None]
    failed: Callable[[BaseException], None]


class Drain:
    """A thread that sends what waits. A bundle that was sent twice is one certificate: its `executionId` says so."""

    def __init__(self, spools: Sequence[Spool], node: Node, hooks: DrainHooks) -> None:
        self._spools, self._node, self._hooks = spools, node, hooks
        self.after_fork()

    def after_fork(self) -> None:
        """The thread of the parent is not in the child."""
        self._changed = threading.Condition()
        self._threads: List[threading.Thread] = []
        self._flushing = self._failures = 0
        self._most: float = BATCH_LINES
        self._not_before = 0.0
        self._is_stopped = self._is_sending = self._is_unsynced = False

    def waiting(self) -> int:
        return sum(spool.waiting for spool in self._spools)

    def start(self) -> None:
        """Sends what waits, and brings it to the disk."""
        try:
            with self._changed:
                self._is_unsynced = True
                self._changed.notify_all()
                # One that could not be started is started now.
                for work in (self._run, self._sync)[len(self._threads) :] if not self._is_stopped else ():
                    thread = threading.Thread(target=work, name="cer_client", daemon=True)
                    thread.start()
                    self._threads.append(thread)
        except RuntimeError as error:
            # The system has no thread left, or the interpreter ends.
            self._hooks.failed(error)

    def flush(self, timeout: float) -> int:
        """Sends now and waits up to `timeout` seconds. Returns the bundles that still wait."""
        deadline = time.monotonic() + timeout
        if self.waiting() == 0 and not self._is_sending:
            return 0
        self.start()
        with self._changed:
            self._flushing += 1
            self._not_before = 0
            self._changed.notify_all()
            try:
                # After the last bundle the thread still counts what is torn, and removes files.
                while (self.waiting() > 0 or self._is_sending) and not self._is_stopped:
                    rest = deadline - time.monotonic()
                    if rest <= 0:
                        break
                    self._changed.wait(min(rest, threading.TIMEOUT_MAX))
            finally:
                self._flushing -= 1
        return self.waiting()

    def stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def _sync(self) -> None:
        while True:
            with self._changed:
                while not self._is_unsynced and not self._is_stopped:
                    self._changed.wait()
            if self._is_stopped:
                return
            # Writes share one flush to the disk.
            time.sleep(0.02)
            self._is_unsynced = False
            for spool in self._spools:
                try:
                    spool.sync()
                except OSError as error:
                    # This concerns a power cut only: the bytes are with the operating system.
                    self._hooks.failed(error)

    def _run(self) -> None:
        while self._await_turn():
            try:
                self._send_all()
                failed: Optional[BaseException] = None
            except Exception as error:
                failed = error
            if failed is not None:
                self._hooks.failed(failed)
            with self._changed:
                self._is_sending = False
                self._failures = 0 if failed is None else self._failures + 1
                self._not_before = 0 if failed is None else time.monotonic() + self._delay(failed)
                self._changed.notify_all()

    def _delay(self, error: BaseException) -> float:
        attempt = min(self._failures, 3 if self._flushing else 16)
        jitter = random.random() * min(CAP_S, BASE_S * float(1 << attempt))  # noqa: S311 (not a secret)
        asked = error.retry_after if isinstance(error, NodeError) and not self._flushing else 0
        return max(jitter, asked)

    def _await_turn(self) -> bool:
        with self._changed:
            while not self._is_stopped:
                wait = self._not_before - time.monotonic()
                if self.waiting() == 0:
                    self._changed.wait()
                elif wait > 0:
                    self._changed.wait(wait)
                else:
                    self._is_sending = True
                    return True
            return False

    def _send_all(self) -> None:
        failed: Optional[OSError] = None
        for spool in self._spools:
            try:
                self._send_spool(spool)
            except OSError as fault:
                # A fault of this one's disk does not hold up the next.
                failed = fault
        if failed is not None:
            raise failed

    def _send_spool(self, spool: Spool) -> None:
        batch = spool.next(int(self._most))
        while batch is not None and not self._is_stopped:
            self._most = self._send_where_it_fits(spool, batch)
            with self._changed:
                self._changed.notify_all()
            batch = spool.next(int(self._most))

    def _send_where_it_fits(self, spool: Spool, batch: Batch) -> float:
        """Gives up a bundle that is too large by itself. Returns the most bundles of the next request."""
        size = len(batch.texts)
        try:
            self._send(spool, batch)
            return min(BATCH_LINES, self._most * GROWTH)
        except NodeError as error:
            # The node, or a proxy before it, would refuse the same request each time.
            if error.status != TOO_LARGE:
                raise
            if size > 1:
                return (size + 1) // 2
            self._give_up(spool, batch, batch.texts[0], error.code)
            batch.acknowledge(1)
            # The others were refused with it.
            return BATCH_LINES

    def _send(self, spool: Spool, batch: Batch) -> None:
        taken = 0
        try:
            for text, result in zip(batch.texts, self._node.attest(batch.texts)):
                self._take(spool, batch, text, result)
                taken += 1
        finally:
            if taken > 0:
                batch.acknowledge(taken)
        if taken < len(batch.texts):
            raise NodeError("UNREACHABLE", "the answer ended before the last bundle")

    def _take(self, spool: Spool, batch: Batch, text: str, result: LineResult) -> None:
        code = text_of(get(result.body, "error")) or "UNEXPECTED_ANSWER"
        if result.status == 200:
            self._hooks.attested(result.body)
        elif is_retryable(result.status):
            message = f"the node cannot attest a bundle now: {result.status} {code}"
            raise NodeError(code, message, result.status)
        else:
            self._give_up(spool, batch, text, code)

    def _give_up(self, spool: Spool, batch: Batch, text: str, code: str) -> None:
        try:
            spool.bury(text, code)
        except OSError as fault:
            # It stays where it is, and does not hold up what comes after it.
            batch.keep()
            self._hooks.failed(fault)
        self._hooks.dead(text, code)
