"""Functions whose calls are certified."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Awaitable, Callable, Mapping, Optional, Tuple

from cer_client.executions import Json
from cer_client.json_of import content_of
from cer_client.recorder import Recorder, StartedCall
from cer_client.sealing import Call, label_of

# The provider of a tool's certificate.
PROVIDER = "tool"


def observe_tool(recorder: Recorder, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function. Results and errors are its own; its input is its arguments by the names of its parameters.

    Raises TypeError for a generator, whose calls have no result.
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name}: a generator cannot be certified, a function that returns a list can")
    tool = _Tool(recorder, label_of(name, "unnamed"), function)

    @functools.wraps(function)
    def observed(*arguments: Any, **named: Any) -> Any:
        call = tool.begin(arguments, named)
        try:
            result = function(*arguments, **named)
        except BaseException as error:
            call.threw(error)
            raise
        if inspect.iscoroutine(result):
            return _followed(result, call)
        call.returned(result)
        return result

    @functools.wraps(function)
    async def observed_async(*arguments: Any, **named: Any) -> Any:
        return await _followed(function(*arguments, **named), tool.begin(arguments, named))

    return observed_async if inspect.iscoroutinefunction(function) else observed


async def _followed(awaited: Awaitable[Any], call: "_ToolCall") -> Any:
    try:
        result = await awaited
    except BaseException as error:
        call.threw(error)
        raise
    call.returned(result)
    return result


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
            given = content_of(self._by_name(arguments, named))
        except Exception as error:
            self.recorder.pass_over()
            self.recorder.deps.failed(error)
            return _ToolCall(self, None, {})
        return _ToolCall(self, self.recorder.begin(f"{PROVIDER}:{self.name}", lambda: given), given)

    def _by_name(self, arguments: Tuple[Any, ...], named: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            if self._signature is not None:
                return self._signature.bind(*arguments, **named).arguments
        except TypeError:
            pass  # The function refuses them too.
        return {"args": arguments, "kwargs": named}


class _ToolCall:
    """One call. None of its methods raises."""

    def __init__(self, tool: _Tool, started: Optional[StartedCall], given: Json) -> None:
        self._tool, self._started, self._given = tool, started, given

    def returned(self, result: Any) -> None:
        self._end("complete", lambda: content_of(result))

    def threw(self, error: BaseException) -> None:
        """Cancellation is the caller's."""
        self._end("failed" if isinstance(error, Exception) else "aborted", dict)

    def _end(self, outcome: str, output: Callable[[], Json]) -> None:
        if self._started is None:
            return
        name, given = self._tool.name, self._given
        self._started.end(
            outcome, lambda: Call(PROVIDER, name, given, output(), None, {}, "tool-call", {"outcome": outcome})
        )
