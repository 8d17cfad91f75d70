"""The newest answers of observed requests, and the names that they are found by."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from typing import Any, Iterable, MutableMapping, NamedTuple, Optional

# Maximum names of answers that are kept; an answer has up to three, and one more behind a gateway.
MAX_NAMES = 3000


class SealedCall(NamedTuple):
    """A call and the hash of its certificate, `sha256:` and 64 hex digits."""

    execution_id: str
    certificate_hash: str


class ObservedAnswer:
    """An answer that the program has, and its certificate once it has one."""

    def __init__(self) -> None:
        self.certificate: Optional[SealedCall] = None


class _Named(NamedTuple):
    # None for an answer without a certificate.
    call: Optional[SealedCall]
    # Whether several answers had this name.
    is_shared: bool


class CertifiedAnswers:
    """Names are ids of the provider and hashes of content. `responses` are those that the program still has."""

    def __init__(self) -> None:
        self._named: "OrderedDict[str, _Named]" = OrderedDict()
        self.responses: MutableMapping[Any, ObservedAnswer] = weakref.WeakKeyDictionary()
        self.after_fork()

    def after_fork(self) -> None:
        """The process still has the answers of its parent. One of its threads may have held the lock."""
        self._lock = threading.RLock()

    def add(self, names: Iterable[Optional[str]], call: Optional[SealedCall]) -> None:
        """Adds an answer; None is for a name or a certificate that it does not have."""
        with self._lock:
            for name in dict.fromkeys(name for name in names if name):
                # Never removed in between: after a fork, or for a call within this one, it would not be shared.
                added = _Named(call, False)
                if self._named.setdefault(name, added) is not added:
                    self._named[name] = _Named(call, True)
                self._named.move_to_end(name)
            while len(self._named) > MAX_NAMES:
                self._named.popitem(last=False)

    def is_known(self, name: str) -> bool:
        """Whether answers have this name."""
        with self._lock:
            return name in self._named

    def find(self, name: str) -> Optional[SealedCall]:
        """The one answer with this name; None where several have it."""
        with self._lock:
            found = self._named.get(name)
        return None if found is None or found.is_shared else found.call
