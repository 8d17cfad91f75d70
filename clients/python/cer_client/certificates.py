"""The client: what a program makes once and observes its calls with."""

from __future__ import annotations

import os
import sys
import time
import warnings
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, List, Optional, Type, Union
from urllib.parse import urlsplit

from cer_client.drain import Drain, DrainHooks, Node, NodeError
from cer_client.executions import Json
from cer_client.recorder import CertifiedCall, Confidential, Recorder, RecorderDeps
from cer_client.spool import FileSpool, MemorySpool, Spool
from cer_client.stats import Counts, Stats
from cer_client.transport import AsyncCertifyingTransport, CertifyingTransport, Observer
from cer_verify import Members, get, text_of

MEBIBYTE = 1024 * 1024

_has_warned = False


def _warn_of_refusal(error: BaseException) -> None:
    """Once per process. A node that cannot be reached is not reported: the spool keeps the bundles for it."""
    global _has_warned
    if _has_warned or not isinstance(error, NodeError):
        return
    if error.code != "UNEXPECTED_ANSWER" and error.status not in (401, 403):
        return
    _has_warned = True
    warnings.warn(f"calls are not certified yet: {error}", RuntimeWarning, stacklevel=2)


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
    on_certified, on_dead_letter, on_error: called for each attested call, each bundle that no node will take, with the
        code, and each fault of the observer. They are called from any thread. Without `on_error` the first refusal that
        an operator has to correct, such as of the key, is a warning.
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
        on_certified: Optional[Callable[[CertifiedCall], object]] = None,
        on_dead_letter: Optional[Callable[[str, str], object]] = None,
        on_error: Optional[Callable[[BaseException], object]] = None,
        timeout: float = 30.0,
    ) -> None:
        """Raises ValueError for an address, a key, a protocol or an `on_full` that cannot be."""
        url = _address(node_url or os.environ.get("CER_NODE_URL", ""))
        protocol = protocol or ("1.3.0" if confidential is None else "1.3.1")
        if protocol not in ("1.2.0", "1.3.0", "1.3.1") or (protocol == "1.3.1") != (confidential is not None):
            raise ValueError("protocol: must be 1.2.0 or 1.3.0, or 1.3.1 with the option confidential")
        if on_full not in ("count", "raise-before-call"):
            raise ValueError("on_full: must be count or raise-before-call")
        if not app_id or len(app_id) > 256:
            raise ValueError("app_id: must have 1 to 256 characters")
        node = Node(url, api_key or os.environ.get("CER_API_KEY"), timeout)
        self._on_certified, self._on_dead_letter, self._on_error = on_certified, on_dead_letter, on_error
        self._counts = Counts()
        self._max_bytes, self._max_age, self._max_content_bytes = max_spool_bytes, max_spool_age, max_content_bytes
        folder = None if in_memory else Path(spool_dir or os.environ.get("CER_SPOOL_DIR") or ".cer-spool")
        self._spools = self._opened(folder)
        self._drain = Drain(self._spools, node, DrainHooks(self._attested, self._dead, self._failed))
        self._recorder = Recorder(
            RecorderDeps(
                app_id=app_id,
                protocol=protocol,
                confidential=confidential,
                raises_when_full=on_full == "raise-before-call",
                certify=certify,
                counts=self._counts,
                is_full=self._is_full,
                store=self._store,
                failed=self._failed,
            )
        )
        if hasattr(os, "register_at_fork"):
            _at_fork(weakref.ref(self))
        # What earlier processes left is sent first.
        if self._drain.waiting() > 0:
            self._drain.start()

    # Observers.

    def transport(self, inner: Any = None, *, provider: Optional[str] = None) -> Any:
        """A transport for `httpx.Client` and `httpx2.Client`.

        `inner` makes the calls; absent, `HTTPTransport` of the client's library with the limits of the SDKs.
        `provider` is the provider in certificates; absent, by the host.
        """
        return CertifyingTransport(Observer(self._recorder, self._max_content_bytes, provider), inner)

    def async_transport(self, inner: Any = None, *, provider: Optional[str] = None) -> Any:
        """The same for `httpx.AsyncClient` and `httpx2.AsyncClient`."""
        return AsyncCertifyingTransport(Observer(self._recorder, self._max_content_bytes, provider), inner)

    def langchain(self) -> Any:
        """A handler for the option `callbacks` of LangChain."""
        from cer_client.langchain import CertifyingHandler

        return CertifyingHandler(self._recorder)

    # Evidence.

    def stats(self) -> Stats:
        """The counts of all calls, and what waits."""
        stats, oldest = self._counts.copy(), self._oldest_at()
        stats.waiting = self._drain.waiting()
        stats.waiting_bytes = self._waiting_bytes()
        stats.oldest_ms = None if oldest is None else max(0, int((time.time() - oldest) * 1000))
        stats.torn = sum(spool.torn for spool in self._spools)
        stats.adopted = sum(spool.adopted for spool in self._spools)
        return stats

    def flush(self, timeout: float = 10.0) -> int:
        """Sends now and waits up to `timeout` seconds. Returns the bundles that still wait."""
        return self._drain.flush(timeout)

    def close(self, timeout: float = 10.0) -> None:
        """Flushes and ends the background work. What still waits is sent by the next process on the folder."""
        self.flush(timeout)
        self._drain.stop()
        for spool in self._spools:
            try:
                spool.close()
            except OSError as error:
                self._failed(error)

    def __enter__(self) -> "Certificates":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    # Inside.

    def _opened(self, folder: Optional[Path]) -> List[Spool]:
        """The folder's spool, then memory for what the folder does not take."""
        memory = MemorySpool()
        if folder is None:
            return [memory]
        try:
            return [FileSpool(folder, self._failed), memory]
        except OSError as error:
            self._failed(error)
            return [memory]

    def _oldest_at(self) -> Optional[float]:
        return min((spool.oldest_at for spool in self._spools if spool.oldest_at is not None), default=None)

    def _waiting_bytes(self) -> int:
        return sum(spool.waiting_bytes for spool in self._spools)

    def _fits(self, text: str) -> bool:
        return not self._is_full() and self._waiting_bytes() + len(text) <= self._max_bytes

    def _is_full(self) -> bool:
        if self._waiting_bytes() >= self._max_bytes:
            return True
        oldest = None if self._max_age is None else self._oldest_at()
        return oldest is not None and self._max_age is not None and time.time() - oldest > self._max_age

    def _store(self, text: str, is_promised: bool) -> bool:
        is_stored = False
        try:
            is_stored = (is_promised or self._fits(text)) and self._put(text)
            self._drain.start()
        except Exception as error:
            self._failed(error)
        return is_stored

    def _put(self, text: str) -> bool:
        """The next spool takes what a fault kept out of this one."""
        for spool in self._spools:
            try:
                spool.put(text)
                return True
            except OSError as error:
                self._failed(error)
        return False

    def _failed(self, error: BaseException) -> None:
        self._counts.add(errors=1)
        hook = self._on_error or _warn_of_refusal
        self._quietly(lambda: hook(error))

    def _quietly(self, hook: Callable[[], object]) -> None:
        try:
            hook()
        except Exception:
            # A hook of the caller must not end the caller's request; its fault is counted.
            self._counts.add(errors=1)

    def _attested(self, answer: Members) -> None:
        self._counts.add(attested=1)
        hook = self._on_certified
        if hook is None:
            return
        execution_id, url = get(answer, "cer", "snapshot", "executionId"), get(answer, "verificationUrl")
        call = CertifiedCall(
            execution_id if isinstance(execution_id, str) else None,
            text_of(get(answer, "certificateHash")),
            url if isinstance(url, str) else None,
            answer,
        )
        self._quietly(lambda: hook(call))

    def _dead(self, bundle: str, code: str) -> None:
        self._counts.add(dead=1)
        hook = self._on_dead_letter
        if hook is not None:
            self._quietly(lambda: hook(bundle, code))

    def _after_fork(self) -> None:
        for spool in self._spools:
            spool.after_fork()
        self._counts.after_fork()
        self._recorder.after_fork()
        self._drain.after_fork()


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
        raise ValueError("node_url: must be a http or https address (or set CER_NODE_URL)")
    if parts.username is not None or parts.password is not None:
        raise ValueError("node_url: must not hold a password")
    return url.rstrip("/")
