"""Counts calls, seals them when they end, and stores them."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional

from cer_client.certified_answers import CertifiedAnswers
from cer_client.executions import Json, RequestFault, Sealed
from cer_client.projects import StepPlace, place_for
from cer_client.read_json import read_json
from cer_client.redaction import Redaction, redacted
from cer_client.sealing import Call, now, seal, uuid_v7
from cer_client.stats import Counts
from cer_verify import SVC_V1, CanonicalError, JsonFault, Members, canonicalize

# Levels that the input of a certificate may have. See docs/spec.md, "Strict JSON".
INPUT_DEPTH = 96
# Maximum calls kept to be recognised, and attempts that wait for their retry.
MAX_KEPT = 1000


class SpoolFullError(RuntimeError):
    """The call was not made: no certificate would follow, and `on_full` is `raise-before-call`."""


class CertifiedCall(NamedTuple):
    """A call that a node attested; `answer` is the whole answer of the node."""

    execution_id: Optional[str]
    certificate_hash: str
    verification_url: Optional[str]
    answer: Members


class CertifiedProject(NamedTuple):
    """A project that a node registered; `answer` is the whole answer of the node."""

    project_hash: str
    verification_url: Optional[str]
    answer: Members


class Opened(NamedTuple):
    """The openings of one certificate, `{input: {salt}, output: {salt}}`. They are kept nowhere else."""

    execution_id: str
    certificate_hash: str
    openings: Members


@dataclass(frozen=True)
class Confidential:
    """Sealing under protocol 1.3.1. See docs/spec.md, "Confidential executions".

    `prompt` describes the calls and is bound in clear. `on_openings` is called before the bundle is stored; when it
    raises, the call gets no certificate. `parameters` are those of requests that state none.
    """

    prompt: str
    on_openings: Callable[[Opened], None]
    parameters: Mapping[str, object] = field(default_factory=dict)


class RecorderDeps(NamedTuple):
    """What a recorder needs. `store` and `failed` do not raise; `store` is told whether a full spool takes it too."""

    app_id: str
    protocol: str
    confidential: Optional[Confidential]
    raises_when_full: bool
    certify: Optional[Callable[[str, Json], bool]]
    counts: Counts
    is_full: Callable[[], bool]
    store: Callable[[str, bool], bool]
    failed: Callable[[BaseException], None]
    redaction: Optional[Redaction] = None


class Recorder:
    """None of its methods raises, except `admit`."""

    def __init__(self, deps: RecorderDeps) -> None:
        self.deps = deps
        self.answers = CertifiedAnswers()
        self.after_fork()

    def after_fork(self) -> None:
        """The calls under way are the parent's."""
        self.open_calls = OpenCalls()
        self.attempts = Attempts()
        self.answers.after_fork()

    def admit(self) -> None:
        """Raises SpoolFullError when the options refuse calls that no certificate would follow."""
        if self.deps.raises_when_full and self.deps.is_full():
            raise SpoolFullError("the call was not made: the spool of certificates is full")

    def begin(self, url: str, body: Callable[[], Json]) -> Optional["StartedCall"]:
        """Returns None for a call that is left out by choice. Of a framework's call the URL is `provider:model`."""
        self.deps.counts.add(seen=1)
        if not self._is_wanted(url, body):
            self.deps.counts.add(skipped=1)
            return None
        return StartedCall(self.deps, place_for(self))

    def pass_over(self) -> None:
        """A call that was seen and cannot be certified."""
        self.deps.counts.add(seen=1, unsealed=1)

    def _is_wanted(self, url: str, body: Callable[[], Json]) -> bool:
        try:
            return self.deps.certify is None or bool(self.deps.certify(url, body()))
        except Exception as error:
            # With a hook that fails, the call is certified.
            self.deps.failed(error)
            return True


class StartedCall:
    """A call that is under way."""

    def __init__(self, deps: RecorderDeps, place: Optional[StepPlace]) -> None:
        self._deps, self._place = deps, place
        self._lock = threading.RLock()
        self._is_open = True
        self._process_id = os.getpid()
        self._started_at = now()
        self.execution_id = uuid_v7()
        # A call that is made because there is room has its place, even when others fill the spool before it ends.
        self._is_promised = deps.raises_when_full and not deps.is_full()
        deps.counts.add(open=1)

    def _close(self) -> bool:
        # In a forked process this is a copy of a call that its parent seals.
        if os.getpid() != self._process_id:
            return False
        with self._lock:
            was_open, self._is_open = self._is_open, False
        if was_open:
            self._deps.counts.add(open=-1)
        return was_open

    def end(self, outcome: str, describe: Callable[[], Call]) -> Optional[Sealed]:
        """Seals and stores the call, once. Returns its certificate; None without one."""
        if not self._close():
            return None
        counts = self._deps.counts
        try:
            call = redacted(describe(), self._deps.redaction)
            sealed = self._sealed(call)
            confidential = self._deps.confidential
            if sealed.openings is not None and confidential is not None:
                confidential.on_openings(Opened(sealed.execution_id, sealed.certificate_hash, sealed.openings))
        except Exception as error:
            counts.add(unsealed=1)
            self._deps.failed(error)
            return None
        if not self._deps.store(sealed.text, self._is_promised):
            counts.add(dropped=1)
            return None
        counts.add(sealed=1)
        counts.outcome(outcome)
        if self._place is not None:
            self._place.fill(sealed, call.model, call.kind)
        return sealed

    def leave(self) -> None:
        """The call is certified by another observer."""
        if self._close():
            self._deps.counts.add(seen=-1)
            if self._place is not None:
                self._place.leave()

    def miss(self) -> None:
        """The call cannot be certified."""
        if self._close():
            self._deps.counts.add(unsealed=1)

    def _sealed(self, call: Call) -> Sealed:
        deps, prompt = self._deps, ""
        if deps.confidential is not None:
            prompt = deps.confidential.prompt
            call = _declared(call, deps.confidential.parameters)

        def sealed(described: Call) -> Sealed:
            return seal(described, self.execution_id, deps.app_id, self._started_at, deps.protocol, prompt)

        def sealed_or_none(described: Call) -> Optional[Sealed]:
            try:
                return sealed(described)
            except (CanonicalError, RequestFault):
                return None

        as_stated = sealed_or_none(call)
        if as_stated is not None:
            return as_stated
        # Of both the one that the rules of JSON refuse (a lone surrogate, too many levels) is sealed as text, an answer
        # of which bytes were seen by their hash. The other one is sealed as in any call.
        text = _as_text(call.input) if call.input_text is None else call.input_text
        output = _as_text(call.output) if call.output_sha256 is None else None
        with_input, with_output = replace(call, input=text), replace(call, output=output)
        return sealed_or_none(with_output) or sealed_or_none(with_input) or sealed(replace(with_input, output=output))


def _declared(call: Call, declared: Mapping[str, object]) -> Call:
    """1.3.1 needs exactly four parameters; those that the request does not state are the declared ones."""
    parameters: Members = {"topP": None, "seed": None, **declared, **call.parameters}
    for name in ("temperature", "maxTokens"):
        if name not in parameters:
            raise ValueError(f"parameters.{name}: 1.3.1 needs it, and neither request nor Confidential states it")
    names = sorted(name for name in declared if name not in call.parameters)
    payload = {**call.payload, "declaredParameters": names} if names else call.payload
    return replace(call, parameters=parameters, payload=payload)


def _as_text(value: Json) -> str:
    text = value if isinstance(value, str) else canonicalize(value, SVC_V1)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def value_in(body: str) -> Json:
    """The object or list in a body; a body that is not strict JSON is its own text."""
    try:
        value = read_json(body, INPUT_DEPTH)
    except JsonFault:
        return body
    return value if isinstance(value, (dict, list)) else body


class OpenCall:
    """A call that a framework reports, while it is open. `is_claimed`: a transport certifies its requests."""

    def __init__(self, call_id: str, model: Optional[str], text: str) -> None:
        self.call_id, self.model, self.text, self.is_claimed = call_id, model, text, False


class OpenCalls:
    """Open calls of frameworks, which requests are matched to by their model and text."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open: List[OpenCall] = []

    def add(self, call: OpenCall) -> None:
        with self._lock:
            self._open.append(call)
            # An older call is certified as its framework reports it.
            if len(self._open) > MAX_KEPT:
                del self._open[0]

    def remove(self, call: OpenCall) -> None:
        with self._lock:
            if call in self._open:
                self._open.remove(call)

    def claim(self, request: Json, model: Optional[str] = None) -> Optional[OpenCall]:
        """The open call that a request belongs to. `model` is None where the body names it."""
        with self._lock:
            if not self._open or not isinstance(request, dict):
                return None
            texts, models = _texts_in(request), (None, model, request.get("model"))
            for call in self._open:
                if not call.is_claimed and call.text in texts and call.model in models:
                    call.is_claimed = True
                    return call
        return None


def _texts_in(value: Json) -> List[str]:
    if isinstance(value, str):
        return [value]
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for member in members for text in _texts_in(member)]


class Attempts:
    """Joins the attempts of one call: an SDK sends the same body again after one that failed or took too long."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ended: Dict[str, List[str]] = {}

    def resume(self, url: str, body: str, attempt: int) -> Optional[str]:
        """The id of the call whose earlier attempt ended without an answer; None for a first attempt."""
        key = _key_of(url, body, attempt)
        with self._lock:
            calls = self._ended.get(key)
            if attempt == 0 or not calls:
                return None
            # Of equal calls the latest: others were given up.
            call_id = calls.pop()
            if not calls:
                del self._ended[key]
            return call_id

    def ended(self, url: str, body: str, attempt: int, call_id: str) -> None:
        """Remembers an attempt that brought no whole answer."""
        with self._lock:
            if len(self._ended) >= MAX_KEPT:
                del self._ended[next(iter(self._ended))]
            calls = self._ended.setdefault(_key_of(url, body, attempt + 1), [])
            if len(calls) < MAX_KEPT:
                calls.append(call_id)


def _key_of(url: str, body: str, attempt: int) -> str:
    # The end of a body has what was asked last; whole bodies would fill the memory.
    return f"{attempt} {url} {len(body)} {body[-512:]}"
