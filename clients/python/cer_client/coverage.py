"""Reports of the calls that a client saw. See docs/clients.md, "Is anything missing?"."""

from __future__ import annotations

import threading
import weakref
from typing import Callable, Optional

from cer_client.executions import Members, Sealed, seal_execution
from cer_client.sealing import now, uuid_v7
from cer_client.stats import Stats

# The provider of a report in certificates, also that of the JavaScript client: the node adds up the reports of both.
PROVIDER = "@cer/client"
MODEL = "coverage"
_COUNTS = "seen open sealed skipped unsealed dropped outcomes attested waiting dead torn".split()


class Coverage:
    """The counts of one client, sealed again and again: each report names the one before.

    `every` is in seconds; None makes one report, when the client closes. `store` says whether a report is stored, is
    told whether a full spool takes it too, and none of the functions raises.
    """

    def __init__(
        self,
        app_id: str,
        every: Optional[float],
        stats: Callable[[], Stats],
        store: Callable[[str, bool], bool],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._app_id, self._every, self._stats, self._store, self._failed = app_id, every, stats, store, failed
        self._is_closed = False
        self.after_fork()

    def after_fork(self) -> None:
        """A forked process is another client, whose counts begin anew."""
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._client_id, self._started_at = uuid_v7(), now()
        self._reports = self._reported = 0
        self._previous: Optional[str] = None
        if self._every is None or self._is_closed:
            return
        # The thread must not keep a client that the program has dropped.
        arguments = (weakref.ref(self), self._over, min(self._every, threading.TIMEOUT_MAX))
        try:
            threading.Thread(target=_run, args=arguments, name="cer_client", daemon=True).start()
        except RuntimeError as error:
            # The system has no thread left: the report at the end has all counts.
            self._failed(error)

    def close(self) -> None:
        """Seals the last report, once."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
            self._over.set()
        if not was_closed:
            self.report(True)

    def report(self, is_last: bool) -> None:
        """Seals a report, unless no call was seen since the last one."""
        try:
            with self._lock:
                stats = self._stats()
                if stats.seen == self._reported and not is_last:
                    return
                sealed = self._sealed(stats, is_last)
                # The last one also in a full spool: its absence means that the process did not end by `close`.
                if self._store(sealed.text, is_last):
                    self._reports += 1
                    self._previous, self._reported = sealed.certificate_hash, stats.seen
        except Exception as error:
            self._failed(error)

    def _sealed(self, stats: Stats, is_last: bool) -> Sealed:
        counts: Members = {name: getattr(stats, name) for name in _COUNTS}
        identity: Members = {"clientId": self._client_id, "startedAt": self._started_at}
        place: Members = {"report": self._reports + 1, "previous": self._previous, "isLast": is_last}
        execution: Members = {
            "protocolVersion": "1.3.0",
            "timestamp": now(),
            "provider": PROVIDER,
            "model": MODEL,
            "appId": self._app_id,
            "input": identity,
            "output": counts,
            "signals": [{"type": MODEL, "source": PROVIDER, "payload": {**identity, **place, **counts}}],
        }
        return seal_execution(execution, now(), uuid_v7())


def _run(coverage: "weakref.ref[Coverage]", over: threading.Event, every: float) -> None:
    while not over.wait(every):
        living = coverage()
        if living is None:
            return
        living.report(False)
        del living
