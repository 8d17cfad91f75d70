"""The verifier in clients/python: `python3 python.py verify FILE...`, one line of JSON for each case file."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))

import cer_verify as cer  # noqa: E402

NOT_BUILT = 64


def answer(case):
    try:
        value = cer.parse_json(case["bundle"].encode("utf-8", "surrogatepass"))
    except cer.JsonFault as fault:
        return {"refused": fault.code, "member": fault.path}
    wanted = case.get("options", {})
    options = cer.Options(
        keys=None if case["keySet"] is None else cer.parse_key_set(case["keySet"]),
        node_id=wanted.get("nodeId"),
        require_attestation=wanted.get("requireAttestation") is True,
        require_full_artifact=wanted.get("requireFullArtifact") is True,
    )
    return of_project(cer.verify_project(value, options)) if case["kind"] == "project" else of_bundle(cer.verify(value, options))


def first_member(report):
    return report.findings[0].member if report.findings else None


def of_bundle(report):
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
        "member": first_member(report),
    }


def of_project(report):
    return {
        "status": report.status,
        "code": report.code,
        "nodeReceipt": report.node_receipt,
        "steps": [step.code for step in report.steps],
        "stepStatuses": [step.status for step in report.steps],
        "structuralValid": report.structural_valid,
        "projectHashValid": report.project_hash_valid,
        "attestedSteps": report.attested_steps,
        "passedSteps": report.passed_steps,
        "member": first_member(report),
    }


if __name__ == "__main__":
    if sys.argv[1:2] != ["verify"]:
        sys.exit(NOT_BUILT)
    for name in sys.argv[2:]:
        print(json.dumps(answer(json.loads(Path(name).read_text(encoding="utf-8")))))
