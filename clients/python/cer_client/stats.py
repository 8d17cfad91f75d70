"""The counts of a client."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Dict, Optional

OUTCOMES = ("complete", "aborted", "failed", "truncated")


@dataclass
class Stats:
    """Counts since the start of the client. `seen` is the sum of the next five."""

    # Calls of models that were made.
    seen: int = 0
    # Under way.
    open: int = 0
    # Sealed and stored, and how the calls ended.
    sealed: int = 0
    # Left out by the option `certify`.
    skipped: int = 0
    # Not sealed: a body that cannot be read, content that no protocol takes, or a fault.
    unsealed: int = 0
    # Sealed, but the spool was full.
    dropped: int = 0
    outcomes: Dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    # Sealed bundles that wait for a node, with those of earlier processes, and their bytes.
    waiting: int = 0
    waiting_bytes: int = 0
    # Milliseconds since the oldest of them was sealed; None when none waits.
    oldest_ms: Optional[int] = None
    attested: int = 0
    # Projects that a node registered.
    projects: int = 0
    # Refused by the node for good.
    dead: int = 0
    # Lines of the spool that a crash cut off, and segments taken over from ended processes.
    torn: int = 0
    adopted: int = 0
    # Faults of the observer, each also given to `on_error`.
    errors: int = 0


class Counts:
    """Counts that several threads change."""

    def __init__(self) -> None:
        self.after_fork()

    def after_fork(self) -> None:
        """The calls of the parent are in its counts. One of its threads may have held the lock."""
        # Reentrant, as all locks here: a garbage collection under it may end a stream that the program left.
        self._lock = threading.RLock()
        self._stats = Stats()

    def add(self, **changes: int) -> None:
        with self._lock:
            for name, change in changes.items():
                setattr(self._stats, name, getattr(self._stats, name) + change)

    def outcome(self, outcome: str) -> None:
        with self._lock:
            self._stats.outcomes[outcome] += 1

    def copy(self) -> Stats:
        with self._lock:
            return replace(self._stats, outcomes=dict(self._stats.outcomes))
