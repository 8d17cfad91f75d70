"""Functions as tools, projects and reports of coverage, against a local server that answers as a node does."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import gc
import io
import json
import os
import threading
import unittest
import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Dict, Generator, List, Tuple
from unittest import mock

from certified_program import NODE_DOWN, SECRET, CertifiedProgram, hash_of
from test_spool import Node, record

import cer_verify
from cer_client import Certificates, CertifiedProject, SpoolFullError
from cer_client.node import NodeError
from cer_client.projects import is_project
from cer_client.segment import Segment
from cer_client.spool import FileSpool


class Case(CertifiedProgram):
    def texts(self) -> List[str]:
        return [line for path in sorted(self.folder.glob("[0-9]*.ndjson")) for line in path.read_text().splitlines()]

    def bundles(self) -> List[Dict[str, Any]]:
        """The sealed calls, each verified."""
        found = [json.loads(line)["bundle"] for line in self.texts()]
        calls = [bundle for bundle in found if "snapshot" in bundle]
        for bundle in calls:
            report = cer_verify.verify(cer_verify.parse_json(json.dumps(bundle).encode()))
            self.assertTrue(report.ok, report.findings)
        return calls

    def projects(self) -> List[Dict[str, Any]]:
        """The sealed projects, each verified."""
        found = [json.loads(line)["bundle"] for line in self.texts()]
        projects = [bundle for bundle in found if "stepRegistry" in bundle]
        for project in projects:
            report = cer_verify.verify_project(cer_verify.parse_json(json.dumps(project).encode()))
            self.assertEqual(
                (report.status, report.project_hash_valid, report.structural_valid), ("VERIFIED", True, True)
            )
        return projects


class Colour(Enum):
    RED = "red"


class ArrayLike:
    def tolist(self) -> List[int]:
        return [1, 2]


@dataclasses.dataclass
class Place:
    city: str
    at: datetime


class Tools(Case):
    def test_results_and_errors_are_those_of_the_function(self) -> None:
        cer = self.certificates()
        fault = TypeError(SECRET)

        @cer.tool
        def add(a: int, b: int = 2, *more: int, **named: int) -> int:
            """The sum of two numbers."""
            return a + b

        @cer.tool(name="look_up")
        async def later(city: str) -> str:
            await asyncio.sleep(0)
            return city

        def fails() -> None:
            raise fault

        async def rejects() -> None:
            raise fault

        self.assertEqual((add(1), add(1, b=4), add(1, 2, 3, c=4)), (3, 5, 3))
        self.assertEqual((add.__name__, add.__doc__), ("add", "The sum of two numbers."))
        self.assertEqual(asyncio.run(later(SECRET)), SECRET)
        for work in (cer.tool(fails), lambda: asyncio.run(cer.tool(rejects)())):
            with self.assertRaises(TypeError) as caught:
                work()
            self.assertIs(caught.exception, fault)
        snapshots = [bundle["snapshot"] for bundle in self.bundles()]
        outcomes = [bundle["context"]["signals"][0]["payload"] for bundle in self.bundles()]
        self.assertEqual([one["model"] for one in snapshots], ["add"] * 3 + ["look_up", "fails", "rejects"])
        self.assertEqual([one["outcome"] for one in outcomes], ["complete"] * 4 + ["failed"] * 2)
        inputs = [
            {"a": 1},
            {"a": 1, "b": 4},
            {"a": 1, "b": 2, "more": [3], "named": {"c": 4}},
            {"city": SECRET},
            {},
            {},
        ]
        self.assertEqual([one["inputHash"] for one in snapshots], [hash_of(one) for one in inputs])
        outputs = [{"value": 3}, {"value": 5}, {"value": 3}, SECRET, {}, {}]
        self.assertEqual([one["outputHash"] for one in snapshots], [hash_of(one) for one in outputs])
        self.assertEqual({one["provider"] for one in snapshots}, {"tool"})
        self.assertNotIn(SECRET, "".join(self.texts()))
        self.no_faults()

    def test_values_of_python(self) -> None:
        cer = self.certificates()
        at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
        given: Dict[str, Any] = {"place": Place("Lisbon", at), "price": Decimal("1.10"), "path": Path("a/b")}
        given.update(
            colour=Colour.RED, cities={"b", "a", "c"}, wait=timedelta(hours=1), last=deque([1]), by={Colour.RED: 1}
        )
        given["array"] = ArrayLike()
        self.assertEqual(cer.tool(lambda **values: values["place"])(**given), given["place"])
        snapshot = self.bundles()[0]["snapshot"]
        place = {"city": "Lisbon", "at": "2026-01-02T03:04:05+00:00"}
        values: Dict[str, Any] = {"place": place, "price": "1.10", "colour": "red", "path": "a/b", "array": [1, 2]}
        values.update(cities=["a", "b", "c"], wait="1:00:00", last=[1], by={"red": 1})
        self.assertEqual(snapshot["inputHash"], hash_of({"values": values}))
        self.assertEqual(snapshot["outputHash"], hash_of(place))

    def test_arguments_that_json_does_not_hold_are_named(self) -> None:
        cer = self.certificates()
        named = type("the card 4111", (), {})()
        cer.tool(lambda *given: len(given))(io.StringIO(), [object(), map(str, [])], io.StringIO(), named, len, int)
        cer.tool(lambda *given: len(given))({"a": [1, b"", None]})
        payloads = [bundle["context"]["signals"][0]["payload"] for bundle in self.bundles()]
        kinds = ["StringIO", "object", "map", "builtin_function_or_method", "type"]
        self.assertEqual(payloads, [{"outcome": "complete", "inputWithout": kinds}, {"outcome": "complete"}])
        self.no_faults()

    def test_results_that_json_does_not_hold_are_not_certified(self) -> None:
        cer = self.certificates()
        results: List[Any] = [io.StringIO("a"), [object()], map(str, [1]), {"rows": iter([1])}, len]
        for result in results:
            self.assertIs(cer.tool(lambda value: value)(result), result)
        self.assertEqual(list(cer.tool(lambda: (one for one in results))()), results)
        self.assertEqual((cer.stats().seen, cer.stats().unsealed, cer.stats().sealed), (6, 6, 0))
        rule = "a call is not certified: its content has a value that JSON does not hold, such as a file"
        self.assertEqual({str(fault) for fault in self.faults}, {rule})

    def test_arguments_are_those_of_the_call(self) -> None:
        cer = self.certificates()

        @cer.tool
        def empty(items: List[int]) -> None:
            items.clear()

        empty([1, 2])
        self.assertEqual(self.bundles()[0]["snapshot"]["inputHash"], hash_of({"items": [1, 2]}))
        with self.assertRaises(TypeError):
            empty()  # type: ignore[call-arg]
        self.assertEqual(self.bundles()[1]["snapshot"]["inputHash"], hash_of({"args": [], "kwargs": {}}))
        # A function of the interpreter without a signature.
        self.assertEqual(cer.tool(dict.fromkeys)("a"), {"a": None})
        self.no_faults()

    def test_cancelled_call_is_aborted(self) -> None:
        cer = self.certificates()

        @cer.tool
        async def slow() -> None:
            await asyncio.sleep(60)

        async def work() -> None:
            task = asyncio.ensure_future(slow())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(work())
        self.assertEqual(self.bundles()[0]["context"]["signals"][0]["payload"], {"outcome": "aborted"})

    def test_function_that_returns_a_coroutine(self) -> None:
        cer = self.certificates()

        async def later(text: str) -> str:
            return text

        def made(text: str) -> Any:
            return later(text)

        self.assertEqual(asyncio.run(cer.tool(made)("a")), "a")
        self.assertEqual(self.bundles()[0]["snapshot"]["outputHash"], hash_of("a"))

    def test_future_is_followed_and_is_the_same(self) -> None:
        cer = self.certificates()
        with ThreadPoolExecutor(1) as pool:
            held = threading.Event()
            future = cer.tool(lambda: pool.submit(held.wait), name="submit")()
            self.assertEqual((self.bundles(), cer.stats().open), ([], 1))
            held.set()
            self.assertIs(future.result(), True)
            failing = cer.tool(lambda: pool.submit(int, "no"), name="submit")()
            self.assertIsInstance(failing.exception(), ValueError)

        async def work() -> None:
            loop = asyncio.get_running_loop()
            futures = [cer.tool(loop.create_future, name="future")() for _ in range(3)]
            futures[0].set_result("Lisbon")
            futures[1].set_exception(ValueError(SECRET))
            futures[2].cancel()
            await asyncio.gather(*futures, return_exceptions=True)

        asyncio.run(work())
        outcomes = [bundle["context"]["signals"][0]["payload"]["outcome"] for bundle in self.bundles()]
        self.assertEqual(outcomes, ["complete", "failed", "complete", "failed", "aborted"])
        self.no_faults()

    def test_error_that_nobody_asks_for_is_still_reported(self) -> None:
        reported: List[Any] = []

        async def work() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))
            future = self.certificates().tool(loop.create_future, name="future")()
            future.set_exception(ValueError("unread"))
            await asyncio.sleep(0)
            del future
            gc.collect()

        asyncio.run(work())
        self.assertEqual([str(error) for error in reported], ["unread"])

    def test_methods_are_certified_without_their_object(self) -> None:
        cer = self.certificates()

        class Desk:
            key = "a key of the desk"

            @cer.tool
            def ask(self, city: str) -> str:
                return city

            @classmethod
            @cer.tool
            def name(cls, city: str) -> str:
                return city

            @staticmethod
            @cer.tool
            def plain(city: str) -> str:
                return city

        desk = Desk()
        self.assertEqual([desk.ask("a"), Desk.name("a"), desk.plain("a")], ["a"] * 3)
        self.assertEqual({bundle["snapshot"]["inputHash"] for bundle in self.bundles()}, {hash_of({"city": "a"})})
        for wrapper in (classmethod, staticmethod):
            with self.assertRaisesRegex(TypeError, f"cer.tool goes below @{wrapper.__name__}"):
                cer.tool(wrapper(lambda *_: None))  # type: ignore[type-var]

    def test_names(self) -> None:
        cer = self.certificates()

        class Asking:
            def __call__(self, city: str) -> str:
                return city

        def ask(city: str) -> str:
            return city

        for function in (Asking(), partial(ask), partial(partial(ask))):
            self.assertEqual(cer.tool(function)("a"), "a")
        self.assertEqual([bundle["snapshot"]["model"] for bundle in self.bundles()], ["Asking", "ask", "ask"])
        for name in ("a\nb", "\U0001f600" * 200, "\ud800"):
            with self.assertRaisesRegex(ValueError, "^name: must have 1 to 256 characters"):
                cer.tool(ask, name=name)
        with self.assertRaisesRegex(TypeError, "cer.tool takes a function"):
            cer.tool("look_up")  # type: ignore[call-overload]

    def test_object_whose_call_is_asynchronous(self) -> None:
        cer = self.certificates()

        class Asking:
            async def __call__(self, city: str) -> str:
                return city

        asking = cer.tool(Asking())
        self.assertTrue(asyncio.iscoroutinefunction(asking))
        self.assertEqual(asyncio.run(asking("a")), "a")
        self.assertEqual(len(self.bundles()), 1)

    def test_asynchronous_call_that_is_refused_or_cannot_be_made(self) -> None:
        async def ask(city: str) -> str:
            return city

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            full = self.certificates(in_memory=True, max_spool_bytes=0, on_full="raise-before-call")
            with self.assertRaises(SpoolFullError):
                asyncio.run(full.tool(ask)("a"))
            with self.assertRaises(TypeError):
                asyncio.run(self.certificates().tool(ask)())  # type: ignore[call-arg]
            gc.collect()
        (bundle,) = self.bundles()
        self.assertEqual(bundle["context"]["signals"][0]["payload"], {"outcome": "failed"})

    def test_faults_of_values_say_nothing_of_them(self) -> None:
        class Model:
            def model_dump(self) -> Any:
                raise RuntimeError(SECRET)

        cer = self.certificates()
        many: List[Any] = []
        for _ in range(30):
            many = [many, many]
        for value in (Model(), many):
            self.assertIs(cer.tool(lambda given: given)(value), value)
        self.assertEqual((cer.stats().seen, cer.stats().unsealed), (2, 2))
        texts = [str(fault) for fault in self.faults if not isinstance(fault, NodeError)]
        self.assertEqual(texts, ["a value cannot be read: RuntimeError", "a value has too many values"])

    def test_runs_although_its_values_have_no_json(self) -> None:
        cer = self.certificates()
        circle: List[Any] = []
        circle.append(circle)
        self.assertIs(cer.tool(lambda value: value)(circle), circle)
        self.assertIs(cer.tool(lambda: circle)(), circle)
        self.assertEqual((cer.stats().seen, cer.stats().unsealed, cer.stats().open), (2, 2, 0))

    def test_full_spool(self) -> None:
        made: List[int] = []
        cer = self.certificates(max_spool_bytes=0, on_full="raise-before-call")
        with self.assertRaises(SpoolFullError):
            cer.tool(made.append)(1)
        self.assertEqual(made, [])


class Projects(Case):
    def test_has_only_the_calls_of_its_block(self) -> None:
        cer, other = self.certificates(), self.certificates(in_memory=True)

        @cer.tool
        def look_up(city: str) -> Dict[str, str]:
            return {"city": city}

        record(cer, "before")
        with cer.run("case-7"):
            record(cer, "first")
            record(other, "of another client")
            look_up(SECRET)
        record(cer, "after")
        (project,) = self.projects()
        self.assertEqual(len(self.bundles()), 4)
        self.assertEqual((project["projectTitle"], project["appName"], project["totalSteps"]), ("case-7", "tests", 2))
        self.assertEqual(project["tags"], ["outcome:complete", "calls-begun:2", "calls-certified:2"])
        steps = [(step["stepType"], step["stepLabel"], step["sequence"]) for step in project["stepRegistry"]]
        self.assertEqual(steps, [("model-call", "example-1", 0), ("tool-call", "look_up", 1)])
        hashes = [bundle["certificateHash"] for bundle in self.bundles()]
        self.assertEqual([step["certificateHash"] for step in project["stepRegistry"]], hashes[1:3])
        self.assertNotIn(SECRET, "".join(self.texts()))
        self.no_faults()

    def test_projects_within_projects_and_side_by_side(self) -> None:
        cer, other = self.certificates(), self.certificates(in_memory=True)

        async def case(name: str, calls: int) -> None:
            with cer.run(name):
                await asyncio.gather(*(call() for _ in range(calls)))

        async def call() -> None:
            await asyncio.sleep(0)
            record(cer)

        async def work() -> None:
            with cer.run("outer"):
                await asyncio.gather(case("one", 1), case("two", 2))
                with other.run("of another client"):
                    record(cer)

        asyncio.run(work())
        found = sorted((project["projectTitle"], project["totalSteps"]) for project in self.projects())
        self.assertEqual(found, [("one", 1), ("outer", 1), ("two", 2)])

    def test_threads_with_a_copy_of_the_context(self) -> None:
        cer = self.certificates()
        with cer.run("case"):
            context = contextvars.copy_context()
            for target, arguments in ((context.run, (record, cer)), (record, (cer,))):
                thread = threading.Thread(target=target, args=arguments)
                thread.start()
                thread.join()
        self.assertEqual(self.projects()[0]["totalSteps"], 1)

    def test_failed_block_has_a_project_and_its_error(self) -> None:
        fault = KeyError(SECRET)
        cer = self.certificates()
        with self.assertRaises(KeyError) as caught, cer.run("case"):
            record(cer)
            raise fault
        self.assertIs(caught.exception, fault)
        self.assertEqual(self.projects()[0]["tags"], ["outcome:failed", "calls-begun:1", "calls-certified:1"])
        self.assertNotIn(SECRET, "".join(self.texts()))

    def test_shows_that_a_call_has_no_certificate(self) -> None:
        cer = self.certificates(certify=lambda url, body: True)
        circle: List[Any] = []
        circle.append(circle)
        with cer.run("case"):
            record(cer)
            cer.tool(lambda: circle)()
            late = cer._recorder.begin("local:late", lambda: "")
            other = cer._recorder.begin("local:certified-elsewhere", lambda: "")
            assert late is not None and other is not None
            other.leave()
        self.assertEqual(self.projects()[0]["tags"], ["outcome:complete", "calls-begun:3", "calls-certified:1"])
        late.miss()

    def test_takes_no_further_call_when_it_is_over(self) -> None:
        cer = self.certificates()

        def steps(name: str) -> Generator[None, None, None]:
            with cer.run(name):
                record(cer)
                yield

        async def work() -> None:
            with cer.run("outer"):
                left = steps("inner")
                next(left)

                async def closes() -> None:
                    left.close()

                # The block of the generator ends in another context than that of its beginning.
                await asyncio.ensure_future(closes())
                record(cer)
                outliving = asyncio.ensure_future(later())
            told[0].set()
            await outliving
            record(cer)

        async def later() -> None:
            await told[0].wait()
            record(cer)

        async def started() -> None:
            told.append(asyncio.Event())
            await work()

        # Made within the loop that waits for it.
        told: List[asyncio.Event] = []
        asyncio.run(started())
        found = [(project["projectTitle"], project["tags"][1]) for project in self.projects()]
        self.assertEqual(found, [("inner", "calls-begun:1"), ("outer", "calls-begun:1")])
        self.assertEqual(len(self.bundles()), 4)

    def test_is_one_block(self) -> None:
        project = self.certificates().run("case")
        with project, self.assertRaisesRegex(RuntimeError, "a project is one block"), project:
            pass

    def test_without_calls_there_is_none(self) -> None:
        with self.certificates().run("empty"):
            pass
        self.assertEqual(self.texts(), [])

    def test_title_is_a_label(self) -> None:
        cer = self.certificates()
        for title, expected in (("x" * 300, "x" * 256), ("", "unnamed")):
            with cer.run(title):
                record(cer)
            self.assertEqual(self.projects()[-1]["projectTitle"], expected)

    def test_full_spool_is_counted(self) -> None:
        cer = self.certificates(max_spool_bytes=1500)
        with cer.run("case"):
            record(cer)
        self.assertEqual((cer.stats().seen, cer.stats().sealed, cer.stats().dropped), (1, 1, 0))
        self.assertIn("a project was not stored: the spool is full", [str(fault) for fault in self.faults])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_is_sealed_by_the_process_that_began_it(self) -> None:
        cer = self.certificates()
        with cer.run("case"):
            record(cer)
            child = os.fork()
            if child == 0:
                record(cer, "of the child")
                cer._evidence.store = mock.Mock(side_effect=os._exit)  # type: ignore[method-assign]
            else:
                os.waitpid(child, 0)
        if child == 0:
            os._exit(0)
        self.assertEqual([project["tags"][1] for project in self.projects()], ["calls-begun:1"])
        self.assertEqual(len(self.bundles()), 2)


class Registration(Case):
    def setUp(self) -> None:
        super().setUp()
        self.node = Node()
        self.addCleanup(self.node.close)

    def test_is_registered_after_its_steps(self) -> None:
        registered: List[CertifiedProject] = []
        cer = self.certificates(node_url=self.node.url, on_project=registered.append)
        with mock.patch.object(cer._evidence._drain, "start"):
            for name in ("one", "two"):
                with cer.run(name):
                    record(cer)
                    record(cer)
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(self.node.requests, ["attest 2", "register one", "attest 2", "register two"])
        self.assertEqual((cer.stats().attested, cer.stats().projects, self.faults), (4, 2, []))
        self.assertEqual([one.project_hash for one in registered], self.node.registered)
        self.assertEqual(registered[0].verification_url, "http://v/p")

    def test_project_that_the_node_refuses_is_a_dead_letter(self) -> None:
        dead: List[Tuple[str, str]] = []
        cer = self.certificates(node_url=self.node.url, on_dead_letter=lambda text, code: dead.append((text, code)))
        self.node.register_status = 400
        with cer.run("case"):
            record(cer)
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual((cer.stats().attested, cer.stats().projects, cer.stats().dead), (1, 0, 1))
        self.assertEqual([code for _, code in dead], ["PROJECT_HASH_MISMATCH"])
        self.assertIn("PROJECT_HASH_MISMATCH", (self.folder / "dead.ndjson").read_text())

    def test_waits_for_a_key_with_the_scope(self) -> None:
        for status in (403, 503):
            cer = self.certificates(node_url=self.node.url)
            self.node.register_status = status
            with cer.run("case"):
                record(cer)
            self.assertEqual(cer.flush(0.3), 1)
            self.node.register_status = 200
            self.assertEqual((cer.flush(30), cer.stats().projects, cer.stats().dead), (0, 1, 0))

    def test_waits_for_what_is_before_the_node(self) -> None:
        cer = self.certificates(node_url=self.node.url)
        for status in (302, 404, 405):
            self.node.register_status, self.node.is_behind_proxy = status, True
            with cer.run("case"):
                record(cer)
            self.assertEqual(cer.flush(0.3), 1)
            self.node.register_status = 200
            self.assertEqual((cer.flush(30), cer.stats().dead), (0, 0))
        self.assertEqual(cer.stats().projects, 3)

    def test_waits_for_calls_behind_it(self) -> None:
        cer = self.certificates(node_url=self.node.url)
        (disk, _) = cer._evidence._spools
        texts: List[str] = []
        with mock.patch.object(disk, "put", side_effect=texts.append), mock.patch.object(cer._evidence._drain, "start"):
            with cer.run("case"):
                record(cer)
            with cer.run("of another node"):
                record(cer)
            call, project, _, lost = texts
            self.assertEqual([is_project(text) for text in texts], [False, True, False, True])
        self.node.needs_steps = True
        for text in (project, lost, call):
            disk.put(text)
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(self.node.requests, ["attest 1", "register case"])
        self.assertEqual((cer.stats().projects, cer.stats().dead), (1, 1))

    def test_takes_segments_by_the_time_of_their_bundles(self) -> None:
        days = ("2026-01-02", "2026-01-01", "2026-01-03")
        bundles = [f'{{"createdAt":"{day}T00:00:00.000Z"}}' for day in days]
        for position, bundle in enumerate(bundles):
            segment = Segment(self.folder / f"99999999{position}-{'0' * 16}.ndjson")
            segment.append(bundle)
            segment.close()
        spool = FileSpool(self.folder, self.faults.append)
        taken: List[str] = []
        batch = spool.next(9)
        while batch is not None:
            taken += batch.texts
            batch.acknowledge(len(batch.texts))
            batch = spool.next(9)
        self.assertEqual(taken, sorted(bundles))

    def test_waits_for_calls_that_another_spool_has(self) -> None:
        cer = self.certificates(node_url=self.node.url)
        disk, memory = cer._evidence._spools
        self.node.needs_steps = True
        full = mock.patch.object(disk, "put", side_effect=OSError("no space"))
        with mock.patch.object(cer._evidence._drain, "start"), cer.run("case"), full:
            record(cer)
        self.assertEqual((disk.waiting, memory.waiting), (1, 1))
        self.assertEqual((cer.flush(30), cer.stats().projects, cer.stats().dead), (0, 1, 0))


class CoverageReports(Case):
    def reports(self) -> List[Dict[str, Any]]:
        found = [bundle for bundle in self.bundles() if bundle["snapshot"]["model"] == "coverage"]
        for bundle in found:
            self.assertEqual(bundle["snapshot"]["provider"], "@cer/client")
            (signal,) = bundle["context"]["signals"]
            self.assertEqual((signal["type"], signal["source"]), ("coverage", "@cer/client"))
        return found

    def payloads(self) -> List[Dict[str, Any]]:
        return [bundle["context"]["signals"][0]["payload"] for bundle in self.reports()]

    def test_states_every_call(self) -> None:
        cer = self.certificates(coverage=True, certify=lambda url, body: body != "private")
        record(cer)
        self.assertIsNone(cer._recorder.begin("local:private", lambda: "private"))
        cer._recorder.pass_over()
        cer.close(0)
        cer.close(0)
        (payload,) = self.payloads()
        facts = {name: payload.pop(name) for name in ("clientId", "startedAt", "report", "previous", "isLast")}
        self.assertEqual((facts["report"], facts["previous"], facts["isLast"]), (1, None, True))
        counts = {"seen": 3, "open": 0, "sealed": 1, "skipped": 1, "unsealed": 1, "dropped": 0, "attested": 0}
        outcomes = {"complete": 1, "aborted": 0, "failed": 0, "truncated": 0}
        self.assertEqual(payload, {**counts, "waiting": 1, "dead": 0, "torn": 0, "outcomes": outcomes})
        snapshot = self.reports()[0]["snapshot"]
        identity = {name: facts[name] for name in ("clientId", "startedAt")}
        self.assertEqual((snapshot["inputHash"], snapshot["outputHash"]), (hash_of(identity), hash_of(payload)))
        self.no_faults()

    def test_names_the_previous_one_and_stops_while_no_call_is_made(self) -> None:
        cer = self.certificates(coverage_every=0.005)
        for count in (1, 2):
            record(cer)
            while len(self.reports()) < count:
                pass
        cer.close(0)
        hashes = [bundle["certificateHash"] for bundle in self.reports()]
        found = [(one["report"], one["previous"], one["seen"], one["isLast"]) for one in self.payloads()]
        self.assertEqual(found, [(1, None, 1, False), (2, hashes[0], 2, False), (3, hashes[1], 2, True)])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_forked_process_is_another_client(self) -> None:
        cer = self.certificates(coverage=True)
        record(cer)
        child = os.fork()
        if child == 0:
            record(cer)
            record(cer)
            cer.close(0)
            os._exit(0)
        os.waitpid(child, 0)
        cer.close(0)
        counts = {payload["clientId"]: payload["seen"] for payload in self.payloads()}
        self.assertEqual(sorted(counts.values()), [1, 2])

    def test_names_a_report_that_is_stored_and_the_last_one_is(self) -> None:
        cer = self.certificates(coverage=True, max_spool_bytes=0)
        record(cer)
        coverage = cer._evidence._coverage
        assert coverage is not None
        coverage.report(False)
        cer.close(0)
        found = [(one["report"], one["previous"], one["isLast"], one["dropped"]) for one in self.payloads()]
        self.assertEqual(found, [(1, None, True, 1)])

    def test_ends_with_its_client(self) -> None:
        before = set(threading.enumerate())
        cer = Certificates("tests", node_url=NODE_DOWN, in_memory=True, coverage_every=0.01)
        (thread,) = set(threading.enumerate()) - before
        del cer
        gc.collect()
        thread.join(30)
        self.assertFalse(thread.is_alive())

    def test_interval_must_be_above_zero(self) -> None:
        for every in (0, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "^coverage_every: must be a number of seconds above 0$"):
                self.certificates(coverage_every=every)


if __name__ == "__main__":
    unittest.main()
