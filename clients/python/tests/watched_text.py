"""Text that counts its comparisons, for tests of how often something is read."""

from __future__ import annotations


class Watched(str):
    """Counts, for all of them together, how often one is compared with another value."""

    comparisons = 0

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Watched.comparisons += 1
        return str.__eq__(self, other)
