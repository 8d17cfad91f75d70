"""Bundles that break each request that has them, against a local server that answers as a node does."""

from __future__ import annotations

import shutil
import tempfile
import time
import unittest
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

from test_spool import Node, call

from cer_client import Certificates

# Instead of a status: the connection is closed without an answer.
CLOSED = 0


def name_of(bundle: Dict[str, Any]) -> str:
    return str(bundle.get("projectTitle") or bundle["snapshot"]["model"])


def breaks_of(name: str, status: int) -> Callable[[List[str]], Optional[int]]:
    return lambda names: status if name in names else None


def always(status: int) -> Callable[[List[str]], Optional[int]]:
    return lambda _: status


class FaultyNode(Node):
    """A node, or what is before it, that breaks whole requests; `sent` has the names of the bundles that it took."""

    def __init__(self) -> None:
        super().__init__()
        self.breaks_names: Callable[[List[str]], Optional[int]] = lambda _: None
        self.breaks = self._broken
        # The names in each request, and the status of the line of a bundle.
        self.asked: List[List[str]] = []
        self.status_of: Callable[[str], int] = lambda _: 200
        self.answers = self._answered
        self.sent: List[str] = []
        self.needs_steps = True

    def _broken(self, bundles: List[Dict[str, Any]]) -> Optional[int]:
        names = [name_of(bundle) for bundle in bundles]
        self.asked.append(names)
        return self.breaks_names(names)

    def _answered(self, bundle: Dict[str, Any]) -> Any:
        status = self.status_of(name_of(bundle))
        if status != 200:
            return status, {"error": "SERVICE_UNAVAILABLE"}
        if name_of(bundle) not in self.sent:
            self.sent.append(name_of(bundle))
        return self.attest(bundle)

    def register(self, project: Dict[str, Any]) -> Any:
        status, text = super().register(project)
        if status == 200:
            self.sent.append(name_of(project))
        return status, text


class FaultyBundlesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.node = FaultyNode()
        self.addCleanup(self.node.close)
        self.faults: List[BaseException] = []
        self.dead: List[str] = []
        self.repair_after = 1_000_000
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(lambda: self.folder.unlink() if self.folder.is_file() else shutil.rmtree(self.folder))
        self.cer = self.certificates()

    def certificates(self) -> Certificates:
        cer = Certificates(
            "tests",
            node_url=self.node.url,
            spool_dir=str(self.folder),
            on_error=self.failed,
            on_dead_letter=lambda _, code: self.dead.append(code),
        )
        self.addCleanup(cer.close, 0)
        return cer

    def failed(self, fault: BaseException) -> None:
        self.faults.append(fault)
        if len(self.faults) == self.repair_after:
            self.node.breaks_names = lambda _: None

    def calls(self, *names: str) -> None:
        with mock.patch.object(self.cer._evidence._drain, "start"):
            for name in names:
                started = self.cer._recorder.begin("local:example-1", lambda: "hello")
                assert started is not None
                started.end("complete", partial(call, model=name))

    def project(self, title: str, *names: str) -> None:
        with mock.patch.object(self.cer._evidence._drain, "start"), self.cer.run(title):
            self.calls(*names)

    def postponed(self) -> List[str]:
        return [str(fault) for fault in self.faults if "behind the others" in str(fault)]

    def send_all_but(self, count: int) -> None:
        while self.cer.stats().waiting > count and len(self.faults) < 200:
            self.cer.flush(0.005)

    def test_is_sent_alone_behind_the_others(self) -> None:
        names = [f"call-{at}" for at in range(40)]
        for status in (500, 502, 503, 400, 403, CLOSED):
            with self.subTest(status):
                self.faults.clear()
                self.node.sent.clear()
                self.node.asked.clear()
                self.node.breaks_names = breaks_of("bad", status)
                self.calls(*names[:8], "bad", *names[8:])
                self.send_all_but(1)
                self.assertEqual((self.node.sent, self.dead, self.cer.stats().waiting), (names, [], 1))
                self.calls("later")
                self.send_all_but(1)
                self.assertEqual([asked for asked in self.node.asked if {"bad", "later"} <= set(asked)], [])
                self.assertEqual(len(self.postponed()), 1)
                self.node.breaks_names = lambda _: None
                self.assertEqual(self.cer.flush(30), 0)
                self.assertEqual(self.node.sent, [*names, "later", "bad"])
        self.assertEqual((self.cer.stats().attested, self.cer.stats().dead), (6 * 42, 0))

    def test_may_be_one_of_several(self) -> None:
        self.node.breaks_names = lambda names: CLOSED if any(name.startswith("bad") for name in names) else None
        self.calls("a", "bad-1", "bad-2", "b", "bad-3", "c")
        self.send_all_but(3)
        self.assertEqual(sorted(self.node.sent), ["a", "b", "c"])
        self.assertEqual(len(self.postponed()), 3)
        self.node.breaks_names = breaks_of("bad-1", CLOSED)
        self.send_all_but(1)
        self.assertEqual(sorted(self.node.sent), ["a", "b", "bad-2", "bad-3", "c"])

    def test_holds_up_its_project_and_no_other(self) -> None:
        self.node.breaks_names = breaks_of("bad", 502)
        self.project("held", "a", "bad")
        self.project("sent", "b")
        self.send_all_but(2)
        self.assertEqual(self.node.sent, ["a", "b", "sent"])
        self.node.breaks_names = lambda _: None
        self.assertEqual(self.cer.flush(30), 0)
        self.assertEqual((self.node.sent, self.dead), (["a", "b", "sent", "bad", "held"], []))

    def test_may_be_a_project(self) -> None:
        self.node.breaks_names = breaks_of("bad", 502)
        self.project("bad", "a")
        self.calls("b")
        self.send_all_but(1)
        self.assertEqual(self.node.sent, ["a", "b"])
        self.node.breaks_names = lambda _: None
        self.assertEqual(self.cer.flush(30), 0)
        self.assertEqual(self.node.sent, ["a", "b", "bad"])

    def test_is_not_seen_in_a_node_that_is_down(self) -> None:
        names = [f"call-{at}" for at in range(300)]
        for status in (503, CLOSED):
            with self.subTest(status):
                for found in (self.faults, self.node.sent, self.node.asked):
                    found.clear()
                self.node.breaks_names = always(status)
                self.calls(*names)
                self.repair_after = 40
                while len(self.faults) < self.repair_after:
                    self.cer.flush(0.005)
                self.assertEqual(self.cer.flush(30), 0)
                self.assertEqual((self.node.sent, self.postponed(), len(self.faults)), (names, [], 40))
                # One for each pause, five to compare with, and few when it is up: they are soon as large as before.
                self.assertLessEqual(len(self.node.asked), 40 + 5 + 4)

    def test_is_not_seen_in_a_node_that_asks_to_wait(self) -> None:
        self.node.breaks_names = breaks_of("first", 429)
        self.calls("first", "second")
        while len(self.faults) < 30:
            self.cer.flush(0.005)
        self.assertEqual((self.node.sent, self.postponed()), ([], []))

    def test_waits_longer_after_each_failure(self) -> None:
        self.node.breaks_names = breaks_of("bad", CLOSED)
        self.calls("bad", "a")
        self.send_all_but(1)
        drain = self.cer._evidence._drain
        before = len(self.faults)
        while len(self.faults) < before + 5:
            self.cer.flush(0.005)
        self.assertGreaterEqual(drain._failures_apart, 5)

    def test_is_asked_for_with_pauses_that_hold_up_no_other(self) -> None:
        self.node.breaks_names = breaks_of("bad", CLOSED)
        self.calls("bad", "a")
        self.send_all_but(1)
        self.node.breaks_names, self.node.retry_after = breaks_of("bad", 503), "86400"
        while "503" not in str(self.faults[-1]):
            time.sleep(0.01)
        self.node.asked.clear()
        for names in (("b", "c"), ("d",)):
            self.calls(*names)
            self.cer._evidence._drain.start()
            ends_at = time.monotonic() + 30
            while self.cer.stats().waiting > 1 and time.monotonic() < ends_at:
                time.sleep(0.01)
        self.assertEqual(self.node.sent, ["a", "b", "c", "d"])
        self.assertNotIn("bad", sum(self.node.asked, []))

    def test_in_a_segment_of_an_ended_process_is_compared_with_others_of_this_one(self) -> None:
        self.node.breaks_names = breaks_of("bad", CLOSED)
        self.calls("bad")
        self.cer.close(0)
        (own,) = self.folder.glob("[0-9]*.ndjson")
        own.rename(self.folder / f"999999999-{'0' * 16}.ndjson")
        self.cer = self.certificates()
        self.calls("a")
        self.send_all_but(1)
        self.assertEqual(self.node.sent, ["a"])

    def break_disk(self) -> None:
        """The folder takes no further bundle; those that it has are sent."""
        shutil.rmtree(self.folder)
        self.folder.write_text("not a folder")

    def test_does_not_hold_up_those_in_memory(self) -> None:
        self.node.breaks_names = breaks_of("bad", CLOSED)
        self.calls("bad")
        self.break_disk()
        self.calls("a", "b")
        self.send_all_but(1)
        self.assertEqual(self.node.sent, ["a", "b"])
        self.node.breaks_names = lambda _: None
        self.assertEqual(self.cer.flush(30), 0)
        self.assertEqual(self.node.sent, ["a", "b", "bad"])

    def send_from_full_folder(self) -> None:
        self.calls("bad", "a", "b")
        self.break_disk()
        self.calls("c")
        self.send_all_but(1)
        self.assertEqual((self.node.sent, self.cer.stats().waiting), (["a", "b", "c"], 1))
        self.node.breaks_names, self.node.status_of = lambda _: None, lambda _: 200
        self.assertEqual(self.cer.flush(30), 0)
        self.assertEqual(self.node.sent, ["a", "b", "c", "bad"])

    def test_does_not_hold_up_those_of_a_folder_that_takes_no_more(self) -> None:
        self.node.breaks_names = breaks_of("bad", CLOSED)
        self.send_from_full_folder()

    def test_with_a_fault_in_its_line_does_not_hold_up_those_of_such_a_folder(self) -> None:
        self.node.status_of = lambda name: 500 if name == "bad" else 200
        self.send_from_full_folder()

    def refuse_line(self, status: int) -> None:
        self.node.status_of = lambda name: status if name == "bad" else 200
        self.calls("bad")
        self.break_disk()
        self.calls("a", "b")
        self.send_all_but(1)
        self.assertEqual(self.node.sent, ["a", "b"])

    def test_with_a_fault_in_its_line_does_not_hold_up_those_in_memory(self) -> None:
        self.refuse_line(500)

    def test_that_is_not_available_does_not_hold_up_those_in_memory(self) -> None:
        self.refuse_line(503)

    def test_lets_those_behind_its_project_in_memory_pass(self) -> None:
        self.node.status_of = lambda name: 500 if name == "bad" else 200
        with mock.patch.object(self.cer._evidence._drain, "start"), self.cer.run("held"):
            self.calls("bad")
            self.break_disk()
        self.calls("a", "b")
        self.send_all_but(2)
        self.assertEqual(self.node.sent, ["a", "b"])
        self.node.status_of = lambda _: 200
        self.assertEqual(self.cer.flush(30), 0)
        self.assertEqual((self.node.sent, self.dead), (["a", "b", "bad", "held"], []))


if __name__ == "__main__":
    unittest.main()
