"""Bundles that were moved to the end of their spool, so that those behind them are sent."""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence, Set

from cer_client.node import NodeError
from cer_client.projects import sealed_hash
from cer_client.spool import Batch, Spool


class Held(NamedTuple):
    """A bundle that the node could not attest now, and its place in the batch, from 0."""

    text: str
    at: int
    fault: NodeError


class Postponed:
    """Only the thread of the drain calls it."""

    def __init__(self, failed: Callable[[BaseException], None], last: Spool) -> None:
        """`failed` is called once for each bundle that is postponed.

        `last` takes the bundles that their spool cannot store again, which the next process sends too.
        """
        self._failed, self._last = failed, last
        self._hashes: Set[str] = set()
        self._apart: Set[str] = set()

    def acknowledge(self, spool: Spool, batch: Batch, held: Sequence[Held], count: int) -> None:
        """Forgets the first `count` bundles of a batch. Those held among them are stored again first.

        Raises OSError when one cannot be stored: it and those behind it stay where they are.
        """
        kept = count
        try:
            for one in held:
                if one.at < count:
                    kept = one.at
                    self._put_behind(spool, batch, one.text)
                    kept = count
                    self._note(one)
        finally:
            if kept > 0:
                batch.acknowledge(kept)

    def set_apart(self, spool: Spool, batch: Batch, one: Held) -> None:
        """Moves a bundle that breaks each request that has it, the first of its batch, and notes that it is sent alone.

        Raises OSError when it cannot be stored: it stays where it is.
        """
        self._apart.add(one.text)
        if spool.waiting > 1:
            self.move_apart(spool, batch, one.text)
        self._note(one)

    def move_apart(self, spool: Spool, batch: Batch, text: str) -> None:
        """Moves such a bundle again. Raises OSError as `set_apart`."""
        self._put_behind(spool, batch, text)
        batch.acknowledge(1)

    def _put_behind(self, spool: Spool, batch: Batch, text: str) -> None:
        try:
            spool.put(text)
        except OSError as fault:
            if self._last is spool:
                raise
            self._last.put(text)
            batch.keep()
            self._failed(fault)

    def is_apart(self, text: str) -> bool:
        """Whether a bundle breaks each request that has it."""
        return text in self._apart

    def discard(self, text: str) -> None:
        """The node answered for a bundle, or it was given up."""
        self._apart.discard(text)
        if self._hashes:
            self._hashes.discard(sealed_hash(text))

    def has_call_of(self, project: str) -> bool:
        own = sealed_hash(project)
        return any(name != own and name in project for name in self._hashes)

    def _note(self, one: Held) -> None:
        name = sealed_hash(one.text)
        if name == "" or name in self._hashes:
            return
        self._hashes.add(name)
        fault = RuntimeError(f"the bundle {name} is sent again behind the others")
        fault.__cause__ = one.fault
        self._failed(fault)
