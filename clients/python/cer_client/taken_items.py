"""The values that a program takes from the generator of a function."""

from __future__ import annotations

import json
import sys
import weakref
from functools import partial
from typing import Any, AsyncGenerator, Awaitable, Callable, Generator, List, TypeVar

from cer_client.executions import Json
from cer_client.json_of import held_json_of

# Maximum characters of JSON that are kept of the values of one generator.
MAX_YIELDED = 8 * 1024 * 1024

_Observed = TypeVar("_Observed")

# Ends a call with an outcome and its output, once; does not raise.
End = Callable[[str, Callable[[], Json]], None]


class TakenItems:
    """Ends a call when its generator ends, or the program leaves or drops it. None of its methods raises."""

    def __init__(self, end: End) -> None:
        self._end = end
        self._items: List[Json] = []
        self._size = 0
        self._is_over = False
        self.is_dropped = False

    def take(self, value: object) -> None:
        if self._is_over:
            return
        try:
            item = held_json_of(value)
            self._size += len(json.dumps(item))
            if self._size > MAX_YIELDED:
                raise ValueError("a generator is not certified: its values are too large to keep")
        except Exception as error:
            self._lose(error)
            return
        self._items.append(item)

    def complete(self, returned: object = None) -> None:
        items = self._items
        self._end(
            "complete", lambda: items if returned is None else {"yielded": items, "returned": held_json_of(returned)}
        )

    def threw(self, error: BaseException) -> None:
        """Cancellation is the caller's."""
        items = self._items
        self._end("failed" if isinstance(error, Exception) else "aborted", lambda: items)

    def leave(self) -> None:
        items = self._items
        self._end("aborted", lambda: items)

    def drop(self) -> None:
        self.is_dropped = True
        self.leave()

    def _lose(self, error: Exception) -> None:
        def not_held() -> Json:
            raise error

        self._end("failed", not_held)
        self._items, self._is_over = [], True


def followed(items: Generator[Any, Any, Any], end: End) -> Generator[Any, Any, Any]:
    """A generator with the same values, that passes on what the program sends and throws."""
    taken = TakenItems(end)
    return _observed(_steps(items, taken), items, taken)


def followed_async(items: AsyncGenerator[Any, Any], end: End) -> AsyncGenerator[Any, Any]:
    taken = TakenItems(end)
    return _observed(_async_steps(items, taken), items, taken)


def _observed(generator: _Observed, items: object, taken: TakenItems) -> _Observed:
    for name in ("__name__", "__qualname__"):
        setattr(generator, name, getattr(items, name))
    # One that was never begun has no code that would run at its end.
    weakref.finalize(generator, taken.drop).atexit = False
    return generator


# Both take what they hold out of a list: a variable would keep a value that the program gave up, and an error that it
# threw, whose traceback has the frame of the variable.


def _steps(items: Generator[Any, Any, Any], taken: TakenItems) -> Generator[Any, Any, Any]:
    held: List[Any] = [partial(next, items)]
    while True:
        try:
            held.append(held.pop()())
        except StopIteration as stop:
            taken.complete(stop.value)
            return stop.value
        except BaseException as error:
            taken.threw(error)
            raise
        taken.take(held[0])
        try:
            held.append(partial(items.send, (yield held.pop())))
        except BaseException as error:
            if isinstance(error, GeneratorExit):
                # The program may keep its generator elsewhere and take further values from it.
                if taken.is_dropped:
                    raise
                taken.leave()
            held.append(partial(items.throw, error))


async def _async_steps(items: AsyncGenerator[Any, Any], taken: TakenItems) -> AsyncGenerator[Any, Any]:
    held: List[Any] = [partial(_first, items)]
    while True:
        try:
            held.append(await held.pop()())
        except StopAsyncIteration:
            taken.complete()
            return
        except BaseException as error:
            taken.threw(error)
            raise
        taken.take(held[0])
        try:
            held.append(partial(items.asend, (yield held.pop())))
        except GeneratorExit:
            taken.leave()
            await items.aclose()
            raise
        except BaseException as error:
            held.append(partial(items.athrow, error))


def _first(items: AsyncGenerator[Any, Any]) -> Awaitable[Any]:
    """The first step. An event loop that ends closes the generators that it was shown: the observed one is enough."""
    shown, _ = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(firstiter=None)
    try:
        return items.__anext__()
    finally:
        sys.set_asyncgen_hooks(firstiter=shown)
