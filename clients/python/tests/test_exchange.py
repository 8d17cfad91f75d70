"""Answers as they arrive, without a server."""

import json
import unittest
from typing import Any, Callable, List, Tuple

from cer_client.exchange import Answer, Ended, Exchange
from cer_client.folds import ChatFold, Fold, MessagesFold, ResponsesFold

WORD = "w" * 100


def chat(finish: Any = None) -> Any:
    return {"choices": [{"index": 0, "delta": {"content": WORD}, "finish_reason": finish}]}


def message() -> Any:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORD}}


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
]


class ExchangeTest(unittest.TestCase):
    def test_content_over_the_limit_is_not_kept(self) -> None:
        for make, events in STREAMS:
            with self.subTest(make.__name__):
                fold = make()
                ended: List[Ended] = []
                answer = Answer(200, {"content-type": "text/event-stream"})
                exchange = Exchange(answer, lambda fold=fold: fold, 1000, ended.append)  # type: ignore[misc]
                for event in events[:-1]:
                    exchange.hand_on(f"data: {json.dumps(event)}\n\n".encode())
                self.assertLess(len(json.dumps(fold.answer())), 1000)
                exchange.hand_on(f"data: {json.dumps(events[-1])}\n\n".encode())
                exchange.end()
                self.assertEqual([(one.outcome, one.output) for one in ended], [("complete", None)])

    def test_byte_order_mark_is_not_part_of_the_answer(self) -> None:
        ended: List[Ended] = []
        exchange = Exchange(Answer(200, {}), ChatFold, 1000, ended.append)
        exchange.hand_on(b'\xef\xbb\xbf{"id": "a"}')
        exchange.end()
        self.assertEqual(ended[0].output, {"id": "a"})
