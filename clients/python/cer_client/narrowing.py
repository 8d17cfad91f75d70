"""The search for a bundle that breaks each request that has it."""

from __future__ import annotations

import math

# Failures in a row after which fewer bundles are sent: a node that restarts causes some too.
FAILURES = 3


class Narrowing:
    """The search among the first bundles of one spool. Only the thread of the drain calls it."""

    def __init__(self) -> None:
        # Bundles of the first ones of which one may break the requests; 0 without a search.
        self._suspects = 0
        # Requests that failed in a row, and those of one bundle since the search came down to it.
        self._failures = self._alone = 0

    def most(self, usual: float) -> int:
        """Maximum bundles of the next request; `usual` is that without a search."""
        return int(usual) if self._suspects == 0 else min(int(usual), math.ceil(self._suspects / 2))

    def passed(self, count: int) -> None:
        """The node took the first `count` bundles."""
        if count > 0:
            self._suspects = max(0, self._suspects - count)
            self._failures = self._alone = 0

    def failed(self, count: int) -> int:
        """A request of `count` bundles failed.

        Returns the number, from 1, of the comparison of its one bundle with another that is due, else 0. Comparisons
        are made at doubling intervals, since the node may be down.
        """
        self._failures += 1
        if self._suspects > 0 or self._failures >= FAILURES:
            self._suspects = count
        if self._suspects != 1:
            return 0
        self._alone += 1
        return self._alone.bit_length() - 1 if self._alone & (self._alone - 1) == 0 else 0
