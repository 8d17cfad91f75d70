"""Sends sealed bundles to the node, in the background."""

from __future__ import annotations

import random
import threading
import time
from typing import List, Optional, Sequence

from cer_client.narrowing import Narrowing
from cer_client.node import Node, NodeError
from cer_client.sending import DrainHooks, HeldError, Queue, Sender
from cer_client.spool import Spool

# Base and cap of the wait before a retry, in seconds.
BASE_S, CAP_S = 0.25, 30.0


class Drain:
    """A thread that sends what waits. A bundle that was sent twice is one certificate: its `executionId` says so."""

    def __init__(self, spools: Sequence[Spool], node: Node, hooks: DrainHooks) -> None:
        self._spools, self._node, self._hooks = spools, node, hooks
        self.after_fork()

    def after_fork(self) -> None:
        """The thread of the parent is not in the child."""
        self._changed = threading.Condition()
        self._threads: List[threading.Thread] = []
        # Failures in a row of the bundles that were set apart, whose pauses hold up no other.
        self._flushing = self._failures_apart = 0
        self._sender = Sender(self._spools, self._node, self._hooks)
        self._queues = [Queue(spool, Narrowing()) for spool in self._spools]
        self._not_before = self._apart_not_before = 0.0
        self._is_stopped = self._is_sending = self._is_unsynced = self._has_new = False

    def waiting(self) -> int:
        return sum(spool.waiting for spool in self._spools)

    def start(self) -> None:
        """Sends what waits, and brings it to the disk."""
        try:
            with self._changed:
                self._is_unsynced = self._has_new = True
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
            self._not_before = self._apart_not_before = 0
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
                failures = 0 if failed is None else self._sender.failures + 1
                self._sender.failures = failures
                self._not_before = 0 if failed is None else time.monotonic() + self._delay(failed, failures)
                self._changed.notify_all()

    def _delay(self, error: BaseException, failures: int) -> float:
        attempt = min(failures, 3 if self._flushing else 16)
        jitter = random.random() * min(CAP_S, BASE_S * float(1 << attempt))  # noqa: S311 (not a secret)
        asked = error.retry_after if isinstance(error, NodeError) and not self._flushing else 0
        return max(jitter, asked)

    def _await_turn(self) -> bool:
        with self._changed:
            while not self._is_stopped:
                # Those that are new do not wait for those set apart.
                not_before = self._not_before if self._has_new else max(self._not_before, self._apart_not_before)
                wait = not_before - time.monotonic()
                if self.waiting() == 0:
                    self._changed.wait()
                elif wait > 0:
                    self._changed.wait(wait)
                else:
                    self._is_sending, self._has_new = True, False
                    return True
            return False

    def _send_all(self) -> None:
        failed: Optional[Exception] = None
        for queue in self._queues:
            try:
                self._send_spool(queue, is_last=False)
            except (OSError, HeldError, NodeError) as fault:
                if failed is not None:
                    self._hooks.failed(failed)
                if isinstance(fault, NodeError):
                    raise
                # A fault of this one's disk or of its bundles does not hold up the next.
                failed = fault.fault if isinstance(fault, HeldError) else fault
        if time.monotonic() >= self._apart_not_before:
            self._send_apart()
        if failed is not None:
            raise failed

    def _send_apart(self) -> None:
        # Each spool is the first one in turn.
        for queue in reversed(self._queues) if self._failures_apart % 2 else self._queues:
            try:
                self._send_spool(queue, is_last=True)
            except (OSError, HeldError, NodeError) as fault:
                error = fault.fault if isinstance(fault, HeldError) else fault
                self._hooks.failed(error)
                self._failures_apart += 1
                with self._changed:
                    self._apart_not_before = time.monotonic() + self._delay(error, self._failures_apart)
                if isinstance(fault, NodeError):
                    return

    def _send_spool(self, queue: Queue, is_last: bool) -> None:
        """Sends the bundles that were set apart, if it is the last time, else the others."""
        moves = 0
        batch = self._sender.next_of(queue)
        while batch is not None and not self._is_stopped:
            first = batch.texts[0]
            is_apart = self._sender.postponed.is_apart(first)
            if not is_last and is_apart and queue.spool.waiting > max(1, moves):
                moves += 1
                self._sender.postponed.move_apart(queue.spool, batch, first)
            elif is_apart != is_last:
                return
            else:
                self._sender.send_batch(queue, batch)
                if is_last:
                    self._failures_apart = 0
                with self._changed:
                    self._changed.notify_all()
            batch = self._sender.next_of(queue)
