"""Answers as they arrive, without a server."""

import asyncio
import gc
import gzip
import hashlib
import json
import threading
import tracemalloc
import unittest
import zlib
from typing import Any, AsyncIterator, Callable, Dict, List, Tuple

from cer_client.exchange import Answer, Ended, Exchange
from cer_client.folds import ChatFold, CohereFold, Fold, GeminiFold, MessagesFold, OllamaFold, ResponsesFold
from cer_client.folds.fold import add_delta, settled
from cer_client.followed_stream import _Followed
from cer_client.stats import Counts

WORD = "w" * 100


def chat(finish: Any = None) -> Any:
    return {"choices": [{"index": 0, "delta": {"content": WORD}, "finish_reason": finish}]}


def message() -> Any:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORD}}


def candidate(**more: Any) -> Any:
    return {"candidates": [{"content": {"parts": [{"text": WORD}]}, **more}]}


def cohere() -> Any:
    return {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": WORD}}}}


def ollama(is_done: bool = False) -> Any:
    return {"message": {"content": WORD}, "done": is_done}


STREAMS: List[Tuple[Callable[[], Fold], List[Any]]] = [
    (ChatFold, [*[chat()] * 100, chat("stop")]),
    (ResponsesFold, [*[{"type": "response.text.delta", "delta": WORD}] * 100, {"type": "response.completed"}]),
    (
        MessagesFold,
        [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *[message()] * 100,
            {"type": "message_stop"},
        ],
    ),
    (GeminiFold, [*[candidate()] * 100, candidate(finishReason="STOP")]),
    (CohereFold, [*[cohere()] * 100, {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}]),
    (OllamaFold, [*[ollama()] * 100, ollama(True)]),
]


class _Item(Dict[str, object]):
    """Notes each reading of a member."""

    def __init__(self, reads: List[str], **members: object) -> None:
        super().__init__(**members)
        self._reads = reads

    def get(self, key: Any, default: Any = None) -> Any:
        self._reads.append(key)
        return super().get(key, default)


class ExchangeTest(unittest.TestCase):
    def test_content_over_the_limit_is_not_kept(self) -> None:
        for make, events in STREAMS:
            with self.subTest(make.__name__):
                fold = make()
                ended: List[Ended] = []
                is_lines = make is OllamaFold
                answer = Answer(200, {"content-type": "application/x-ndjson" if is_lines else "text/event-stream"})
                exchange = Exchange(answer, lambda fold=fold: fold, 1000, ended.append)  # type: ignore[misc]
                start, end = ("", "\n") if is_lines else ("data: ", "\n\n")
                for event in events[:-1]:
                    exchange.hand_on(f"{start}{json.dumps(event)}{end}".encode())
                self.assertLess(len(json.dumps(fold.answer())), 1000)
                exchange.hand_on(f"{start}{json.dumps(events[-1])}{end}".encode())
                exchange.end()
                self.assertEqual([(one.outcome, one.output) for one in ended], [("complete", None)])

    def test_type_of_an_answer_is_read_in_either_case(self) -> None:
        for kind, is_streamed in (
            ("Text/Event-Stream; Charset=UTF-8", True),
            ("Application/X-NDJSON", True),
            ("", False),
        ):
            ended: List[Ended] = []
            exchange = Exchange(Answer(200, {"content-type": kind}), ChatFold, 1000, ended.append)
            exchange.end()
            self.assertEqual(ended[0].streamed, is_streamed)

    def test_byte_order_mark_is_not_part_of_the_answer(self) -> None:
        ended: List[Ended] = []
        exchange = Exchange(Answer(200, {}), ChatFold, 1000, ended.append)
        exchange.hand_on(b'\xef\xbb\xbf{"id": "a"}')
        exchange.end()
        self.assertEqual(ended[0].output, {"id": "a"})

    def ended(self, encoding: str, chunks: List[bytes], max_bytes: int = 1000) -> Ended:
        ended: List[Ended] = []
        exchange = Exchange(Answer(200, {"content-encoding": encoding}), ChatFold, max_bytes, ended.append)
        for chunk in chunks:
            exchange.hand_on(chunk)
        exchange.end()
        self.assertEqual(len(ended), 1)
        return ended[0]

    def test_answer_that_reports_an_error_has_failed(self) -> None:
        answers: List[Tuple[Dict[str, object], str, object]] = [
            ({"status": "failed", "error": {"code": "server_error", "message": "m"}}, "failed", "server_error"),
            ({"error": {"message": "m", "code": 429, "type": "rate_limit"}}, "failed", "rate_limit"),
            ({"error": "no memory"}, "failed", None),
            ({"id": "c", "finish_reason": "ERROR"}, "failed", None),
            ({"id": "c", "error": None, "finish_reason": "COMPLETE"}, "complete", None),
            ({"id": "c", "error": ""}, "complete", None),
        ]
        for body, outcome, code in answers:
            with self.subTest(body):
                ended = self.ended("identity", [json.dumps(body).encode()])
                self.assertEqual((ended.outcome, ended.error_code), (outcome, code))

    def test_all_that_a_chunk_inflates_to_is_hashed(self) -> None:
        # Around the size of a part, and far beyond the limit of content.
        for size in (1_048_575, 1_048_576, 1_048_577, 1_048_834, 20_000_000):
            content = b"w" * size
            for sent in (gzip.compress(content), zlib.compress(content)):
                encoding = "gzip" if sent.startswith(b"\x1f") else "deflate"
                with self.subTest(encoding, size=size):
                    ended = self.ended(encoding, [sent])
                    self.assertEqual((ended.outcome, ended.size, ended.output), ("complete", size, None))
                    self.assertEqual(ended.sha256, hashlib.sha256(content).hexdigest())

    def test_chunks_of_an_encoding_are_cut_anywhere(self) -> None:
        content = json.dumps({"id": WORD}).encode()
        twice = gzip.compress(gzip.compress(content))
        for encoding, sent in (
            ("gzip", gzip.compress(content)),
            ("deflate", zlib.compress(content)),
            ("gzip, gzip", twice),
        ):
            for length in (1, 2, 3, 7, 1000):
                with self.subTest(encoding, length=length):
                    ended = self.ended(encoding, [sent[at : at + length] for at in range(0, len(sent), length)])
                    self.assertEqual((ended.outcome, ended.output), ("complete", {"id": WORD}))
                    self.assertEqual((ended.size, ended.sha256), (len(content), hashlib.sha256(content).hexdigest()))

    def test_length_that_is_no_number_is_none(self) -> None:
        for length in ("²", "9" * 5000, "-1", "1, 1"):
            ended: List[Ended] = []
            exchange = Exchange(Answer(200, {"content-length": length}), ChatFold, 1000, ended.append)
            exchange.hand_on(b"{}")
            self.assertEqual(ended, [])
            exchange.end()
            self.assertEqual([one.outcome for one in ended], ["complete"])

    def test_events_are_read_as_sdks_read_them(self) -> None:
        # An integer that a double rounds, and two members of one name.
        odd = '{"created": 1700000000000000001, "choices": [{"index": 0, "delta": {"content": "%s"}}]}' % WORD
        twice = odd.replace('{"created"', '{"created": 1, "created"')
        for data in (odd, twice):
            ended: List[Ended] = []
            exchange = Exchange(Answer(200, {"content-type": "text/event-stream"}), ChatFold, 200_000, ended.append)
            exchange.hand_on(f"data: {data}\n\ndata: {{not JSON\n\ndata: {'[' * 100000}\n\ndata: [DONE]\n\n".encode())
            choice = {"index": 0, "message": {"content": WORD}}
            self.assertEqual(ended[0].outcome, "complete")
            self.assertEqual(ended[0].output, {"created": 1.7e18, "choices": [choice]})

    def test_answers_are_read_as_sdks_read_them(self) -> None:
        for text, output in (
            ('{"id": 12345678901234567890, "id": "b"}', {"id": "b"}),
            ('{"id": NaN}', '{"id": NaN}'),
            ("[1]", "[1]"),
        ):
            ended: List[Ended] = []
            exchange = Exchange(Answer(200, {}), ChatFold, 1000, ended.append)
            exchange.hand_on(text.encode())
            exchange.end()
            self.assertEqual(ended[0].output, output)

    def test_choice_whose_message_is_no_object_gets_one(self) -> None:
        fold = ChatFold()
        for choice in ({"message": 1}, {"delta": {"content": "a"}}):
            fold.push(json.dumps({"choices": [{"index": 0, **choice}]}))
        self.assertEqual(fold.answer(), {"choices": [{"message": {"content": "a"}, "index": 0}]})

    def test_folds_have_every_part_once(self) -> None:
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
        safe = {"hate": {"filtered": False, "severity": "safe"}}
        details = {"index": 0.0, "format": "v1", "text": "a"}
        token = {"token": "a"}
        for choices, expected in (
            (
                [{"delta": {"content": part}} for part in ([thinking], "Lis", "bon")],
                {"message": {"content": [thinking, {"type": "text", "text": "Lisbon"}]}},
            ),
            (
                [{"delta": {"content": part}} for part in ("a", [thinking], "")],
                {"message": {"content": [{"type": "text", "text": "a"}, thinking]}},
            ),
            ([{"content_filter_results": results} for results in (safe, safe, {})], {"content_filter_results": safe}),
            (
                [{"delta": {"reasoning_details": [details]}}] * 2,
                {"message": {"reasoning_details": [{**details, "text": "aa"}]}},
            ),
            (
                [{"text": "a", "logprobs": {"content": [token]}}] * 2,
                {"text": "aa", "logprobs": {"content": [token, token]}},
            ),
            (
                [
                    {"message": {"content": "a"}, "delta": {"content": "a"}},
                    {"message": {"content": "ab"}, "delta": {"content": "b"}},
                ],
                {"message": {"content": "ab"}},
            ),
        ):
            fold = ChatFold()
            for choice in choices:
                fold.push(json.dumps({"error": None, "choices": [choice]}))
            self.assertEqual((fold.end, fold.answer()), ("open", {"error": None, "choices": [expected]}))

    def test_refusal_has_the_code_of_its_provider(self) -> None:
        for error, code in (
            ({"code": "rate_limit", "type": "requests", "status": "OUT"}, "rate_limit"),
            ({"code": 429, "type": "requests", "status": "OUT"}, "requests"),
            ({"code": 429, "status": "OUT"}, "OUT"),
            ({"code": 429, "status": 429}, None),
        ):
            ended: List[Ended] = []
            exchange = Exchange(Answer(429, {}), ChatFold, 1000, ended.append)
            exchange.hand_on(json.dumps({"error": error}).encode())
            exchange.end()
            self.assertEqual([(one.outcome, one.error_code) for one in ended], [("failed", code)])

    def test_text_of_gemini_is_added_to_text_of_the_same_kind(self) -> None:
        fold = GeminiFold()
        parts: List[Any] = [{"text": "a", "thought": thought} for thought in (True, 1, None)]
        for part in (*parts, {"text": "b"}, {"text": "c"}, {"text": "d", "thought": False}):
            fold.push(json.dumps({"candidates": [{"content": {"parts": [part]}}]}))
        whole = [*parts, {"text": "bc"}, {"text": "d", "thought": False}]
        self.assertEqual(fold.answer(), {"candidates": [{"content": {"parts": whole}}]})
        self.assertFalse(fold.is_whole)

    def test_candidates_of_gemini_each_have_a_reason_to_finish(self) -> None:
        fold = GeminiFold()
        found: List[bool] = []
        # A candidate without an index is the first.
        for members in ({"index": 1, "finishReason": "STOP"}, {"role": "model"}, {"index": 0, "finishReason": "STOP"}):
            fold.push(json.dumps({"candidates": [members]}))
            found.append(fold.is_whole)
        self.assertEqual(found, [True, False, True])

    def test_long_list_is_neither_copied_nor_searched(self) -> None:
        reads: List[str] = []
        draft: Dict[str, object] = {}
        add_delta(draft, {"list": [_Item(reads)]})
        known = draft["list"]
        for _ in range(9):
            add_delta(draft, {"list": [_Item(reads)]})
        self.assertIs(draft["list"], known)
        self.assertEqual(known, [{}] * 10)
        self.assertEqual(len(reads), 10)

    def test_items_of_a_long_list_are_found_without_a_search(self) -> None:
        reads: List[str] = []
        draft: Dict[str, object] = {}
        for index in range(100):
            add_delta(draft, {"list": [_Item(reads, index=float(index))]})
        self.assertEqual(len(reads), 100)
        for text in ("a", "b"):
            add_delta(draft, {"list": [{"index": 100.0, "text": text}]})
        found: Any = settled(draft)["list"]
        self.assertEqual(found[100:], [{"index": 100.0, "text": "ab"}])

    def test_citation_is_added_to_the_list_itself(self) -> None:
        fold = MessagesFold()
        fold.push('{"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}')
        lists: List[Any] = []
        for _ in range(2):
            delta = '{"type": "citations_delta", "citation": {}}'
            fold.push(f'{{"type": "content_block_delta", "index": 0, "delta": {delta}}}')
            content: Any = fold.answer()["content"]
            lists.append(content[0]["citations"])
        self.assertIs(*lists)
        self.assertEqual(lists[0], [{}, {}])

    def test_long_text_is_not_copied_by_each_delta(self) -> None:
        copied: List[int] = []

        class Delta(str):
            def __radd__(self, known: str) -> "Delta":
                copied.append(len(known))
                return Delta(str(known) + str(self))

        draft: Dict[str, object] = {"text": ""}
        for _ in range(100):
            add_delta(draft, {"text": Delta("ab")})
        self.assertEqual(settled(draft), {"text": "ab" * 100})
        self.assertEqual(copied, [])

    def test_character_that_deltas_cut_in_two_is_whole(self) -> None:
        fold, responses = ChatFold(), ResponsesFold()
        for half in ("\\ud83d", "\\ude00", "\\ud83d"):
            fold.push(f'{{"choices": [{{"index": 0, "delta": {{"content": "{half}"}}}}]}}')
            responses.push(f'{{"type": "a.delta", "delta": "{half}"}}')
        text = "\U0001f600\ud83d"
        self.assertEqual(fold.answer(), {"choices": [{"index": 0, "message": {"content": text}}]})
        self.assertEqual(responses.answer(), {"partial": {'["a.delta",null,null]': text}})

    def test_places_of_choices_are_told_by_the_json_of_their_index(self) -> None:
        for one, other, places in (("null", None, 1), ("0", "-0", 1), ("[1]", "[1]", 1), ("1", '"1"', 2)):
            fold = ChatFold()
            for index in (one, other):
                stated = "" if index is None else f'"index": {index}, '
                fold.push(f'{{"choices": [{{{stated}"delta": {{"content": "a"}}}}]}}')
            choices: Any = fold.answer()["choices"]
            self.assertEqual(len(choices), places, one)

    def test_stream_over_the_limit_keeps_no_members_and_no_more_choices_than_a_provider_gives(self) -> None:
        for fold, name, reason in (
            (ChatFold(), "choices", "finish_reason"),
            (GeminiFold(), "candidates", "finishReason"),
        ):

            def push(index: object, fold: Fold = fold, name: str = name, reason: str = reason) -> None:
                fold.push(json.dumps({f"member {index}": 1, name: [{"index": index, reason: "stop"}]}))
                fold.forget()

            for index in range(1000):
                push(index)
            self.assertTrue(fold.is_whole)
            self.assertNotIn("member 999", fold.answer())
            for index in range(1000, 2500):
                push(index)
            choices: Any = fold.answer()[name]
            self.assertEqual((len(choices), fold.is_whole), (498, False))
            push("of any length")
            self.assertFalse(bool(fold.answer().get(name)))

    def test_answer_with_a_part_that_cannot_be_folded_is_bound_by_its_bytes(self) -> None:
        class Deep(ChatFold):
            def push(self, data: str) -> None:
                if data == "deep":
                    raise RecursionError
                super().push(data)

        ended: List[Ended] = []
        exchange = Exchange(Answer(200, {"content-type": "text/event-stream"}), Deep, 1000, ended.append)
        exchange.hand_on(b"data: deep\n\ndata: [DONE]\n\n")
        self.assertEqual([(one.outcome, one.output) for one in ended], [("complete", None)])

    def test_interrupted_response_has_its_items(self) -> None:
        fold = ResponsesFold()
        call = {"type": "function_call", "name": "pay"}
        for index in (0, 1):
            delta = {"delta": "a", "output_index": 0, "summary_index": index}
            fold.push(json.dumps({"type": "response.reasoning_summary_text.delta", **delta}))
        fold.push(json.dumps({"type": "response.output_item.added", "output_index": 1, "item": call}))
        texts = {f'["response.reasoning_summary_text.delta",0,{index}]': "a" for index in (0, 1)}
        self.assertEqual(fold.answer(), {"output": [call], "partial": texts})

    def test_memory_of_tiny_chunks_is_that_of_their_bytes(self) -> None:
        size = 400_000
        ended: List[Ended] = []
        exchange = Exchange(Answer(200, {}), ChatFold, size, ended.append)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(size // 2):
            exchange.hand_on(bytes((65, 66)))
        after, _ = tracemalloc.get_traced_memory()
        self.assertLess(after - before, 2 * size)

    def test_stream_that_is_collected_under_a_lock_holds_up_nothing(self) -> None:
        counts = Counts()
        ended: List[Ended] = []

        class Left:
            """A stream that the program left, in a circle of references."""

            def __init__(self) -> None:
                def end(call: Ended) -> None:
                    counts.add(open=-1)
                    ended.append(call)

                exchange = Exchange(Answer(200, {}), ChatFold, 1000, end)
                self.chunks = iter(_Followed([b"a", b"b"], exchange, lambda work, *given: work(*given)))
                self.itself = self
                next(self.chunks)

        class Collecting(int):
            def __radd__(self, other: int) -> int:
                gc.collect()
                return other + int(self)

        def work() -> None:
            Left()
            counts.add(open=Collecting(1))

        gc.collect()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        # Only a thread that waits for itself takes this long.
        thread.join(30)
        self.assertFalse(thread.is_alive())
        self.assertEqual([one.outcome for one in ended], ["aborted"])

    def test_answer_that_is_dropped_unread_ends_as_aborted(self) -> None:
        ended: List[Ended] = []
        for status, outcome in ((200, "aborted"), (500, "failed")):
            exchange = Exchange(Answer(status, {}), ChatFold, 1000, ended.append)
            followed = _Followed([b"a"], exchange, lambda work, *given: work(*given))
            self.assertEqual(ended, [])
            del followed
            gc.collect()
            self.assertEqual([one.outcome for one in ended], [outcome])
            ended.clear()

    def test_stream_whose_event_loop_is_closed_ends_as_aborted(self) -> None:
        ended: List[Ended] = []

        async def content() -> AsyncIterator[bytes]:
            for chunk in (b"a", b"b"):
                yield chunk

        async def read_one(chunks: AsyncIterator[bytes]) -> bytes:
            return await chunks.__anext__()

        exchange = Exchange(Answer(200, {}), ChatFold, 1000, ended.append)
        chunks = _Followed(content(), exchange, lambda work, *given: work(*given)).__aiter__()
        loop = asyncio.new_event_loop()
        self.assertEqual(loop.run_until_complete(read_one(chunks)), b"a")
        # A closed loop closes no generator.
        loop.close()
        del chunks
        gc.collect()
        self.assertEqual([one.outcome for one in ended], ["aborted"])
