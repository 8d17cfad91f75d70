"""The drain against a node that answers as no node should, and in a program that is at its limits."""

from __future__ import annotations

import gc
import json
import math
import threading
import unittest
from email.message import Message
from typing import Any, Dict, List, Tuple
from unittest import mock

from test_spool import NODE_DOWN, Node, record

from cer_client import Certificates
from cer_client.node import NodeError, _refusal


class DrainTest(unittest.TestCase):
    def setUp(self) -> None:
        self.node = Node()
        self.addCleanup(self.node.close)
        self.faults: List[BaseException] = []

    def certificates(self, **options: Any) -> Certificates:
        given = {"node_url": self.node.url, "in_memory": True, "on_error": self.faults.append, **options}
        cer = Certificates("tests", **given)
        self.addCleanup(cer.close, 0)
        return cer

    def send(self, cer: Certificates) -> None:
        """Sends until there is a fault."""
        while not self.faults and cer.stats().waiting > 0:
            cer.flush(0.01)

    def refused(self, retry_after: str) -> NodeError:
        headers = Message()
        headers["Retry-After"] = retry_after
        answer = mock.Mock(headers=headers, code=503)
        answer.read.return_value = b""
        return _refusal(answer, True)

    def test_wait_that_a_node_asks_for_has_an_end(self) -> None:
        for retry_after in ("999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 -0000"):
            with self.subTest(retry_after):
                self.assertIn(self.refused(retry_after).retry_after, (0, 24 * 60 * 60))
        for retry_after in (" ", "-1", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 -0000", "²"):
            with self.subTest(retry_after):
                self.assertEqual(self.refused(retry_after).retry_after, 0)
        self.assertEqual(self.refused("7").retry_after, 7)

    @mock.patch("cer_client.evidence._has_warned", False)
    def test_refused_key_is_one_warning_without_on_error(self) -> None:
        self.node.request_status = 401
        warned = threading.Event()
        with mock.patch("warnings.warn", side_effect=lambda *_, **__: warned.set()) as warn:
            cer = self.certificates(on_error=None)
            record(cer)
            self.assertTrue(warned.wait(30))
            while cer.stats().errors < 2:
                cer.flush(0.01)
        self.assertEqual(warn.call_count, 1)
        self.assertIn("calls are not certified yet: ", warn.call_args.args[0])

    def test_bundle_is_kept_until_the_answer_names_it(self) -> None:
        wrong: List[Dict[str, Any]] = [{"ok": True}, {"certificateHash": "sha256:0"}]
        self.node.answers = lambda bundle: (200, wrong.pop(0)) if wrong else self.node.attest(bundle)
        cer = self.certificates()
        record(cer)
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual([str(fault) for fault in self.faults], ["the answer does not name the hash of the bundle"] * 2)
        self.assertEqual((cer.stats().attested, len(self.node.attested)), (1, 1))

    def test_project_is_kept_until_the_answer_names_it(self) -> None:
        wrong = [{"ok": True}, {"projectHash": "sha256:0"}]
        register = self.node.register

        def answered(project: Dict[str, Any]) -> Tuple[int, str]:
            return (200, json.dumps(wrong.pop(0))) if wrong else register(project)

        cer = self.certificates()
        with mock.patch.object(self.node, "register", side_effect=answered):
            with cer.run("case-7"):
                record(cer)
            self.assertEqual(cer.flush(30), 0)
        self.assertEqual([str(fault) for fault in self.faults], ["the answer does not name the hash of the bundle"] * 2)
        self.assertEqual((cer.stats().projects, len(self.node.registered)), (1, 1))

    def bad_first(self, answer: Tuple[int, Dict[str, Any]], count: int) -> List[str]:
        """A node that answers so for the first bundles that it sees. Returns their hashes."""
        bad: List[str] = []

        def answered(bundle: Dict[str, Any]) -> Tuple[int, Dict[str, Any]]:
            name = bundle["certificateHash"]
            if len(bad) < count and name not in bad:
                bad.append(name)
            return answer if name in bad else self.node.attest(bundle)

        self.node.answers = answered
        return bad

    def send_all_but(self, count: int, cer: Certificates) -> None:
        while cer.stats().waiting > count and len(self.faults) < 1000:
            cer.flush(0.01)

    def test_others_are_sent_behind_a_bundle_that_the_node_cannot_attest(self) -> None:
        for answer in ((500, {"error": "INTERNAL_ERROR"}), (200, {"certificateHash": "sha256:0"})):
            with self.subTest(answer):
                self.faults.clear()
                self.node.attested.clear()
                bad = self.bad_first(answer, 1)
                cer = self.certificates()
                with mock.patch.object(cer._evidence._drain, "start"):
                    for _ in range(4):
                        record(cer)
                self.send_all_but(1, cer)
                self.assertEqual((len(self.node.attested), cer.stats().waiting, cer.stats().dead), (3, 1, 0))
                self.assertIn(bad[0], str(self.faults[0]))
                self.node.answers = self.node.attest
                self.assertEqual(cer.flush(30), 0)
                self.assertEqual(len(self.node.attested), 4)

    def test_others_are_sent_behind_more_of_them_than_one_request_has(self) -> None:
        self.bad_first((500, {"error": "INTERNAL_ERROR"}), 6)
        cer = self.certificates()
        cer._evidence._drain._sender._most = 2
        with mock.patch.object(cer._evidence._drain, "start"):
            for _ in range(7):
                record(cer)
        self.send_all_but(6, cer)
        self.assertEqual((len(self.node.attested), cer.stats().waiting, cer.stats().dead), (1, 6, 0))

    def test_project_waits_for_a_call_that_the_node_cannot_attest(self) -> None:
        self.node.needs_steps = True
        self.bad_first((500, {"error": "INTERNAL_ERROR"}), 1)
        cer = self.certificates()
        with mock.patch.object(cer._evidence._drain, "start"):
            with cer.run("case-7"):
                record(cer)
                record(cer)
            record(cer)
        self.send_all_but(2, cer)
        before = len(self.faults)
        while len(self.faults) < before + 5:
            cer.flush(0.01)
        self.assertEqual((cer.stats().dead, cer.stats().waiting, len(self.node.registered)), (0, 2, 0))
        self.node.answers = self.node.attest
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual((cer.stats().dead, len(self.node.registered)), (0, 1))

    def test_project_is_given_up_once_its_call_is_refused(self) -> None:
        wrong = [(500, json.dumps({"error": "INTERNAL_ERROR"}))] * 2

        def answered(_: Dict[str, Any]) -> Tuple[int, str]:
            return wrong.pop() if wrong else (400, json.dumps({"error": "ATTESTATION_MISSING"}))

        dead: List[str] = []
        cer = self.certificates(on_dead_letter=lambda _, code: dead.append(code))
        with mock.patch.object(self.node, "register", side_effect=answered) as register:
            with mock.patch.object(cer._evidence._drain, "start"):
                with cer.run("case-7"):
                    record(cer)
                record(cer)
            while cer.stats().waiting > 0 and register.call_count < 20:
                cer.flush(0.01)
            cer._evidence._drain.stop()
        self.assertEqual((dead, wrong), (["ATTESTATION_MISSING"], []))

    def test_sends_again_after_a_wait_without_end(self) -> None:
        self.node.request_status, self.node.retry_after = 503, "Fri, 31 Dec 9999 23:59:59 GMT"
        cer = self.certificates()
        record(cer)
        drain = cer._evidence._drain
        with drain._changed:
            drain._changed.wait_for(lambda: drain._not_before > 0)
        self.node.request_status = 200
        self.assertEqual(cer.flush(30), 0)

    def test_fewer_bundles_are_sent_after_a_request_that_is_too_large(self) -> None:
        self.node.most_lines = 3
        dead: List[str] = []
        cer = self.certificates(on_dead_letter=lambda _, code: dead.append(code))
        with mock.patch.object(cer._evidence._drain, "start"):
            for _ in range(10):
                record(cer)
        self.send(cer)
        self.assertEqual((self.faults, len(self.node.attested), dead), ([], 10, []))
        self.node.most_lines = 0
        record(cer)
        self.send(cer)
        self.assertEqual((self.faults, cer.stats().waiting, dead), ([], 0, ["RATE_LIMITED"]))

    def test_limit_is_met_once_in_many_requests(self) -> None:
        self.node.most_lines = 3
        cer = self.certificates()
        with mock.patch.object(cer._evidence._drain, "start"):
            for _ in range(66):
                record(cer)
        self.send(cer)
        self.assertEqual((self.faults, len(self.node.attested)), ([], 66))
        # Five until one fits; then two in the 27 requests of 2 or 3 bundles.
        self.assertLessEqual(self.node.too_large, 7)

    def test_thread_that_could_not_be_started_is_started_later(self) -> None:
        cer = self.certificates()
        with mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
            record(cer)
            self.assertEqual(cer.flush(0), 1)
        self.assertEqual({str(fault) for fault in self.faults}, {"can't start new thread"})
        self.assertEqual(cer.flush(30), 0)

    def test_call_that_a_garbage_collection_ends_holds_up_nothing(self) -> None:
        cer = self.certificates()
        notify_all = threading.Condition.notify_all

        class Left:
            """Part of a circle of references, as a stream that the program left."""

            def __init__(self) -> None:
                self.itself = self

            def __del__(self) -> None:
                record(cer, "left")

        def collect(condition: threading.Condition) -> None:
            gc.collect()
            notify_all(condition)

        def work() -> None:
            Left()
            with mock.patch.object(threading.Condition, "notify_all", collect):
                record(cer)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        # Only a thread that waits for itself takes this long.
        thread.join(30)
        self.assertFalse(thread.is_alive())
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(cer.stats().attested, 2)

    def test_flush_may_wait_without_an_end(self) -> None:
        cer = self.certificates()
        record(cer)
        self.assertEqual(cer.flush(math.inf), 0)

    def test_interrupted_flush_is_over(self) -> None:
        cer = self.certificates(node_url=NODE_DOWN)
        record(cer)
        with (
            mock.patch("threading.Condition.wait", side_effect=KeyboardInterrupt),
            self.assertRaises(KeyboardInterrupt),
        ):
            cer.flush(30)
        self.assertEqual(cer._evidence._drain._flushing, 0)

    def test_results_of_other_bundles_are_not_taken(self) -> None:
        def answers(bundle: Dict[str, Any]) -> Tuple[int, Dict[str, Any]]:
            return 400, {"error": "BUNDLE_INVALID"}

        self.node.answers = answers
        for index_of in (lambda index: index + 1, lambda index: "0", lambda index: None):
            with self.subTest(index_of(0)):
                self.node.index_of = index_of
                dead: List[str] = []
                cer = self.certificates(on_dead_letter=lambda _, code, dead=dead: dead.append(code))
                self.faults.clear()
                record(cer)
                self.send(cer)
                self.assertEqual((dead, cer.stats().waiting), ([], 1))
                self.assertEqual(
                    [str(fault) for fault in self.faults[:1]], ["a line of the answer is not {index, status, body}"]
                )

    def test_more_results_than_bundles_are_refused(self) -> None:
        self.node.repeats = 2
        cer = self.certificates()
        record(cer)
        self.send(cer)
        self.assertEqual([str(fault) for fault in self.faults[:1]], ["the answer has more lines than the batch"])
        self.assertEqual(cer.stats().waiting, 1)

    def test_answer_without_an_end_is_given_up(self) -> None:
        cer = self.certificates()
        with mock.patch("cer_client.node.MAX_ANSWER_BYTES", 100):
            record(cer)
            self.send(cer)
            self.assertEqual([str(fault) for fault in self.faults[:1]], ["the answer is larger than 100 bytes"])
        self.assertEqual(cer.flush(30), 0)

    def test_answer_that_is_cut_off_is_a_lost_connection(self) -> None:
        self.node.cut_off = 5
        cer = self.certificates()
        record(cer)
        self.send(cer)
        self.assertRegex(str(self.faults[0]), "^the node cannot be reached: .*: IncompleteRead$")
        self.node.cut_off = 0
        self.assertEqual(cer.flush(30), 0)


if __name__ == "__main__":
    unittest.main()
