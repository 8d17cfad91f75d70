"""Transports of httpx and httpx2 that certify the calls of models made with them, and change nothing about them."""

from __future__ import annotations

import sys
from types import ModuleType, TracebackType
from typing import Any, AsyncIterator, Callable, Dict, Iterator, Optional, Tuple, Type

from cer_client.exchange import Answer, Ended, Exchange
from cer_client.executions import Json, Members
from cer_client.folds import Fold, MessagesFold, fold_for
from cer_client.recorder import Recorder, value_in
from cer_client.sealing import Call, label_of, parameters_of

_PROVIDERS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
}


class Watch:
    """Follows one call. None of its methods raises."""

    def __init__(self, observer: "Observer", request: Any, fold: Callable[[], Fold], body: str) -> None:
        self._observer, self._fold, self._body = observer, fold, body
        self._url, self._host = str(request.url), request.url.netloc.decode("ascii", "replace")
        self._attempt = _number(request.headers.get("x-stainless-retry-count"))
        self._request: Json = value_in(body)
        recorder = observer.recorder
        self._started = recorder.begin(self._url, lambda: self._request)
        self.exchange: Optional[Exchange] = None
        if self._started is not None:
            framework = recorder.open_calls.claim(self._request)
            earlier = recorder.attempts.resume(self._url, body, self._attempt)
            self._call_id = (framework.call_id if framework else earlier) or self._started.execution_id

    def follow(self, response: Any) -> None:
        """Begins to follow a response; None where no answer came."""
        answer = None
        if response is not None:
            headers = {name.lower(): value for name, value in response.headers.items()}
            answer = Answer(response.status_code, headers)
        self.exchange = Exchange(answer, self._fold, self._observer.max_content_bytes, self._ended)

    def miss(self) -> None:
        if self._started is not None:
            self._started.miss()

    def _ended(self, ended: Ended) -> None:
        if self._started is None:
            return
        if ended.outcome != "complete":
            self._observer.recorder.attempts.ended(self._url, self._body, self._attempt, self._call_id)
        self._started.end(ended.outcome, lambda: self._described(ended))

    def _described(self, ended: Ended) -> Call:
        request = self._request
        payload: Members = {
            "outcome": ended.outcome,
            "httpStatus": ended.status,
            "attempt": self._attempt + 1,
            "callId": self._call_id,
            "streamed": ended.streamed,
            "outputIs": "bytes" if ended.output is None else "folded-stream" if ended.streamed else "body",
            "responseBytes": ended.size,
        }
        provider_id = ended.output.get("id") if isinstance(ended.output, dict) else None
        optional = {
            "errorCode": ended.error_code,
            "providerRequestId": ended.provider_request_id,
            "providerId": provider_id if isinstance(provider_id, str) else None,
        }
        payload.update({name: value for name, value in optional.items() if value is not None})
        provider = self._observer.provider or _PROVIDERS.get(self._host, self._host)
        return Call(
            provider=label_of(provider, "unknown"),
            model=label_of(request.get("model") if isinstance(request, dict) else None, "unknown"),
            input=request,
            output=ended.output,
            output_sha256=ended.sha256,
            parameters=parameters_of(request),
            kind="model-call",
            payload=payload,
        )


def _number(text: Optional[str]) -> int:
    return int(text[:4]) if text is not None and text.isascii() and text.isdigit() else 0


class Observer:
    """What both transports share."""

    def __init__(self, recorder: Recorder, max_content_bytes: int, provider: Optional[str]) -> None:
        self.recorder, self.max_content_bytes, self.provider = recorder, max_content_bytes, provider

    def quietly(self, work: Callable[..., None], *arguments: Any) -> None:
        """A fault in following a call must not reach the caller."""
        try:
            work(*arguments)
        except Exception as error:
            self.recorder.deps.failed(error)

    def begin(self, request: Any) -> Optional[Watch]:
        """Watches the request of a model. Raises SpoolFullError only."""
        try:
            fold = fold_for(request.url.path) if request.method == "POST" else None
            body = None if fold is None else _body_of(request)
        except Exception as error:
            self.recorder.deps.failed(error)
            return None
        if fold is None or _is_other(fold, body):
            return None
        self.recorder.admit()
        try:
            if body is not None:
                return Watch(self, request, fold, body)
            self.recorder.pass_over()
        except Exception as error:
            self.recorder.pass_over()
            self.recorder.deps.failed(error)
        return None

    def broke(self, watch: Optional[Watch], error: BaseException) -> None:
        """A request without an answer."""
        if watch is not None:
            self.quietly(watch.follow, None)
        if watch is not None and watch.exchange is not None:
            self.quietly(watch.exchange.broke, error)

    def wrap(self, watch: Optional[Watch], response: Any) -> Any:
        """The same response, whose stream is followed while the caller reads it."""
        if watch is None:
            return response

        def work() -> None:
            library = _library_of(response)
            is_sync = isinstance(response.stream, library.SyncByteStream)
            watch.follow(response)
            if watch.exchange is not None:
                followed = _stream_class(library, is_sync)
                response.stream = followed(response.stream, watch.exchange, self.quietly)

        try:
            work()
        except Exception as error:
            watch.miss()
            self.recorder.deps.failed(error)
        return response


def _body_of(request: Any) -> Optional[str]:
    """The body as text; None when it cannot be read without consuming it, or is not text."""
    try:
        content: bytes = request.content
        return content.decode("utf-8-sig")
    except (RuntimeError, UnicodeDecodeError):
        return None


def _is_other(fold: Callable[[], Fold], body: Optional[str]) -> bool:
    """Chat and mail services have paths of Anthropic's dialect too; their messages name no model."""
    return fold is MessagesFold and body is not None and '"model"' not in body


def _library_of(value: object) -> Any:
    """The library of a request or response: httpx or httpx2."""
    for kind in type(value).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in ("httpx", "httpx2"):
            return sys.modules[name]
    raise TypeError("not a request of httpx or httpx2")


Quietly = Callable[..., None]


class _Followed:
    """A body that is read only when the caller reads it, so that bytes, errors and back-pressure are the provider's."""

    def __init__(self, stream: Any, exchange: Exchange, quietly: Quietly) -> None:
        self._stream, self._exchange, self._quietly = stream, exchange, quietly

    def __iter__(self) -> Iterator[bytes]:
        exchange, quietly = self._exchange, self._quietly
        chunks = iter(self._stream)
        while True:
            try:
                chunk: bytes = next(chunks)
            except StopIteration:
                quietly(exchange.end)
                return
            except BaseException as error:
                quietly(exchange.broke, error)
                raise
            quietly(exchange.hand_on, chunk)
            try:
                yield chunk
            except GeneratorExit:
                quietly(exchange.cancel)
                raise

    async def __aiter__(self) -> AsyncIterator[bytes]:
        exchange, quietly = self._exchange, self._quietly
        chunks = self._stream.__aiter__()
        while True:
            try:
                chunk: bytes = await chunks.__anext__()
            except StopAsyncIteration:
                quietly(exchange.end)
                return
            except BaseException as error:
                quietly(exchange.broke, error)
                raise
            quietly(exchange.hand_on, chunk)
            try:
                yield chunk
            except GeneratorExit:
                quietly(exchange.cancel)
                raise

    def close(self) -> None:
        self._quietly(self._exchange.cancel)
        self._stream.close()

    async def aclose(self) -> None:
        self._quietly(self._exchange.cancel)
        await self._stream.aclose()


_classes: Dict[Tuple[str, bool], Type[_Followed]] = {}


def _stream_class(library: ModuleType, is_sync: bool) -> Type[_Followed]:
    """The stream as a class of its library, which checks for that: one kind has no methods of the other."""
    key = (library.__name__, is_sync)
    if key not in _classes:
        names = ("__iter__", "close") if is_sync else ("__aiter__", "aclose")
        base = library.SyncByteStream if is_sync else library.AsyncByteStream
        members = {name: vars(_Followed)[name] for name in ("__init__", *names)}
        _classes[key] = type("FollowedStream", (base,), members)
    return _classes[key]


def _limits_of(library: Any) -> Any:
    """Those of the SDKs: a client's own limits do not reach a transport, which would allow a tenth of the calls."""
    return library.Limits(max_connections=1000, max_keepalive_connections=100)


class CertifyingTransport:
    """A transport for `httpx.Client` and `httpx2.Client`."""

    def __init__(self, observer: Observer, inner: Any = None) -> None:
        self._observer, self._inner = observer, inner

    def handle_request(self, request: Any) -> Any:
        if self._inner is None:
            library = _library_of(request)
            self._inner = library.HTTPTransport(limits=_limits_of(library))
        watch = self._observer.begin(request)
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            self._observer.broke(watch, error)
            raise
        return self._observer.wrap(watch, response)

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()

    def __enter__(self) -> "CertifyingTransport":
        if self._inner is not None:
            self._inner.__enter__()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._inner is not None:
            self._inner.__exit__(kind, error, trace)


class AsyncCertifyingTransport:
    """A transport for `httpx.AsyncClient` and `httpx2.AsyncClient`."""

    def __init__(self, observer: Observer, inner: Any = None) -> None:
        self._observer, self._inner = observer, inner

    async def handle_async_request(self, request: Any) -> Any:
        if self._inner is None:
            library = _library_of(request)
            self._inner = library.AsyncHTTPTransport(limits=_limits_of(library))
        watch = self._observer.begin(request)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            self._observer.broke(watch, error)
            raise
        return self._observer.wrap(watch, response)

    async def aclose(self) -> None:
        if self._inner is not None:
            await self._inner.aclose()

    async def __aenter__(self) -> "AsyncCertifyingTransport":
        if self._inner is not None:
            await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._inner is not None:
            await self._inner.__aexit__(kind, error, trace)
