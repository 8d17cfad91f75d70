"""One append-only file of sealed bundles. See docs/clients.md, "The spool"."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional, Set

_LINE = re.compile(rb'\{"n":[0-9]+,"sha256":"([0-9a-f]{64})","bundle":(.*)\}\Z', re.DOTALL)
_NAME = re.compile(r"([0-9]+)-[0-9a-f]{16}\.ndjson\Z")
_SEALED_AT = re.compile(r'"(?:createdAt|completedAt)":"([^"]{10,40})"')

# When this process began, or later: its segments are younger.
_STARTED = time.time()


class Line(NamedTuple):
    """A line of a segment; `text` is None for one that is torn or changed. `end` is the offset behind it."""

    text: Optional[str]
    end: int


def sealed_at(text: str) -> Optional[float]:
    """When a bundle was sealed, in seconds since 1970; None for other text."""
    found = _SEALED_AT.search(text[:4096])
    try:
        return None if found is None else datetime.fromisoformat(found.group(1).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


def open_privately(path: Path, flags: int) -> int:
    """A descriptor of a file of this user that takes bytes as they are: Windows would make two of each line feed."""
    return os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)


class Segment:
    """A file that one process writes. Beside it, `PATH.done` holds the offset up to which bundles are attested."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Whole lines that wait; whether a failed write left a part of a line at the end.
        self.waiting, self.has_part = 0, False
        self.size = path.stat().st_size if path.exists() else 0
        self.done = min(self.size, _offset_in(self._done_path))
        self._fd: Optional[int] = None
        self._written = 0
        self._oldest_at: Optional[float] = None
        # Whether this process leaves the file to the next one.
        self.is_kept = False

    @property
    def _done_path(self) -> Path:
        return self.path.with_name(self.path.name + ".done")

    @property
    def waiting_bytes(self) -> int:
        return self.size - self.done

    @property
    def oldest_at(self) -> Optional[float]:
        """When the first bundle that waits was sealed, in seconds since 1970."""
        if self._oldest_at is None and self.waiting_bytes > 0:
            try:
                lines = self.read(1)
            except OSError:
                return None  # the drain meets and reports the same fault
            self._oldest_at = sealed_at((lines[0].text or "") if lines else "")
        return self._oldest_at

    def append(self, text: str) -> None:
        """Appends a bundle; afterwards it survives the end of the process."""
        if self._fd is None:
            # Also for reading, so that bundles can be sent after the file was removed.
            self._fd = open_privately(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._written += 1
        if self.waiting_bytes == 0:
            self._oldest_at = sealed_at(text)
        content = text.encode()
        digest = hashlib.sha256(content).hexdigest()
        rest = memoryview(b'{"n":%d,"sha256":"%s","bundle":%s}\n' % (self._written, digest.encode(), content))
        before = self.size
        try:
            while rest:
                count = os.write(self._fd, rest)
                self.size += count
                rest = rest[count:]
        except OSError:
            self._cut_back(self._fd, before)
            raise
        self.waiting += 1

    def _cut_back(self, fd: int, size: int) -> None:
        """Removes the part of a line that could not be written, which needs no room on the disk."""
        try:
            os.ftruncate(fd, size)
            self.size = size
        except OSError:
            self.has_part = self.size > size

    def lose(self, lines: int) -> None:
        """Lines that are torn or changed, which an adopted segment does not count as waiting."""
        if self._written > 0:
            self.waiting -= lines

    @property
    def is_unlinked(self) -> bool:
        """Whether the file was removed while it is open: what is written to it ends with the process."""
        return self._fd is not None and os.fstat(self._fd).st_nlink == 0

    @property
    def is_changed(self) -> bool:
        """Whether the open file was cut off or written by another program: further lines would not be found in it."""
        return self._fd is not None and os.fstat(self._fd).st_size != self.size

    def read(self, max_lines: int) -> List[Line]:
        """The first lines that wait. Bytes behind the last line feed are not a line yet."""
        lines: List[Line] = []
        if self.waiting_bytes == 0:
            return lines
        with open(self.path if self._fd is None else os.dup(self._fd), "rb") as file:
            file.seek(self.done)
            end = self.done
            while len(lines) < max_lines and end < self.size:
                line = file.readline(self.size - end)
                if not line.endswith(b"\n"):
                    break
                end += len(line)
                lines.append(Line(_text_of(line[:-1]), end))
        return lines

    def acknowledge(self, offset: int) -> None:
        """Notes the offset behind the last attested bundle."""
        self.done = offset
        self._oldest_at = None
        if self.is_kept:
            return
        fd = open_privately(self._done_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, str(offset).encode())
        finally:
            os.close(fd)

    def keep(self) -> None:
        """Leaves file and offset as they are: the next process sends again from there, which replays certificates."""
        self.is_kept = True

    def duplicate(self) -> Optional[int]:
        """Another descriptor of the file, which the caller closes."""
        return None if self._fd is None else os.dup(self._fd)

    def close(self) -> None:
        if self._fd is None:
            return
        try:
            flush(self._fd)
        finally:
            os.close(self._fd)
            self._fd = None

    def remove(self) -> None:
        """Closes the file and deletes it, unless it is kept."""
        if self.is_kept:
            self.close()
            return
        # Not brought to the disk, for which calls under way would wait: its bundles are attested or cannot be read.
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        for path in (self.path, self._done_path):
            path.unlink(missing_ok=True)

    @staticmethod
    def adopt(source: Path, path: Path) -> "Segment":
        """Takes over the file of an ended process. Raises FileNotFoundError when another process was faster."""
        source.rename(path)
        done = source.with_name(source.name + ".done")
        if done.exists():
            done.rename(path.with_name(path.name + ".done"))
        return Segment(path)


def flush(fd: int) -> None:
    """Brings the content of a file to the disk."""
    sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
    sync(fd)


def _text_of(line: bytes) -> Optional[str]:
    found = _LINE.match(line)
    if found is None or hashlib.sha256(found.group(2)).hexdigest().encode() != found.group(1):
        return None
    try:
        return found.group(2).decode()
    except UnicodeDecodeError:
        return None


def _offset_in(path: Path) -> int:
    # An offset that was cut off sends bundles again, which replays their certificates.
    text = path.read_bytes() if path.exists() else b""
    return int(text) if re.match(rb"[0-9]{1,15}\Z", text) else 0


# The names of the segments of this process.
_OWN: Set[str] = set()


def new_path(folder: Path) -> Path:
    """A path for a segment of this process."""
    name = f"{os.getpid()}-{secrets.token_hex(8)}.ndjson"
    _OWN.add(name)
    return folder / name


def orphans_in(folder: Path) -> List[Path]:
    """The segments whose process has ended, by the order of their names."""
    return [path for path in sorted(folder.iterdir()) if _NAME.match(path.name) and _is_orphan(path)]


def _is_orphan(path: Path) -> bool:
    found = _NAME.match(path.name)
    pid = int(found.group(1)) if found is not None else 0
    if path.name in _OWN:
        return False
    # A process id that is this process's may be an earlier process's, as in a container: then the file is older. The
    # clock decides that only for names that this process did not make: it may have been set.
    return path.stat().st_mtime < _STARTED - 2 if pid == os.getpid() else not _is_running(pid)


def _is_running(pid: int) -> bool:
    if sys.platform == "win32":
        # Signal 0 is CTRL_C_EVENT there. Only the drain of the command line adopts what ended processes left.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # it runs under another user
    return True
