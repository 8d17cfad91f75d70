"""Sealing of described executions: what a description may not have, and what its bundle shows."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cer_verify  # noqa: E402
from cer_client.executions import RequestFault, faults_of, seal_execution  # noqa: E402
from cer_client.sealing import Call, seal  # noqa: E402

SECRET = "do not repeat me"
HASH = "sha256:" + "a" * 64
PLAIN: Dict[str, Any] = {"provider": "p", "model": "m", "input": "in", "output": "out"}
PARAMETERS = {"temperature": 0, "maxTokens": 1, "topP": None, "seed": None}
CONFIDENTIAL = {**PLAIN, "protocolVersion": "1.3.1", "prompt": "p", "parameters": PARAMETERS}
AT = "2026-01-01T00:00:00.000Z"


def members_of(request: object) -> List[str]:
    return [fault.split(":")[0] for fault in faults_of(request)]


class Descriptions(unittest.TestCase):
    def test_without_fault(self) -> None:
        signal = {"type": "a", "source": "b", "payload": {}, "actor": "x"}
        for changes in (
            {},
            {"input": "", "output": []},
            {"signals": [signal]},
            {"context": {"signals": [], "more": 1}},
            {"parameters": {"topP": None, "stop": ["x"]}, "metadata": {"a": None}},
            {"whatever": 7, "appId": None, "bundleType": "cer.ai.execution.v1"},
        ):
            self.assertEqual(faults_of({**PLAIN, **changes}), [], changes)
        self.assertEqual(faults_of(CONFIDENTIAL), [])
        self.assertEqual(faults_of({"provider": "p", "model": "m", "inputHash": HASH, "outputHash": HASH}), [])

    def test_names_every_fault_at_once_and_no_value(self) -> None:
        faults = faults_of(
            {
                "provider": f"{SECRET}\0",
                "model": [SECRET],
                "input": 7,
                "output": SECRET,
                "outputHash": SECRET,
                "executionId": f"{SECRET}\ud800",
                "createdAt": SECRET,
                "protocolVersion": SECRET,
                "bundleType": SECRET,
                "metadata": SECRET,
                "signals": [7, {"type": 7, "source": SECRET, "payload": SECRET}],
                "context": SECRET,
                "parameters": {"temperature": SECRET},
            }
        )
        self.assertEqual(len(faults), 15, faults)
        self.assertNotIn(SECRET, "".join(faults))

    def test_confidential(self) -> None:
        for changes, member in (
            ({"inputHash": HASH}, "inputHash"),
            ({"prompt": ""}, "prompt"),
            ({"output": None}, "output"),
            ({"parameters": None}, "parameters"),
            ({"parameters": {**PARAMETERS, "stop": 1}}, "parameters"),
            ({"parameters": {"temperature": 0, "maxTokens": 1, "topP": None}}, "parameters.seed"),
        ):
            self.assertEqual(members_of({**CONFIDENTIAL, **changes}), [member], changes)

    def test_that_is_no_object(self) -> None:
        with self.assertRaises(RequestFault) as raised:
            seal_execution([], AT, "id")
        self.assertEqual(raised.exception.faults, ["body: must be a JSON object"])


class Bundles(unittest.TestCase):
    def test_verify_and_hold_no_content(self) -> None:
        content = {"input": {"messages": [SECRET]}, "output": SECRET}
        for request in (PLAIN, {**PLAIN, "protocolVersion": "1.3.0"}, CONFIDENTIAL):
            sealed = seal_execution({**request, **content}, AT, "id")
            self.assertNotIn(SECRET, sealed.text)
            self.assertEqual(cer_verify.verify(json.loads(sealed.text), cer_verify.Options()).status, "VERIFIED")
            self.assertEqual(
                seal_execution({**request, **content}, AT, "id").text == sealed.text, request is not CONFIDENTIAL
            )

    def test_openings_open_their_values_only(self) -> None:
        sealed = seal_execution({**CONFIDENTIAL, "input": {"a": 1}}, AT, "id")
        snapshot = json.loads(sealed.text)["snapshot"]
        for name, value, other in (("input", {"a": 1}, {"a": 2}), ("output", "out", "in")):
            salt = cer_verify.decode_base64url(cer_verify.get(sealed.openings, name, "salt"))
            assert salt is not None
            self.assertTrue(cer_verify.opens(snapshot[name], salt, value))
            self.assertFalse(cer_verify.opens(snapshot[name], salt, other))

    def test_call_without_an_output_and_one_with_a_number(self) -> None:
        for output, text in ((None, "null"), (7, "7"), (True, "true")):
            call = Call("p", "m", None, output, None, {}, "tool-call", {})
            snapshot = json.loads(seal(call, "id", "app", AT, "1.3.0").text)["snapshot"]
            self.assertEqual(snapshot["outputHash"], cer_verify.hash_bytes(text.encode()))
            self.assertEqual(snapshot["inputHash"], cer_verify.hash_bytes(b"null"))


if __name__ == "__main__":
    unittest.main()
