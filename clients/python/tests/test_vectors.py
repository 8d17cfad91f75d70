"""Runs every family of packages/cer-core/vectors with cer_verify."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

import cer_verify as cer  # noqa: E402

VECTORS = ROOT / "packages" / "cer-core" / "vectors"

# The fewest tests of each family, so that a family that shrinks or is not read fails.
FAMILY_SIZES = {
    **{"confidential-and-v2": 52, "envelope": 36, "execution-v1": 83, "json": 40, "keys": 33, "other-types": 45},
    **{"packages": 48, "projects": 80, "receipt": 53, "reseal": 44, "tools": 20},
}


def read(path: Path) -> cer.Members:
    value = cer.parse_json(path.read_bytes())
    assert isinstance(value, dict)
    return value


def items(value: cer.Json) -> list[cer.Json]:
    assert isinstance(value, list)
    return value


def result(value: cer.Json, kind: cer.Json, options: cer.Options) -> Dict[str, object]:
    if kind == "project":
        project = cer.verify_project(value, options)
        return {
            "status": project.status,
            "code": project.code,
            "nodeReceipt": project.node_receipt,
            "steps": [step.code for step in project.steps],
            "stepStatuses": [step.status for step in project.steps],
            "structuralValid": project.structural_valid,
            "projectHashValid": project.project_hash_valid,
            "attestedSteps": project.attested_steps,
            "passedSteps": project.passed_steps,
            "member": project.findings[0].member if project.findings else None,
        }
    report = cer.verify(value, options)
    return {
        "status": report.status,
        "code": report.code,
        "checks": report.checks.as_json(),
        "classification": report.classification,
        "contentMode": report.content_mode,
        "provenance": report.provenance,
        "reasonCodes": report.reason_codes,
        "relaxations": report.relaxations,
        "supplemental": report.supplemental,
        "member": report.findings[0].member if report.findings else None,
    }


class Vectors(unittest.TestCase):
    def check(self, family: cer.Members, test: cer.Json) -> None:
        expected, bundle = cer.get(test, "expected"), cer.get(test, "bundle")
        assert isinstance(expected, dict) and isinstance(bundle, str)
        try:
            value = cer.parse_json(bundle.encode("utf-8", "surrogatepass"))
        except cer.JsonFault as fault:
            refusal = {"refused": fault.code, "member": fault.path}
            self.assertEqual({"member": "", **expected}, refusal)
            return
        self.assertNotIn("refused", expected)
        key_set, node_id = cer.get(test, "keySet"), cer.get(test, "options", "nodeId")
        options = cer.Options(
            keys=cer.parse_key_set(cer.get(family["keySets"], key_set)) if isinstance(key_set, str) else None,
            node_id=node_id if isinstance(node_id, str) else None,
            require_attestation=cer.get(test, "options", "requireAttestation") is True,
            require_full_artifact=cer.get(test, "options", "requireFullArtifact") is True,
        )
        actual = result(value, cer.get(test, "kind"), options)
        self.assertEqual(expected, {name: actual[name] for name in expected})

    def test_families(self) -> None:
        found = {}
        for path in sorted(VECTORS.glob("*.json")):
            family = read(path)
            tests = items(family["tests"])
            found[cer.text_of(family["family"])] = len(tests)
            for test in tests:
                with self.subTest(cer.text_of(cer.get(test, "id"))):
                    self.check(family, test)
        print(f"{sum(found.values())} vectors in {len(found)} families")
        for name, size in FAMILY_SIZES.items():
            self.assertGreaterEqual(found.get(name, 0), size, name)


if __name__ == "__main__":
    unittest.main()
