"""Key histories: the vectors of packages/cer-core."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

import cer_verify as cer  # noqa: E402

VECTORS = ROOT / "packages" / "cer-core" / "vectors" / "key-histories" / "key-histories.json"


def outcome_of(row: cer.Json) -> Tuple[Optional[str], List[str]]:
    """The code that refuses a history, or none and the notices."""
    document = cer.parse_json(cer.text_of(cer.get(row, "document")).encode())
    node_id, root, clock = (text_or_none(cer.get(row, name)) for name in ("nodeId", "root", "clock"))
    version, seq = cer.get(row, "seen", "version"), cer.get(row, "seen", "historyHead", "seq")
    seen = None
    if isinstance(version, float) and isinstance(seq, float):
        seen = cer.SeenHistory(int(version), int(seq), cer.text_of(cer.get(row, "seen", "historyHead", "hash")))
    try:
        history = cer.verify_key_history(document, node_id, root, seen, clock)
        head = cer.get(document, "statement", "historyHead")
        assert {"seq": history.seen.seq, "hash": history.seen.hash} == head, "the state to keep"
        assert history.seen.version == cer.get(document, "statement", "version"), "the state to keep"
        entries = [entry for known in history.keys.entries.values() for entry in known]
        assert entries == cer.get(document, "statement", "keySet", "keys"), "the keys"
        return None, history.notices
    except cer.HistoryFault as fault:
        return fault.code, []


def text_or_none(value: cer.Json) -> Optional[str]:
    return value if isinstance(value, str) else None


class KeyHistories(unittest.TestCase):
    def test_vectors(self) -> None:
        rows = cer.get(cer.parse_json(VECTORS.read_bytes()), "tests")
        assert isinstance(rows, list)
        self.assertGreaterEqual(len(rows), 10)
        for row in rows:
            with self.subTest(cer.text_of(cer.get(row, "id"))):
                code, notices = outcome_of(row)
                self.assertEqual(code, cer.get(row, "expected"))
                if cer.get(row, "notices") is not cer.ABSENT:
                    self.assertEqual(notices, cer.get(row, "notices"))


if __name__ == "__main__":
    unittest.main()
