"""A program whose calls are observed, and what is in its spool."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from model_server import ModelServer  # noqa: E402

import cer_verify  # noqa: E402
from cer_client import Certificates  # noqa: E402

# Nothing listens there.
NODE_DOWN = "http://127.0.0.1:9"
SECRET = "the secret of the caller"


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


def hash_of(value: Any) -> str:
    return cer_verify.hash_bytes(cer_verify.hashed_bytes(value, cer_verify.JCS_V1))


def seen_by(work: Callable[[], Any]) -> Any:
    """What a program sees: a value, or the class and text of an error."""
    try:
        return work()
    except Exception as error:
        return type(error), str(error)


class ObservedProgram(unittest.TestCase):
    server: ModelServer

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ModelServer()
        cls.addClassCleanup(cls.server.close)

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cer-python-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.server.bodies.clear()
        self.server.goes_on.clear()
        self.server.script = None
        self.faults: List[BaseException] = []

    def certificates(self, **options: Any) -> Certificates:
        given = {"node_url": NODE_DOWN, "spool_dir": self.folder, "on_error": self.faults.append, **options}
        cer = Certificates("tests", **given)
        self.addCleanup(cer.close, 0)
        return cer

    def one(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        found = bundles(self.folder)
        self.assertEqual(len(found), 1)
        return found[0], payload(found[0])

    def no_faults(self) -> None:
        """The node is away, and nothing else is wrong."""
        others = [fault for fault in self.faults if type(fault).__name__ != "NodeError"]
        self.assertEqual(others, [])
