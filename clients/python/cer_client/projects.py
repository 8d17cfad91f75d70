"""Several calls as one project. See docs/spec.md, "Project bundle"."""

from __future__ import annotations

import json
import os
import threading
from contextvars import ContextVar
from types import TracebackType
from typing import Callable, List, NamedTuple, Optional, Type

from cer_client.executions import Members, Sealed
from cer_client.sealing import label_of, now, uuid_v7
from cer_verify import SVC_V1, get, hash_canonical, text_of

BUNDLE_TYPE = "cer.project.bundle.v1"


class _Step(NamedTuple):
    sealed: Sealed
    label: str
    kind: str


class StepPlace:
    """The place of a call in its project, taken when the call begins.

    It stays empty without a certificate, and when the project is over.
    """

    def __init__(self, project: "Project", position: int) -> None:
        self._project, self._position = project, position

    def fill(self, sealed: Sealed, label: str, kind: str) -> None:
        """`kind` is `model-call` or `tool-call`."""
        self._project.filled(self._position, _Step(sealed, label, kind))

    def leave(self) -> None:
        """The call is certified in another place."""
        self._project.left(self._position)


class Project:
    """A `with` block whose calls are the steps of one project.

    Tasks that the block starts belong to it, and threads that run in a copy of its context. A call that is open when
    the block ends has its own certificate, and the tags of the project show that it is missing. `owner` makes the
    calls; `store` gets the sealed bundle and `failed` a fault, and neither raises.
    """

    def __init__(
        self,
        owner: object,
        title: str,
        app_id: str,
        store: Callable[[str], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self.owner, self._title, self._app_id = owner, label_of(title, "unnamed"), app_id
        self._store, self._failed = store, failed
        self._process_id = os.getpid()
        self._lock = threading.RLock()
        # In the order in which the calls began.
        self._steps: List[Optional[_Step]] = []
        self._begun = 0
        self._is_entered = self._is_over = False
        self.outer: Optional[Project] = None

    def __enter__(self) -> None:
        """Raises RuntimeError the second time."""
        with self._lock:
            was_entered, self._is_entered = self._is_entered, True
        if was_entered:
            raise RuntimeError("a project is one block: call cer.run again for another")
        self._id, self._started_at = uuid_v7(), now()
        self.outer = _current.get()
        _current.set(self)

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        # A generator may be ended in another context than it began in.
        if _current.get() is self:
            _current.set(self.outer)
        if not self.is_of_this_process:
            return
        try:
            text = self._sealed("complete" if kind is None else "failed")
            if text is not None:
                self._store(text)
        except Exception as fault:
            self._failed(fault)

    @property
    def is_of_this_process(self) -> bool:
        """A forked process has a copy of a project that its parent seals."""
        return os.getpid() == self._process_id

    def begin(self) -> Optional[StepPlace]:
        """None when it is over, or another process's."""
        with self._lock:
            if self._is_over or not self.is_of_this_process:
                return None
            self._begun += 1
            self._steps.append(None)
            return StepPlace(self, len(self._steps) - 1)

    def filled(self, position: int, step: _Step) -> None:
        with self._lock:
            if not self._is_over:
                self._steps[position] = step

    def left(self, position: int) -> None:
        with self._lock:
            self._begun -= 1

    def _sealed(self, outcome: str) -> Optional[str]:
        """The bundle as text; None without a step. Its tags state how many calls began, so that a gap is visible."""
        with self._lock:
            steps = [step for step in self._steps if step is not None]
            begun = self._begun
            # Work that outlives the block keeps making calls, perhaps for as long as the program runs.
            self._is_over = True
            self._steps.clear()
        if not steps:
            return None
        project: Members = {
            "bundleType": BUNDLE_TYPE,
            "version": "0.1",
            "projectBundleId": self._id,
            "projectTitle": self._title,
            "startedAt": self._started_at,
            "completedAt": now(),
            "appName": self._app_id,
            "tags": [f"outcome:{outcome}", f"calls-begun:{begun}", f"calls-certified:{len(steps)}"],
            "totalSteps": len(steps),
            "stepRegistry": [_entry(step, position) for position, step in enumerate(steps)],
        }
        integrity = {"algorithm": "sha256-canonical-json", "projectHash": hash_canonical(project, SVC_V1)}
        head = json.dumps({**project, "integrity": integrity}, separators=(",", ":"))
        # The bundles as they were sealed, not parsed again.
        bundles = ",".join(f"{json.dumps(step.sealed.execution_id)}:{step.sealed.text}" for step in steps)
        return f'{head[:-1]},"embeddedBundles":{{{bundles}}}}}'


_current: "ContextVar[Optional[Project]]" = ContextVar("cer_client.project", default=None)


def _entry(step: _Step, position: int) -> Members:
    execution_id, certificate_hash = step.sealed.execution_id, step.sealed.certificate_hash
    return {
        "stepId": execution_id,
        "sequence": position,
        "certificateHash": certificate_hash,
        "executionId": execution_id,
        "stepLabel": step.label,
        "stepType": step.kind,
    }


def place_for(owner: object) -> Optional[StepPlace]:
    """A place in the innermost project of this owner that the running work belongs to.

    One that is over may still be current, where its block ended in another context, as that of a generator.
    """
    project = _current.get()
    while project is not None:
        place = project.begin() if project.owner is owner else None
        if place is not None:
            return place
        project = project.outer
    return None


def is_project(text: str) -> bool:
    """Whether a sealed bundle is a project: it is registered, by a request of its own, after its steps are attested."""
    return text.startswith(f'{{"bundleType":"{BUNDLE_TYPE}"')


def sealed_hash(text: str) -> str:
    """The hash that names a sealed bundle, or "" for other text."""
    sealed = json.loads(text)
    return text_of(get(sealed, "integrity", "projectHash") if is_project(text) else get(sealed, "certificateHash"))
