"""The certificate of an answer, with the real packages openai, anthropic, google-genai, ollama, httpx and httpx2."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import sys
import unittest
import weakref
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import anthropic  # noqa: E402
import httpx  # noqa: E402
import httpx2  # noqa: E402
import ollama  # noqa: E402
import openai  # noqa: E402
from google import genai  # noqa: E402
from google.genai import types  # noqa: E402
from model_server import COMPLETION, MESSAGE, MESSAGE_EVENTS, Script  # noqa: E402
from observed_program import SECRET, ObservedProgram, bundles, payload  # noqa: E402

from cer_client import Certificates, Confidential, Redaction, SealedCall  # noqa: E402

MESSAGES: Any = [{"role": "user", "content": SECRET}]
CHAT: Any = {"model": "json", "messages": MESSAGES}
JSON, SSE, NDJSON = "application/json", "text/event-stream", "application/x-ndjson"


def http_of(client: type) -> Any:
    """The library of an SDK's HTTP client: httpx2, of older SDKs httpx."""
    names = (kind.__module__.partition(".")[0] for kind in client.__mro__)
    return next(sys.modules[name] for name in names if name in ("httpx", "httpx2"))


class Case(ObservedProgram):
    def sealed(self, position: int, folder: Optional[Path] = None) -> SealedCall:
        """The certificate of the call with this number of one client, in the order of their ends."""
        bundle = bundles(folder or self.folder)[position]
        return SealedCall(bundle["snapshot"]["executionId"], bundle["certificateHash"])

    def openai(self, cer: Certificates, inner: Any = None) -> openai.OpenAI:
        http = http_of(openai.DefaultHttpxClient).Client(transport=cer.transport(inner))
        self.addCleanup(http.close)
        return openai.OpenAI(api_key="key", base_url=f"{self.server.url}/v1", http_client=http, max_retries=0)

    def anthropic(self, cer: Certificates, inner: Any = None) -> anthropic.Anthropic:
        http = http_of(anthropic.DefaultHttpxClient).Client(transport=cer.transport(inner))
        self.addCleanup(http.close)
        return anthropic.Anthropic(api_key="key", base_url=self.server.url, http_client=http, max_retries=0)


class OfSdks(Case):
    def test_known_when_the_program_has_the_answer(self) -> None:
        cer = self.certificates()
        answer = self.openai(cer).chat.completions.create(**CHAT)
        for given in (answer, answer.to_dict(), COMPLETION, "chatcmpl-1", "req-1"):
            self.assertEqual(cer.of(given), self.sealed(0))
        self.no_faults()

    def test_calls_with_the_same_answer(self) -> None:
        """A server may give every answer the same id; ids of requests tell them apart."""
        cer, ids = self.certificates(), itertools.count()
        library = http_of(openai.DefaultHttpxClient)
        inner = library.MockTransport(
            lambda _: library.Response(200, json=COMPLETION, headers={"x-request-id": f"req-{next(ids)}"})
        )
        client = self.openai(cer, inner)
        answers = [client.chat.completions.create(**CHAT) for _ in range(3)]
        self.assertEqual([cer.of(answer) for answer in answers], [self.sealed(position) for position in range(3)])
        self.assertEqual([cer.of(COMPLETION), cer.of("chatcmpl-1"), cer.of(answers[0].to_dict())], [None] * 3)

    def test_nothing_is_guessed_of_the_same_answers(self) -> None:
        cer = self.certificates()
        client = self.openai(cer)
        answers = [client.chat.completions.create(**CHAT) for _ in range(2)]
        raw = [client.chat.completions.with_raw_response.create(**CHAT) for _ in range(2)]
        self.assertEqual([cer.of(answer) for answer in answers], [None, None])
        # The response itself is one of its call only.
        self.assertEqual([cer.of(one) for one in raw], [self.sealed(2), self.sealed(3)])

    def test_call_that_was_left_out_when_another_one_has_its_answer(self) -> None:
        ids, wanted = itertools.count(), iter((False, True))
        cer = self.certificates(certify=lambda *_: next(wanted))
        library = http_of(openai.DefaultHttpxClient)
        inner = library.MockTransport(
            lambda _: library.Response(200, json=COMPLETION, headers={"x-request-id": f"req-{next(ids)}"})
        )
        client = self.openai(cer, inner)
        answers = [client.chat.completions.create(**CHAT) for _ in range(2)]
        self.assertEqual([cer.of(answer) for answer in answers], [None, self.sealed(0)])

    def test_call_that_was_not_sealed_when_another_one_has_its_answer(self) -> None:
        """The server states no request ids."""
        wanted = iter((False, True))

        def redact(value: Any, part: str) -> Any:
            return value if part == "input" or next(wanted) else None

        cer = self.certificates(redaction=Redaction("rules-1", redact))
        library = http_of(openai.DefaultHttpxClient)
        client = self.openai(cer, library.MockTransport(lambda _: library.Response(200, json=COMPLETION)))
        answers = [client.chat.completions.create(**CHAT) for _ in range(2)]
        self.assertEqual([cer.of(one) for one in (*answers, "chatcmpl-1")], [None] * 3)
        self.assertEqual((cer.stats().sealed, cer.stats().unsealed), (1, 1))

    def test_request_id_of_the_provider_beside_that_of_a_gateway(self) -> None:
        library = http_of(anthropic.DefaultHttpxClient)
        headers = {"x-request-id": "gateway-1", "request-id": "provider-1"}
        inner = library.MockTransport(lambda _: library.Response(200, json=MESSAGE, headers=headers))
        cer = self.certificates()
        message = self.anthropic(cer, inner).messages.create(**CHAT, max_tokens=9)
        self.assertEqual([cer.of(one) for one in (message, "gateway-1", "provider-1")], [self.sealed(0)] * 3)
        self.assertEqual(payload(bundles(self.folder)[0])["providerRequestId"], "gateway-1")

    def test_part_of_a_stream_when_it_was_read(self) -> None:
        cer = self.certificates()
        stream = self.openai(cer).chat.completions.create(**{**CHAT, "model": "stream"}, stream=True)
        self.assertEqual((cer.of("chatcmpl-1"), cer.of(stream)), (None, None))
        parts = list(stream)
        self.assertEqual([cer.of(part) for part in parts], [self.sealed(0)] * len(parts))
        self.assertEqual(cer.of(stream), self.sealed(0))

    def test_events_of_responses(self) -> None:
        answer: Dict[str, Any] = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
        events = [{"type": f"response.{kind}", "response": answer} for kind in ("created", "completed")]
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.server.script = Script(SSE, (text,))
        cer = self.certificates()
        parts = list(self.openai(cer).responses.create(model="m", input=SECRET, stream=True))
        self.assertEqual([cer.of(part) for part in parts], [self.sealed(0)] * 2)
        self.assertEqual(cer.of(getattr(parts[-1], "response", None)), self.sealed(0))

    def test_errors_of_refusals(self) -> None:
        cer = self.certificates()
        for client in (self.openai(cer), self.openai(cer)):
            with self.assertRaises(openai.RateLimitError) as caught:
                client.chat.completions.create(**{**CHAT, "model": "refused"})
            self.assertEqual(cer.of(caught.exception), self.sealed(len(bundles(self.folder)) - 1))
        with self.assertRaises(anthropic.RateLimitError) as refused:
            self.anthropic(cer).messages.create(**{**CHAT, "model": "refused"}, max_tokens=9)
        self.assertEqual(cer.of(refused.exception), self.sealed(2))
        # Its two names, the id of the request and the content, are those of all three.
        self.assertEqual([cer.of("req-1"), cer.of(refused.exception.body)], [None, None])

    def test_messages_of_anthropic(self) -> None:
        cer = self.certificates()
        client = self.anthropic(cer)
        asked: Any = {**CHAT, "max_tokens": 9}
        raw = client.messages.with_raw_response.create(**asked)
        self.assertEqual([cer.of(one) for one in (raw, raw.parse(), MESSAGE)], [self.sealed(0)] * 3)
        self.server.script = Script(SSE, tuple(event.replace("msg_1", "msg_2") for event in MESSAGE_EVENTS))
        with client.messages.stream(**asked) as stream:
            message = stream.get_final_message()
        self.assertEqual([cer.of(message), cer.of(stream)], [self.sealed(1)] * 2)
        self.server.script = Script(SSE, tuple(event.replace("msg_1", "msg_3") for event in MESSAGE_EVENTS))
        parts = list(client.messages.create(**asked, stream=True))
        found = [cer.of(part) for part in parts]
        # Only the first event has the id of the message.
        self.assertEqual(found, [self.sealed(2), *[None] * (len(parts) - 1)])
        self.no_faults()

    def test_gemini_by_its_id_and_by_its_content(self) -> None:
        answer: Dict[str, Any] = {"candidates": [{"content": {"parts": [{"text": "Lisbon"}], "role": "model"}}]}
        cer = self.certificates()
        options = types.HttpOptions(base_url=self.server.url, client_args={"transport": cer.transport()})
        found: List[Optional[SealedCall]] = []
        with genai.Client(api_key="key", http_options=options) as ai:
            for more in ({"responseId": "answer-1"}, {"usageMetadata": {"promptTokenCount": 1}}):
                self.server.script = Script(JSON, (json.dumps({**answer, **more}),))
                found.append(cer.of(ai.models.generate_content(model="m", contents=SECRET)))
            text = f"data: {json.dumps({**answer, 'responseId': 'answer-2'})}\r\n\r\n"
            self.server.script = Script(SSE, (text,) * 3)
            parts = list(ai.models.generate_content_stream(model="m", contents=SECRET))
            found += [cer.of(part) for part in parts]
            self.server.script = Script(JSON, (json.dumps({"error": {"code": 400, "message": "no"}}),), status=400)
            try:
                ai.models.generate_content(model="m", contents=SECRET)
            except genai.errors.APIError as error:
                found.append(cer.of(error))
        self.assertEqual(found, [self.sealed(position) for position in (0, 1, 2, 2, 2, 3)])
        self.no_faults()

    def test_ollama_by_its_content(self) -> None:
        answer = {"model": "m", "created_at": "2026-11-28T00:00:00Z", "message": {"role": "assistant", "content": "Hi"}}
        self.server.script = Script(JSON, (json.dumps({**answer, "done": True}),))
        cer = self.certificates()
        client = ollama.Client(host=self.server.url, transport=cer.transport())
        self.addCleanup(client._client.close)
        self.assertEqual(cer.of(client.chat(model="m", messages=MESSAGES)), self.sealed(0))
        self.server.script = Script(NDJSON, (json.dumps({**answer, "done": True}),))
        # Its parts have no name.
        self.assertEqual([cer.of(part) for part in client.chat(model="m", messages=MESSAGES, stream=True)], [None])

    def test_content_of_an_answer_beside_a_redaction(self) -> None:
        cer = self.certificates(redaction=Redaction("rules-1", lambda value, _: {"masked": True}))
        answer = {"model": "m", "created_at": "2026-11-28T00:00:00Z", "message": {"role": "assistant", "content": "Hi"}}
        self.server.script = Script(JSON, (json.dumps({**answer, "done": True}),))
        client = ollama.Client(host=self.server.url, transport=cer.transport())
        self.addCleanup(client._client.close)
        self.assertEqual(cer.of(client.chat(model="m", messages=MESSAGES)), self.sealed(0))
        # Content of no answer that the program has.
        self.assertEqual(cer.of({"masked": True}), None)

    def test_every_protocol(self) -> None:
        confidential = Confidential("p", lambda _: None, {"temperature": 1, "maxTokens": 9})
        # Under 1.3.1 content has no hash without its salt.
        kinds: List[Tuple[Dict[str, Any], bool]] = [
            ({"confidential": confidential}, False),
            ({"protocol": "1.2.0"}, True),
        ]
        for number, (options, has_hash) in enumerate(kinds):
            folder = self.folder / str(number)
            cer = self.certificates(spool_dir=folder, **options)
            answer = self.openai(cer).chat.completions.create(**CHAT)
            self.assertEqual([cer.of(answer), cer.of("chatcmpl-1")], [self.sealed(0, folder)] * 2)
            self.assertEqual(cer.of({**COMPLETION, "id": None}), None)
            answer = {name: value for name, value in COMPLETION.items() if name != "id"}
            self.server.script = Script(JSON, (json.dumps(answer),))
            self.openai(cer).chat.completions.create(**CHAT)
            self.server.script = None
            self.assertEqual(cer.of(answer), self.sealed(1, folder) if has_hash else None)

    def test_calls_without_a_certificate(self) -> None:
        left_out = self.certificates(certify=lambda *_: False)
        full = self.certificates(max_spool_bytes=10)
        for cer in (left_out, full):
            client = self.openai(cer)
            answer = client.chat.completions.create(**CHAT)
            raw = client.chat.completions.with_raw_response.create(**CHAT)
            self.assertEqual([cer.of(one) for one in (answer, raw, raw.http_response)], [None] * 3)
        self.no_faults()


class OfResponses(Case):
    def test_known_when_it_was_read(self) -> None:
        cer = self.certificates()
        for position, library in enumerate((httpx, httpx2)):
            with library.Client(transport=cer.transport()) as http:
                request = http.build_request("POST", f"{self.server.url}/v1/chat/completions", json=CHAT)
                response = http.send(request, stream=True)
                self.assertEqual(cer.of(response), None)
                response.read()
                self.assertEqual(cer.of(response), self.sealed(position * 2))
                refused = http.post(request.url, json={**CHAT, "model": "refused"})
                with self.assertRaises(library.HTTPStatusError) as caught:
                    refused.raise_for_status()
                self.assertEqual(cer.of(caught.exception), cer.of(refused))
                self.assertIsNotNone(cer.of(refused))

    def test_asynchronous_calls(self) -> None:
        cer = self.certificates()

        async def found(library: Any) -> List[Optional[SealedCall]]:
            async with library.AsyncClient(transport=cer.async_transport()) as http:
                responses = await asyncio.gather(
                    *(http.post(f"{self.server.url}/v1/chat/completions", json=CHAT) for _ in range(3))
                )
            return [cer.of(response) for response in responses]

        answers = [call for library in (httpx, httpx2) for call in asyncio.run(found(library))]
        self.assertEqual(set(answers), {self.sealed(position) for position in range(6)})

    def test_answer_that_the_inner_transport_has_read(self) -> None:
        cer = self.certificates()
        inner = httpx.MockTransport(lambda _: httpx.Response(200, json=COMPLETION))
        with httpx.Client(transport=cer.transport(inner)) as http:
            self.assertEqual(cer.of(http.post("http://a/v1/chat/completions", json=CHAT)), self.sealed(0))

    def test_response_that_cannot_be_a_key_is_certified(self) -> None:
        class Unhashable(httpx.Response):
            __hash__ = None  # type: ignore[assignment]

        cer = self.certificates()
        inner = httpx.MockTransport(lambda _: Unhashable(200, json=COMPLETION))
        with httpx.Client(transport=cer.transport(inner)) as http:
            response = http.post("http://a/v1/chat/completions", json=CHAT)
        self.assertEqual((cer.stats().sealed, cer.of(response), cer.of("chatcmpl-1")), (1, None, self.sealed(0)))

    def test_responses_are_not_kept(self) -> None:
        cer = self.certificates()
        for library in (httpx, httpx2):
            with library.Client(transport=cer.transport()) as http:
                response = http.post(f"{self.server.url}/v1/chat/completions", json=CHAT)
            self.assertIsNotNone(cer.of(response))
            dropped = weakref.ref(response)
            del response
            gc.collect()
            self.assertIsNone(dropped())
        self.assertEqual(len(cer._recorder.answers.responses), 0)


if __name__ == "__main__":
    unittest.main()
