"""Sealed bundles that wait for their attestation, oldest first."""

from __future__ import annotations

import json
import os
import threading
from functools import partial
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional, Protocol

from cer_client.segment import Line, Segment, flush, new_path, open_privately, orphans_in, sealed_at

# A segment with more bytes is ended, so that attested bundles leave the disk.
SEGMENT_BYTES = 8 * 1024 * 1024


class Batch(NamedTuple):
    """The oldest bundles as JSON text; `acknowledge` forgets the first of them.

    `keep` leaves them on the disk for the next process too, which sends them again.
    """

    texts: List[str]
    acknowledge: Callable[[int], None]
    keep: Callable[[], None] = lambda: None


class Spool(Protocol):
    """A store of sealed bundles. Methods may be called from any thread."""

    def put(self, text: str) -> None:
        """Raises OSError when the bundle cannot be stored."""

    def next(self, max_lines: int) -> Optional[Batch]:
        """The oldest bundles, or None when none waits. One batch at a time."""

    def heads(self) -> List[str]:
        """Bundles that wait, from as many places as it has: the oldest of each."""

    def bury(self, text: str, code: str) -> None:
        """Keeps a bundle that no node will take."""

    def sync(self) -> None:
        """Brings what is stored to the disk."""

    def close(self) -> None: ...

    def after_fork(self) -> None:
        """Forgets what the parent has stored, in its child."""

    @property
    def waiting(self) -> int: ...

    @property
    def waiting_bytes(self) -> int: ...

    @property
    def oldest_at(self) -> Optional[float]:
        """When the oldest bundle was sealed, in seconds since 1970."""

    @property
    def torn(self) -> int: ...

    @property
    def adopted(self) -> int: ...


class MemorySpool:
    """A spool that ends with the process."""

    torn = 0
    adopted = 0

    def __init__(self) -> None:
        self.after_fork()

    def after_fork(self) -> None:
        """The parent sends its bundles."""
        self.waiting_bytes = 0
        self._texts: List[str] = []
        self._lock = threading.RLock()

    def put(self, text: str) -> None:
        with self._lock:
            self._texts.append(text)
            self.waiting_bytes += len(text)

    def next(self, max_lines: int) -> Optional[Batch]:
        with self._lock:
            return Batch(self._texts[:max_lines], self._forget) if self._texts else None

    def _forget(self, count: int) -> None:
        with self._lock:
            self.waiting_bytes -= sum(map(len, self._texts[:count]))
            del self._texts[:count]

    def heads(self) -> List[str]:
        with self._lock:
            return self._texts[:1]

    def bury(self, text: str, code: str) -> None:
        """Nothing outlives the process."""

    def sync(self) -> None:
        """Nothing is on a disk."""

    def close(self) -> None:
        """Nothing is open."""

    @property
    def waiting(self) -> int:
        return len(self._texts)

    @property
    def oldest_at(self) -> Optional[float]:
        with self._lock:
            return sealed_at(self._texts[0]) if self._texts else None


class FileSpool:
    """A folder, shared with other processes, in which this one has segments."""

    def __init__(self, folder: Path, failed: Callable[[BaseException], None]) -> None:
        """`failed` gets the fault of each segment that cannot be taken over. Raises OSError without a folder."""
        self._folder = folder
        # Oldest first; the last one may be appended to.
        self._segments: List[Segment] = []
        self._current: Optional[Segment] = None
        self._lock = threading.RLock()
        self.torn = self.adopted = 0
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for orphan in orphans_in(folder):
            self._adopt(orphan, failed)
        # By the time of their bundles, not by name: a project is registered after its calls are attested.
        self._segments.sort(key=lambda segment: segment.oldest_at or 0)

    def after_fork(self) -> None:
        """The parent sends its segments."""
        self._lock = threading.RLock()
        self._segments, self._current = [], None
        self.torn = self.adopted = 0

    @property
    def waiting(self) -> int:
        with self._lock:
            return sum(segment.waiting for segment in self._segments)

    @property
    def waiting_bytes(self) -> int:
        with self._lock:
            return sum(segment.waiting_bytes for segment in self._segments)

    @property
    def oldest_at(self) -> Optional[float]:
        with self._lock:
            times = [segment.oldest_at for segment in self._segments]
        return min((at for at in times if at is not None), default=None)

    def put(self, text: str) -> None:
        with self._lock:
            self._writable().append(text)

    def _writable(self) -> Segment:
        """The segment to append to. Raises OSError when the folder cannot be made."""
        current = self._current
        is_unlinked = current is not None and current.is_unlinked
        if current is not None and not is_unlinked and _takes_more(current):
            return current
        # The lines of a removed file can be read only while it is open.
        if current is not None and not is_unlinked:
            current.close()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._current = Segment(new_path(self._folder))
        self._segments.append(self._current)
        return self._current

    def next(self, max_lines: int) -> Optional[Batch]:
        with self._lock:
            while self._segments:
                segment = self._segments[0]
                lines = self._read(segment, max_lines)
                texts = [line.text for line in lines if line.text is not None]
                if texts:
                    ends = [line.end for line in lines if line.text is not None]
                    ends[-1] = lines[-1].end
                    torn = [line.end for line in lines if line.text is None]
                    return Batch(texts, partial(self._acknowledge, segment, ends, torn), segment.keep)
                if lines:
                    self._lose(segment, len(lines))
                    segment.acknowledge(lines[-1].end)
                    continue
                if segment.waiting_bytes > 0:
                    # The end was cut off. A part that a failed write left is of a bundle that another spool has.
                    self.torn += max(segment.waiting, 0 if segment.has_part else 1)
                self._end(segment)
            return None

    def _acknowledge(self, segment: Segment, ends: List[int], torn: List[int], count: int) -> None:
        with self._lock:
            end = ends[count - 1]
            self._lose(segment, sum(at <= end for at in torn))
            segment.waiting -= count
            # Without noting the offset first: a full disk takes no offset, and is freed by removing the file.
            if end == segment.size:
                self._end(segment)
            else:
                segment.acknowledge(end)

    def heads(self) -> List[str]:
        with self._lock:
            lines = [line for segment in self._segments for line in segment.read(1)]
        return [line.text for line in lines if line.text is not None]

    def bury(self, text: str, code: str) -> None:
        fd = open_privately(self._folder / "dead.ndjson", os.O_RDWR | os.O_APPEND | os.O_CREAT)
        with os.fdopen(fd, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            # A full disk may have cut off the line before.
            start = "" if file.read(1) in (b"", b"\n") else "\n"
            file.write(f'{start}{{"code":{json.dumps(code)},"bundle":{text}}}\n'.encode())

    def sync(self) -> None:
        with self._lock:
            fd = None if self._current is None else self._current.duplicate()
        # Not under the lock: a slow disk must not hold up a call.
        if fd is not None:
            try:
                flush(fd)
            finally:
                os.close(fd)

    def close(self) -> None:
        with self._lock:
            for segment in list(self._segments):
                if segment.size == 0:
                    self._end(segment)
                else:
                    segment.close()

    def _read(self, segment: Segment, max_lines: int) -> List[Line]:
        """A segment that cannot be read is left as it is, and raises OSError: those after it are read next."""
        try:
            return segment.read(max_lines)
        except OSError:
            self.torn += segment.waiting
            self._forget(segment)
            segment.close()
            raise

    def _lose(self, segment: Segment, lines: int) -> None:
        self.torn += lines
        segment.lose(lines)

    def _end(self, segment: Segment) -> None:
        self._forget(segment)
        segment.remove()

    def _forget(self, segment: Segment) -> None:
        self._segments.remove(segment)
        if segment is self._current:
            self._current = None

    def _adopt(self, orphan: Path, failed: Callable[[BaseException], None]) -> None:
        try:
            waiting = sum(line.text is not None for line in Segment(orphan).read(2**63))
            segment = Segment.adopt(orphan, new_path(self._folder))
        except FileNotFoundError:
            return  # another process took it first
        except OSError as error:
            failed(error)
            return
        segment.waiting = waiting
        self._segments.append(segment)
        self.adopted += 1


def _takes_more(segment: Segment) -> bool:
    return not (segment.has_part or segment.is_kept or segment.size > SEGMENT_BYTES or segment.is_changed)
