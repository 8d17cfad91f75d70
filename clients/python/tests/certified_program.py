"""A program whose calls are certified, and no node is there. Its spool is a folder of its own."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any, List

import cer_verify
from cer_client import Certificates

# Nothing listens there.
NODE_DOWN = "http://127.0.0.1:9"
SECRET = "the secret of the caller"


def hash_of(value: Any) -> str:
    return cer_verify.hash_bytes(cer_verify.hashed_bytes(value, cer_verify.JCS_V1))


class CertifiedProgram(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cer-python-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.faults: List[BaseException] = []

    def certificates(self, **options: Any) -> Certificates:
        given = {"node_url": NODE_DOWN, "spool_dir": self.folder, "on_error": self.faults.append, **options}
        cer = Certificates("tests", **given)
        self.addCleanup(cer.close, 0)
        return cer

    def no_faults(self) -> None:
        """The node is away, and nothing else is wrong."""
        others = [fault for fault in self.faults if type(fault).__name__ != "NodeError"]
        self.assertEqual(others, [])
