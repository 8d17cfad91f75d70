"""Sealing, the spool and its drain, against a local server that answers as a node does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple
from unittest import mock

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))

import cer_verify  # noqa: E402
from cer_client import Certificates, CertifiedCall, Confidential  # noqa: E402
from cer_client.drain import Drain  # noqa: E402
from cer_client.recorder import SpoolFullError  # noqa: E402
from cer_client.sealing import Call, seal, uuid_v7  # noqa: E402
from cer_client.segment import Segment  # noqa: E402
from cer_client.spool import Batch, FileSpool  # noqa: E402

# Nothing listens there.
NODE_DOWN = "http://127.0.0.1:9"


def call(content: str = "hello", **changes: Any) -> Call:
    facts: Dict[str, Any] = {
        "provider": "local",
        "model": "example-1",
        "input": {"messages": [content]},
        "output": "an answer",
        "output_sha256": None,
        "parameters": {},
        "kind": "model-call",
        "payload": {"outcome": "complete"},
    }
    return Call(**{**facts, **changes})


def record(cer: Certificates, content: str = "hello") -> None:
    started = cer._recorder.begin("local:example-1", lambda: content)
    assert started is not None
    started.end("complete", lambda: call(content))


class Node:
    """Takes batches; `answers` gives the status and body of each line, or of the request where it has an integer."""

    def __init__(self) -> None:
        self.attested: List[str] = []
        self.keys: List[str] = []
        self.answers: Callable[[Dict[str, Any]], Tuple[int, Dict[str, Any]]] = self.attest
        # The status of a request that fails for its bundles, 0 for a connection that is closed without an answer.
        self.breaks: Callable[[List[Dict[str, Any]]], Optional[int]] = lambda _: None
        self.request_status = 200
        self.lines_answered = 500
        # A request with more lines is too large.
        self.most_lines, self.too_large = 500, 0
        # Faults of an answer: other numbers of lines, each line several times, fewer bytes than stated, a header.
        self.index_of: Callable[[int], Any] = lambda index: index
        self.repeats, self.cut_off, self.retry_after = 1, 0, ""
        # Projects by their hashes; whether their steps must be attested; the requests in their order.
        self.registered: List[str] = []
        self.register_status, self.needs_steps, self.is_behind_proxy = 200, False, False
        self.requests: List[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                """Nothing is written to the tests' output."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.keys.append(str(self.headers["authorization"]))
                lines = []
                broken = owner.breaks([json.loads(line) for line in body.splitlines()])
                if broken is not None:
                    self.close_connection = True
                    if broken > 0:
                        self.answer_with(broken, "<h1>Fault</h1>")
                    return
                if self.path == "/v1/project-bundle/register":
                    self.answer_with(*owner.register(json.loads(body)))
                    return
                owner.requests.append(f"attest {len(body.splitlines())}")
                status_of_request = 413 if len(body.splitlines()) > owner.most_lines else owner.request_status
                owner.too_large += status_of_request == 413
                if self.path == "/api/attest-batch" and status_of_request == 200:
                    for index, line in enumerate(body.splitlines()[: owner.lines_answered]):
                        status, answer = owner.answers(json.loads(line))
                        result = json.dumps({"index": owner.index_of(index), "status": status, "body": answer})
                        lines.extend([result] * owner.repeats)
                self.answer_with(status_of_request, "\n".join(lines) if lines else json.dumps(owner.refusal()))

            def answer_with(self, status: int, text: str) -> None:
                content = text.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content) + owner.cut_off))
                if owner.retry_after:
                    self.send_header("Retry-After", owner.retry_after)
                self.end_headers()
                self.wfile.write(content)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def refusal(self) -> Dict[str, str]:
        if self.request_status != 401:
            return {"error": "RATE_LIMITED"}
        return {"error": "UNAUTHORIZED", "message": "the API key is unknown or revoked"}

    def register(self, project: Dict[str, Any]) -> Tuple[int, str]:
        status, code = self.register_status, {400: "PROJECT_HASH_MISMATCH"}.get(self.register_status, "REFUSED")
        if self.needs_steps and not {step["executionId"] for step in project["stepRegistry"]} <= set(self.attested):
            status, code = 400, "ATTESTATION_MISSING"
        if status != 200:
            return status, "<h1>Maintenance</h1>" if self.is_behind_proxy else json.dumps({"error": code})
        self.requests.append(f"register {project['projectTitle']}")
        self.registered.append(project["integrity"]["projectHash"])
        answer = {"ok": True, "projectHash": self.registered[-1], "verificationUrl": "http://v/p"}
        return 200, json.dumps(answer)

    def attest(self, bundle: Dict[str, Any]) -> Tuple[int, Dict[str, Any]]:
        self.attested.append(bundle["snapshot"]["executionId"])
        return 200, {"certificateHash": bundle["certificateHash"], "cer": bundle, "verificationUrl": "http://v"}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class SealingTest(unittest.TestCase):
    def test_bundles_verify_under_every_protocol(self) -> None:
        numbers = {"temperature": 0.2, "maxTokens": 5, "topP": None, "seed": None}
        for protocol in ("1.2.0", "1.3.0", "1.3.1"):
            sealed = seal(call(parameters=numbers), uuid_v7(), "tests", "2026-01-02T03:04:05.678Z", protocol, "prompt")
            report = cer_verify.verify(cer_verify.parse_json(sealed.text.encode()))
            self.assertEqual((report.status, report.certificate_hash), ("VERIFIED", sealed.certificate_hash))
            self.assertNotIn("hello", sealed.text)
            self.assertEqual(sealed.openings is not None, protocol == "1.3.1")

    def test_ids_are_ordered_by_time(self) -> None:
        first, second = uuid_v7(), uuid_v7()
        self.assertRegex(first, r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertLessEqual(first[:13], second[:13])


class SpoolTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cer-python-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.node = Node()
        self.addCleanup(self.node.close)

    def certificates(self, **options: Any) -> Certificates:
        cer = Certificates("tests", **{"node_url": self.node.url, "spool_dir": self.folder, **options})
        self.addCleanup(cer.close, 0)
        return cer

    def segments(self) -> List[Path]:
        return sorted(self.folder.glob("[0-9]*.ndjson"))

    def leave(self, count: int) -> Path:
        """The segment of an ended process."""
        cer = Certificates("tests", node_url=NODE_DOWN, spool_dir=self.folder)
        for position in range(count):
            record(cer, f"call {position}")
        cer.close(0)
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        path = self.segments()[0]
        return path.rename(path.with_name(f"{ended.pid}-{'0' * 16}.ndjson"))

    def test_sends_what_waits(self) -> None:
        certified: List[CertifiedCall] = []
        cer = self.certificates(api_key="secret-key", on_certified=certified.append)
        for position in range(450):
            record(cer, f"call {position}")
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(len(set(self.node.attested)), 450)
        self.assertEqual([one.execution_id for one in certified], self.node.attested)
        self.assertEqual(set(self.node.keys), {"Bearer secret-key"})
        self.assertEqual((cer.stats().attested, cer.stats().waiting_bytes), (450, 0))
        self.assertEqual(self.segments(), [])

    def test_refused_bundle_is_on_a_line_of_its_own_after_one_that_a_full_disk_cut_off(self) -> None:
        spool, dead = FileSpool(self.folder, self.fail), self.folder / "dead.ndjson"
        spool.bury('{"first":1}', "A")
        os.truncate(dead, 9)
        spool.bury('{"second":2}', "B")
        spool.bury('{"third":3}', "C")
        lines = ['{"code":"', '{"code":"B","bundle":{"second":2}}', '{"code":"C","bundle":{"third":3}}', ""]
        self.assertEqual(dead.read_text().split("\n"), lines)

    def test_no_time_limit_is_the_longest_of_a_socket(self) -> None:
        cer = self.certificates(timeout=float("inf"))
        record(cer)
        self.assertEqual(cer.flush(30), 0)

    def test_the_key_has_no_space_around_it_and_is_one_line(self) -> None:
        cer = self.certificates(api_key="secret-key\n")
        record(cer)
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(self.node.keys, ["Bearer secret-key"])
        with self.assertRaisesRegex(ValueError, "^api_key: must hold the API key and nothing else$"):
            self.certificates(api_key="secret-key\nsecret-key")

    def test_a_fault_says_what_to_do(self) -> None:
        for options, reason in (
            ({"node_url": NODE_DOWN}, f"the node cannot be reached: {NODE_DOWN}: [Errno "),
            ({"node_url": self.node.url.replace("http:", "https:")}, "WRONG_VERSION_NUMBER"),
            ({"api_key": ""}, "no API key was sent: pass api_key or set CER_API_KEY"),
            ({"api_key": "another"}, "the API key is unknown or revoked"),
        ):
            self.node.request_status = 401
            # Of this client alone: one that was closed may still report its last attempt.
            faults: List[BaseException] = []
            cer = self.certificates(in_memory=True, on_error=faults.append, **options)
            record(cer)
            for _ in range(60):
                cer.flush(0.5)
                if faults:
                    break
            cer.close(0)
            self.assertIn(reason, str(faults[-1]))

    def test_an_address_that_is_none_is_refused_with_an_example(self) -> None:
        for address in ("", "localhost:4100", "ftp://node.example", "http://"):
            with mock.patch.dict(os.environ, {"CER_NODE_URL": ""}), self.assertRaises(ValueError) as caught:
                self.certificates(node_url=address)
            message = "node_url: must be a http or https address (or set CER_NODE_URL), such as http://127.0.0.1:4100"
            self.assertEqual(str(caught.exception), message)

    def test_waits_while_the_node_is_away(self) -> None:
        cer = self.certificates()
        self.node.request_status = 503
        record(cer)
        self.assertEqual(cer.flush(0.2), 1)
        self.node.request_status = 200
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(len(self.node.attested), 1)
        self.assertGreater(cer.stats().errors, 0)

    def test_refused_line_waits_or_is_buried(self) -> None:
        letters: List[Tuple[str, str]] = []
        cer = self.certificates(on_dead_letter=lambda bundle, code: letters.append((bundle, code)))
        self.node.answers = lambda _: (409, {"error": "EXECUTION_MUTATION_DETECTED"})
        record(cer)
        self.assertEqual(cer.flush(30), 0)
        self.node.answers = lambda _: (503, {"error": "SERVICE_UNAVAILABLE"})
        record(cer)
        self.assertEqual(cer.flush(0.2), 1)
        self.assertEqual([code for _, code in letters], ["EXECUTION_MUTATION_DETECTED"])
        dead = json.loads((self.folder / "dead.ndjson").read_text())
        self.assertEqual(dead, {"code": "EXECUTION_MUTATION_DETECTED", "bundle": json.loads(letters[0][0])})
        self.assertEqual((self.folder / "dead.ndjson").stat().st_mode & 0o777, 0o600)

    def test_dead_letter_that_cannot_be_written_holds_up_nothing(self) -> None:
        faults: List[BaseException] = []
        cer = self.certificates(on_error=faults.append)
        self.node.request_status = 503
        for position in range(3):
            record(cer, f"call {position}")
        refusals = iter([(409, {"error": "EXECUTION_MUTATION_DETECTED"})])
        self.node.answers = lambda bundle: next(refusals, None) or self.node.attest(bundle)
        (self.folder / "dead.ndjson").mkdir()
        self.node.request_status = 200
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual((cer.stats().attested, cer.stats().dead), (2, 1))
        self.assertEqual(len(self.segments()), 1)
        self.assertIn(IsADirectoryError, [type(fault) for fault in faults])

    def test_answer_that_ends_early_is_asked_for_again(self) -> None:
        cer = self.certificates()
        self.node.request_status = 503
        for position in range(5):
            record(cer, f"call {position}")
        self.node.request_status, self.node.lines_answered = 200, 2
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual((len(self.node.attested), len(set(self.node.attested))), (5, 5))

    def test_takes_over_what_an_ended_process_left(self) -> None:
        path = self.leave(3)
        with path.open("ab") as file:
            file.write(b'{"n":9,"sha256":"' + b"0" * 64 + b'","bundle":{}}\n{"n":10,"sha2')
        cer = self.certificates()
        self.assertEqual(cer.flush(30), 0)
        stats = cer.stats()
        self.assertEqual((stats.adopted, stats.attested, stats.torn), (1, 3, 2))
        self.assertEqual(self.segments(), [])

    def test_flush_waits_for_what_follows_the_last_bundle(self) -> None:
        path = self.leave(1)
        with path.open("ab") as file:
            file.write(b"torn")
        take = FileSpool.next

        def slow(spool: FileSpool, max_lines: int) -> Optional[Batch]:
            time.sleep(0.3 if self.node.attested else 0)
            return take(spool, max_lines)

        with mock.patch.object(FileSpool, "next", slow):
            cer = self.certificates()
            self.assertEqual(cer.flush(30), 0)
            self.assertEqual((cer.stats().torn, self.segments()), (1, []))

    def test_leaves_the_segments_of_running_processes(self) -> None:
        path = self.leave(1)
        path.rename(path.with_name(f"{os.getppid()}-{'0' * 16}.ndjson"))
        self.assertEqual(self.certificates().stats().adopted, 0)

    def test_sends_again_from_the_last_acknowledged_bundle(self) -> None:
        path = self.leave(3)
        first = path.read_bytes().index(b"\n") + 1
        path.with_name(path.name + ".done").write_text(str(first))
        self.assertEqual(self.certificates().flush(30), 0)
        self.assertEqual(len(self.node.attested), 2)

    def test_killed_process_loses_nothing(self) -> None:
        program = (
            "import sys; sys.path[:0] = sys.argv[1:3]\n"
            "from test_spool import *\n"
            "cer = Certificates('tests', node_url=NODE_DOWN, spool_dir=sys.argv[3])\n"
            "while True:\n"
            "    record(cer)\n"
            "    print(cer.stats().sealed, flush=True)\n"
        )
        arguments = [sys.executable, "-c", program, str(PACKAGE), str(PACKAGE / "tests"), str(self.folder)]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(40)][-1]
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in process.stdout if line.endswith("\n"))])
        process.stdout.close()
        process.wait()
        cer = self.certificates()
        self.assertEqual(cer.flush(30), 0)
        self.assertGreaterEqual(len(self.node.attested), acknowledged)
        self.assertEqual(len(self.node.attested), len(set(self.node.attested)))

    def test_forked_process_has_segments_of_its_own(self) -> None:
        cer = self.certificates(node_url=NODE_DOWN)
        record(cer)
        child = os.fork()
        if child == 0:
            record(cer)
            os._exit(0 if cer.stats().waiting == 1 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(self.segments()), 2)
        self.assertEqual(cer.stats().waiting, 1)

    def in_child(self, work: Callable[[], object]) -> Any:
        """What a forked process returns."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, json.dumps(work()).encode())
            os._exit(0)
        os.close(write)
        with open(read, "rb") as file:
            found = file.read()
        os.waitpid(child, 0)
        return json.loads(found)

    def test_forked_process_counts_its_own_calls(self) -> None:
        for options in ({}, {"in_memory": True}):
            cer = self.certificates(node_url=NODE_DOWN, **options)
            record(cer)
            under_way = cer._recorder.begin("local:example-1", lambda: "hello")
            assert under_way is not None

            def work(cer: Certificates = cer, inherited: Any = under_way) -> List[object]:
                inherited.end("aborted", call)
                before = cer.stats()
                record(cer)
                return [asdict(before), asdict(cer.stats())]

            before, after = self.in_child(work)
            self.assertEqual([name for name, count in before.items() if count not in (0, None, before["outcomes"])], [])
            self.assertEqual(set(before["outcomes"].values()), {0})
            self.assertEqual((after["seen"], after["sealed"], after["waiting"], after["open"]), (1, 1, 1, 0))
            under_way.end("complete", call)
            self.assertEqual((cer.stats().seen, cer.stats().sealed, cer.stats().open), (2, 2, 0))

    def test_processes_of_multiprocessing_count_and_certify_their_own_calls(self) -> None:
        program = (
            "import multiprocessing, sys; sys.path[:0] = sys.argv[1:3]\n"
            "from test_spool import *\n"
            "cer = Certificates('tests', node_url=sys.argv[4], spool_dir=sys.argv[3])\n"
            "def work(_):\n"
            "    record(cer)\n"
            "    cer.flush(30)\n"
            "    return cer.stats().seen, cer.stats().attested\n"
            "if __name__ == '__main__':\n"
            "    record(cer)\n"
            "    with multiprocessing.get_context(sys.argv[5]).Pool(1) as pool:\n"
            "        print(pool.map(work, [0]))\n"
            "    cer.close(30)\n"
        )
        file = self.folder / "program.py"
        file.write_text(program)
        for method in ("spawn", "fork", "forkserver"):
            with self.subTest(method):
                self.node.attested.clear()
                spool = self.folder / method
                arguments = [str(file), str(PACKAGE), str(PACKAGE / "tests"), str(spool), self.node.url, method]
                said = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
                self.assertEqual(said.stdout, "[(1, 1)]\n")
                self.assertEqual(len(set(self.node.attested)), 2)

    def test_nothing_is_imported_while_calls_are_made_and_sent(self) -> None:
        # A process that forks meanwhile would have half of the module, for good.
        program = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from cer_client import Certificates\n"
            "from cer_client.exchange import Answer, Exchange\n"
            "from cer_client.folds import ChatFold\n"
            "known = set(sys.modules)\n"
            "cer = Certificates('tests', node_url=sys.argv[3], spool_dir=sys.argv[2], coverage=True)\n"
            "cer.tool(lambda a: a, name='same')('\U0001f5fc')\n"
            "for kind in ('', 'text/event-stream'):\n"
            "    exchange = Exchange(Answer(200, {'content-type': kind}), ChatFold, 1000, lambda ended: None)\n"
            "    exchange.hand_on(b'data: {}\\n\\n')\n"
            "    exchange.end()\n"
            "cer.close(30)\n"
            "print(sorted(set(sys.modules) - known), cer.stats().attested)\n"
        )
        arguments = [sys.executable, "-c", program, str(PACKAGE), str(self.folder), self.node.url]
        said = subprocess.run(arguments, capture_output=True, text=True, check=True, encoding="utf-8")
        self.assertEqual(said.stdout, "[] 2\n")

    def test_folder_and_files_are_the_users_own(self) -> None:
        folder = self.folder / "a" / "spool"
        record(self.certificates(spool_dir=folder, node_url=NODE_DOWN))
        (path,) = folder.glob("*.ndjson")
        self.assertEqual((folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777), (0o700, 0o600))

    def test_files_are_opened_for_bytes_on_windows(self) -> None:
        binary = 1 << 30
        flags: Dict[str, int] = {}
        really_open = os.open

        def as_on_windows(path: Path, asked: int, mode: int) -> int:
            flags[path.name] = asked & binary
            return really_open(path, asked & ~binary, mode)

        spool = FileSpool(self.folder, self.fail)
        with mock.patch("os.O_BINARY", binary, create=True), mock.patch("os.open", as_on_windows):
            for position in range(2):
                spool.put(f'{{"call":{position}}}')
            batch = spool.next(1)
            assert batch is not None
            batch.acknowledge(1)
            spool.bury("{}", "CODE")
            spool.close()
        # A segment, its offset, and the dead letters.
        self.assertEqual(flags, {path.name: binary for path in self.folder.iterdir()})
        self.assertEqual(len(flags), 3)

    def test_folder_that_is_removed_costs_no_certificate(self) -> None:
        folder = self.folder / "spool"
        cer = self.certificates(spool_dir=folder)
        self.node.request_status = 503
        record(cer)
        shutil.rmtree(folder)
        record(cer)
        self.assertEqual((cer.stats().waiting, len(list(folder.glob("[0-9]*.ndjson")))), (2, 1))
        self.node.request_status = 200
        self.assertEqual(cer.flush(30), 0)
        self.assertEqual(len(set(self.node.attested)), 2)

    def test_segment_that_cannot_be_read_holds_up_no_other(self) -> None:
        self.leave(2)
        (self.folder / f"999999999-{'1' * 16}.ndjson").mkdir()
        faults: List[BaseException] = []
        cer = self.certificates(node_url=NODE_DOWN, on_error=faults.append)
        self.assertEqual((cer.stats().adopted, type(faults[0])), (1, IsADirectoryError))
        for path in self.segments():
            if path.is_file():
                path.unlink()
        record(cer)
        cer.flush(0.5)
        self.assertEqual((cer.stats().waiting, cer.stats().torn), (1, 2))
        self.assertIn(FileNotFoundError, [type(fault) for fault in faults])

    def test_segment_that_is_cut_off_loses_only_what_was_cut(self) -> None:
        for kept_lines, rest in ((0, 0), (1, 0), (1, 40)):
            for goes_on in (False, True):
                with self.subTest(kept_lines=kept_lines, rest=rest, goes_on=goes_on):
                    self.node.attested.clear()
                    folder = self.folder / f"{kept_lines}-{rest}-{goes_on}"
                    cer = self.certificates(spool_dir=folder)
                    # Nothing is read before it is cut off.
                    with mock.patch.object(Drain, "start"):
                        for position in range(3):
                            record(cer, f"call {position}")
                        (path,) = folder.glob("[0-9]*.ndjson")
                        lines = path.read_bytes().splitlines(keepends=True)
                        os.truncate(path, sum(map(len, lines[:kept_lines])) + rest)
                        if goes_on:
                            record(cer, "after")
                    self.assertEqual(cer.flush(30), 0)
                    stats = cer.stats()
                    self.assertEqual((stats.torn, stats.waiting_bytes), (3 - kept_lines, 0))
                    self.assertEqual(len(self.node.attested), kept_lines + goes_on)
                    self.assertEqual(list(folder.iterdir()), [])

    def test_attested_bundles_are_deleted_without_a_flush_to_the_disk(self) -> None:
        spool = FileSpool(self.folder, self.fail)
        spool.put("{}")
        with mock.patch("cer_client.segment.flush") as flush:
            batch = spool.next(1)
            assert batch is not None
            batch.acknowledge(1)
            self.assertEqual((list(self.folder.iterdir()), flush.call_count), ([], 0))
            spool.put("{}")
            spool.close()
            self.assertEqual(flush.call_count, 1)

    def test_changed_line_waits_no_longer(self) -> None:
        spool = FileSpool(self.folder, self.fail)
        for position in range(4):
            spool.put(f'{{"call":{position}}}')
        (path,) = self.segments()
        path.write_bytes(path.read_bytes().replace(b'"call":0', b'"call":9').replace(b'"call":2', b'"call":9'))
        batch = spool.next(3)
        assert batch is not None
        self.assertEqual(batch.texts, ['{"call":1}'])
        batch.acknowledge(1)
        self.assertEqual((spool.torn, spool.waiting), (2, 1))
        spool.close()

    def test_clock_set_forward_takes_over_no_segment_of_this_process(self) -> None:
        first = self.certificates(node_url=NODE_DOWN)
        record(first)
        (path,) = self.segments()
        os.utime(path, (1, 1))
        self.assertEqual(self.certificates(node_url=NODE_DOWN).stats().adopted, 0)
        self.assertTrue(path.exists())

    def test_disk_holds_only_what_is_sealed(self) -> None:
        confidential = Confidential("p", lambda _: None, {"temperature": 0, "maxTokens": 1})
        for options in ({"protocol": "1.2.0"}, {"protocol": "1.3.0"}, {"confidential": confidential}):
            record(self.certificates(node_url=NODE_DOWN, **options), "content of a customer")
        texts = [path.read_text() for path in self.segments()]
        self.assertEqual(len(texts), 3)
        for text in texts:
            bundle = json.loads(text)["bundle"]
            self.assertEqual(cer_verify.verify(bundle).status, "VERIFIED")
            self.assertNotRegex(text, "content of a customer|an answer")

    def test_every_call_that_is_not_refused_is_stored(self) -> None:
        cer = self.certificates(node_url=NODE_DOWN, on_full="raise-before-call", max_spool_bytes=4000)
        made = 0
        with self.assertRaises(SpoolFullError):
            for _ in range(100):
                cer._recorder.admit()
                record(cer)
                made += 1
        stats = cer.stats()
        self.assertEqual((stats.sealed, stats.waiting, stats.dropped), (made, made, 0))
        self.assertGreater(stats.waiting_bytes, 4000)

    def test_full_spool_drops_calls_and_counts_them(self) -> None:
        cer = self.certificates(node_url=NODE_DOWN, max_spool_bytes=4000)
        for _ in range(10):
            record(cer)
        stats = cer.stats()
        self.assertEqual(stats.sealed + stats.dropped, 10)
        self.assertGreater(stats.dropped, 0)
        self.assertLessEqual(sum(path.stat().st_size for path in self.segments()), 5000)

    def test_full_disk_is_free_once_all_is_attested(self) -> None:
        cer = self.certificates()
        self.node.request_status = 503
        record(cer)
        self.node.request_status = 200
        with mock.patch.object(Segment, "acknowledge", side_effect=OSError("no space left on device")):
            self.assertEqual(cer.flush(30), 0)
        self.assertEqual(list(self.folder.iterdir()), [])
        with mock.patch("os.write", side_effect=OSError("no space left on device")):
            record(cer)
        self.assertEqual(cer.flush(30), 0)
        cer.close(0)
        self.assertEqual((len(set(self.node.attested)), list(self.folder.iterdir())), (2, []))

    def test_settings_that_cannot_be(self) -> None:
        for options in (
            {"node_url": "node.example"},
            {"node_url": "http://user:password@node.example"},
            {"node_url": "http://node.example:99999"},
            {"node_url": "http://node.example:port"},
            {"node_url": "http://[::1"},
            {"protocol": "1.3.1"},
            {"on_full": "drop"},
        ):
            with self.assertRaisesRegex(ValueError, "^(node_url|protocol|on_full): must "):
                Certificates("tests", **{"node_url": NODE_DOWN, "in_memory": True, **options})  # type: ignore[arg-type]

    def test_confidential_options_that_seal_no_call(self) -> None:
        for prompt, on_openings, parameters, rule in (
            (5, print, {}, "confidential.prompt: must be a non-empty string"),
            ("", print, {}, "confidential.prompt: must be a non-empty string"),
            ("\ud800", print, {}, "confidential.prompt: must not contain a lone surrogate"),
            ("p", None, {}, "confidential.on_openings: must be a function"),
            ("p", print, None, "confidential.parameters: must be a mapping"),
            ("p", print, {"max_tokens": 5}, "confidential.parameters: must have exactly temperature, maxTokens, topP"),
            ("p", print, {"temperature": "0"}, "confidential.parameters.temperature: must be a finite number"),
        ):
            confidential = Confidential(prompt, on_openings, parameters)  # type: ignore[arg-type]
            with self.assertRaisesRegex((TypeError, ValueError), f"^{rule}"):
                Certificates("tests", node_url=NODE_DOWN, in_memory=True, confidential=confidential)
        declared = Confidential("p", lambda _: None, {"maxTokens": 1})
        Certificates("tests", node_url=NODE_DOWN, in_memory=True, confidential=declared).close(0)

    def test_options_of_another_type(self) -> None:
        for options, rule in (
            ({"app_id": 5}, "app_id: must be a string"),
            ({"node_url": 5}, "node_url: must be a string"),
            ({"api_key": 5}, "api_key: must be a string"),
            ({"max_spool_bytes": "1GB"}, "max_spool_bytes: must be a number"),
            ({"timeout": "5"}, "timeout: must be a number"),
            ({"coverage_every": "5"}, "coverage_every: must be a number"),
            ({"certify": True}, "certify: must be a function"),
            ({"on_certified": "x"}, "on_certified: must be a function"),
            ({"confidential": True}, r"confidential: must be a Confidential\(prompt, on_openings\)"),
            ({"redaction": str}, r"redaction: must be a Redaction\(name, redact\)"),
        ):
            given: Dict[str, Any] = {"app_id": "tests", "node_url": NODE_DOWN, "in_memory": True, **options}
            with self.assertRaisesRegex(TypeError, f"^{rule}$"):
                Certificates(**given)

    def test_options_with_which_no_call_would_get_a_certificate(self) -> None:
        for options, rule in (
            ({"max_spool_bytes": -1}, "max_spool_bytes: must be a number, at least 0"),
            ({"max_spool_age": float("nan")}, "max_spool_age: must be a number, at least 0"),
            ({"timeout": -1.5}, "timeout: must be a number, at least 0"),
            ({"app_id": ""}, "app_id: must have 1 to 256 characters and no control characters"),
            ({"app_id": "a\n"}, "app_id: must have 1 to 256 characters and no control characters"),
            ({"app_id": "\U0001f5fc" * 129}, "app_id: must have 1 to 256 characters and no control characters"),
        ):
            given: Dict[str, Any] = {"app_id": "tests", "node_url": NODE_DOWN, "in_memory": True, **options}
            with self.assertRaisesRegex(ValueError, f"^{rule}$"):
                Certificates(**given)
        cer = Certificates("tests", node_url=NODE_DOWN, in_memory=True, max_spool_bytes=0)
        number: Any = 5
        for make in (cer.transport, cer.async_transport):
            with self.assertRaisesRegex(
                ValueError, "^provider: must have 1 to 256 characters and no control characters$"
            ):
                make(provider="a\x00")
            with self.assertRaisesRegex(TypeError, "^provider: must be a string$"):
                make(provider=number)
        cer.close(0)

    def test_spool_that_is_a_file(self) -> None:
        faults: List[BaseException] = []
        Certificates("tests", node_url=NODE_DOWN, spool_dir=__file__, on_error=faults.append).close(0)
        self.assertRegex(str(faults[0]), r"^the spool cannot be used \(.*\): certificates wait in memory, and end")


if __name__ == "__main__":
    unittest.main()
