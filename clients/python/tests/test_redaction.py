"""Masked content of tools, and the rules of a redaction, without a server."""

from __future__ import annotations

import json
import re
import unittest
from typing import Any, Callable, Dict, List, Tuple
from unittest import mock

from certified_program import NODE_DOWN, CertifiedProgram, hash_of

import cer_verify
from cer_client import Certificates, Confidential, Opened, Redaction
from cer_client.executions import Json
from cer_client.redaction import redacted
from cer_client.sealing import Call

CARD = "4111 1111 1111 1111"


def masked(value: Json, part: str = "") -> Json:
    found: Json = json.loads(re.sub(r"\b(?:\d{4} ?){4}\b", "[card]", json.dumps(value)))
    return found


CARDS = Redaction("cards-1", masked)


def pay(card: str) -> Dict[str, str]:
    return {"paid": card}


def of_one(part: str, redact: Callable[..., Json]) -> Callable[[Json, str], Json]:
    """Masks one part, and leaves the other as it is."""
    return lambda value, given: redact(value, given) if given == part else value


class Tools(CertifiedProgram):
    def one(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The one sealed call, verified, and the facts of its signal."""
        lines = [line for path in self.folder.glob("[0-9]*.ndjson") for line in path.read_text().splitlines()]
        self.assertEqual(len(lines), 1)
        self.assertNotIn(CARD, lines[0])
        bundle = json.loads(lines[0])["bundle"]
        report = cer_verify.verify(cer_verify.parse_json(json.dumps(bundle).encode()))
        self.assertTrue(report.ok, report.findings)
        return bundle["snapshot"], bundle["context"]["signals"][0]["payload"]

    def test_masked_before_it_is_hashed(self) -> None:
        cer = self.certificates(redaction=CARDS)
        self.assertEqual(cer.tool(pay)(CARD), {"paid": CARD})
        snapshot, facts = self.one()
        self.assertEqual(snapshot["inputHash"], hash_of({"card": "[card]"}))
        self.assertEqual(snapshot["outputHash"], hash_of({"paid": "[card]"}))
        self.assertEqual(facts, {"outcome": "complete", "redactedBy": "cards-1", "redacted": ["input", "output"]})
        self.no_faults()

    def test_committed_to_under_1_3_1(self) -> None:
        opened: List[Opened] = []
        confidential = Confidential("p", opened.append, {"temperature": 0, "maxTokens": 9})
        self.certificates(redaction=CARDS, confidential=confidential).tool(pay)(CARD)
        snapshot, facts = self.one()
        self.assertEqual((facts["redactedBy"], facts["redacted"]), ("cards-1", ["input", "output"]))
        for name, value in {"input": {"card": "[card]"}, "output": {"paid": "[card]"}}.items():
            salt = cer_verify.decode_base64url(cer_verify.get(opened[0].openings, name, "salt"))
            assert salt is not None
            self.assertTrue(cer_verify.opens(snapshot[name], salt, value))

    def test_value_of_another_kind_than_content(self) -> None:
        values: Dict[str, Json] = {"input": ["[all]", (1, None)], "output": False}
        cer = self.certificates(redaction=Redaction("all", lambda _, part: values[part]))
        cer.tool(pay)(CARD)
        snapshot, _ = self.one()
        self.assertEqual(snapshot["inputHash"], hash_of(["[all]", [1, None]]))
        self.assertEqual(snapshot["outputHash"], hash_of({"value": False}))

    def test_content_that_json_rules_refuse_is_masked_text(self) -> None:
        cer = self.certificates(redaction=CARDS)
        cer.tool(pay)(f"{CARD}\ud800")
        snapshot, facts = self.one()
        self.assertEqual(snapshot["outputHash"], hash_of('{"paid":"[card]\\ud800"}'))
        self.assertEqual(facts["redacted"], ["input", "output"])

    def test_redaction_that_changes_what_it_gets(self) -> None:
        def change(value: Any, part: str) -> Any:
            value.clear()
            return value

        given = {"card": CARD}
        cer = self.certificates(redaction=Redaction("none", change))
        self.assertEqual(cer.tool(lambda asked: asked)(given), {"card": CARD})
        self.assertEqual(self.one()[0]["inputHash"], hash_of({}))

    def test_no_certificate_without_a_masked_value(self) -> None:
        def fails(value: Json, part: str) -> Json:
            raise KeyError("no rules")

        async def later(value: Json, part: str) -> Json:
            return value

        circle: List[Json] = []
        circle.append(circle)
        numbers: List[Json] = [float("nan"), {"a": float("inf")}]
        values: List[Json] = [None, {1, 2}, b"x", object(), {(1, 2): 3}, circle, mock.Mock(), *numbers]
        broken: List[Callable[..., Any]] = [fails, *(lambda *_, value=value: value for value in values)]
        for redact in broken:
            for part in ("input", "output"):
                self.faults.clear()
                cer = self.certificates(redaction=Redaction("broken", of_one(part, redact)))
                self.assertEqual(cer.tool(pay)(CARD), {"paid": CARD})
                stats = cer.stats()
                self.assertEqual((stats.seen, stats.sealed, stats.unsealed, stats.open), (1, 0, 1, 0))
                stated = f"a call is not certified: JSON does not hold its masked {part}"
                self.assertEqual([str(fault) for fault in self.faults], ["'no rules'" if redact is fails else stated])
        coroutine = later({}, "input")
        cer = self.certificates(redaction=Redaction("b", lambda *_: coroutine))
        cer.tool(pay)(CARD)
        coroutine.close()
        self.assertEqual(cer.stats().unsealed, 1)
        self.assertEqual(list(self.folder.glob("[0-9]*.ndjson")), [])


class Options(unittest.TestCase):
    def test_redaction_needs_a_name(self) -> None:
        for name in ("", "n" * 257, "\U0001f600" * 129):
            with self.assertRaisesRegex(ValueError, r"^redaction\.name: must have 1 to 256 characters$"):
                Certificates("tests", node_url=NODE_DOWN, in_memory=True, redaction=Redaction(name, masked))
        with self.assertRaisesRegex(ValueError, r"^redaction\.name: must not contain a lone surrogate$"):
            Certificates("tests", node_url=NODE_DOWN, in_memory=True, redaction=Redaction("\ud800", masked))
        Certificates("tests", node_url=NODE_DOWN, in_memory=True, redaction=Redaction("n" * 256, masked)).close(0)

    def test_rules_must_be_a_function(self) -> None:
        without: Tuple[Any, ...] = (None, "mask", {})
        for rules in without:
            with self.assertRaisesRegex(TypeError, r"^redaction\.redact: must be a function$"):
                options = Redaction("cards", rules)
                Certificates("tests", node_url=NODE_DOWN, in_memory=True, redaction=options)

    def test_answer_known_by_its_hash_only_stays(self) -> None:
        call = Call("p", "m", {"card": CARD}, None, "00", {}, "model-call", {"outcome": "complete"})
        found = redacted(call, CARDS)
        self.assertEqual((found.input, found.output, found.output_sha256), ({"card": "[card]"}, None, "00"))
        self.assertEqual(found.payload, {"outcome": "complete", "redactedBy": "cards-1", "redacted": ["input"]})
        self.assertIs(redacted(call, None), call)


if __name__ == "__main__":
    unittest.main()
