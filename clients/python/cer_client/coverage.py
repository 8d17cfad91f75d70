"""Reports of the calls that a client saw. See docs/clients.md, "Is anything missing?"."""

from __future__ import annotations

import threading
from typing import Callable, Optional

from cer_client.executions import Members, seal_execution
from cer_client.sealing import now, uuid_v7
from cer_client.stats import Stats

# The provider of a report in certificates, also that of the JavaScript client: the node adds up the reports of both.
PROVIDER = "@cer/client"
MODEL = "coverage"
_COUNTS = "seen open sealed skipped unsealed dropped outcomes attested waiting dead torn".split()


class Coverage:
    """The counts of one client, sealed again and again: each report names the one before.

    `every` is in seconds; None makes one report, when the client closes. `store` says whether a report is stored, and
    none of the functions raises.
    """

    def __init__(
        self,
        app_id: str,
        every: Optional[float],
        stats: Callable[[], Stats],
        store: Callable[[str], bool],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._app_id, self._every, self._stats, self._store, self._failed = app_id, every, stats, store, failed
        self.after_fork()

    def after_fork(self) -> None:
        """A forked process is another client, whose counts begin anew."""
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._client_id, self._started_at = uuid_v7(), now()
        self._reports = self._reported = 0
        self._previous: Optional[str] = None
        if self._every is None:
            return
        try:
            threading.Thread(target=self._run, args=(self._every,), name="cer_client", daemon=True).start()
        except RuntimeError as error:
            # The system has no thread left: the report at the end has all counts.
            self._failed(error)

    def _run(self, every: float) -> None:
        over = self._over
        while not over.wait(min(every, threading.TIMEOUT_MAX)):
            self._report(False)

    def close(self) -> None:
        """Seals the last report, once."""
        with self._lock:
            was_over = self._over.is_set()
            self._over.set()
        if not was_over:
            self._report(True)

    def _report(self, is_last: bool) -> None:
        try:
            with self._lock:
                stats = self._stats()
                if stats.seen == self._reported and not is_last:
                    return
                if self._store(self._sealed(stats, is_last)):
                    self._reported = stats.seen
        except Exception as error:
            self._failed(error)

    def _sealed(self, stats: Stats, is_last: bool) -> str:
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
        sealed = seal_execution(execution, now(), uuid_v7())
        self._reports += 1
        self._previous = sealed.certificate_hash
        return sealed.text
