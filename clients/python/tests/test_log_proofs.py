"""Log proofs: the vectors of packages/tlog, and the demand for a log."""

from __future__ import annotations

import hashlib
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

from watched_text import Watched  # noqa: E402

import cer_verify as cer  # noqa: E402

VECTORS = ROOT / "packages" / "tlog" / "vectors"


def policy() -> cer.LogPolicy:
    return cer.LogPolicy((VECTORS / "policy.txt").read_text())


class LogProofs(unittest.TestCase):
    def test_vectors(self) -> None:
        family = cer.parse_json((VECTORS / "proofs.json").read_bytes())
        rows, mmd = cer.get(family, "proofs"), cer.get(family, "mmdSeconds")
        assert isinstance(rows, list) and isinstance(mmd, float)
        self.assertGreaterEqual(len(rows), 23)
        for row in rows:
            proof, before = cer.get(row, "proof"), cer.get(row, "notBefore")
            signature, when = cer.get(row, "signature"), cer.get(row, "receipt", "timestamp")
            assert isinstance(proof, str) and isinstance(signature, str) and isinstance(when, str)
            not_before = before if isinstance(before, str) else None
            claim = cer.LogClaim(proof, not_before, cer.get(row, "receipt"), signature, when)
            with self.subTest(f"{cer.get(row, 'why')} {cer.get(row, 'index')} of {cer.get(row, 'size')}"):
                found = cer.judge_log_proof(claim, policy(), int(mmd))
                self.assertEqual(found["code"] or found["status"], cer.get(row, "expect"))
                status = {None: "included", "LOG_LATE": "included", "LOG_UNKNOWN": "unknown-log"}
                self.assertEqual(found["status"], status.get(cer.text_of(found["code"]) or None, "invalid"))
                self.assertEqual(found["detail"] is None, found["code"] is None)
                if found["status"] == "included":
                    self.assertGreater(cer.text_of(found["loggedBy"]), when)

    def test_proofs_of_a_certificate_are_compared_with_few_others(self) -> None:
        certificate = cer.parse_json((ROOT / "examples" / "certificates" / "certified.json").read_bytes())
        receipt, signature = (cer.get(certificate, "meta", "attestation", name) for name in ("receipt", "signature"))
        places: cer.Json = {"logProofs": [{"proof": Watched(f"{at % 1000}")} for at in range(2000)]}
        before = Watched.comparisons
        claims = cer._log_claims(receipt, signature, [places], cer.LogClaim("", None, None, "", ""))
        self.assertEqual([claim.proof for claim in claims[:8]], [f"{at}" for at in range(8)])
        self.assertLess(Watched.comparisons - before, 20_000)

    def test_empty_trees(self) -> None:
        empty, other = hashlib.sha256().digest(), bytes(32)
        for roots in ((empty, other), (other, empty), (other, other)):
            self.assertFalse(cer.verify_consistency(0, 0, *roots, []), roots)
        self.assertTrue(cer.verify_consistency(0, 0, empty, empty, []))
        self.assertTrue(cer.verify_consistency(0, 1, empty, other, []))
        self.assertFalse(cer.verify_consistency(0, 1, other, other, []))

    def test_unknown_log_before_a_broken_line(self) -> None:
        rows = cer.get(cer.parse_json((VECTORS / "proofs.json").read_bytes()), "proofs")
        assert isinstance(rows, list)
        row = rows[0]
        proof, signature = cer.text_of(cer.get(row, "proof")), cer.text_of(cer.get(row, "signature"))
        broken = proof.replace("2yqmyAAAAABpVzam", "2yqmyAAAAABpVzan")
        self.assertNotEqual(broken, proof)
        lines = (VECTORS / "policy.txt").read_text().splitlines(keepends=True)
        without = cer.LogPolicy("".join(line for line in lines if not line.startswith("log node.example/log+")))
        when = cer.text_of(cer.get(row, "receipt", "timestamp"))
        claim = cer.LogClaim(broken, None, cer.get(row, "receipt"), signature, when)
        self.assertEqual(cer.judge_log_proof(claim, policy())["code"], "LOG_SIGNATURE_INVALID")
        self.assertEqual(cer.judge_log_proof(claim, without)["code"], "LOG_UNKNOWN")

    def test_late_cosignatures(self) -> None:
        """Of the last second of the year 9999, and of the next."""
        named = cer.LogPolicy(
            "log log.example+99562521+ASx2nwlCCxLLBPg7PYIL7Zfwfww9HJEay4gYQBaw3XOs\n"
            "witness w1 witness.example+703cd931+BCtiKtFtfkTqhS1jFyMVMpJzq/8p2SkwGGmIPg0yn+WM\nquorum w1\n"
        )
        note = (
            "log.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u2014 log.example "
            "mVYlIWVhDBw73Ab7+u9s0feWI8kE0fZ4nZGkwCPs5SGJKI4NOLMPTJfve26SQImdqpvbAIP67X+K4j3X+Mpw+cBALwM=\n"
        )
        for line, code in (
            (
                "cDzZMQAAADr/9EF/h76F1+SSSLlT42Z5vnrvygVddQZn6KEiwjr2W5v6blO5TU74Cp1LyB8LEWp/rbhJv21/3q4KbCAQ6AkXeD52Ag==",
                "",
            ),
            (
                "cDzZMQAAADr/9EGA/c81mJdCKye0CQ5YQBYS9db4kll3p+hqKx8ne9IIRBbfDPFPuh9gLa79nxVosYMkTiccp4DuV0nzZX3u3plZBg==",
                "LOG_SIGNATURE_INVALID",
            ),
        ):
            checkpoint = cer._read_checkpoint(f"{note}\u2014 witness.example {line}\n")
            cosigned, refusal = cer._judge_checkpoint(checkpoint, named)
            self.assertEqual(refusal, code)
            self.assertEqual(cosigned is None, code != "")

    def test_label_of_another_receipt(self) -> None:
        """An owner's opening states the time, and with the certificate at hand its app, type and kind."""
        rows = cer.get(cer.parse_json((VECTORS / "proofs.json").read_bytes()), "proofs")
        assert isinstance(rows, list)
        row = next(row for row in rows if cer.get(row, "form") == "owner" and cer.get(row, "expect") == "included")
        proof, signature = cer.text_of(cer.get(row, "proof")), cer.text_of(cer.get(row, "signature"))
        lines = proof.split("\n")
        extra = cer.decode_base64(lines[1][len("extra ") :])
        label = cer.get(cer.parse_json(extra or b""), "label")
        app_id, bundle_type, kind = (cer.get(label, name) for name in ("appId", "bundleType", "kind"))
        assert isinstance(bundle_type, str) and isinstance(kind, str) and (app_id is None or isinstance(app_id, str))
        receipt, when = cer.get(row, "receipt"), cer.text_of(cer.get(row, "receipt", "timestamp"))
        right = cer.LogClaim(proof, None, receipt, signature, when, app_id, bundle_type, (kind,))
        for claim, code in (
            (right, None),
            (right._replace(kinds=("x", kind)), None),
            (right._replace(kinds=()), None),
            (right._replace(kinds=(), app_id="another"), None),
            (right._replace(kinds=("x",)), "LOG_LABEL_MISMATCH"),
            (right._replace(app_id="another"), "LOG_LABEL_MISMATCH"),
            (right._replace(bundle_type=None), "LOG_LABEL_MISMATCH"),
            (right._replace(signed_at=when.replace(".000Z", "Z")), "LOG_LABEL_MISMATCH"),
            (right._replace(kinds=(), signed_at=when.replace(".000Z", "Z")), "LOG_LABEL_MISMATCH"),
        ):
            found = cer.judge_log_proof(claim, policy(), 3600)
            self.assertEqual(found["code"], code)
            self.assertEqual(found["status"], "included" if code is None else "invalid")
            self.assertEqual((found["index"], found["witnesses"]), (cer.get(row, "index"), ["w1", "w2"]))
            self.assertEqual((found["origin"], found["treeSize"]), ("node.example/log", cer.get(row, "size")))
            self.assertEqual(found["loggedBy"] is None, code is not None)
            self.assertIsNone(found["loggedAfter"])

    def test_policies_that_are_none(self) -> None:
        good = (VECTORS / "policy.txt").read_text()
        for text in (
            "",
            good + "quorum two\n",
            good.replace("group two 2", "group two 4"),
            good.replace("group two 2 w1", "group two 2 w9"),
            good.replace("+08ab3961+", "+08ab3962+"),
            good.replace("quorum two", "quorum three"),
            good.replace("witness w2", "witness w1"),
            good + "\x07",
        ):
            with self.assertRaises(ValueError):
                cer.LogPolicy(text)

    def test_demanded_log(self) -> None:
        bundle = cer.parse_json((ROOT / "examples" / "certificates" / "certified.json").read_bytes())
        keys = cer.parse_key_set(cer.parse_json((ROOT / "examples" / "certificates" / "keys.json").read_bytes()))
        without = cer.verify(bundle, cer.Options(keys=keys, log_policy=policy()))
        self.assertEqual((without.status, cer.get(without.transparency, "status")), ("VERIFIED", "absent"))
        demanded = cer.verify(bundle, cer.Options(keys=keys, log_policy=policy(), require_log=True))
        self.assertEqual((demanded.status, demanded.code), ("FAILED", "LOG_PROOF_MISSING"))
        unpinned = cer.verify(bundle, cer.Options(keys=keys, require_log=True))
        self.assertEqual(unpinned.code, "LOG_UNKNOWN")

    def test_demanded_log_of_a_project(self) -> None:
        """The demand is about the receipt of the project, not about its steps."""
        bundle = cer.parse_json((ROOT / "examples" / "certificates" / "project.json").read_bytes())
        keys = cer.parse_key_set(cer.parse_json((ROOT / "examples" / "certificates" / "keys.json").read_bytes()))
        demanded = cer.verify_project(bundle, cer.Options(keys=keys, log_policy=policy(), require_log=True))
        self.assertEqual([finding.code for finding in demanded.findings], ["LOG_PROOF_MISSING"])
        self.assertEqual({step.code for step in demanded.steps}, {"OK"})

    def test_log_of_a_project_without_receipt(self) -> None:
        """A policy is pinned, so every report says what was found under it."""
        project = cer.parse_json((ROOT / "examples" / "certificates" / "project.json").read_bytes())
        assert isinstance(project, dict)
        unsigned: cer.Json = {name: value for name, value in project.items() if name != "meta"}
        for value in (unsigned, {**project, "stepRegistry": None}, {**project, "bundle": {}}, {"bundle": 1}, None):
            pinned = cer.verify_project(value, cer.Options(log_policy=policy()))
            self.assertEqual(cer.get(pinned.transparency, "code"), "LOG_PROOF_MISSING")
            self.assertIsNone(cer.verify_project(value, cer.Options()).transparency)


if __name__ == "__main__":
    unittest.main()
