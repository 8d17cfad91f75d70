"""A program whose calls are observed, and what is in its spool."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

sys.path[:0] = [str(Path(__file__).resolve().parents[level]) for level in (1, 2)]

from certified_program import NODE_DOWN, SECRET, CertifiedProgram, hash_of  # noqa: E402
from model_server import ModelServer  # noqa: E402

import cer_verify  # noqa: E402

__all__ = ["NODE_DOWN", "SECRET", "ObservedProgram", "bundles", "hash_of", "payload", "seen_by"]


def bundles(folder: Path) -> List[Dict[str, Any]]:
    """The sealed bundles of a spool, each verified."""
    found = []
    for path in sorted(folder.glob("[0-9]*.ndjson")):
        for line in path.read_text().splitlines():
            assert SECRET not in line
            bundle = json.loads(line)["bundle"]
            report = cer_verify.verify(cer_verify.parse_json(json.dumps(bundle).encode()))
            assert report.ok, report.findings
            found.append(bundle)
    return found


def payload(bundle: Dict[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = bundle["context"]["signals"][0]["payload"]
    return found


def seen_by(work: Callable[[], Any]) -> Any:
    """What a program sees: a value, or the class and text of an error."""
    try:
        return work()
    except Exception as error:
        return type(error), str(error)


class ObservedProgram(CertifiedProgram):
    server: ModelServer

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ModelServer()
        cls.addClassCleanup(cls.server.close)

    def setUp(self) -> None:
        super().setUp()
        self.server.bodies.clear()
        self.server.goes_on.clear()
        self.server.script = None

    def one(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        found = bundles(self.folder)
        self.assertEqual(len(found), 1)
        return found[0], payload(found[0])
