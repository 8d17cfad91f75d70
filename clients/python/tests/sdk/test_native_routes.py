"""The routes of providers that are not compatible with OpenAI's: with the real packages google-genai and ollama.

The SDK of Cohere needs the packages of a tokenizer, so httpx and httpx2 make its requests.
"""

from __future__ import annotations

import asyncio
import json
import sys
import unittest
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent))

import httpx  # noqa: E402
import httpx2  # noqa: E402
import ollama  # noqa: E402
from google import genai  # noqa: E402
from google.genai import types  # noqa: E402
from model_server import Script  # noqa: E402
from observed_program import SECRET, ObservedProgram, bundles, hash_of, payload, seen_by  # noqa: E402

from cer_client import Certificates  # noqa: E402

SSE, NDJSON, JSON = "text/event-stream", "application/x-ndjson", "application/json"
PARAMETERS = {"temperature": 0.5, "maxTokens": 64, "topP": 0.9, "seed": 7}
Members = Dict[str, Any]


def event(**members: Any) -> str:
    return f"data: {json.dumps(members)}\r\n\r\n"


def line(members: Members) -> str:
    return f"{json.dumps(members)}\n"


class NativeRoutes(ObservedProgram):
    def expect(self, bundle: Members, answer: Members, **facts: Any) -> None:
        """The bundle is of a whole answer to the request with all parameters."""
        snapshot = bundle["snapshot"]
        self.assertEqual(snapshot["outputHash"], hash_of(answer))
        self.assertEqual(snapshot["parameters"], PARAMETERS)
        self.expect_facts(bundle, outcome="complete", **facts)

    def expect_facts(self, bundle: Members, **facts: Any) -> None:
        found = payload(bundle)
        self.assertEqual({name: found.get(name) for name in facts}, facts)

    def last(self, seen: int) -> Members:
        """The bundle of the call with this number."""
        found = bundles(self.folder)
        self.assertEqual(len(found), seen)
        return found[-1]


GEMINI = "gemini-2.5-flash"
CONFIG = types.GenerateContentConfig(temperature=0.5, max_output_tokens=64, top_p=0.9, seed=7)
USAGE = {"usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3}}
HEAD = {"modelVersion": GEMINI, "responseId": "answer-1"}


def candidate(*parts: Members, **more: Any) -> Members:
    return {"content": {"parts": list(parts), "role": "model"}, "index": 0, **more}


def chunk(found: Members, **more: Any) -> str:
    return event(candidates=[found], **HEAD, **more)


GEMINI_ANSWER = {"candidates": [candidate({"text": "Hello there"}, finishReason="STOP")], **HEAD, **USAGE}
GEMINI_CHUNKS = (
    chunk(candidate({"text": "Hel"})),
    chunk(candidate({"text": "lo "})),
    chunk(candidate({"text": "there"}, finishReason="STOP"), **USAGE),
)


def gemini_whole(ai: genai.Client) -> object:
    return ai.models.generate_content(model=GEMINI, contents=SECRET, config=CONFIG).model_dump()


def gemini_parts(ai: genai.Client) -> object:
    stream = ai.models.generate_content_stream(model=GEMINI, contents=SECRET, config=CONFIG)
    return [part.model_dump() for part in stream]


def gemini_chat(ai: genai.Client) -> object:
    chat = ai.chats.create(model=GEMINI, config=CONFIG)
    parts = [part.model_dump() for part in chat.send_message_stream(SECRET)]
    return parts, [content.model_dump() for content in chat.get_history()]


def gemini_async(work: Callable[[Any], Awaitable[object]]) -> Callable[[genai.Client], object]:
    async def worked(ai: genai.Client) -> object:
        async with ai.aio as client:
            return await work(client)

    return lambda ai: asyncio.run(worked(ai))


async def gemini_whole_later(ai: Any) -> object:
    return (await ai.models.generate_content(model=GEMINI, contents=SECRET, config=CONFIG)).model_dump()


async def gemini_parts_later(ai: Any) -> object:
    stream = await ai.models.generate_content_stream(model=GEMINI, contents=SECRET, config=CONFIG)
    return [part.model_dump() async for part in stream]


UNAVAILABLE = {"error": {"code": 503, "message": "later", "status": "UNAVAILABLE"}}


class Gemini(NativeRoutes):
    def client(self, cer: Optional[Certificates]) -> genai.Client:
        options = types.HttpOptions(base_url=self.server.url)
        if cer is not None:
            options.client_args = {"transport": cer.transport()}
            options.async_client_args = {"transport": cer.async_transport()}
        client = genai.Client(api_key="provider-key", http_options=options)
        self.addCleanup(client.close)
        return client

    def test_program_sees_the_same(self) -> None:
        whole, stream = Script(JSON, (json.dumps(GEMINI_ANSWER),)), Script(SSE, GEMINI_CHUNKS)
        cases: Dict[str, Tuple[Script, Callable[[genai.Client], object]]] = {
            "answer": (whole, gemini_whole),
            "stream": (stream, gemini_parts),
            "chat": (stream, gemini_chat),
            "answer, asynchronous": (whole, gemini_async(gemini_whole_later)),
            "stream, asynchronous": (stream, gemini_async(gemini_parts_later)),
            "prompt that is refused": (Script(SSE, (event(promptFeedback={"blockReason": "SAFETY"}),)), gemini_parts),
            "refusal": (Script(JSON, ('{"error": {"code": 400, "status": "NO"}}',), 400), gemini_whole),
            "stream that breaks off": (Script(SSE, GEMINI_CHUNKS[:2], is_broken=True), gemini_parts),
        }
        cer = self.certificates()
        for name, (self.server.script, work) in cases.items():
            with self.subTest(name):
                expected = seen_by(lambda work=work: work(self.client(None)))  # type: ignore[misc]
                self.assertEqual(seen_by(lambda work=work: work(self.client(cer))), expected)  # type: ignore[misc]
        found = bundles(self.folder)
        self.assertEqual(len(found), len(cases))
        for bundle in found[:5]:
            self.assertEqual(bundle["snapshot"]["model"], GEMINI)
            self.expect(bundle, GEMINI_ANSWER, providerId="answer-1")
        self.no_faults()

    def test_thoughts_signed_parts_calls_and_citations_are_kept_apart(self) -> None:
        def cited(uri: str) -> Members:
            return {"citationMetadata": {"citationSources": [{"uri": uri}]}}

        call = {"functionCall": {"name": "look_up", "args": {"city": "Lisbon"}}, "thoughtSignature": "c2ln"}
        signed = {"text": "", "thoughtSignature": "c2ln"}
        self.server.script = Script(
            SSE,
            (
                chunk(candidate({"text": "Hm", "thought": True})),
                chunk(candidate({"text": "m", "thought": True}, {"text": "Lis"})),
                chunk(candidate({"text": "bon"}, **cited("a"))),
                chunk(candidate(signed, **cited("b"))),
                chunk(candidate(call, finishReason="STOP")),
            ),
        )
        gemini_parts(self.client(self.certificates()))
        parts = ({"text": "Hmm", "thought": True}, {"text": "Lisbon"}, signed, call)
        citations = {"citationMetadata": {"citationSources": [{"uri": "a"}, {"uri": "b"}]}}
        answer = {"candidates": [candidate(*parts, **citations, finishReason="STOP")], **HEAD}
        self.expect(self.one()[0], answer)

    def test_how_calls_end(self) -> None:
        unavailable = event(**UNAVAILABLE)
        refusal = json.dumps({"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}})
        cases: Dict[str, Tuple[Script, Members]] = {
            "stream without its last event": (Script(SSE, GEMINI_CHUNKS[:2]), {"outcome": "truncated"}),
            "stream that breaks off": (Script(SSE, GEMINI_CHUNKS[:2], is_broken=True), {"outcome": "truncated"}),
            "prompt that is refused": (
                Script(SSE, (event(promptFeedback={"blockReason": "SAFETY"}),)),
                {"outcome": "complete", "streamed": True},
            ),
            "error within the stream": (
                Script(SSE, (GEMINI_CHUNKS[0], unavailable)),
                {"outcome": "failed", "errorCode": "UNAVAILABLE"},
            ),
            "error of several lines between events": (
                Script(SSE, (GEMINI_CHUNKS[0], f"{json.dumps(UNAVAILABLE, indent=2)}\n")),
                {"outcome": "failed", "errorCode": "UNAVAILABLE", "streamed": True},
            ),
            "error between events without the end of its line": (
                Script(SSE, (GEMINI_CHUNKS[0], json.dumps(UNAVAILABLE))),
                {"outcome": "failed", "errorCode": "UNAVAILABLE", "streamed": True},
            ),
            "refusal": (
                Script(JSON, (refusal,), 400),
                {"outcome": "failed", "httpStatus": 400, "errorCode": "INVALID_ARGUMENT", "streamed": False},
            ),
        }
        client = self.client(self.certificates())
        for seen, (name, (self.server.script, facts)) in enumerate(cases.items(), 1):
            with self.subTest(name):
                seen_by(lambda: gemini_parts(client))
                self.expect_facts(self.last(seen), **facts)

    def test_embeddings(self) -> None:
        answer = {"embeddings": [{"values": [0.25, 0.5]}]}
        self.server.script = Script(JSON, (json.dumps(answer),))
        self.client(self.certificates()).models.embed_content(model="gemini-embedding-001", contents=SECRET)
        snapshot = self.one()[0]["snapshot"]
        self.assertEqual((snapshot["model"], snapshot["outputHash"]), ("gemini-embedding-001", hash_of(answer)))

    def test_one_certificate_for_a_call_that_a_framework_reports(self) -> None:
        self.server.script = Script(JSON, (json.dumps(GEMINI_ANSWER),))
        cer = self.certificates()
        handler, run_id = cer.langchain(), UUID(int=1)
        handler.on_llm_start({}, [SECRET], run_id=run_id, metadata={"ls_model_name": GEMINI})
        gemini_whole(self.client(cer))
        handler.on_llm_end(None, run_id=run_id)
        self.assertEqual(self.one()[1]["outputIs"], "body")
        self.assertEqual((cer.stats().seen, cer.stats().open), (1, 0))


OLLAMA_HEAD = {"model": "llama3.2", "created_at": "2026-11-27T00:00:00Z"}
OLLAMA_END = {"done": True, "done_reason": "stop", "total_duration": 12, "eval_count": 2}
MESSAGE = {"role": "assistant", "content": "Hello there"}
OLLAMA_ANSWER = {**OLLAMA_HEAD, "message": MESSAGE, **OLLAMA_END}
OLLAMA_REQUEST: Any = {
    "model": "llama3.2",
    "options": {"temperature": 0.5, "num_predict": 64, "top_p": 0.9, "seed": 7},
}
MESSAGES = [{"role": "user", "content": SECRET}]


def said(content: str, **more: Any) -> str:
    return line({**OLLAMA_HEAD, "message": {"role": "assistant", "content": content, **more}, "done": False})


def asked(name: str, arguments: Members) -> Members:
    return {"function": {"name": name, "arguments": arguments}}


OLLAMA_LAST = line({**OLLAMA_HEAD, "message": {**MESSAGE, "content": ""}, **OLLAMA_END})
OLLAMA_LINES = (said("Hel"), said("lo "), said("there"), OLLAMA_LAST)


def ollama_whole(client: ollama.Client) -> object:
    return client.chat(**OLLAMA_REQUEST, messages=MESSAGES).model_dump()


def ollama_parts(client: ollama.Client) -> object:
    return [part.model_dump() for part in client.chat(**OLLAMA_REQUEST, messages=MESSAGES, stream=True)]


def ollama_text(client: ollama.Client) -> object:
    return [part.model_dump() for part in client.generate(**OLLAMA_REQUEST, prompt=SECRET, stream=True)]


class Ollama(NativeRoutes):
    def client(self, cer: Optional[Certificates]) -> ollama.Client:
        options = {} if cer is None else {"transport": cer.transport(provider="ollama")}
        client = ollama.Client(host=self.server.url, **options)
        self.addCleanup(client._client.close)
        return client

    async def parts_later(self, cer: Optional[Certificates]) -> List[object]:
        options = {} if cer is None else {"transport": cer.async_transport(provider="ollama")}
        client = ollama.AsyncClient(host=self.server.url, **options)
        async with client._client:
            whole = await client.chat(**OLLAMA_REQUEST, messages=MESSAGES)
            stream = await client.chat(**OLLAMA_REQUEST, messages=MESSAGES, stream=True)
            return [whole.model_dump(), *[part.model_dump() async for part in stream]]

    def test_program_sees_the_same(self) -> None:
        with_calls = (
            said("", thinking="Hm"),
            said("", thinking="m"),
            said("", tool_calls=[asked("a", {"city": "Lisbon"})]),
            said("", tool_calls=[asked("b", {})]),
            # The last line has no end.
            OLLAMA_LAST.rstrip(),
        )
        calls = [asked("a", {"city": "Lisbon"}), asked("b", {})]
        of_calls = {"role": "assistant", "content": "", "thinking": "Hmm", "tool_calls": calls}
        generated = (
            line({**OLLAMA_HEAD, "response": "Hel", "done": False}),
            line({**OLLAMA_HEAD, "response": "lo", "done": False}),
            line({**OLLAMA_HEAD, "response": "", **OLLAMA_END, "context": [1, 2]}),
        )
        cases: Dict[str, Tuple[Script, Callable[[ollama.Client], object], Members]] = {
            "answer": (Script(JSON, (json.dumps(OLLAMA_ANSWER),)), ollama_whole, OLLAMA_ANSWER),
            "stream": (Script(NDJSON, OLLAMA_LINES), ollama_parts, OLLAMA_ANSWER),
            "thoughts and calls of functions": (
                Script(f"{NDJSON}; charset=utf-8", with_calls),
                ollama_parts,
                {**OLLAMA_HEAD, "message": of_calls, **OLLAMA_END},
            ),
            "generated text": (
                Script(NDJSON, generated),
                ollama_text,
                {**OLLAMA_HEAD, "response": "Hello", **OLLAMA_END, "context": [1, 2]},
            ),
        }
        plain, observed = self.client(None), self.client(self.certificates())
        for seen, (name, (self.server.script, work, answer)) in enumerate(cases.items(), 1):
            with self.subTest(name):
                self.assertEqual(work(observed), work(plain))
                bundle = self.last(seen)
                self.expect(bundle, answer)
                self.assertEqual((bundle["snapshot"]["provider"], bundle["snapshot"]["model"]), ("ollama", "llama3.2"))
        self.no_faults()

    def test_asynchronous_program_sees_the_same(self) -> None:
        # To a request without a stream it is the whole answer.
        self.server.script = Script(NDJSON, (line(OLLAMA_ANSWER),))
        cer = self.certificates()
        self.assertEqual(asyncio.run(self.parts_later(cer)), asyncio.run(self.parts_later(None)))
        for bundle in bundles(self.folder):
            self.expect(bundle, OLLAMA_ANSWER)
        self.assertEqual((cer.stats().sealed, cer.stats().open), (2, 0))

    def test_how_calls_end(self) -> None:
        cases: Dict[str, Tuple[Script, Members]] = {
            "stream without its last line": (Script(NDJSON, OLLAMA_LINES[:2]), {"outcome": "truncated"}),
            "stream that breaks off": (Script(NDJSON, OLLAMA_LINES[:2], is_broken=True), {"outcome": "truncated"}),
            "error within the stream": (
                Script(NDJSON, (*OLLAMA_LINES[:2], line({"error": "out of memory"}))),
                {"outcome": "failed", "streamed": True},
            ),
            "refusal": (Script(JSON, ('{"error": "no such model"}',), 404), {"outcome": "failed", "httpStatus": 404}),
        }
        plain, observed = self.client(None), self.client(self.certificates())
        for seen, (name, (self.server.script, facts)) in enumerate(cases.items(), 1):
            with self.subTest(name):
                self.assertEqual(seen_by(lambda: ollama_parts(observed)), seen_by(lambda: ollama_parts(plain)))
                self.expect_facts(self.last(seen), **facts)

    def test_embeddings(self) -> None:
        answer = {"model": "all-minilm", "embeddings": [[0.25, 0.5]]}
        self.server.script = Script(JSON, (json.dumps(answer),))
        self.client(self.certificates()).embed(model="all-minilm", input=SECRET)
        snapshot = self.one()[0]["snapshot"]
        self.assertEqual((snapshot["model"], snapshot["outputHash"]), ("all-minilm", hash_of(answer)))

    def test_chat_of_a_program_is_left_alone_which_streams_as_no_ollama_does(self) -> None:
        cer = self.certificates()
        self.server.script = Script(SSE, (event(type="text-delta", delta="Hello"),))
        with httpx.Client(transport=cer.transport()) as http:
            answer = http.post(f"{self.server.url}/api/chat", json={"model": "llama3.2", "messages": []})
        self.assertEqual(answer.text, event(type="text-delta", delta="Hello"))
        self.assertEqual((cer.stats().seen, cer.stats().open, cer.stats().unsealed), (0, 0, 0))

    def test_the_same_paths_of_other_services_are_left_alone(self) -> None:
        self.server.script = Script(JSON, ("{}",))
        cer = self.certificates()
        with httpx.Client(transport=cer.transport(), base_url=self.server.url) as http:
            for path in ("/api/chat", "/api/generate", "/v2/chat"):
                self.assertEqual(http.post(path, json={"messages": []}).json(), {})
        self.assertEqual(cer.stats().seen, 0)


class OddContent(ObservedProgram):
    """What a provider, or a program, may put into JSON that has no canonical form."""

    def asked(self, answer: str, body: str, status: int = 200) -> Tuple[Members, Members]:
        self.server.script = Script(JSON, (answer,), status)
        cer = self.certificates()
        with httpx.Client(transport=cer.transport()) as http:
            http.post(f"{self.server.url}/v1/chat/completions", content=body)
        return self.one()

    def test_lone_surrogate_of_a_request_is_in_the_text_that_was_sent(self) -> None:
        body = '{"messages": ["\\ud800"], "model": "m"}'
        bundle, _ = self.asked('{"id":  "a"}', body)
        self.assertEqual(bundle["snapshot"]["inputHash"], hash_of(body))
        self.assertEqual(bundle["snapshot"]["outputHash"], hash_of({"id": "a"}))

    def test_request_is_json_beside_an_answer_with_a_lone_surrogate(self) -> None:
        answer = '{"id":  "a", "choices": ["\\ud800"]}'
        bundle, _ = self.asked(answer, '{"model":  "m"}')
        self.assertEqual(bundle["snapshot"]["inputHash"], hash_of({"model": "m"}))
        self.assertEqual(bundle["snapshot"]["outputHash"], hash_of(answer))

    def test_ids_that_no_certificate_can_state_are_left_out(self) -> None:
        for text in ("\\ud800", "x" * 2_000_000):
            with self.subTest(text[:9]):
                error = f'{{"id": "{text}", "error": {{"code": "{text}", "type": "later"}}}}'
                bundle, facts = self.asked(error, '{"model": "m"}', 500)
                self.assertEqual((facts["outcome"], facts["errorCode"]), ("failed", "later"))
                self.assertNotIn("providerId", facts)
                self.assertLess(len(json.dumps(bundle)), 2000)
                for path in self.folder.glob("[0-9]*.ndjson"):
                    path.unlink()


COHERE_BODY = {
    "model": "command-a-03-2025",
    "messages": MESSAGES,
    "stream": True,
    **{"temperature": 0.5, "max_tokens": 64, "p": 0.9, "seed": 7},
}


def item(kind: str, index: int, **message: Any) -> str:
    return event(type=kind, index=index, delta={"message": message})


def planned(text: str) -> str:
    return event(type="tool-plan-delta", delta={"message": {"tool_plan": text}})


TOOL: Members = {"id": "look_1", "type": "function", "function": {"name": "look_up", "arguments": ""}}
CITATION = {"start": 0, "end": 2, "text": "He", "sources": [{"type": "tool", "id": "a"}]}
EMPTY = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
COHERE_EVENTS = (
    event(type="message-start", id="answer-1", delta={"message": EMPTY}),
    planned("I "),
    planned("look"),
    item("tool-call-start", 0, tool_calls=TOOL),
    item("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"city":'}}),
    item("tool-call-delta", 0, tool_calls={"function": {"arguments": '"Lisbon"}'}}),
    event(type="tool-call-end", index=0),
    item("content-start", 0, content={"type": "thinking", "thinking": ""}),
    item("content-delta", 0, content={"thinking": "Hm"}),
    item("content-start", 1, content={"type": "text", "text": ""}),
    item("content-delta", 1, content={"text": "Hel"}),
    item("content-delta", 1, content={"text": "lo"}),
    item("citation-start", 0, citations=CITATION),
    event(type="citation-end", index=0),
)
FINISHED = {"finish_reason": "COMPLETE", "usage": {"tokens": {"input_tokens": 1, "output_tokens": 2}}}
COHERE_END = event(type="message-end", delta=FINISHED)
COHERE_ANSWER = {
    "id": "answer-1",
    "message": {
        "role": "assistant",
        "tool_plan": "I look",
        "tool_calls": [{**TOOL, "function": {"name": "look_up", "arguments": '{"city":"Lisbon"}'}}],
        "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Hello"}],
        "citations": [CITATION],
    },
    **FINISHED,
}


class Cohere(NativeRoutes):
    def call(self, cer: Certificates, script: Script, library: Any = httpx) -> str:
        self.server.script = script
        with library.Client(transport=cer.transport()) as http:
            text: str = http.post(f"{self.server.url}/v2/chat", json=COHERE_BODY).text
            return text

    async def call_later(self, cer: Certificates, library: Any) -> str:
        async with library.AsyncClient(transport=cer.async_transport()) as http:
            text: str = (await http.post(f"{self.server.url}/v2/chat", json=COHERE_BODY)).text
            return text

    def test_stream(self) -> None:
        script, cer = Script(SSE, (*COHERE_EVENTS, COHERE_END)), self.certificates()
        for library in (httpx, httpx2):
            with self.subTest(library.__name__):
                self.assertEqual(self.call(cer, script, library), "".join(script.parts))
                self.assertEqual(asyncio.run(self.call_later(cer, library)), "".join(script.parts))
        found = bundles(self.folder)
        self.assertEqual(len(found), 4)
        for bundle in found:
            self.assertEqual(bundle["snapshot"]["model"], "command-a-03-2025")
            self.expect(bundle, COHERE_ANSWER, providerId="answer-1", streamed=True)

    def test_how_calls_end(self) -> None:
        refused = event(type="message-end", delta={"finish_reason": "ERROR", "error": "no"})
        cases: Dict[str, Tuple[Script, Members]] = {
            "stream without its last event": (Script(SSE, COHERE_EVENTS), {"outcome": "truncated"}),
            "error at its end": (Script(SSE, (refused,)), {"outcome": "failed"}),
        }
        cer = self.certificates()
        for seen, (name, (script, facts)) in enumerate(cases.items(), 1):
            with self.subTest(name):
                self.call(cer, script)
                self.expect_facts(self.last(seen), **facts)

    def test_probabilities_of_tokens_are_kept(self) -> None:
        logprobs = {"token_ids": [1], "text": "Hel", "logprobs": [-0.5]}
        delta = {"message": {"content": {"text": "Hel"}}}
        part = event(type="content-delta", index=0, delta=delta, logprobs=logprobs)
        self.call(self.certificates(), Script(SSE, (part, COHERE_END)))
        self.expect(self.one()[0], {"message": {"content": [{"text": "Hel"}]}, **FINISHED, "logprobs": [logprobs]})


if __name__ == "__main__":
    unittest.main()
