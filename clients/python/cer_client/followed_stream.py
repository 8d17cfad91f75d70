"""The body of an answer, followed while the program reads it."""

from __future__ import annotations

from types import ModuleType
from typing import Any, AsyncIterator, Callable, Dict, Iterator, Tuple, Type

from cer_client.exchange import Exchange

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

    def __del__(self) -> None:
        # Programs drop answers unread: no iterator, which would end the call, was made.
        self._quietly(self._exchange.cancel)


_classes: Dict[Tuple[str, bool], Type[_Followed]] = {}


def stream_class(library: ModuleType, is_sync: bool) -> Type[_Followed]:
    """The stream as a class of its library, which checks for that: one kind has no methods of the other."""
    key = (library.__name__, is_sync)
    if key not in _classes:
        names = ("__iter__", "close") if is_sync else ("__aiter__", "aclose")
        base = library.SyncByteStream if is_sync else library.AsyncByteStream
        members = {name: vars(_Followed)[name] for name in ("__init__", "__del__", *names)}
        _classes[key] = type("FollowedStream", (base,), members)
    return _classes[key]
