"""The names that answers are found by, without a server."""

from __future__ import annotations

import os
import signal
import threading
import unittest
from typing import Any, Dict, List, Optional
from unittest import mock

from certified_program import CertifiedProgram, hash_of

from cer_client import SealedCall
from cer_client.certified_answers import CertifiedAnswers

FIRST, SECOND = SealedCall("call-1", "sha256:1"), SealedCall("call-2", "sha256:2")
ANSWER: Dict[str, Any] = {"id": "answer-1", "text": "Lisbon", "score": 1.0}


class Names(unittest.TestCase):
    def test_each_name_of_an_answer_finds_it(self) -> None:
        answers = CertifiedAnswers()
        answers.add(["request-1", "sha256:a", None], FIRST)
        answers.add(["request-2", "sha256:b", "answer-2", "answer-2", ""], SECOND)
        found = [answers.find(name) for name in ("request-1", "sha256:a", "answer-2", "", "other")]
        self.assertEqual(found, [FIRST, FIRST, SECOND, None, None])

    def test_name_of_two_answers_names_neither(self) -> None:
        answers = CertifiedAnswers()
        for call in (FIRST, SECOND, FIRST):
            answers.add(["same", call.execution_id], call)
            answers.add([None], call)
        self.assertEqual(answers.find("same"), None)
        self.assertEqual(answers.find("call-2"), SECOND)

    def test_name_of_an_answer_without_a_certificate(self) -> None:
        answers = CertifiedAnswers()
        answers.add(["one", "both"], None)
        answers.add(["both", "two"], FIRST)
        self.assertEqual([answers.find(name) for name in ("one", "both", "two")], [None, None, FIRST])

    def test_the_newest_names_are_kept(self) -> None:
        with mock.patch("cer_client.certified_answers.MAX_NAMES", 3):
            answers = CertifiedAnswers()
            for name in ("a", "b", "c", "a", "d"):
                answers.add([name], FIRST)
            found = [answers.find(name) for name in "abcd"]
            answers.add(["e", "f", "g"], SECOND)
        self.assertEqual(found, [None, None, FIRST, FIRST])
        # It was two answers' until both were too old.
        answers.add(["a"], SECOND)
        self.assertEqual(answers.find("a"), SECOND)

    def test_threads_add_names_at_the_same_time(self) -> None:
        answers = CertifiedAnswers()

        def add(thread: int) -> None:
            for position in range(500):
                answers.add(["shared", f"{thread} {position}"], SealedCall(f"{thread} {position}", "sha256:1"))

        threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        names = [f"{thread} {position}" for thread in range(4) for position in range(500)]
        self.assertEqual([found and found.execution_id for found in map(answers.find, names)], names)
        self.assertEqual(answers.find("shared"), None)


class Model:
    """A model of pydantic, as far as it is asked."""

    def __init__(self, members: object) -> None:
        self._members = members

    def model_dump(self, **options: object) -> object:
        if isinstance(self._members, BaseException):
            raise self._members
        return self._members


class Of(CertifiedProgram):
    def of(self, names: List[str], answer: object, **options: Any) -> Optional[SealedCall]:
        cer = self.certificates(in_memory=True, **options)
        cer._recorder.answers.add(names, FIRST)
        return cer.of(answer)

    def test_content_of_a_dict_and_of_a_model(self) -> None:
        names = [hash_of(ANSWER)]
        for answer in (ANSWER, {"score": 1, "text": "Lisbon", "id": "answer-1"}, Model(ANSWER)):
            self.assertEqual(self.of(names, answer), FIRST)
        for other in ({**ANSWER, "text": "Porto"}, Model({**ANSWER, "parsed": None}), Model([1]), Model(KeyError())):
            self.assertEqual(self.of(names, other), None)
        self.assertEqual(self.faults, [])

    def test_id_where_the_content_is_not_the_answer_as_sent(self) -> None:
        answers = [
            {"id": "answer-1"},
            {"responseId": "answer-1"},
            {"id": 1, "responseId": "answer-1"},
            mock.Mock(spec=["response_id"], response_id="answer-1"),
            mock.Mock(spec=["id", "model_dump"], id="answer-1", model_dump=lambda **_: {"id": "other"}),
            # Events of streams hold the answer that they begin or end.
            {"type": "message_start", "message": {"id": "answer-1"}},
            mock.Mock(spec=["response"], response=mock.Mock(spec=["id"], id="answer-1")),
            "answer-1",
        ]
        self.assertEqual([self.of(["answer-1"], answer) for answer in answers], [FIRST] * len(answers))

    def test_request_id_before_content_and_id(self) -> None:
        cer = self.certificates(in_memory=True)
        cer._recorder.answers.add(["request-1"], FIRST)
        cer._recorder.answers.add(["answer-2"], SECOND)
        for name in ("_request_id", "request_id"):
            answer = mock.Mock(spec=[name, "id"], id="answer-2")
            setattr(answer, name, "request-1")
            self.assertEqual(cer.of(answer), FIRST)
            setattr(answer, name, None)
            self.assertEqual(cer.of(answer), SECOND)

    def test_nothing_else_is_found_and_nothing_raises(self) -> None:
        cycle: Dict[str, Any] = {"id": "x"}
        cycle.update(self=cycle, others=[cycle, {1: 2}])
        others = [cycle, {}, [], (), None, 1, 1.5, True, "", b"x", object(), ValueError("x"), len, Of, {"a": {1, 2}}]
        self.assertEqual([self.of(["a"], other) for other in others], [None] * len(others))
        self.assertEqual(self.faults, [])

        class Broken:
            @property
            def id(self) -> str:
                raise RuntimeError("no id")

        self.assertEqual(self.of(["a"], Broken()), None)
        self.assertEqual([str(fault) for fault in self.faults], ["no id"])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_forked_process_knows_the_answers_before_it(self) -> None:
        cer = self.certificates()
        cer._recorder.answers.add(["answer-1"], FIRST)
        # Another thread may be inside when the process forks.
        lock = cer._recorder.answers._lock
        held, is_over = threading.Event(), threading.Event()

        def hold() -> None:
            with lock:
                held.set()
                is_over.wait()

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if cer.of("answer-1") == FIRST else 1)
        is_over.set()
        holder.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
