"""Sealed bundles on their way to the node, and the counts of all calls."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional

from cer_client.coverage import Coverage
from cer_client.drain import Drain
from cer_client.node import Node, NodeError
from cer_client.recorder import CertifiedCall, CertifiedProject
from cer_client.sending import DrainHooks
from cer_client.spool import FileSpool, MemorySpool, Spool
from cer_client.stats import Counts, Stats
from cer_verify import Members, get, text_of

_has_warned = False


def _warn_of_refusal(error: BaseException) -> None:
    """Once per process. A node that cannot be reached is not reported: the spool keeps the bundles for it."""
    global _has_warned
    if _has_warned or not isinstance(error, NodeError):
        return
    if error.code != "UNEXPECTED_ANSWER" and error.status not in (401, 403):
        return
    _has_warned = True
    warnings.warn(f"calls are not certified yet: {error}", RuntimeWarning, stacklevel=2)


class Hooks(NamedTuple):
    """What the program is told, from any thread."""

    certified: Optional[Callable[[CertifiedCall], object]]
    project: Optional[Callable[[CertifiedProject], object]]
    dead_letter: Optional[Callable[[str, str], object]]
    error: Optional[Callable[[BaseException], object]]


class Limits(NamedTuple):
    """Most bytes of sealed bundles that wait, and the age of the oldest in seconds."""

    max_bytes: int
    max_age: Optional[float]


class Evidence:
    """None of its methods raises."""

    def __init__(self, folder: Optional[Path], node: Node, limits: Limits, hooks: Hooks) -> None:
        self.counts = Counts()
        self._limits, self._hooks = limits, hooks
        self._coverage: Optional[Coverage] = None
        self._spools = self._opened(folder)
        drain_hooks = DrainHooks(self._attested, self._registered, self._dead, self.failed)
        self._drain = Drain(self._spools, node, drain_hooks)
        # What earlier processes left is sent first.
        if self._drain.waiting() > 0:
            self._drain.start()

    def report(self, app_id: str, every: Optional[float]) -> None:
        """Seals the counts every so many seconds; with None, when it closes."""
        self._coverage = Coverage(app_id, every, self.stats, self.store, self.failed)

    def stats(self) -> Stats:
        stats, oldest = self.counts.copy(), self._oldest_at()
        stats.waiting = self._drain.waiting()
        stats.waiting_bytes = self._waiting_bytes()
        stats.oldest_ms = None if oldest is None else max(0, int((time.time() - oldest) * 1000))
        stats.torn = sum(spool.torn for spool in self._spools)
        stats.adopted = sum(spool.adopted for spool in self._spools)
        return stats

    def flush(self, timeout: float) -> int:
        return self._drain.flush(timeout)

    def close(self, timeout: float) -> None:
        ends_at = time.monotonic() + timeout
        self.flush(timeout)
        # The last report states what still waits, so it is made after the others were sent.
        if self._coverage is not None:
            self._coverage.close()
            self.flush(max(0.0, ends_at - time.monotonic()))
        self._drain.stop()
        for spool in self._spools:
            try:
                spool.close()
            except OSError as error:
                self.failed(error)

    def is_full(self) -> bool:
        if self._waiting_bytes() >= self._limits.max_bytes:
            return True
        max_age = self._limits.max_age
        oldest = None if max_age is None else self._oldest_at()
        return oldest is not None and max_age is not None and time.time() - oldest > max_age

    def store(self, text: str, is_promised: bool) -> bool:
        """Stores a sealed bundle, also in a full spool if it is promised, and starts sending. False: none took it."""
        is_stored = False
        try:
            is_stored = (is_promised or self._fits(text)) and self._put(text)
            self._drain.start()
        except Exception as error:
            self.failed(error)
        return is_stored

    def failed(self, error: BaseException) -> None:
        """Counts a fault and reports it."""
        self.counts.add(errors=1)
        hook = self._hooks.error or _warn_of_refusal
        self._quietly(lambda: hook(error))

    def after_fork(self) -> None:
        for spool in self._spools:
            spool.after_fork()
        self.counts.after_fork()
        self._drain.after_fork()
        if self._coverage is not None:
            self._coverage.after_fork()

    # Inside.

    def _opened(self, folder: Optional[Path]) -> List[Spool]:
        """The folder's spool, then memory for what the folder does not take."""
        memory = MemorySpool()
        if folder is None:
            return [memory]
        try:
            return [FileSpool(folder, self.failed), memory]
        except OSError as error:
            where = "certificates wait in memory, and end with the process"
            self.failed(type(error)(f"the spool cannot be used ({error}): {where}"))
            return [memory]

    def _oldest_at(self) -> Optional[float]:
        return min((spool.oldest_at for spool in self._spools if spool.oldest_at is not None), default=None)

    def _waiting_bytes(self) -> int:
        return sum(spool.waiting_bytes for spool in self._spools)

    def _fits(self, text: str) -> bool:
        return not self.is_full() and self._waiting_bytes() + len(text) <= self._limits.max_bytes

    def _put(self, text: str) -> bool:
        """The next spool takes what a fault kept out of this one."""
        for spool in self._spools:
            try:
                spool.put(text)
                return True
            except OSError as error:
                self.failed(error)
        return False

    def _quietly(self, hook: Callable[[], object]) -> None:
        try:
            hook()
        except Exception:
            # A hook of the caller must not end the caller's request; its fault is counted.
            self.counts.add(errors=1)

    def _attested(self, answer: Members) -> None:
        self.counts.add(attested=1)
        hook = self._hooks.certified
        if hook is not None:
            execution_id = _text_or_none(get(answer, "cer", "snapshot", "executionId"))
            certificate_hash = text_of(get(answer, "certificateHash"))
            call = CertifiedCall(execution_id, certificate_hash, _text_or_none(get(answer, "verificationUrl")), answer)
            self._quietly(lambda: hook(call))

    def _registered(self, answer: Members) -> None:
        self.counts.add(projects=1)
        hook = self._hooks.project
        if hook is not None:
            url = _text_or_none(get(answer, "verificationUrl"))
            project = CertifiedProject(text_of(get(answer, "projectHash")), url, answer)
            self._quietly(lambda: hook(project))

    def _dead(self, bundle: str, code: str) -> None:
        self.counts.add(dead=1)
        hook = self._hooks.dead_letter
        if hook is not None:
            self._quietly(lambda: hook(bundle, code))


def _text_or_none(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None
