"""Transports of httpx and httpx2 that certify the calls of models made with them, and change nothing about them."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Optional, Type

from cer_client.certificate_of import answer_id_in, content_hash_of
from cer_client.certified_answers import ObservedAnswer, SealedCall
from cer_client.connections import library_of, transport_like_that_of_sdks
from cer_client.exchange import Answer, Ended, Exchange
from cer_client.executions import Json, Members
from cer_client.folds import Fold
from cer_client.followed_stream import stream_class
from cer_client.read_json import stated_in
from cer_client.recorder import INPUT_DEPTH, Recorder, value_in
from cer_client.routes import fold_for, is_answer_of_other, is_other, model_in, provider_at
from cer_client.sealing import Call, label_of, parameters_of


class Watch:
    """Follows one call. None of its methods raises."""

    def __init__(self, observer: "Observer", request: Any, fold: Callable[[], Fold], body: str) -> None:
        self._observer, self._fold, self._body = observer, fold, body
        self._url, self._host = str(request.url), request.url.netloc.decode("ascii", "replace")
        self._attempt = _number(request.headers.get("x-stainless-retry-count"))
        self._request: Json = value_in(body)
        self._stated = stated_in(body, self._request, INPUT_DEPTH)
        self._model = model_in(fold, _path_of(request))
        recorder = observer.recorder
        self.answer = ObservedAnswer()
        self._started = recorder.begin(self._url, lambda: self._request)
        if self._started is not None:
            framework = recorder.open_calls.claim(self._stated, self._model)
            earlier = recorder.attempts.resume(self._url, body, self._attempt)
            self._call_id = (framework.call_id if framework else earlier) or self._started.execution_id

    def follow(self, response: Any) -> Optional[Exchange]:
        """Begins to follow a response, None where no answer came. Returns None for an answer that is left alone."""
        answer = None
        if response is not None:
            headers = {name.lower(): value for name, value in response.headers.items()}
            if response.is_closed:
                # What was read is no longer encoded.
                headers.pop("content-encoding", None)
            answer = Answer(response.status_code, headers)
            if is_answer_of_other(self._fold, answer.status, headers.get("content-type", "")):
                if self._started is not None:
                    self._started.leave()
                return None
        return Exchange(answer, self._fold, self._observer.max_content_bytes, self._ended)

    def broke(self, error: BaseException) -> None:
        """No answer came."""
        exchange = self.follow(None)
        if exchange is not None:
            exchange.broke(error)

    def miss(self) -> None:
        if self._started is not None:
            self._started.miss()

    def _ended(self, ended: Ended) -> None:
        if self._started is None:
            return
        if ended.outcome != "complete":
            self._observer.recorder.attempts.ended(self._url, self._body, self._attempt, self._call_id)
        deps = self._observer.recorder.deps
        provider_id = answer_id_in(ended.output)
        sealed = self._started.end(ended.outcome, lambda: self._described(ended, provider_id))
        call = None if sealed is None else SealedCall(sealed.execution_id, sealed.certificate_hash)
        self.answer.certificate = call
        # Of the answer as the program has it; without a certificate too: another answer may have its names.
        content_hash = None if sealed is None or deps.redaction is not None else sealed.output_hash
        content_hash = content_hash or content_hash_of(ended.output, deps.protocol)
        self._observer.recorder.answers.add((*ended.request_ids, content_hash, provider_id), call)

    def _described(self, ended: Ended, provider_id: Optional[str]) -> Call:
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
        optional = {
            "errorCode": ended.error_code,
            "providerRequestId": next(iter(ended.request_ids), None),
            "providerId": provider_id,
        }
        payload.update({name: value for name, value in optional.items() if value is not None})
        stated = self._stated
        named = stated.get("model") if isinstance(stated, dict) else None
        provider = self._observer.provider or provider_at(self._host)
        return Call(
            provider=label_of(provider, "unknown"),
            model=label_of(named if self._model is None else self._model, "unknown"),
            input=request,
            output=ended.output,
            output_sha256=ended.sha256,
            parameters=parameters_of(stated),
            kind="model-call",
            payload=payload,
            input_text=self._body,
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
            fold = fold_for(_path_of(request)) if request.method == "POST" else None
            body = None if fold is None else _body_of(request)
        except Exception as error:
            self.recorder.deps.failed(error)
            return None
        if fold is None or is_other(fold, body):
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
            self.quietly(watch.broke, error)

    def wrap(self, watch: Optional[Watch], response: Any, is_sync: bool) -> Any:
        """The same response, whose stream is followed while the caller reads it."""
        if watch is None:
            return response
        try:
            exchange = watch.follow(response)
            if exchange is None:
                return response
            # Without it, a call is certified all the same.
            self.quietly(self.recorder.answers.responses.__setitem__, response, watch.answer)
            if response.is_closed:
                # The inner transport has read it, or made it, as that of a cache.
                exchange.hand_on(response.content)
                exchange.end()
            else:
                followed = stream_class(library_of(response), is_sync)
                response.stream = followed(response.stream, exchange, self.quietly)
        except Exception as error:
            watch.miss()
            self.recorder.deps.failed(error)
        return response


def _path_of(request: Any) -> str:
    """The path as it is sent, in which an encoded slash is part of a name."""
    path: bytes = request.url.raw_path
    return path.partition(b"?")[0].decode("ascii", "replace")


def _body_of(request: Any) -> Optional[str]:
    """The body as text; None when it cannot be read without consuming it, or is not text."""
    try:
        # A request that is sent again where it was redirected has the body of the first, and has not read it.
        is_known = isinstance(request.stream, library_of(request).ByteStream)
        content: bytes = b"".join(request.stream) if is_known else request.content
        return content.decode("utf-8-sig")
    except (RuntimeError, UnicodeDecodeError):
        return None


class CertifyingTransport:
    """A transport for `httpx.Client` and `httpx2.Client`."""

    def __init__(self, observer: Observer, inner: Any = None) -> None:
        self._observer, self._inner = observer, inner

    def handle_request(self, request: Any) -> Any:
        if self._inner is None:
            self._inner = transport_like_that_of_sdks(library_of(request), "HTTPTransport")
        watch = self._observer.begin(request)
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            self._observer.broke(watch, error)
            raise
        return self._observer.wrap(watch, response, True)

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
            self._inner = transport_like_that_of_sdks(library_of(request), "AsyncHTTPTransport")
        watch = self._observer.begin(request)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            self._observer.broke(watch, error)
            raise
        return self._observer.wrap(watch, response, False)

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
