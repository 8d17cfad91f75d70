"""A local server that speaks the HTTP and SSE of OpenAI and Anthropic. The model of a request says what it does.

With a `script` it gives that answer to every request instead.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

COMPLETION: Dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_700_000_000,
    "model": "json",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello there"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}
MESSAGE: Dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "json",
    "content": [{"type": "text", "text": "Hello there"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
WORDS = ("Hel", "lo ", "there")


def _chunk(delta: Dict[str, Any], finish: Any = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "stream"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


CHAT_EVENTS: List[str] = [
    _chunk({"role": "assistant", "content": ""}),
    *(_chunk({"content": word}) for word in WORDS),
    _chunk({}, "stop"),
    "data: [DONE]\n\n",
]


def _named(kind: str, **members: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n"


MESSAGE_EVENTS: List[str] = [
    _named("message_start", message={**MESSAGE, "content": [], "stop_reason": None}),
    _named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    *(_named("content_block_delta", index=0, delta={"type": "text_delta", "text": word}) for word in WORDS),
    _named("content_block_stop", index=0),
    _named("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 2}),
    _named("message_stop"),
]


def _block(index: int, block: Dict[str, Any], *deltas: Dict[str, Any]) -> List[str]:
    return [
        _named("content_block_start", index=index, content_block=block),
        *(_named("content_block_delta", index=index, delta=delta) for delta in deltas),
        _named("content_block_stop", index=index),
    ]


def _citation(text: str) -> Dict[str, Any]:
    place = {"type": "char_location", "document_index": 0, "document_title": None, "start_char_index": 0}
    return {"type": "citations_delta", "citation": {**place, "end_char_index": 1, "cited_text": text}}


# A message of every kind of delta.
KINDS_OF_DELTAS: List[str] = [
    _named("message_start", message={**MESSAGE, "content": [], "stop_reason": None}),
    *_block(0, {"type": "text", "text": ""}, _citation("a"), {"type": "text_delta", "text": "Hi"}, _citation("b")),
    *_block(
        1,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "so"},
        {"type": "signature_delta", "signature": "first"},
        {"type": "signature_delta", "signature": "second"},
    ),
    *_block(
        2,
        {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"city":'},
        {"type": "input_json_delta", "partial_json": '"Lisbon"}'},
    ),
    _named(
        "message_delta",
        delta={"stop_reason": "end_turn", "stop_sequence": None, "stop_details": None},
        usage={"output_tokens": 2, "input_tokens": None},
    ),
    _named("message_stop"),
]


def _raw(content: bytes) -> bytes:
    deflate = zlib.compressobj(wbits=-15)
    return deflate.compress(content) + deflate.flush()


def _encoded(content: bytes) -> Dict[str, Tuple[str, bytes]]:
    packed = gzip.compress(content)
    return {
        "deflate": ("deflate", zlib.compress(content)),
        "raw deflate": ("deflate", _raw(content)),
        "twice": ("deflate, GZIP", gzip.compress(zlib.compress(content))),
        "unknown": ("none", content),
        "no name": ("", content),
        "unknown and gzip": ("none, gzip", packed),
        "x-gzip": ("x-gzip", packed),
        "zeros behind": ("gzip", packed + bytes(20)),
        "two members": ("gzip", packed + gzip.compress(b" " * 50)),
        "cut off": ("gzip", packed[:-4]),
        "wrong sum": ("gzip", packed[:-8] + bytes(4) + packed[-4:]),
        "not encoded": ("gzip", content),
        "large": ("gzip", gzip.compress(content + b" " * 20_000_000)),
    }


# By name, an encoding of answers and a body in it.
ENCODED = _encoded(json.dumps(COMPLETION).encode())
ERROR = {"type": "error", "error": {"type": "rate_limit_error", "code": "rate_limit", "message": "later"}}


class Script(NamedTuple):
    """An answer. Its parts are sent one by one; after `held_after` parts the server waits for `goes_on`."""

    content_type: str
    parts: Tuple[str, ...]
    status: int = 200
    held_after: Optional[int] = None
    # Whether the transfer breaks off after the parts.
    is_broken: bool = False


class ModelServer:
    """Runs until `close`. `written` are the bytes of bodies that sockets took."""

    def __init__(self) -> None:
        self.bodies: List[str] = []
        self.written = 0
        self.script: Optional[Script] = None
        self.goes_on = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Nothing is written to the tests' output."""

            def date_time_string(self, timestamp: Optional[float] = None) -> str:
                """The same in all answers: the SDK of Gemini hands the headers on, and tests compare them."""
                return super().date_time_string(1_700_000_000)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                owner.bodies.append(body)
                try:
                    if owner.script is not None:
                        owner._play(self, owner.script)
                    else:
                        owner._answer(self, json.loads(body).get("model", "json"), self.path.endswith("/messages"))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        class Server(ThreadingHTTPServer):
            request_queue_size = 256

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.goes_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler, model: str, is_message: bool) -> None:
        count = len(self.bodies)
        if model == "refused" or (model == "flaky" and count % 2 == 1):
            self._send(handler, 429 if model == "refused" else 500, json.dumps(ERROR).encode())
        elif model == "moved" and handler.path.startswith("/old/"):
            self._send(handler, 307, b"", {"Location": handler.path.replace("/old/", "/v1/")})
        elif model == "kinds":
            self._stream(handler, "stream", KINDS_OF_DELTAS)
        elif model in ("stream", "cut", "ended", "held", "flood"):
            self._stream(handler, model, MESSAGE_EVENTS if is_message else CHAT_EVENTS)
        else:
            if model == "mute":
                self.goes_on.wait()
            content = json.dumps(MESSAGE if is_message else COMPLETION).encode()
            if model == "gzip":
                self._send(handler, 200, gzip.compress(content), {"Content-Encoding": "gzip"})
            elif model in ENCODED:
                encoding, body = ENCODED[model]
                self._send(handler, 200, body, {"Content-Encoding": encoding})
            else:
                self._send(handler, 200, content)

    def _send(self, handler: BaseHTTPRequestHandler, status: int, body: bytes, more: Dict[str, str] = {}) -> None:  # noqa: B006
        handler.send_response(status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "x-request-id": "req-1"}
        for name, value in {**headers, "retry-after-ms": "1", **more}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def _stream(self, handler: BaseHTTPRequestHandler, model: str, events: List[str]) -> None:
        """`cut` breaks the transfer off, `ended` ends it without the last event, `held` waits after two words."""
        handler.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if model == "flood":
            events = [f"data: {json.dumps({'choices': [], 'padding': 'x' * 65536})}\n\n"] * 1600 + events
        sent = events if model in ("stream", "held", "flood") else events[:3]
        self._send_parts(handler, sent, 3 if model == "held" else None, model == "cut")

    def _play(self, handler: BaseHTTPRequestHandler, script: Script) -> None:
        handler.send_response(script.status)
        for name, value in {"Content-Type": script.content_type, "Transfer-Encoding": "chunked"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        self._send_parts(handler, script.parts, script.held_after, script.is_broken)

    def _send_parts(
        self, handler: BaseHTTPRequestHandler, parts: Sequence[str], held_after: Optional[int], is_broken: bool
    ) -> None:
        for position, part in enumerate(parts):
            if position == held_after:
                self.goes_on.wait()
            content = part.encode()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
            self.written += len(content)
        if is_broken:
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")
