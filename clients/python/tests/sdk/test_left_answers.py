"""Answers that a program stops reading, or never reads, with each SDK: the garbage collector ends their calls."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import unittest
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parent))

import anthropic  # noqa: E402
import httpx  # noqa: E402
import httpx2  # noqa: E402
import ollama  # noqa: E402
import openai  # noqa: E402
from google import genai  # noqa: E402
from google.genai import types  # noqa: E402
from model_server import CHAT_EVENTS, MESSAGE_EVENTS, Script  # noqa: E402
from observed_program import SECRET, ObservedProgram, bundles, payload  # noqa: E402

from cer_client import Certificates  # noqa: E402

MESSAGES: Any = [{"role": "user", "content": SECRET}]
CHAT: Any = {"model": "example-1", "messages": MESSAGES, "stream": True}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "Hel"}], "role": "model"}}]}
OLLAMA = {"message": {"role": "assistant", "content": "Hel"}, "done": False}
SSE = "text/event-stream"
# The server sends the first parts, and waits.
SCRIPTS = {
    "openai": Script(SSE, tuple(CHAT_EVENTS), held_after=2),
    "anthropic": Script(SSE, tuple(MESSAGE_EVENTS), held_after=3),
    "google-genai": Script(SSE, (f"data: {json.dumps(GEMINI)}\n\n",) * 2, held_after=1),
    "ollama": Script("application/x-ndjson", (f"{json.dumps(OLLAMA)}\n",) * 2, held_after=1),
    "httpx": Script(SSE, tuple(CHAT_EVENTS), held_after=2),
    "httpx2": Script(SSE, tuple(CHAT_EVENTS), held_after=2),
}


class Programs:
    """Makes a stream with each SDK. Its clients live as long as it does."""

    def __init__(self, cer: Certificates, url: str) -> None:
        self.openai = openai.OpenAI(
            api_key="k", base_url=f"{url}/v1", http_client=openai.DefaultHttpxClient(transport=cer.transport())
        )
        self.anthropic = anthropic.Anthropic(
            api_key="k", base_url=url, http_client=anthropic.DefaultHttpxClient(transport=cer.transport())
        )
        options = types.HttpOptions(base_url=url, client_args={"transport": cer.transport()})
        self.gemini = genai.Client(api_key="k", http_options=options)
        self.ollama = ollama.Client(host=url, transport=cer.transport())
        self.http = {library.__name__: library.Client(transport=cer.transport()) for library in (httpx, httpx2)}
        self.url = url

    def close(self) -> None:
        for client in (self.openai, self.anthropic, self.gemini, self.ollama._client, *self.http.values()):
            client.close()

    def _response(self, library: Any) -> Any:
        http = self.http[library.__name__]
        return http.send(http.build_request("POST", f"{self.url}/v1/chat/completions", json=CHAT), stream=True)

    def streams(self) -> Dict[str, Callable[[], Any]]:
        return {
            "openai": lambda: self.openai.chat.completions.create(**CHAT),
            "anthropic": lambda: self.anthropic.messages.create(**CHAT, max_tokens=9),
            "google-genai": lambda: self.gemini.models.generate_content_stream(model="m", contents=SECRET),
            "ollama": lambda: self.ollama.chat(**CHAT),
            "httpx": lambda: self._response(httpx).iter_bytes(),
            "httpx2": lambda: self._response(httpx2).iter_bytes(),
        }


class AsyncPrograms:
    """The same, asynchronously."""

    def __init__(self, cer: Certificates, url: str) -> None:
        self.openai = openai.AsyncOpenAI(
            api_key="k",
            base_url=f"{url}/v1",
            http_client=openai.DefaultAsyncHttpxClient(transport=cer.async_transport()),
        )
        self.anthropic = anthropic.AsyncAnthropic(
            api_key="k",
            base_url=url,
            http_client=anthropic.DefaultAsyncHttpxClient(transport=cer.async_transport()),
        )
        options = types.HttpOptions(base_url=url, async_client_args={"transport": cer.async_transport()})
        self.gemini = genai.Client(api_key="k", http_options=options).aio
        self.ollama = ollama.AsyncClient(host=url, transport=cer.async_transport())
        self.http = {
            library.__name__: library.AsyncClient(transport=cer.async_transport()) for library in (httpx, httpx2)
        }
        self.url = url

    async def close(self) -> None:
        await self.openai.close()
        await self.anthropic.close()
        for client in (self.gemini, self.ollama._client, *self.http.values()):
            await client.aclose()

    async def _bytes(self, library: Any) -> Any:
        http = self.http[library.__name__]
        request = http.build_request("POST", f"{self.url}/v1/chat/completions", json=CHAT)
        return (await http.send(request, stream=True)).aiter_bytes()

    def streams(self) -> Dict[str, Callable[[], Awaitable[Any]]]:
        return {
            "openai": lambda: self.openai.chat.completions.create(**CHAT),
            "anthropic": lambda: self.anthropic.messages.create(**CHAT, max_tokens=9),
            "google-genai": lambda: self.gemini.models.generate_content_stream(model="m", contents=SECRET),
            "ollama": lambda: self.ollama.chat(**CHAT),
            "httpx": lambda: self._bytes(httpx),
            "httpx2": lambda: self._bytes(httpx2),
        }


class LeftAnswers(ObservedProgram):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # The SDKs are hundreds of thousands of objects, which would be searched through in each collection.
        gc.collect()
        gc.freeze()
        cls.addClassCleanup(gc.unfreeze)

    def outcomes(self) -> List[str]:
        return [payload(bundle)["outcome"] for bundle in bundles(self.folder)]

    def ended(self, cer: Certificates) -> None:
        """The latest call, if there was one, is over."""
        gc.collect()
        stats = cer.stats()
        self.assertEqual(stats.open, 0)
        self.assertEqual(self.outcomes(), ["aborted"] * stats.seen)

    def test_stopped(self) -> None:
        cer = self.certificates()
        programs = Programs(cer, self.server.url)
        self.addCleanup(programs.close)

        def stop(stream: Callable[[], Any]) -> None:
            for _ in stream():
                break

        for seen, (name, stream) in enumerate(programs.streams().items(), 1):
            with self.subTest(name):
                self.server.script = SCRIPTS[name]
                stop(stream)
                self.ended(cer)
                self.assertEqual(cer.stats().seen, seen)
        self.no_faults()

    def test_never_read(self) -> None:
        cer = self.certificates()
        programs = Programs(cer, self.server.url)
        self.addCleanup(programs.close)
        for name, stream in programs.streams().items():
            with self.subTest(name):
                self.server.script = SCRIPTS[name]
                stream()
                self.ended(cer)
        # Gemini's and Ollama's make the request when the caller starts to read.
        self.assertEqual(cer.stats().seen, 4)
        self.no_faults()

    def test_stopped_asynchronously(self) -> None:
        cer = self.certificates()

        async def stop(stream: Callable[[], Awaitable[Any]]) -> None:
            async for _ in await stream():
                break

        async def work() -> None:
            programs = AsyncPrograms(cer, self.server.url)
            for seen, (name, stream) in enumerate(programs.streams().items(), 1):
                with self.subTest(name):
                    self.server.script = SCRIPTS[name]
                    await stop(stream)
                    await self.ended_later(cer)
                    self.assertEqual(cer.stats().seen, seen)
            await programs.close()

        asyncio.run(work())
        self.no_faults()

    def test_never_read_asynchronously(self) -> None:
        cer = self.certificates()

        async def work() -> None:
            programs = AsyncPrograms(cer, self.server.url)
            for name, stream in programs.streams().items():
                with self.subTest(name):
                    self.server.script = SCRIPTS[name]
                    await stream()
                    await self.ended_later(cer)
            await programs.close()

        asyncio.run(work())
        self.assertEqual(cer.stats().seen, 4)
        self.no_faults()

    async def ended_later(self, cer: Certificates) -> None:
        # The event loop closes each of the generators around the answer in a task of its own.
        for _ in range(100):
            gc.collect()
            await asyncio.sleep(0)
            if cer.stats().open == 0:
                break
        self.ended(cer)


if __name__ == "__main__":
    unittest.main()
