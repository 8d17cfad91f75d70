"""The command line of cer_verify: exit codes, streams and the JSON report."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Tuple

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

from watched_text import Watched  # noqa: E402

import cer_verify as cer  # noqa: E402

EXAMPLES = ROOT / "examples" / "certificates"
CERTIFIED, KEYS = EXAMPLES / "certified.json", str(EXAMPLES / "keys.json")


def run(*arguments: str) -> Tuple[int, str, str]:
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = cer.main(arguments)
    return code, stdout.getvalue(), stderr.getvalue()


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, content: bytes) -> str:
        path = self.folder / "file.json"
        path.write_bytes(content)
        return str(path)

    def test_verified(self) -> None:
        code, out, err = run(str(CERTIFIED), "--keys", KEYS)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("VERIFIED\n"), out)

    def test_shortened_option_is_refused(self) -> None:
        code, out, err = run(str(CERTIFIED), "--key", KEYS)
        self.assertEqual((code, out), (3, ""))
        self.assertIn("unrecognized arguments: --key", err)

    def test_help_ends_with_examples(self) -> None:
        stdout = io.StringIO()
        with contextlib.redirect_stdout(stdout), self.assertRaises(SystemExit):
            cer.main(["--help"])
        examples = stdout.getvalue().partition("examples:\n")[2].splitlines()
        self.assertGreater(len(examples), 1)
        for example in examples:
            self.assertIn("python3 -m cer_verify ", example)

    def test_report_has_documented_members(self) -> None:
        code, out, _ = run(str(CERTIFIED), "--keys", KEYS, "--json")
        report = json.loads(out)
        bundle = json.loads(CERTIFIED.read_text())
        self.assertEqual(code, 0)
        self.assertEqual(set(report["checks"].values()), {"PASS"})
        self.assertEqual(report["certificateHash"], bundle["certificateHash"])
        self.assertEqual(report["computedCertificateHash"], bundle["certificateHash"])
        self.assertEqual(report["signed"]["kid"], bundle["meta"]["attestation"]["kid"])

    def test_confidential(self) -> None:
        _, out, _ = run(str(EXAMPLES / "confidential.json"), "--keys", KEYS, "--json")
        report = json.loads(out)
        self.assertEqual((report["status"], report["contentMode"]), ("VERIFIED_CONFIDENTIAL", "HASH_BOUND"))

    def test_project_is_whole_only_with_every_step_signed(self) -> None:
        project = json.loads((EXAMPLES / "project.json").read_text())
        steps = project["embeddedBundles"]
        withdrawn = {**project, "embeddedBundles": {}, "withdrawn": list(steps)}
        bare = {name: {key: step[key] for key in step if key != "meta"} for name, step in steps.items()}
        stripped = {**project, "embeddedBundles": bare}
        unsigned = {**project, "meta": {}}
        for shown, headline, passed, attested in (
            (project, "VERIFIED", 2, 2),
            (stripped, "VERIFIED: the registration only, not every step", 2, 0),
            (withdrawn, "VERIFIED: the registration only, not every step", 0, 0),
            (unsigned, "VERIFIED: integrity only, the project signed by no node", 2, 2),
        ):
            path = self.write(json.dumps(shown).encode())
            _, out, _ = run(path, "--keys", KEYS)
            lines = out.splitlines()
            self.assertEqual(lines[0], headline)
            self.assertIn(f"  Steps      2 registered, {passed} verified, {attested} signed by a node", lines)
            report = json.loads(run(path, "--keys", KEYS, "--json")[1])
            counts = [report[f"{name}Steps"] for name in ("total", "passed", "attested")]
            self.assertEqual(counts, [2, passed, attested])

    def test_project(self) -> None:
        _, out, _ = run(str(EXAMPLES / "project.json"), "--keys", KEYS, "--json")
        report = json.loads(out)
        self.assertEqual((report["status"], report["nodeReceipt"]), ("VERIFIED", "PASS"))
        self.assertTrue(all(step["ok"] for step in report["steps"]))

    def test_project_whose_entries_name_one_bundle_verifies_it_once(self) -> None:
        project = json.loads((EXAMPLES / "project.json").read_text())
        project["stepRegistry"] = project["stepRegistry"][:1] * 50
        with unittest.mock.patch.object(cer, "verify", wraps=cer.verify) as verify:
            report = cer.verify_project(project)
        self.assertEqual((len(report.steps), verify.call_count), (50, 1))

    def test_withdrawn_steps_are_found_without_reading_the_list_for_each(self) -> None:
        project = json.loads((EXAMPLES / "project.json").read_text())
        project["embeddedBundles"] = {}
        project["withdrawn"] = [Watched(f"another {at}") for at in range(1000)] + [
            Watched(entry["stepId"]) for entry in project["stepRegistry"]
        ]
        before = Watched.comparisons
        report = cer.verify_project(project, cer.Options(keys=cer._read_keys(KEYS)[0]))
        self.assertEqual({step.status for step in report.steps}, {"WITHDRAWN"})
        self.assertLess(Watched.comparisons - before, 100)

    def test_failure_writes_one_report_to_stderr(self) -> None:
        changed = CERTIFIED.read_bytes().replace(b"example-chat-1", b"example-chat-2")
        code, out, err = run(self.write(changed), "--keys", KEYS)
        report = json.loads(err)
        self.assertEqual((code, report["status"], report["reason"]), (1, "FAILED", "CERTIFICATE_HASH_MISMATCH"))
        self.assertTrue(out.startswith("FAILED (CERTIFICATE_HASH_MISMATCH)"), out)
        self.assertTrue(out.endswith("  Next: ask your source for the original, as the node returned it\n"), out)

    def test_without_keys_material_is_unavailable(self) -> None:
        code, out, err = run(str(CERTIFIED))
        self.assertEqual((code, json.loads(err)["reason"]), (1, "VERIFICATION_MATERIAL_UNAVAILABLE"))
        self.assertIn("  Next: pass the saved key set of the node", out)

    def test_other_node_fails(self) -> None:
        code, _, err = run(str(CERTIFIED), "--keys", KEYS, "--node", "other-node")
        self.assertEqual((code, json.loads(err)["reason"]), (1, "ATTESTATION_INVALID_SIGNATURE"))

    def test_demanded_attestation(self) -> None:
        sealed = str(EXAMPLES / "sealed.json")
        self.assertEqual(run(sealed)[0], 0)
        self.assertEqual(run(sealed, "--require-attestation")[0], 1)

    def test_strict_fault_is_a_failure(self) -> None:
        code, _, err = run(self.write(b'{"a":1,"a":2}'))
        self.assertEqual((code, json.loads(err)["reason"]), (1, "BUNDLE_CORRUPTED"))

    def test_deep_text_is_refused(self) -> None:
        code, _, err = run(self.write(b"[" * 1_000_000))
        self.assertEqual((code, json.loads(err)["reason"]), (1, "BUNDLE_CORRUPTED"))

    def test_mark_and_gzip_are_read(self) -> None:
        content = b"\xef\xbb\xbf" + CERTIFIED.read_bytes()
        self.assertEqual(run(self.write(content), "--keys", KEYS)[0], 0)
        self.assertEqual(run(self.write(gzip.compress(content)), "--keys", KEYS)[0], 0)

    def test_output_of_any_encoding(self) -> None:
        path = self.write('{"größe":1,"größe":2}'.encode())
        for encoding, written in (("ascii", "gr\\xf6\\xdfe"), ("utf-8", "größe")):
            said = subprocess.run(
                [sys.executable, "-m", "cer_verify", path],
                cwd=ROOT / "clients" / "python",
                env={**os.environ, "PYTHONIOENCODING": encoding},
                capture_output=True,
                check=False,
            )
            self.assertEqual(said.returncode, 1)
            self.assertEqual(json.loads(said.stderr)["status"], "FAILED")
            self.assertIn(written, said.stdout.decode(encoding))

    def test_usage(self) -> None:
        for content in (b"not JSON", b"PK\x03\x04", b"\x1f\x8bx"):
            code, out, err = run(self.write(content))
            self.assertEqual((code, out), (3, ""), err)
        for name, content in (
            ("is empty", b""),
            ("UTF-16 text", "{}".encode("utf-16")),
            ("UTF-16 text", "{}".encode("utf-16-be")),
            ("is a PNG", b"\x89PNG\r\n\x1a\n"),
            ("compressed with xz", lzma.compress(b"{}")),
            ("compressed with bzip2", bz2.compress(b"{}")),
            ("compressed with gzip", gzip.compress(gzip.compress(b"{}"))),
            ("compressed with Zstandard", b"\x28\xb5\x2f\xfd\x24"),
        ):
            code, out, err = run(self.write(content))
            self.assertEqual((code, out), (3, ""), err)
            self.assertIn(name, err)
        for arguments in ((), ("missing.json",), (str(self.folder),), (str(CERTIFIED), "--unknown")):
            code, _, err = run(*arguments)
            self.assertEqual(code, 3, err)
            self.assertEqual(err.count("\n"), 1, err)


class Parts(unittest.TestCase):
    def test_numbers_are_written_as_ecmascript_does(self) -> None:
        samples = {
            "1e-07": "1e-7", "-0.0": "0", "1e16": "10000000000000000", "1e21": "1e+21", "123456789012345680000": "",
            "5e-324": "5e-324", "1.7976931348623157e308": "1.7976931348623157e+308", "0.000001": "0.000001",
            "333333333.33333329": "333333333.3333333", "9007199254740992": "", "-1.5e-9": "-1.5e-9", "100": "",
            "4.50": "4.5", "1e20": "100000000000000000000", "0.1": "", "1234.5678e2": "123456.78",
        }  # fmt: skip
        for literal, written in samples.items():
            self.assertEqual(cer.format_number(float(literal)), written or literal)

    def test_values_without_canonical_form(self) -> None:
        values = [float("nan"), float("inf"), 2**53 + 1, 10**400, object(), {1: 2}, [()], "\ud800"]
        for value in values:
            with self.assertRaises(cer.CanonicalError):
                cer.canonicalize(value)
        self.assertEqual(
            cer.canonicalize({"\ue000": 1, "\U0001f600": 2, "a": "\x7f"}), '{"a":"\x7f","😀":2,"\ue000":1}'
        )
        self.assertEqual(cer.canonicalize("\ud800", cer.SVC_V1), '"\\ud800"')

    def test_names_the_value_without_canonical_form(self) -> None:
        faults = {
            'outer.a[1]["b c"].d': {"a": [0, {"b c": {"d": float("nan")}}]},
            "outer[0][1]": [[0, "\ud800"]],
            "outer.a": {"a": {"\ud800": 1}},
            "outer": object(),
        }
        for path, value in faults.items():
            with self.assertRaises(cer.CanonicalError) as refused:
                cer.canonicalize(value, path="outer")
            self.assertEqual(refused.exception.path, path)

    def test_escapes_no_more_than_the_form_says(self) -> None:
        short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        for number in (*range(0x10000), 0x10000, 0x1F600, 0x10FFFF):
            text = chr(number)
            escaped = short.get(text) or (f"\\u{number:04x}" if number < 0x20 or 0xD800 <= number < 0xE000 else text)
            self.assertEqual(cer.canonicalize(f"a{text}", cer.SVC_V1), f'"a{escaped}"')

    def test_strict_signatures(self) -> None:
        # RFC 8032, 7.1, test 2.
        key = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        signature = bytes.fromhex(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        )
        self.assertTrue(cer.verify_ed25519(key, b"\x72", signature))
        self.assertFalse(cer.verify_ed25519(key, b"\x73", signature))
        order = 2**252 + 27742317777372353535851937790883648493
        above = (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
        self.assertFalse(cer.verify_ed25519(key, b"\x72", signature[:32] + above))
        # With A and R of small order the equation holds for every message.
        small = (1).to_bytes(32, "little")
        self.assertFalse(cer.verify_ed25519(small, b"\x72", small + bytes(32)))

    def test_openings(self) -> None:
        bundle = cer.parse_json((EXAMPLES / "confidential.json").read_bytes())
        execution = cer.parse_json((EXAMPLES / "confidential-execution.json").read_bytes())
        openings = cer.parse_json((EXAMPLES / "confidential-openings.json").read_bytes())
        holder = cer.get(bundle, "cer") if cer.has(bundle, "cer") else bundle
        openings = cer.get(openings, "openings") if cer.has(openings, "openings") else openings
        for name in ("input", "output"):
            salt = cer.decode_base64url(cer.get(openings, name, "salt"))
            assert salt is not None
            sealed = cer.get(holder, "snapshot", name)
            self.assertTrue(cer.opens(sealed, salt, cer.get(execution, name)))
            self.assertFalse(cer.opens(sealed, salt, "another"))
            self.assertFalse(cer.opens(sealed, salt[:31], cer.get(execution, name)))

    def test_times(self) -> None:
        self.assertEqual(cer.parse_time("1970-01-01T00:00:01.5Z"), (1, 500_000_000))
        self.assertEqual(cer.parse_time("2024-02-29T23:59:59+01:00"), (1_709_247_599, 0))
        for text in ("2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00z", "2024-01-01T00:00:00Z\n"):
            self.assertIsNone(cer.parse_time(text))


if __name__ == "__main__":
    unittest.main()
