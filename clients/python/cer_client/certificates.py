"""The client: what a program makes once and observes its calls with."""

from __future__ import annotations

import os
import sys
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Type, TypeVar, Union, overload
from urllib.parse import urlsplit

from cer_client.certificate_of import certificate_of
from cer_client.certified_answers import SealedCall
from cer_client.evidence import Evidence, Hooks, Limits
from cer_client.executions import Json
from cer_client.node import Node
from cer_client.options import (
    check_amounts,
    check_confidential,
    check_functions,
    check_label,
    check_numbers,
    check_strings,
)
from cer_client.projects import Project
from cer_client.recorder import CertifiedCall, CertifiedProject, Confidential, Recorder, RecorderDeps
from cer_client.redaction import Redaction, checked
from cer_client.stats import Stats
from cer_client.tools import observe_tool
from cer_client.transport import AsyncCertifyingTransport, CertifyingTransport, Observer

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

_Function = TypeVar("_Function", bound=Callable[..., Any])

MEBIBYTE = 1024 * 1024


class Certificates:
    """Certifies calls of models. No observer raises into the program, except with `on_full="raise-before-call"`.

    app_id: the program, as certificates name it.
    node_url, api_key: absent, the variables CER_NODE_URL and CER_API_KEY.
    spool_dir: folder of the spool; absent, CER_SPOOL_DIR, else `.cer-spool`. With `in_memory` there is none.
    max_spool_bytes, max_spool_age: maximum bytes of sealed bundles that wait, and age of the oldest in seconds.
    max_content_bytes: a larger answer is bound by the hash of its bytes.
    on_full: with a full spool, `count` makes the call without a certificate; `raise-before-call` refuses it.
    certify: given URL and body, says whether to certify a call.
    protocol: 1.3.0 or 1.2.0; 1.3.1 with `confidential`.
    redaction: masks input and output before they are hashed.
    coverage, coverage_every: seals the counts of all calls when the client closes, and every so many seconds.
    meter: gets the counts of `stats` as metrics: `opentelemetry.metrics.get_meter("app")`, one for each client.
    on_certified, on_project, on_dead_letter, on_error: called for each attested call, each registered project, each
        bundle that no node will take, with the code, and each fault of the observer. They are called from any thread.
        Without `on_error` the first refusal that an operator has to correct, such as of the key, is a warning.
    timeout: seconds for each request to the node.
    """

    def __init__(
        self,
        app_id: str,
        *,
        node_url: Optional[str] = None,
        api_key: Optional[str] = None,
        spool_dir: Union[str, "os.PathLike[str]", None] = None,
        in_memory: bool = False,
        max_spool_bytes: int = 256 * MEBIBYTE,
        max_spool_age: Optional[float] = None,
        max_content_bytes: int = 8 * MEBIBYTE,
        on_full: str = "count",
        certify: Optional[Callable[[str, Json], bool]] = None,
        protocol: Optional[str] = None,
        confidential: Optional[Confidential] = None,
        redaction: Optional[Redaction] = None,
        coverage: bool = False,
        coverage_every: Optional[float] = None,
        meter: Optional["Meter"] = None,
        on_certified: Optional[Callable[[CertifiedCall], object]] = None,
        on_project: Optional[Callable[[CertifiedProject], object]] = None,
        on_dead_letter: Optional[Callable[[str, str], object]] = None,
        on_error: Optional[Callable[[BaseException], object]] = None,
        timeout: float = 30.0,
    ) -> None:
        """Raises TypeError for an option of another type, ValueError for one that cannot be."""
        check_strings({"app_id": app_id, "node_url": node_url, "api_key": api_key})
        sizes = {"max_spool_bytes": max_spool_bytes, "max_content_bytes": max_content_bytes}
        amounts = {**sizes, "max_spool_age": max_spool_age, "timeout": timeout}
        check_numbers({**amounts, "coverage_every": coverage_every})
        check_amounts(amounts)
        check_functions({"certify": certify, "on_certified": on_certified, "on_project": on_project})
        check_functions({"on_dead_letter": on_dead_letter, "on_error": on_error})
        if confidential is not None:
            if not isinstance(confidential, Confidential):
                raise TypeError("confidential: must be a Confidential(prompt, on_openings)")
            check_confidential(confidential.prompt, confidential.on_openings, confidential.parameters)
        url = _address(node_url or os.environ.get("CER_NODE_URL", ""))
        protocol = protocol or ("1.3.0" if confidential is None else "1.3.1")
        if protocol not in ("1.2.0", "1.3.0", "1.3.1") or (protocol == "1.3.1") != (confidential is not None):
            raise ValueError("protocol: must be 1.2.0 or 1.3.0, or 1.3.1 with the option confidential")
        if on_full not in ("count", "raise-before-call"):
            raise ValueError("on_full: must be count or raise-before-call")
        check_label("app_id", app_id)
        if coverage_every is not None and not coverage_every > 0:
            raise ValueError("coverage_every: must be a number of seconds above 0")
        masking = checked(redaction)
        node = Node(url, api_key or os.environ.get("CER_API_KEY"), timeout)
        self._max_content_bytes = max_content_bytes
        folder = None if in_memory else Path(spool_dir or os.environ.get("CER_SPOOL_DIR") or ".cer-spool")
        hooks = Hooks(on_certified, on_project, on_dead_letter, on_error)
        self._evidence = Evidence(folder, node, Limits(max_spool_bytes, max_spool_age), hooks)
        if coverage or coverage_every is not None:
            self._evidence.report(app_id, coverage_every)
        self._recorder = Recorder(
            RecorderDeps(
                app_id=app_id,
                protocol=protocol,
                confidential=confidential,
                raises_when_full=on_full == "raise-before-call",
                certify=certify,
                counts=self._evidence.counts,
                is_full=self._evidence.is_full,
                store=self._evidence.store,
                failed=self._evidence.failed,
                redaction=masking,
            )
        )
        if hasattr(os, "register_at_fork"):
            _at_fork(weakref.ref(self))
        if meter is not None:
            self._meter_by(meter)

    # Observers.

    def transport(self, inner: Any = None, *, provider: Optional[str] = None) -> Any:
        """A transport for `httpx.Client` and `httpx2.Client`.

        `inner` makes the calls; absent, `HTTPTransport` of the client's library with the limits of the SDKs.
        `provider` is the provider in certificates; absent, by the host. Raises TypeError and ValueError for another
        one than certificates take.
        """
        return CertifyingTransport(self._observer(provider), inner)

    def async_transport(self, inner: Any = None, *, provider: Optional[str] = None) -> Any:
        """The same for `httpx.AsyncClient` and `httpx2.AsyncClient`."""
        return AsyncCertifyingTransport(self._observer(provider), inner)

    def _observer(self, provider: Optional[str]) -> Observer:
        check_strings({"provider": provider})
        if provider is not None:
            check_label("provider", provider)
        return Observer(self._recorder, self._max_content_bytes, provider)

    def langchain(self) -> Any:
        """A handler for the option `callbacks` of LangChain."""
        from cer_client.langchain import CertifyingHandler

        return CertifyingHandler(self._recorder)

    @overload
    def tool(self, function: _Function, *, name: Optional[str] = None) -> _Function: ...

    @overload
    def tool(self, *, name: Optional[str] = None) -> Callable[[_Function], _Function]: ...

    def tool(self, function: Any = None, *, name: Optional[str] = None) -> Any:
        """The same function, whose calls are certified: `@cer.tool`, or `@cer.tool(name="look_up")`.

        Raises TypeError for what is no function, ValueError for a name that no certificate takes.
        """

        def observed(given: Any) -> Any:
            return observe_tool(self._recorder, name, given)

        return observed if function is None else observed(function)

    def run(self, project: str) -> Project:
        """`with cer.run("case-7"):`: the calls of the block become the steps of one project with this title."""

        def store(text: str) -> None:
            # Its calls are counted by themselves.
            if not self._evidence.store(text, False):
                self._evidence.failed(RuntimeError("a project was not stored: the spool is full"))

        deps = self._recorder.deps
        return Project(self._recorder, project, deps.app_id, store, deps.failed)

    def of(self, answer: object) -> Optional[SealedCall]:
        """The certificate of an answer that the program has read; does not raise, and needs no node.

        `answer` is a response of httpx or httpx2, an answer, a part of one or an error as an SDK made it, the JSON of
        an answer, or an id that the provider assigned. Returns None where none of the newest observed requests can be
        the one, or several can.
        """
        try:
            return certificate_of(self._recorder.answers, self._recorder.deps.protocol, answer)
        except Exception as error:
            self._evidence.failed(error)
            return None

    # Evidence.

    def stats(self) -> Stats:
        """The counts of all calls, and what waits."""
        return self._evidence.stats()

    def flush(self, timeout: float = 10.0) -> int:
        """Sends now and waits up to `timeout` seconds. Returns the bundles that still wait."""
        return self._evidence.flush(timeout)

    def close(self, timeout: float = 10.0) -> None:
        """Flushes and ends the background work. What still waits is sent by the next process on the folder."""
        self._evidence.close(timeout)

    def __enter__(self) -> "Certificates":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _meter_by(self, meter: "Meter") -> None:
        """A meter that fails does not end the program."""
        try:
            from cer_client.metrics import meter_stats

            # Of the client, not of its evidence: the meter keeps what renews its locks in a forked process.
            meter_stats(meter, self.stats)
        except Exception as error:
            self._evidence.failed(error)

    def _after_fork(self) -> None:
        self._evidence.after_fork()
        self._recorder.after_fork()


def _at_fork(client: "weakref.ref[Certificates]") -> None:
    def after() -> None:
        living = client()
        if living is not None:
            living._after_fork()

    if sys.platform != "win32":
        os.register_at_fork(after_in_child=after)


def _address(given: str) -> str:
    url = given.strip()
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        rule = "must be a http or https address (or set CER_NODE_URL), such as http://127.0.0.1:4100"
        raise ValueError(f"node_url: {rule}")
    if parts.username is not None or parts.password is not None:
        raise ValueError("node_url: must not hold a password")
    return url.rstrip("/")
