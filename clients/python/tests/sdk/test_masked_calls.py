"""Content that is masked before it is hashed, with the real packages openai, httpx and langchain-core."""

from __future__ import annotations

import json
import re
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import httpx  # noqa: E402
import openai  # noqa: E402
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from model_server import CHAT_EVENTS, COMPLETION, Script  # noqa: E402
from observed_program import ObservedProgram, bundles, hash_of, payload  # noqa: E402

from cer_client import Certificates, Redaction  # noqa: E402

CARD = "4111 1111 1111 1111"
CHAT: Any = {"model": "json", "messages": [{"role": "user", "content": f"I pay with {CARD}"}]}
BOTH = ["input", "output"]


def answer_of(content: str) -> Dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return {**COMPLETION, "choices": [choice]}


def masked(value: Any, part: str = "") -> Any:
    return json.loads(re.sub(r"\b(?:\d{4} ?){4}\b", "[card]", json.dumps(value)))


CARDS = Redaction("cards-1", masked)


class MaskedCalls(ObservedProgram):
    def setUp(self) -> None:
        super().setUp()
        self.server.script = Script("application/json", (json.dumps(answer_of(f"Paid with {CARD}")),))

    def openai(self, cer: Certificates) -> openai.OpenAI:
        http = openai.DefaultHttpxClient(transport=cer.transport())
        self.addCleanup(http.close)
        return openai.OpenAI(api_key="key", base_url=f"{self.server.url}/v1", http_client=http, max_retries=0)

    def masked(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The snapshot and the facts of the one call."""
        bundle, facts = self.one()
        self.assertNotIn(CARD, json.dumps(bundle))
        self.assertEqual(facts["redactedBy"], "cards-1")
        return bundle["snapshot"], facts

    def test_certificate_names_the_rules(self) -> None:
        answer = self.openai(self.certificates(redaction=CARDS)).chat.completions.create(**CHAT)
        self.assertEqual(answer.choices[0].message.content, f"Paid with {CARD}")
        snapshot, facts = self.masked()
        self.assertEqual(snapshot["inputHash"], hash_of(masked(json.loads(self.server.bodies[0]))))
        self.assertEqual(snapshot["outputHash"], hash_of(answer_of("Paid with [card]")))
        self.assertEqual((facts["redacted"], facts["outputIs"]), (BOTH, "body"))
        self.assertNotIn("responseSha256", facts)
        self.no_faults()

    def test_answer_is_found_by_its_id(self) -> None:
        cer = self.certificates(redaction=CARDS)
        answer = self.openai(cer).chat.completions.create(**CHAT)
        found = cer.of(answer)
        assert found is not None
        self.assertEqual(found.certificate_hash, self.one()[0]["certificateHash"])

    def test_stream_is_masked_as_a_whole(self) -> None:
        outputs: List[Any] = []

        def redact(value: Any, part: str) -> Any:
            if part == "output":
                outputs.append(json.loads(json.dumps(value)))
            return masked(value)

        words = {'"Hel"': '"4111 1111"', '"lo "': '" 1111 1111"', '"there"': '""'}
        events = [re.sub("|".join(words), lambda found: words[found.group()], event) for event in CHAT_EVENTS]
        self.server.script = Script("text/event-stream", tuple(events))
        client = self.openai(self.certificates(redaction=Redaction("cards-1", redact)))
        parts = client.chat.completions.create(**CHAT, stream=True)
        text = "".join(choice.delta.content or "" for part in parts for choice in part.choices)
        self.assertEqual(text, CARD)
        snapshot, facts = self.masked()
        self.assertIn(CARD, json.dumps(outputs))
        self.assertEqual(snapshot["outputHash"], hash_of(masked(outputs[0])))
        self.assertEqual((facts["outputIs"], facts["outcome"]), ("folded-stream", "complete"))

    def test_answer_of_which_only_bytes_are_hashed(self) -> None:
        self.openai(self.certificates(redaction=CARDS, max_content_bytes=10)).chat.completions.create(**CHAT)
        snapshot, facts = self.masked()
        self.assertEqual((facts["outputIs"], facts["redacted"]), ("bytes", ["input"]))
        self.assertEqual(snapshot["outputHash"], facts["responseSha256"])

    def test_bodies_that_are_no_json_are_masked_as_text(self) -> None:
        self.server.script = Script("text/plain", (f"no model {CARD}",))
        seen: List[Any] = []

        def redact(value: Any, part: str) -> Any:
            seen.append((part, value))
            return "[REDACTED]"

        redaction = Redaction("cards-1", redact)
        body = f'{{"model":"json", {CARD}'
        with httpx.Client(transport=self.certificates(redaction=redaction).transport()) as http:
            http.post(f"{self.server.url}/v1/chat/completions", content=body)
        snapshot, _ = self.masked()
        self.assertEqual(seen, [("input", body), ("output", f"no model {CARD}")])
        self.assertEqual([snapshot["inputHash"], snapshot["outputHash"]], [hash_of("[REDACTED]")] * 2)

    def test_under_1_2_0(self) -> None:
        self.openai(self.certificates(redaction=CARDS, protocol="1.2.0")).chat.completions.create(**CHAT)
        self.assertEqual(self.masked()[1]["redacted"], BOTH)

    def test_runs_of_langchain(self) -> None:
        @tool
        def pay(card: str) -> str:
            """Pays."""
            return f"paid with {card}"

        handler = self.certificates(redaction=CARDS).langchain()
        model = FakeListChatModel(responses=[f"Paid with {CARD}"], callbacks=[handler])
        self.assertEqual(model.invoke(f"I pay with {CARD}").content, f"Paid with {CARD}")
        self.assertEqual(pay.invoke({"card": CARD}, {"callbacks": [handler]}), f"paid with {CARD}")
        run, called = bundles(self.folder)
        self.assertEqual([payload(one)["redacted"] for one in (run, called)], [BOTH] * 2)
        message = {"type": "human", "content": "I pay with [card]"}
        self.assertEqual(run["snapshot"]["inputHash"], hash_of([[message]]))
        self.assertEqual(called["snapshot"]["inputHash"], hash_of({"card": "[card]"}))
        self.assertEqual(called["snapshot"]["outputHash"], hash_of("paid with [card]"))
        self.no_faults()

    def test_program_is_unaffected_by_a_redaction_that_fails(self) -> None:
        def fails(*_: Any) -> Any:
            raise RuntimeError("no rules")

        cer = self.certificates(redaction=Redaction("broken", fails))
        answer = self.openai(cer).chat.completions.create(**CHAT)
        self.assertEqual(answer.choices[0].message.content, f"Paid with {CARD}")
        stats = cer.stats()
        self.assertEqual((stats.seen, stats.sealed, stats.unsealed, stats.open), (1, 0, 1, 0))
        self.assertEqual([str(fault) for fault in self.faults], ["no rules"])
        self.assertEqual((bundles(self.folder), cer.of(answer)), ([], None))


if __name__ == "__main__":
    unittest.main()
