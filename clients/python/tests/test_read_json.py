"""Compares the quick reader of requests with the strict one."""

from __future__ import annotations

import json
import random
import sys
import unittest
from pathlib import Path
from typing import List
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

import cer_client.read_json as quick  # noqa: E402
from cer_verify import Json, JsonFault, parse_json  # noqa: E402

LEVELS = 5

REFUSED = [
    *('{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"c":1}}]', '{"a":1e400}', "[-1e400]", "[1e-400]"),
    *("[9007199254740993]", "[NaN]", "[Infinity]", "[-Infinity]", "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[0x1]"),
    *("", " ", "[", "[1,]", '{"a":1,}', '{"a"}', "{a:1}", "['a']", "[1] 2", "[1]]", "nul", "[tru]", "[\u00a01]"),
    *('["\t"]', '["\n"]', '["\\x"]', '["\\u12"]', '["\\u+123"]', '["a', "\ufeff[]", "[1]\0", "[\u0661]"),
    *("[[[[[[]]]]]]", '{"a":{"a":{"a":{"a":{"a":{}}}}}}', '[[[[[{"a":1}]]]]]', "[" * 100_000),
]
READ = [
    *("{}", "[]", " \t\r\n[ 1 , 2 ]\n", '{"a":{"b":[null,true,false]}}', "[[[[[]]]]]", '{"a":{"a":{"a":{"a":{}}}}}'),
    *("[0,-0,0.0,-0.0e5,1,1.0,1e2,1E-2,-1.5e+3,5e-324]", "[9007199254740991,-9007199254740991]", "[0.1,1e300]"),
    *("[9007199254740992,9007199254740994.0,1e21,123456789012345680000]", '{"__proto__":1,"":2," ":3}'),
    *(
        '["\\ud83d\\ude00","\\ud83d","\\ude00\\ud83d","\\ud83dx","\\u0000\\b\\/"]',
        '["\u2028\U0001f600\x7f"]',
        '"a"',
        "1",
    ),
    *("null", f'["{"a" * 10_000}"]', f"[{','.join(['[]'] * 1000)}]"),
]


def shown(value: Json) -> str:
    """A value with its types and the order of its members."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{shown(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    return f"{type(value).__name__} {value!r}"


def outcome(text: str, strictly: bool) -> str:
    try:
        return shown(parse_json(text.encode(), LEVELS) if strictly else quick.read_json(text, LEVELS))
    except JsonFault as fault:
        return f"{fault.code} {fault}"


class ReadJson(unittest.TestCase):
    def compare(self, texts: List[str]) -> int:
        """Returns the number of texts that were read."""
        read = 0
        for text in texts:
            expected = outcome(text, True)
            with self.subTest(text=text[:80]):
                self.assertEqual(outcome(text, False), expected)
            read += not expected.startswith("JSON_")
        return read

    def test_refuses_what_the_strict_reader_refuses(self) -> None:
        self.assertEqual(self.compare(REFUSED), 0)

    def test_reads_what_the_strict_reader_reads(self) -> None:
        self.assertEqual(self.compare(READ), len(READ))

    def test_reads_changed_texts_as_the_strict_reader(self) -> None:
        changes = random.Random(7)  # noqa: S311
        pieces = [*'{}[]",:\\01.9eE+-u ', "\\u", "null", '"a":', "\ud7ff", "\t"]
        short = [text for text in (*READ, *READ, *READ, *REFUSED) if len(text) < 100]
        texts = []
        for _ in range(20_000):
            text = changes.choice(short)
            for _ in range(changes.randint(1, 2)):
                at, end = changes.randint(0, len(text)), changes.randint(0, 2)
                text = text[:at] + changes.choice(pieces) + text[at + end :]
            texts.append(text)
        read = self.compare(texts)
        self.assertGreater(read, 1000)
        self.assertGreater(len(texts) - read, 2000)

    def test_does_not_read_a_usual_request_twice(self) -> None:
        messages = [{"role": "user", "content": 'a "b"\n\u00e9', "n": [1, 0.5, -0.0, None, True]}] * 50
        body = json.dumps({"model": "m", "temperature": 0.5, "seed": 7, "messages": messages})
        with mock.patch.object(quick, "parse_json", side_effect=AssertionError("read twice")):
            self.assertEqual(quick.read_json(body, LEVELS), json.loads(body))

    def test_states_what_a_body_with_long_integers_states(self) -> None:
        body = '{"model":"m","max_tokens":7,"seed":12345678901234567891,"a":[9007199254740993,1234567890123456]}'
        stated = {"model": "m", "max_tokens": 7, "seed": "12345678901234567891"}
        expected = {**stated, "a": ["9007199254740993", "1234567890123456"]}
        self.assertEqual(quick.stated_in(body, body, LEVELS), expected)
        self.assertEqual(quick.stated_in(body, {"model": "n"}, LEVELS), {"model": "n"})
        for text in REFUSED:
            with self.subTest(text=text[:80]):
                self.assertEqual(quick.stated_in(text, text, LEVELS) is None, text != "[9007199254740993]")


if __name__ == "__main__":
    unittest.main()
