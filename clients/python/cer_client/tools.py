"""Functions whose calls are certified."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import inspect
from typing import Any, Awaitable, Callable, List, Mapping, Optional, Tuple

from cer_client.executions import Json, Members
from cer_client.json_of import held_content_of, partly_held
from cer_client.options import check_label
from cer_client.recorder import Recorder, StartedCall
from cer_client.sealing import Call
from cer_client.taken_items import followed, followed_async

# The provider of a tool's certificate.
PROVIDER = "tool"
# A future has no result yet, and is not to be awaited twice.
_FUTURES = (asyncio.Future, concurrent.futures.Future)


def observe_tool(recorder: Recorder, name: Optional[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function. Results and errors are its own; its input is its arguments by the names of its parameters.

    The output of a generator is the values that the program takes. Raises TypeError for what is no function, and
    ValueError for a name that no certificate takes.
    """
    if isinstance(function, (classmethod, staticmethod)):
        raise TypeError(f"cer.tool goes below @{type(function).__name__}, next to the function")
    if not callable(function):
        raise TypeError('cer.tool takes a function; another name is given as @cer.tool(name="look_up")')
    # Of an object that can be called, what its class says.
    kinds: Tuple[object, ...] = (function, type(function).__call__)
    tool_name = name or _name_of(function)
    check_label("name", tool_name)
    tool = _Tool(recorder, tool_name, function)

    def observed(*arguments: Any, **named: Any) -> Any:
        call = tool.begin(arguments, named)
        try:
            result = function(*arguments, **named)
        except BaseException as error:
            call.threw(error)
            raise
        if isinstance(result, _FUTURES):
            result.add_done_callback(call.settled)
            return result
        if inspect.isawaitable(result):
            return _followed(result, call)
        return call.returned(result)

    async def observed_async(*arguments: Any, **named: Any) -> Any:
        call = tool.begin(arguments, named)
        try:
            result = await function(*arguments, **named)
        except BaseException as error:
            call.threw(error)
            raise
        return call.returned(result)

    is_async = any(inspect.iscoroutinefunction(kind) for kind in kinds)
    return functools.update_wrapper(observed_async if is_async else observed, function)


async def _followed(awaited: Awaitable[Any], call: "_ToolCall") -> Any:
    try:
        result = await awaited
    except BaseException as error:
        call.threw(error)
        raise
    return call.returned(result)


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


class _Tool:
    def __init__(self, recorder: Recorder, name: str, function: Callable[..., Any]) -> None:
        self.recorder, self.name = recorder, name
        try:
            self._signature: Optional[inspect.Signature] = inspect.signature(function)
        except (TypeError, ValueError):
            # Some functions of the interpreter have none.
            self._signature = None

    def begin(self, arguments: Tuple[Any, ...], named: Mapping[str, Any]) -> "_ToolCall":
        """Raises SpoolFullError only."""
        self.recorder.admit()
        try:
            # A tool may change its arguments.
            given, without = partly_held(self._by_name(arguments, named))
        except Exception as error:
            self.recorder.pass_over()
            self.recorder.deps.failed(error)
            return _ToolCall(self, None, {}, [])
        return _ToolCall(self, self.recorder.begin(f"{PROVIDER}:{self.name}", lambda: given), given, without)

    def _by_name(self, arguments: Tuple[Any, ...], named: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            if self._signature is not None:
                bound = self._signature.bind(*arguments, **named).arguments
                # The object of a method is not what the tool was asked, and changes from call to call.
                first = next(iter(self._signature.parameters), None)
                return {name: value for name, value in bound.items() if name != first or name not in ("self", "cls")}
        except TypeError:
            pass  # The function refuses them too.
        return {"args": arguments, "kwargs": named}


def _not_followed() -> Json:
    raise ValueError("a tool is not certified: its result is a future of a generator")


class _ToolCall:
    """One call. None of its methods raises."""

    def __init__(self, tool: _Tool, started: Optional[StartedCall], given: Json, without: List[str]) -> None:
        self._tool, self._started, self._given = tool, started, given
        # Kinds of arguments that JSON does not hold: nothing of these is bound.
        self._stated: Members = {"inputWithout": list(without)} if without else {}

    def returned(self, result: Any) -> Any:
        """The result; of a generator one with the same values, since its call ends with the last of them."""
        if self._started is None:
            return result
        if inspect.isgenerator(result):
            return followed(result, self._end)
        if inspect.isasyncgen(result):
            return followed_async(result, self._end)
        self._end("complete", lambda: held_content_of(result))
        return result

    def threw(self, error: BaseException) -> None:
        """Cancellation is the caller's."""
        self._end("failed" if isinstance(error, Exception) else "aborted", dict)

    def settled(self, future: Any) -> None:
        """A future has its result, its error, or was cancelled."""
        if future.cancelled():
            self._end("aborted", dict)
            return
        # Not by its method, after which asyncio no longer reports an error that nobody asked for.
        error = getattr(future, "_exception", None)
        if error is not None:
            self.threw(error)
        elif inspect.isgenerator(future.result()) or inspect.isasyncgen(future.result()):
            # Its values go to whoever asks the future, past this call.
            self._end("failed", _not_followed)
        else:
            self.returned(future.result())

    def _end(self, outcome: str, output: Callable[[], Json]) -> None:
        if self._started is None:
            return
        name, given = self._tool.name, self._given
        payload: Members = {"outcome": outcome, **self._stated}
        self._started.end(outcome, lambda: Call(PROVIDER, name, given, output(), None, {}, "tool-call", payload))
