"""Key histories: the vectors of packages/cer-core."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

import cer_verify as cer  # noqa: E402

VECTORS = ROOT / "packages" / "cer-core" / "vectors" / "key-histories" / "key-histories.json"


def refusal_of(row: cer.Json) -> Optional[str]:
    document = cer.parse_json(cer.text_of(cer.get(row, "document")).encode())
    try:
        cer.verify_key_history(document, cer.text_of(cer.get(row, "nodeId")), cer.text_of(cer.get(row, "root")))
    except cer.HistoryFault as fault:
        return fault.code
    return None


class KeyHistories(unittest.TestCase):
    def test_vectors(self) -> None:
        rows = cer.get(cer.parse_json(VECTORS.read_bytes()), "tests")
        assert isinstance(rows, list)
        self.assertGreaterEqual(len(rows), 10)
        for row in rows:
            with self.subTest(cer.text_of(cer.get(row, "id"))):
                self.assertEqual(refusal_of(row), cer.get(row, "expected"))


if __name__ == "__main__":
    unittest.main()
