"""A handler that certifies the runs of models and tools that LangChain reports."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from cer_client.executions import Json
from cer_client.json_of import held_content_of, json_of, partly_held
from cer_client.recorder import OpenCall, Recorder, StartedCall
from cer_client.sealing import Call, label_of, parameters_of
from cer_verify import Members

# Maximum open runs of a handler: LangChain may never report the end of one. Then the oldest ends as `truncated`.
MAX_OPEN = 10_000

# Classes of errors after the time limit of the program: of asyncio, httpx, the SDKs of providers, and LangChain.
TIMEOUTS = frozenset(("TimeoutError", "TimeoutException", "APITimeoutError", "ModelTimeoutError"))


def message_of(message: object) -> Members:
    """`{type, content, ...}` of a message: what it says, without the class that holds it."""
    parts: Members = {"type": json_of(getattr(message, "type", None)), "content": json_of(_content(message))}
    for name in ("name", "tool_calls", "tool_call_id"):
        member = getattr(message, name, None)
        if member:
            parts[name] = json_of(member)
    return parts


def _content(message: object) -> object:
    return getattr(message, "content", None)


def _last_text(messages: Sequence[object]) -> str:
    """The text of the last message, or of its last part of text."""
    content = _content(messages[-1]) if messages else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return texts[-1] if texts else ""


def _generations(response: object) -> Json:
    """A list per prompt, with `{text, message?}` of each generation."""
    lists: List[Json] = []
    for generations in getattr(response, "generations", []):
        found: List[Json] = []
        for generation in generations:
            parts: Members = {"text": json_of(getattr(generation, "text", None))}
            message = getattr(generation, "message", None)
            found.append(parts if message is None else {**parts, "message": message_of(message)})
        lists.append(found)
    return lists


class _Run:
    """A run of a model or a tool, while it is open."""

    def __init__(self, started: StartedCall, call: Call, open_call: Optional[OpenCall]) -> None:
        self.started, self.call, self.open_call = started, call, open_call


class CertifyingHandler(BaseCallbackHandler):
    """Its methods do not raise. A run whose request a transport certifies to the byte has no certificate."""

    raise_error = False
    # A run is known before its request is made.
    run_inline = True

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._runs: Dict[UUID, _Run] = {}

    def _quietly(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except Exception as error:
            self._recorder.deps.failed(error)

    def _begin(
        self,
        run_id: UUID,
        provider: str,
        model: str,
        content: Callable[[], Json],
        parameters: Members,
        text: str,
        without: Optional[List[str]] = None,
    ) -> None:
        """`without`: of a tool, the kinds of objects that its content does not hold, once it is read."""
        is_tool = without is not None
        started = self._recorder.begin(f"{provider}:{model}", content)
        if started is None:
            return
        try:
            found = content()
        except Exception:
            started.miss()
            raise
        known = None if model == "unknown" else model
        open_call = None if is_tool or not text else OpenCall(started.execution_id, known, text)
        payload: Members = {"framework": "langchain", "outputIs": "framework-value"}
        if is_tool:
            payload = {"inputWithout": list(without)} if without else {}
        kind = "tool-call" if is_tool else "model-call"
        call = Call(provider, model, found, None, None, parameters, kind, payload)
        self._runs[run_id] = _Run(started, call, open_call)
        if open_call is not None:
            self._recorder.open_calls.add(open_call)
        if len(self._runs) > MAX_OPEN:
            self._end(next(iter(self._runs)), "truncated", dict, {})

    def _end(self, run_id: UUID, outcome: str, output: Callable[[], Json], facts: Members) -> None:
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        if run.open_call is not None:
            self._recorder.open_calls.remove(run.open_call)
            if run.open_call.is_claimed:
                run.started.leave()
                return
        call = run.call

        def described() -> Call:
            payload = {"outcome": outcome, **call.payload, **facts}
            return Call(call.provider, call.model, call.input, output(), None, call.parameters, call.kind, payload)

        run.started.end(outcome, described)

    def _begin_model(self, run_id: UUID, content: Callable[[], Json], text: str, more: Mapping[str, Any]) -> None:
        asked, metadata = more.get("invocation_params") or {}, more.get("metadata") or {}
        model = metadata.get("ls_model_name") or asked.get("model") or asked.get("model_name")
        provider = label_of(metadata.get("ls_provider"), "langchain")
        parameters = parameters_of(json_of(asked))
        self._begin(run_id, provider, label_of(model, "unknown"), content, parameters, text)

    # The methods that LangChain calls.

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:
        def content() -> Json:
            return [[message_of(message) for message in prompt] for prompt in messages]

        text = _last_text(messages[0]) if messages else ""
        self._quietly(self._begin_model, run_id, content, text, more)

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **more: Any) -> None:
        text = prompts[0] if prompts else ""
        self._quietly(self._begin_model, run_id, lambda: json_of(prompts), text, more)

    def on_llm_end(self, response: Any, *, run_id: UUID, **more: Any) -> None:
        self._quietly(self._end, run_id, "complete", lambda: _generations(response), {})

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        status = getattr(error, "status_code", None)
        facts = {"httpStatus": status if isinstance(status, int) else None}
        is_late = any(kind.__name__ in TIMEOUTS for kind in type(error).__mro__)
        self._quietly(self._end, run_id, "aborted" if is_late else _outcome_of(error), dict, facts)

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **more: Any) -> None:
        def work() -> None:
            name = label_of(more.get("name") or (serialized or {}).get("name"), "unnamed")
            given = more["inputs"] if more.get("inputs") is not None else input_str
            without: List[str] = []

            def content() -> Json:
                found, without[:] = partly_held(given)
                return found

            self._begin(run_id, "tool", name, content, {}, "", without)

        self._quietly(work)

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        def described() -> Json:
            return message_of(output) if hasattr(output, "tool_call_id") else held_content_of(output)

        self._quietly(self._end, run_id, "complete", described, {})

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._quietly(self._end, run_id, _outcome_of(error), dict, {})


def _outcome_of(error: BaseException) -> str:
    """Cancellation is the caller's."""
    return "failed" if isinstance(error, Exception) else "aborted"
