"""The package in clients/python: `python3 python.py COMMAND FILE...`, with a command of ../README.md."""

import hashlib
import hmac
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))

import cer_verify as cer  # noqa: E402
from cer_client.executions import RequestFault, seal_execution  # noqa: E402

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


def seal(case):
    try:
        request = cer.parse_json(case["request"].encode("utf-8", "surrogatepass"))
        salts = {name: cer.decode_base64url(salt) for name, salt in case.get("salts", {}).items()}
        sealed = seal_execution(request, "2026-07-01T00:00:00.000Z", "none-was-given", salts)
    except cer.JsonFault as fault:
        return {"refused": fault.code}
    except RequestFault:
        return {"refused": "VALIDATION_ERROR"}
    except cer.CanonicalError:
        return {"refused": "CANONICALIZATION_ERROR"}
    return {"bundle": json.loads(sealed.text)}


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


def raw(text):
    return bytes.fromhex(text[len("sha256:") :])


def written(digest):
    return "sha256:" + digest.hex()


def mac(key, value):
    content = value if isinstance(value, bytes) else cer.canonicalize(value).encode()
    return hmac.new(key, content, hashlib.sha256).digest()


def of_inclusion(case):
    proof = int(case["leafIndex"]), int(case["treeSize"]), [raw(one) for one in case["path"]]
    return {"valid": cer.is_included(raw(case["leafHash"]), *proof, raw(case["root"]))}


def of_consistency(case):
    sizes, roots = (int(case["size1"]), int(case["size2"])), (raw(case["root1"]), raw(case["root2"]))
    return {"valid": cer.verify_consistency(*sizes, *roots, [raw(one) for one in case["path"]])}


def of_leaf(case):
    signed = {"receipt": case["receipt"], "signature": case["signature"]}
    digest = hashlib.sha256(cer.canonicalize(signed).encode()).digest()
    seed = cer.decode_base64url(case["seed"])
    salts = [mac(seed, ["svc.log-leaf.v1", name]) for name in ("receipt", "tenant")]
    receipt, tenant = mac(salts[0], digest), mac(salts[1], case["label"])
    entry = b"\1" + hashlib.sha256(receipt + tenant).digest()
    return {
        "tenant": written(cer.tenant_tag(case["nodeId"], case["tenantId"])),
        "receiptDigest": written(digest),
        "receiptCommitment": written(receipt),
        "tenantCommitment": written(tenant),
        "entry": entry.hex(),
        "leafHash": written(hashlib.sha256(b"\0" + entry).digest()),
    }


def of_map(case):
    elements = sorted((raw(one["key"]), raw(one["value"])) for one in case["elements"])

    def root(part, bit):
        if len(part) < 2:
            return hashlib.sha256(b"\2" + b"".join(part[0])).digest() if part else bytes(32)
        sides = [[one for one in part if one[0][bit >> 3] >> (7 - (bit & 7)) & 1 == side] for side in (0, 1)]
        return hashlib.sha256(b"\3" + root(sides[0], bit + 1) + root(sides[1], bit + 1)).digest()

    return {"root": written(root(elements, 0))}


def of_proof(case):
    receipt, before = case["receipt"], case.get("notBefore")
    signed_at = receipt.get("timestamp") or receipt.get("registeredAt")
    claim = cer.LogClaim(case["proof"], before, receipt, case["signature"], signed_at)
    found = cer.judge_log_proof(claim, cer.LogPolicy(case["policy"]), int(case["mmdSeconds"]))
    return {"outcome": found["code"] or found["status"]}


def of_policy(case):
    try:
        cer.LogPolicy(case["policy"])
    except ValueError:
        return {"valid": False}
    return {"valid": True}


LOG = {
    "inclusion": of_inclusion,
    "consistency": of_consistency,
    "leaf": of_leaf,
    "map": of_map,
    "peaks": lambda case: {"root": written(cer.root_of_peaks([raw(one) for one in case["peaks"]]))},
    "proof": of_proof,
    "policy": of_policy,
}


def of_timestamp(case):
    entry = {"type": "rfc3161", "token": case["token"]}
    if "inclusion" in case:
        entry["inclusion"] = case["inclusion"]
    roots = None if case["roots"] is None else cer.TsaRoots(case["roots"])
    return cer.check_timestamps(
        case["receipt"], case["signature"], case["certificateHash"], [{"timestamps": [entry]}], roots
    )[0].as_json()


COMMANDS = {
    "verify": answer,
    "seal": seal,
    "log": lambda case: LOG[case["kind"]](case),
    "timestamp": of_timestamp,
}

if __name__ == "__main__":
    command = COMMANDS.get("".join(sys.argv[1:2]))
    if command is None:
        sys.exit(NOT_BUILT)
    for name in sys.argv[2:]:
        print(json.dumps(command(json.loads(Path(name).read_text(encoding="utf-8")))))
