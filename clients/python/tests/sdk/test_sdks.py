"""The client with the real packages openai, anthropic, httpx, httpx2 and langchain-core, against a local server."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple
from unittest import mock
from uuid import UUID

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import anthropic  # noqa: E402
import httpx  # noqa: E402
import httpx2  # noqa: E402
import openai  # noqa: E402
from langchain_core.language_models import FakeListChatModel, SimpleChatModel  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from model_server import CHAT_EVENTS, COMPLETION, ENCODED, MESSAGE  # noqa: E402
from observed_program import NODE_DOWN, SECRET, ObservedProgram, bundles, hash_of, payload, seen_by  # noqa: E402

import cer_verify  # noqa: E402
from cer_client import Certificates, Confidential, Opened, SpoolFullError  # noqa: E402


def http_of(client: type) -> Any:
    """The library of an SDK's HTTP client: httpx2, of older SDKs httpx."""
    names = (kind.__module__.partition(".")[0] for kind in client.__mro__)
    return next(sys.modules[name] for name in names if name in ("httpx", "httpx2"))


OPENAI_HTTP, ANTHROPIC_HTTP = http_of(openai.DefaultHttpxClient), http_of(anthropic.DefaultHttpxClient)
MESSAGES: Any = [{"role": "user", "content": SECRET}]


def made_by(library: Any) -> Any:
    """A transport that makes its answers, as that of a cache does."""

    def answer(request: Any) -> Any:
        if json.loads(request.content)["model"] == "json":
            return library.Response(200, json=COMPLETION)
        return library.Response(200, text="".join(CHAT_EVENTS), headers={"content-type": "text/event-stream"})

    return library.MockTransport(answer)


class Case(ObservedProgram):
    def openai(self, cer: Optional[Certificates], **options: Any) -> openai.OpenAI:
        http = OPENAI_HTTP.Client() if cer is None else OPENAI_HTTP.Client(transport=cer.transport())
        self.addCleanup(http.close)
        return openai.OpenAI(
            api_key="provider-key", base_url=f"{self.server.url}/v1", http_client=http, **{"max_retries": 0, **options}
        )

    def anthropic(self, cer: Optional[Certificates]) -> anthropic.Anthropic:
        http = ANTHROPIC_HTTP.Client() if cer is None else ANTHROPIC_HTTP.Client(transport=cer.transport())
        self.addCleanup(http.close)
        return anthropic.Anthropic(api_key="key", base_url=self.server.url, http_client=http, max_retries=0)


def chat(client: openai.OpenAI, model: str) -> Any:
    return client.chat.completions.create(model=model, messages=MESSAGES, temperature=0.5)


def words(client: openai.OpenAI, model: str) -> List[Optional[str]]:
    stream = client.chat.completions.create(model=model, messages=MESSAGES, stream=True)
    return [choice.delta.content for chunk in stream for choice in chunk.choices]


def raw(client: openai.OpenAI) -> Tuple[int, str, Any]:
    response = client.chat.completions.with_raw_response.create(model="json", messages=MESSAGES)
    return response.status_code, response.headers["x-request-id"], response.parse()


def raw_stream(client: openai.OpenAI) -> bytes:
    with client.chat.completions.with_streaming_response.create(model="stream", messages=MESSAGES, stream=True) as one:
        return b"".join(one.iter_bytes(7))


class OtherServices(Case):
    def test_messages_without_a_model_are_no_calls(self) -> None:
        cer = self.certificates()
        with httpx.Client(transport=cer.transport()) as http:
            answers = [
                http.post(f"{self.server.url}/rooms/1/messages", json=body)
                for body in ({"text": "hello"}, {"model": "json", "messages": MESSAGES})
            ]
        self.assertEqual([answer.status_code for answer in answers], [200, 200])
        self.assertEqual(cer.stats().seen, 1)
        cer.flush(0)
        self.assertEqual(len(bundles(self.folder)), 1)


class OpenAi(Case):
    def test_program_sees_the_same(self) -> None:
        cases: Dict[str, Callable[[openai.OpenAI], Any]] = {
            "create": lambda client: chat(client, "json"),
            "gzip": lambda client: chat(client, "gzip"),
            "stream": lambda client: words(client, "stream"),
            "raw response": raw,
            "bytes of a stream": raw_stream,
            "refusal": lambda client: chat(client, "refused"),
            "server error": lambda client: chat(client, "flaky"),
            "cut stream": lambda client: words(client, "cut"),
            "stream without its end": lambda client: words(client, "ended"),
            "with options": lambda client: chat(client.with_options(timeout=5), "json"),
            "address without a server": lambda client: chat(client.with_options(base_url=NODE_DOWN), "json"),
        }
        cer = self.certificates()
        plain, observed = self.openai(None), self.openai(cer)
        for name, case in cases.items():
            with self.subTest(name):
                self.server.bodies.clear()
                expected = seen_by(lambda case=case: case(plain))  # type: ignore[misc]
                self.server.bodies.clear()
                self.assertEqual(seen_by(lambda case=case: case(observed)), expected)  # type: ignore[misc]
        outcomes = ["complete"] * 5 + ["failed"] * 2 + ["truncated"] * 2 + ["complete", "failed"]
        self.assertEqual([payload(bundle)["outcome"] for bundle in bundles(self.folder)], outcomes)
        stats = cer.stats()
        self.assertEqual((stats.seen, stats.sealed, stats.open, stats.waiting), (11, 11, 0, 11))
        self.no_faults()

    def test_binds_request_and_answer(self) -> None:
        chat(self.openai(self.certificates()), "json")
        bundle, facts = self.one()
        snapshot = bundle["snapshot"]
        self.assertEqual(snapshot["inputHash"], hash_of(json.loads(self.server.bodies[0])))
        self.assertEqual(snapshot["outputHash"], hash_of(COMPLETION))
        self.assertEqual(snapshot["parameters"], {"temperature": 0.5})
        self.assertEqual((facts["httpStatus"], facts["attempt"], facts["outputIs"]), (200, 1, "body"))
        self.assertEqual(facts["responseSha256"], cer_verify.hash_bytes(json.dumps(COMPLETION).encode()))

    def test_names_the_model_of_a_request_with_long_integers(self) -> None:
        client = self.openai(self.certificates())
        client.chat.completions.create(model="json", messages=MESSAGES, max_tokens=7, seed=2**63 - 1)
        snapshot = self.one()[0]["snapshot"]
        self.assertEqual((snapshot["model"], snapshot["parameters"]), ("json", {"maxTokens": 7}))
        self.assertEqual(snapshot["inputHash"], cer_verify.hash_bytes(self.server.bodies[-1].encode()))

    def test_folds_a_stream_into_the_answer(self) -> None:
        words(self.openai(self.certificates()), "stream")
        bundle, facts = self.one()
        choice = {"index": 0, "message": {"role": "assistant", "content": "Hello there"}, "finish_reason": "stop"}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "stream"}
        self.assertEqual(bundle["snapshot"]["outputHash"], hash_of({**head, "choices": [choice]}))
        self.assertEqual((facts["outputIs"], facts["streamed"]), ("folded-stream", True))

    def test_stored_before_the_caller_has_the_last_event(self) -> None:
        client = self.openai(self.certificates())
        stream = client.chat.completions.create(model="stream", messages=MESSAGES, stream=True)
        for chunk in stream:
            if chunk.choices[0].finish_reason is not None:
                break
        stream.close()
        self.assertIn(self.one()[1]["outcome"], ("complete", "aborted"))
        self.assertEqual(list(words(client, "stream"))[1:4], ["Hel", "lo ", "there"])
        self.assertEqual(payload(bundles(self.folder)[1])["outcome"], "complete")

    def test_aborted_stream_has_what_the_caller_got(self) -> None:
        stream = self.openai(self.certificates()).chat.completions.create(model="held", messages=MESSAGES, stream=True)
        for chunk in stream:
            if chunk.choices[0].delta.content == "lo ":
                break
        stream.close()
        bundle, facts = self.one()
        self.assertEqual(facts["outcome"], "aborted")
        choice = {"index": 0, "message": {"role": "assistant", "content": "Hello "}, "finish_reason": None}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "stream"}
        self.assertEqual(bundle["snapshot"]["outputHash"], hash_of({**head, "choices": [choice]}))

    def test_time_limit_is_the_callers(self) -> None:
        client = self.openai(self.certificates(), timeout=0.2)
        with self.assertRaises((openai.APITimeoutError, OPENAI_HTTP.ReadTimeout)):
            words(client, "held")
        self.assertEqual(self.one()[1]["outcome"], "aborted")

    def test_attempts_of_a_call_are_joined(self) -> None:
        self.server.bodies.clear()
        chat(self.openai(self.certificates(), max_retries=1), "flaky")
        first, second = [payload(bundle) for bundle in bundles(self.folder)]
        self.assertEqual([first["outcome"], second["outcome"]], ["failed", "complete"])
        self.assertEqual([first["attempt"], second["attempt"]], [1, 2])
        self.assertEqual(first["callId"], second["callId"])

    def test_as_many_calls_at_a_time_as_the_sdks_allow(self) -> None:
        cer = self.certificates()

        async def made(count: int) -> List[Any]:
            http_client = openai.DefaultAsyncHttpxClient(transport=cer.async_transport())
            async with openai.AsyncOpenAI(
                api_key="k", base_url=f"{self.server.url}/v1", http_client=http_client
            ) as client:
                calls = [client.chat.completions.create(model="mute", messages=MESSAGES) for _ in range(count)]
                answers = asyncio.gather(*calls)
                try:
                    for _ in range(600):
                        await asyncio.sleep(0.05)
                        if len(self.server.bodies) >= count:
                            break
                    at_once = len(self.server.bodies)
                finally:
                    self.server.goes_on.set()
                await answers
                return [at_once, len(self.server.bodies)]

        self.assertEqual(asyncio.run(made(120)), [120, 120])

    def test_attempts_that_took_too_long_are_joined(self) -> None:
        with self.assertRaises(openai.APITimeoutError):
            chat(self.openai(self.certificates(), max_retries=1, timeout=0.1), "mute")
        first, second = [payload(bundle) for bundle in bundles(self.folder)]
        self.assertEqual([first["outcome"], second["outcome"]], ["aborted", "aborted"])
        self.assertEqual([first["attempt"], second["attempt"]], [1, 2])
        self.assertEqual(first["callId"], second["callId"])

    def test_back_pressure_is_kept(self) -> None:
        """While a reader is stalled, the server sends no more than it does without an observer."""

        def sent_to(client: openai.OpenAI) -> int:
            self.server.written = 0
            stream = client.chat.completions.create(model="flood", messages=MESSAGES, stream=True)
            next(iter(stream))
            before = -1
            while before != self.server.written:
                before = self.server.written
                time.sleep(0.05)
            stream.close()
            return before

        plain, observed = sent_to(self.openai(None)), sent_to(self.openai(self.certificates()))
        self.assertLess(observed, plain + 8 * 1024 * 1024)
        self.assertLess(observed, 60 * 1024 * 1024)

    def test_async(self) -> None:
        cer = self.certificates()

        async def work(transport: Any) -> Tuple[Any, List[Any], Any]:
            async with OPENAI_HTTP.AsyncClient(transport=transport) as http:
                client = openai.AsyncOpenAI(
                    api_key="key", base_url=f"{self.server.url}/v1", http_client=http, max_retries=0
                )
                whole = await client.chat.completions.create(model="json", messages=MESSAGES)
                stream = await client.chat.completions.create(model="stream", messages=MESSAGES, stream=True)
                texts = [chunk.choices[0].delta.content async for chunk in stream]
                refused = None
                try:
                    await client.chat.completions.create(model="refused", messages=MESSAGES)
                except openai.RateLimitError as error:
                    refused = str(error)
                return whole, texts, refused

        expected = asyncio.run(work(OPENAI_HTTP.AsyncHTTPTransport()))
        self.assertEqual(asyncio.run(work(cer.async_transport())), expected)
        outcomes = [payload(bundle)["outcome"] for bundle in bundles(self.folder)]
        self.assertEqual(outcomes, ["complete", "complete", "failed"])
        self.no_faults()

    def test_cancelled_task_is_aborted(self) -> None:
        cer = self.certificates()

        async def work() -> None:
            async with OPENAI_HTTP.AsyncClient(transport=cer.async_transport()) as http:
                client = openai.AsyncOpenAI(api_key="key", base_url=f"{self.server.url}/v1", http_client=http)
                stream = await client.chat.completions.create(model="held", messages=MESSAGES, stream=True)
                async for chunk in stream:
                    if chunk.choices[0].delta.content == "lo ":
                        asyncio.current_task().cancel()  # type: ignore[union-attr]

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(work())
        self.assertEqual(self.one()[1]["outcome"], "aborted")


class Anthropic(Case):
    def test_program_sees_the_same(self) -> None:
        def create(client: anthropic.Anthropic, model: str) -> Any:
            return client.messages.create(model=model, max_tokens=10, messages=MESSAGES)

        def stream(client: anthropic.Anthropic, model: str) -> Any:
            with client.messages.stream(model=model, max_tokens=10, messages=MESSAGES) as found:
                return found.get_final_message()

        plain, observed = self.anthropic(None), self.anthropic(self.certificates())
        for work, model in ((create, "json"), (stream, "stream"), (create, "refused")):
            expected = seen_by(lambda work=work, model=model: work(plain, model))  # type: ignore[misc]
            found = seen_by(lambda work=work, model=model: work(observed, model))  # type: ignore[misc]
            self.assertEqual(found, expected)
        whole, streamed, refused = bundles(self.folder)
        self.assertEqual(whole["snapshot"]["outputHash"], hash_of(MESSAGE))
        # The events of the stream fold into the message that is answered without a stream.
        self.assertEqual(streamed["snapshot"]["outputHash"], hash_of(MESSAGE))
        self.assertEqual(payload(refused)["errorCode"], "rate_limit")
        self.assertEqual(whole["snapshot"]["parameters"], {"maxTokens": 10})
        self.no_faults()

    def test_folds_every_kind_of_delta_as_the_sdk_does(self) -> None:
        client = self.anthropic(self.certificates())
        with client.messages.stream(model="kinds", max_tokens=10, messages=MESSAGES) as stream:
            message = stream.get_final_message().to_dict()
        content: Any = message["content"]
        self.assertEqual([citation["cited_text"] for citation in content[0]["citations"]], ["a", "b"])
        self.assertEqual(self.one()[0]["snapshot"]["outputHash"], hash_of(message))


class Client(Case):
    def test_both_lines_of_httpx(self) -> None:
        cer = self.certificates()
        for library in (httpx, httpx2):
            with library.Client(transport=cer.transport(library.HTTPTransport(), provider="local")) as client:
                body = {"model": "stream", "messages": MESSAGES}
                response = client.post(f"{self.server.url}/v1/chat/completions", json=body)
                self.assertTrue(response.text.endswith("data: [DONE]\n\n"))
                self.assertEqual(client.get(self.server.url).status_code, 501)
        self.assertEqual([bundle["snapshot"]["provider"] for bundle in bundles(self.folder)], ["local", "local"])

    def test_request_that_the_client_sends_again_where_it_is_redirected(self) -> None:
        body = {"model": "moved", "messages": MESSAGES}
        url = f"{self.server.url}/old/chat/completions"
        cer = self.certificates()
        for library in (httpx, httpx2):
            with library.Client(transport=cer.transport(), follow_redirects=True) as client:
                self.assertEqual(client.post(url, json=body).json(), COMPLETION)

        async def work() -> Any:
            async with httpx.AsyncClient(transport=cer.async_transport(), follow_redirects=True) as client:
                return (await client.post(url, json=body)).json()

        self.assertEqual(asyncio.run(work()), COMPLETION)
        found = [
            (payload(bundle)["httpStatus"], payload(bundle)["outcome"], bundle["snapshot"]["inputHash"])
            for bundle in bundles(self.folder)
        ]
        sent = hash_of(body)
        self.assertEqual(found, [(307, "failed", sent), (200, "complete", sent)] * 3)
        self.assertEqual(cer.stats().unsealed, 0)

    def test_certificate_is_of_the_bytes_that_the_program_gets(self) -> None:
        damaged = ("wrong sum", "not encoded")
        for library in (httpx, httpx2):
            folder = self.folder / library.__name__
            with library.Client(transport=self.certificates(spool_dir=folder).transport()) as http:
                for name in ENCODED:
                    with self.subTest(library.__name__, encoding=name):
                        body = {"model": name, "messages": MESSAGES}
                        got, fault = b"", ""
                        with http.stream("POST", f"{self.server.url}/v1/chat/completions", json=body) as response:
                            try:
                                for part in response.iter_bytes():
                                    got += part
                            except library.DecodingError as error:
                                fault = type(error).__name__
                        self.assertEqual(fault, "DecodingError" if name in damaged else "")
                        bundle = bundles(folder)[-1]
                        facts = payload(bundle)
                        self.assertEqual(facts["responseSha256"], cer_verify.hash_bytes(got))
                        self.assertEqual(facts["responseBytes"], len(got))
                        self.assertEqual(facts["outcome"], "truncated" if name in damaged else "complete")
                        self.assertEqual(facts["outputIs"], "bytes" if name == "large" else "body")
                        if name not in (*damaged, "x-gzip", "large"):
                            self.assertEqual(bundle["snapshot"]["outputHash"], hash_of(COMPLETION))
        self.no_faults()

    def certified(self, cer: Certificates, text: str) -> None:
        """The one call of the client has a certificate of this answer."""
        self.assertEqual((cer.stats().seen, cer.stats().open, cer.stats().sealed), (1, 0, 1))
        facts = payload(bundles(self.folder)[-1])
        self.assertEqual(
            (facts["outcome"], facts["responseSha256"]), ("complete", cer_verify.hash_bytes(text.encode()))
        )
        for path in self.folder.glob("[0-9]*.ndjson"):
            path.unlink()

    def test_answer_that_the_inner_transport_made(self) -> None:
        async def ask(http: Any, body: Any) -> Any:
            async with http:
                return await http.post("http://models.test/v1/chat/completions", json=body)

        for library in (httpx, httpx2):
            for model in ("json", "stream"):
                with self.subTest(library.__name__, model=model):
                    body = {"model": model, "messages": MESSAGES}
                    cer = self.certificates()
                    with library.Client(transport=cer.transport(made_by(library))) as http:
                        self.certified(cer, http.post("http://models.test/v1/chat/completions", json=body).text)
                    cer = self.certificates()
                    http = library.AsyncClient(transport=cer.async_transport(made_by(library)))
                    self.certified(cer, asyncio.run(ask(http, body)).text)
        self.no_faults()

    def test_answer_that_the_inner_transport_has_read(self) -> None:
        for library in (httpx, httpx2):

            class Reading(library.HTTPTransport):  # type: ignore[misc,name-defined]
                def handle_request(self, request: Any) -> Any:
                    response = super().handle_request(request)
                    response.read()
                    return response

            cer = self.certificates()
            with library.Client(transport=cer.transport(Reading())) as http:
                body = {"model": "gzip", "messages": MESSAGES}
                self.certified(cer, http.post(f"{self.server.url}/v1/chat/completions", json=body).text)
        self.no_faults()

    def test_silent_connections_are_probed_as_by_the_sdks(self) -> None:
        for library in (httpx, httpx2):
            with library.Client(transport=self.certificates().transport()) as http:
                response = http.post(f"{self.server.url}/v1/chat/completions", json={"model": "json"})
                connection = response.extensions["network_stream"].get_extra_info("socket")
                self.assertEqual(connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE), 1)
                self.assertEqual(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL), 60)

    def test_confidential(self) -> None:
        opened: List[Opened] = []
        confidential = Confidential("answers of the desk", opened.append, {"temperature": 1, "maxTokens": 100})
        chat(self.openai(self.certificates(confidential=confidential)), "json")
        bundle, facts = self.one()
        snapshot = bundle["snapshot"]
        self.assertEqual(opened[0].certificate_hash, bundle["certificateHash"])
        self.assertEqual(facts["declaredParameters"], ["maxTokens"])
        self.assertNotIn("responseSha256", facts)
        values = {"input": json.loads(self.server.bodies[0]), "output": COMPLETION}
        for name, value in values.items():
            salt = cer_verify.decode_base64url(cer_verify.get(opened[0].openings, name, "salt"))
            assert salt is not None
            self.assertTrue(cer_verify.opens(snapshot[name], salt, value))

    def test_faults_of_hooks_do_not_reach_the_program(self) -> None:
        def broken(*_: Any) -> Any:
            raise RuntimeError("a hook of the caller")

        cer = self.certificates(certify=broken, on_error=broken)
        self.assertEqual(chat(self.openai(cer), "json").id, "chatcmpl-1")
        confidential = self.certificates(confidential=Confidential("p", broken, {"maxTokens": 1}), on_error=broken)
        self.assertEqual(chat(self.openai(confidential), "json").id, "chatcmpl-1")
        self.assertEqual(confidential.stats().unsealed, 1)
        self.assertGreater(cer.stats().errors, 0)

    def test_folder_that_cannot_be_written(self) -> None:
        (self.folder / "file").write_text("")
        cer = self.certificates(spool_dir=self.folder / "file" / "spool")
        chat(self.openai(cer), "json")
        self.assertEqual((cer.stats().sealed, cer.stats().waiting), (1, 1))
        self.assertEqual(type(self.faults[0]), NotADirectoryError)

    def test_full_spool(self) -> None:
        counting = self.certificates(max_spool_bytes=10)
        chat(self.openai(counting), "json")
        self.assertEqual((counting.stats().dropped, counting.stats().sealed), (1, 0))
        refusing = self.certificates(max_spool_bytes=0, on_full="raise-before-call")
        before = len(self.server.bodies)
        with self.assertRaises((SpoolFullError, openai.APIConnectionError)) as caught:
            chat(self.openai(refusing), "json")
        # Some versions of the SDK wrap what a transport raises.
        found = caught.exception
        self.assertIsInstance(found.__cause__ or found, SpoolFullError)
        self.assertEqual(len(self.server.bodies), before)

    def test_calls_left_out_by_choice(self) -> None:
        cer = self.certificates(certify=lambda url, body: body["model"] != "json")
        chat(self.openai(cer), "json")
        words(self.openai(cer), "stream")
        self.assertEqual((cer.stats().skipped, cer.stats().sealed), (1, 1))

    def test_large_answer_is_bound_by_its_bytes(self) -> None:
        chat(self.openai(self.certificates(max_content_bytes=100)), "json")
        bundle, facts = self.one()
        self.assertEqual(facts["outputIs"], "bytes")
        self.assertEqual(bundle["snapshot"]["outputHash"], facts["responseSha256"])


class LangChain(Case):
    def test_runs_of_models_and_tools(self) -> None:
        @tool
        def weather(city: str) -> str:
            """The sky over a city."""
            return f"clear over {city}"

        cer = self.certificates()
        handler = cer.langchain()
        model = FakeListChatModel(responses=["Lisbon"], callbacks=[handler])
        self.assertEqual(model.invoke(SECRET).content, "Lisbon")
        self.assertEqual("".join(str(part.content) for part in model.stream(SECRET)), "Lisbon")
        self.assertEqual(weather.invoke({"city": SECRET}, {"callbacks": [handler]}), f"clear over {SECRET}")
        run, streamed, called = bundles(self.folder)
        self.assertEqual([payload(one)["outcome"] for one in (run, streamed, called)], ["complete"] * 3)
        message = {"type": "human", "content": SECRET}
        self.assertEqual(run["snapshot"]["inputHash"], hash_of([[message]]))
        self.assertEqual(called["snapshot"]["model"], "weather")
        self.assertEqual(called["snapshot"]["inputHash"], hash_of({"city": SECRET}))
        self.assertEqual(called["snapshot"]["outputHash"], hash_of(f"clear over {SECRET}"))
        self.no_faults()

    def test_one_certificate_for_a_call(self) -> None:
        for position, seed in enumerate((7, 2**63 - 1)):
            with self.subTest(seed=seed):
                cer = self.certificates()
                self._call_of_a_model(cer, seed)
                self.assertEqual(payload(bundles(self.folder)[-1])["outputIs"], "body")
                self.assertEqual(len(bundles(self.folder)), position + 1)
                self.assertEqual((cer.stats().seen, cer.stats().sealed, cer.stats().open), (1, 1, 0))

    def _call_of_a_model(self, cer: Certificates, seed: int) -> None:
        client = self.openai(cer)

        class Model(SimpleChatModel):
            @property
            def _llm_type(self) -> str:
                return "local"

            def _call(self, messages: Any, *_: Any, **__: Any) -> str:
                content = [{"role": "user", "content": messages[-1].content}]
                asked: Any = {"model": "json", "messages": content, "seed": seed}
                return str(client.chat.completions.create(**asked).choices[0].message.content)

        self.assertEqual(Model(callbacks=[cer.langchain()]).invoke(SECRET).content, "Hello there")

    def test_runs_that_never_end_are_not_kept(self) -> None:
        cer = self.certificates()
        handler = cer.langchain()
        with mock.patch("cer_client.langchain.MAX_OPEN", 3), mock.patch("cer_client.recorder.MAX_KEPT", 2):
            for position in range(5):
                handler.on_llm_start({}, [f"{SECRET} {position}"], run_id=UUID(int=position))
            claimed = [cer._recorder.open_calls.claim({"prompt": f"{SECRET} {position}"}) for position in range(5)]
        self.assertEqual([payload(bundle)["outcome"] for bundle in bundles(self.folder)], ["truncated"] * 2)
        self.assertEqual((cer.stats().open, cer.stats().sealed), (3, 2))
        # Requests belong to the newest runs.
        self.assertEqual([call is not None for call in claimed], [False, False, False, True, True])

    def test_objects_of_tools_that_json_does_not_hold(self) -> None:
        @tool
        def rows(city: str) -> Any:
            """The rows of a city."""
            return iter([city])

        cer = self.certificates()
        handler = cer.langchain()
        self.assertEqual(list(rows.invoke({"city": SECRET}, {"callbacks": [handler]})), [SECRET])
        self.assertEqual((cer.stats().seen, cer.stats().unsealed, bundles(self.folder)), (1, 1, []))
        handler.on_tool_start({"name": "rows"}, "", run_id=UUID(int=1), inputs={"city": SECRET, "state": object()})
        handler.on_tool_end(SECRET, run_id=UUID(int=1))
        self.assertEqual(self.one()[1], {"outcome": "complete", "inputWithout": ["object"]})

    def test_value_that_contains_itself_is_counted(self) -> None:
        circle: Dict[str, Any] = {}
        circle.update(one=circle, other=[circle])
        cer = self.certificates()
        cer.langchain().on_tool_start({"name": "weather"}, "", run_id=UUID(int=1), inputs=circle)
        self.assertEqual((cer.stats().seen, cer.stats().unsealed, cer.stats().open), (1, 1, 0))
        self.assertEqual([str(fault) for fault in self.faults], ["a value contains itself"])

    def test_run_that_exceeds_the_time_limit_of_the_program(self) -> None:
        # The SDKs use httpx2, their older versions httpx.
        request: Any = httpx.Request("POST", self.server.url)
        errors = [
            openai.APITimeoutError(request),
            anthropic.APITimeoutError(request),
            httpx.ReadTimeout("late"),
            TimeoutError("late"),
        ]
        handler = self.certificates().langchain()
        for position, error in enumerate(errors):
            handler.on_llm_start({}, [SECRET], run_id=UUID(int=position))
            handler.on_llm_error(error, run_id=UUID(int=position))
        self.assertEqual([payload(bundle)["outcome"] for bundle in bundles(self.folder)], ["aborted"] * 4)

    def test_failed_run(self) -> None:
        class Model(SimpleChatModel):
            @property
            def _llm_type(self) -> str:
                return "local"

            def _call(self, *_: Any, **__: Any) -> str:
                raise KeyError("the model's own error")

        with self.assertRaises(KeyError):
            Model(callbacks=[self.certificates().langchain()]).invoke(SECRET)
        self.assertEqual(self.one()[1]["outcome"], "failed")


if __name__ == "__main__":
    unittest.main()
