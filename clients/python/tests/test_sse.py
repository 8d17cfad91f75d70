"""Server-sent events and lines, wherever chunks are cut."""

import unittest
from typing import Any, List
from unittest import mock

from cer_client.sse import SseReader

EVENTS = (
    ": a comment\n\n"
    'event: greeting\nid: 7\ndata: {"text":\ndata: "Grüße aus 東京 🗼"}\n\n'
    "data:first\nretry: 5\n\n"
    "data: [DONE]\n\n"
)
DATA = ['{"text":\n"Grüße aus 東京 🗼"}', "first", "[DONE]"]


def data_of(content: bytes, chunk_bytes: int) -> List[str]:
    reader = SseReader(1000)
    chunks = (content[at : at + chunk_bytes] for at in range(0, len(content), chunk_bytes))
    return [data for chunk in chunks for data in reader.push(chunk)]


class SseTest(unittest.TestCase):
    def test_lines_end_with_feeds_carriage_returns_or_both(self) -> None:
        for line_end in ("\n", "\r", "\r\n"):
            content = EVENTS.replace("\n", line_end).encode()
            for chunk_bytes in (1, 2, 3, 7, 1000):
                with self.subTest(line_end=line_end, chunk_bytes=chunk_bytes):
                    self.assertEqual(data_of(content, chunk_bytes), DATA)

    def test_an_event_ends_before_the_second_half_of_its_line_end(self) -> None:
        self.assertEqual(data_of(b"data: [DONE]\r\n\r", 1000), ["[DONE]"])

    def test_byte_order_mark_is_not_part_of_the_first_line(self) -> None:
        for chunk_bytes in (1, 2, 3, 1000):
            with self.subTest(chunk_bytes=chunk_bytes):
                self.assertEqual(data_of(b"\xef\xbb\xbfdata: \xef\xbb\xbfa\n\n", chunk_bytes), ["\ufeffa"])

    def test_lines_are_events_of_their_own(self) -> None:
        for line_end in ("\n", "\r", "\r\n"):
            for last in ("", line_end):
                content = f'{{"a": "Grüße"}}{line_end}{{"b": "東京 🗼"}}{last}'.encode()
                for chunk_bytes in (1, 2, 3, 7, 1000):
                    with self.subTest(line_end=line_end, last=last, chunk_bytes=chunk_bytes):
                        reader = SseReader(1000, "lines")
                        chunks = (content[at : at + chunk_bytes] for at in range(0, len(content), chunk_bytes))
                        found = [data for chunk in chunks for data in reader.push(chunk)]
                        self.assertEqual([*found, *reader.end()], ['{"a": "Grüße"}', '{"b": "東京 🗼"}'])

    def test_error_between_events_is_an_event(self) -> None:
        error = '{\n  "error": {\n    "status": "UNAVAILABLE"\n  }\n}'
        for chunk_bytes in (1, 2, 3, 7, 1000):
            for end in ("", "\n"):
                with self.subTest(chunk_bytes=chunk_bytes, end=end):
                    found = data_of(f"data: a\n\n{error}{end}".encode(), chunk_bytes)
                    self.assertEqual([found[0], found[1].strip(), len(found)], ["a", error, 2])
        # It comes before the event behind it, wherever chunks are cut.
        for chunk_bytes in (1, 7, 1000):
            found = data_of(f"{error}\nid: 1\ndata: a\n\n".encode(), chunk_bytes)
            self.assertEqual([one.strip() for one in found], [error, "a"])
        # Other fields do not belong to it.
        self.assertEqual(data_of(b'{\nevent: x\n"error": 1\n}\ndata: a\n\n', 1000), ['{\n"error": 1\n}\n', "a"])
        # Neither another object nor a long one.
        self.assertEqual(data_of(b'{"candidates": []}\ndata: a\n\n', 1000), ["a"])
        self.assertEqual(data_of(b'{"error": "' + b"x" * 70_000 + b'"}\ndata: a\n\n', 1000), ["a"])

    def test_only_a_line_ends_with_the_stream(self) -> None:
        reader = SseReader(1000)
        self.assertEqual([*reader.push(b"data: a\ndata: b"), *reader.end()], [])

    def test_character_that_is_cut_off_is_part_of_the_last_line(self) -> None:
        for rest in (b"\xff", b"\xe2\x82", b"\xf0"):
            reader = SseReader(1000, "lines")
            self.assertEqual([*reader.push(b'{"a": 1}' + rest), *reader.end()], ['{"a": 1}\ufffd'])

    def test_line_over_the_limit_is_left_out(self) -> None:
        reader = SseReader(10, "lines")
        self.assertEqual(reader.push(b"x" * 11 + b"\n" + b"x" * 10 + b"\n"), ["x" * 10])
        self.assertEqual([*reader.push(b"x" * 11), *reader.end()], [])

    def test_line_is_searched_once_in_however_many_chunks_it_arrives(self) -> None:
        searched = 0

        class Counted(str):
            def __radd__(self, earlier: str) -> "Counted":
                return Counted(str(earlier) + str(self))

            def replace(self, *arguments: Any) -> "Counted":
                nonlocal searched
                searched += len(self)
                return Counted(super().replace(*arguments))

        reader = SseReader(1_000_000)
        decode = reader._decoder.decode
        content = b"data: " + b"x" * 200_000 + b"\n\n"
        with mock.patch.object(reader, "_decoder") as decoder:
            decoder.decode = lambda chunk: Counted(decode(chunk))
            chunks = (content[at : at + 1000] for at in range(0, len(content), 1000))
            self.assertEqual([len(data) for chunk in chunks for data in reader.push(chunk)], [200_000])
        self.assertGreater(searched, 0)
        self.assertLess(searched, 5 * len(content))
