"""External timestamps: the sample, the signatures of authorities beside openssl, and tokens that are none."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

import cer_verify as cer  # noqa: E402

SAMPLE = ROOT / "examples" / "timestamps"
ROOTS = cer.TsaRoots((SAMPLE / "tsa-roots.pem").read_text())
PSS = "-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:{0}".split()


def der(tag: int, *members: bytes) -> bytes:
    content = b"".join(members)
    size = len(content)
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([0x81, size])) + content


def oid(digits: str) -> bytes:
    return der(6, bytes.fromhex(digits))


SHA = {"sha256": "608648016503040201", "sha384": "608648016503040202", "sha512": "608648016503040203"}
ECDSA = {"sha256": "2a8648ce3d040302", "sha384": "2a8648ce3d040303", "sha512": "2a8648ce3d040304"}
RSA = {"sha256": "2a864886f70d01010b", "sha384": "2a864886f70d01010c", "sha512": "2a864886f70d01010d"}


def pss(name: str, salt: int) -> bytes:
    digest = der(0x30, oid(SHA[name]), b"\5\0")
    mask = der(0x30, oid("2a864886f70d010108"), digest)
    length = der(0xA2, der(2, bytes([salt])))
    return der(0x30, oid("2a864886f70d01010a"), der(0x30, der(0xA0, digest), der(0xA1, mask), length))


class Signatures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "message").write_bytes(b"signed by an authority")

    def openssl(self, *arguments: str) -> bytes:
        return subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True).stdout  # noqa: S607

    def check(self, key: List[str], name: str, algorithm: bytes, options: List[str]) -> None:
        self.openssl("genpkey", *key, "-out", "key.pem")
        spki = self.openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER")
        signature = self.openssl("dgst", f"-{name}", "-sign", "key.pem", *options, "message")
        element = cer._read_der(algorithm)
        message = (self.folder / "message").read_bytes()
        self.assertTrue(cer._is_signed(element, None, spki, message, signature))
        self.assertFalse(cer._is_signed(element, None, spki, message + b".", signature))
        self.assertFalse(cer._is_signed(element, None, spki, message, signature[:-1] + bytes([signature[-1] ^ 1])))

    def test_as_openssl_makes_them(self) -> None:
        rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        curves = {"P-256": "sha256", "P-384": "sha384", "P-521": "sha512"}
        for curve, name in curves.items():
            with self.subTest(curve):
                key = ["-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}"]
                self.check(key, name, der(0x30, oid(ECDSA[name])), [])
        for name in curves.values():
            with self.subTest(f"PKCS #1 v1.5 with {name}"):
                self.check(rsa, name, der(0x30, oid(RSA[name]), b"\5\0"), [])
            with self.subTest(f"PSS with {name}"):
                options = [*(option.format(name) for option in PSS), "-sigopt", "rsa_pss_saltlen:24"]
                self.check(rsa, name, pss(name, 24), options)

    def test_weak_keys_and_digests_are_refused(self) -> None:
        with self.assertRaisesRegex(cer.TokenFault, "at least 2048 bits"):
            self.check(
                ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], "sha256", der(0x30, oid(RSA["sha256"])), []
            )
        with self.assertRaisesRegex(cer.TokenFault, "weaker than SHA-256"):
            sha1 = der(0x30, oid("2a864886f70d010105"), b"\5\0")
            self.check(["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "sha1", sha1, [])


class Tokens(unittest.TestCase):
    def timestamps(self, name: str, change: bytes = b"") -> List[cer.Timestamp]:
        bundle = cer.parse_json((SAMPLE / f"{name}.json").read_bytes())
        meta = cer.get(bundle, "meta")
        entry = cer.get(meta, "timestamps")
        assert isinstance(entry, list)
        if change:
            entry = [{**entry[0], "token": base64.b64encode(change).decode()}]
        signed = cer.get(meta, "attestation", "receipt"), cer.get(meta, "attestation", "signature")
        return cer.check_timestamps(*signed, cer.get(bundle, "certificateHash"), [{"timestamps": entry}], ROOTS)

    def token(self) -> bytes:
        bundle = cer.parse_json((SAMPLE / "timestamped.json").read_bytes())
        entry = cer.get(bundle, "meta", "timestamps")
        assert isinstance(entry, list)
        return cer.decode_base64(cer.get(entry[0], "token")) or b""

    def test_samples(self) -> None:
        for name in ("timestamped", "timestamped-in-batch"):
            (timestamp,) = self.timestamps(name)
            self.assertEqual((timestamp.status, timestamp.covers), ("verified", "receipt"))
            self.assertTrue(timestamp.is_of_receipt)

    def test_no_token_rescues_a_record_under_an_unusable_key(self) -> None:
        bundle = cer.parse_json((SAMPLE / "timestamped.json").read_bytes())
        keys = cer.parse_json((SAMPLE / "keys-revoked.json").read_bytes())
        for reason, expected in (("superseded", "OK"), ({}, "ATTESTATION_KEY_FORMAT_UNSUPPORTED")):
            entries = cer.get(keys, "keys")
            assert isinstance(entries, list) and isinstance(entries[0], dict)
            entries[0]["revocationReason"] = reason
            options = cer.Options(keys=cer.parse_key_set(keys), tsa_roots=ROOTS)
            self.assertEqual(cer.verify(bundle, options).code, expected)

    def test_no_changed_byte_of_what_is_signed_goes_unnoticed(self) -> None:
        token, chosen = self.token(), random.Random(1)  # noqa: S311
        (good,) = self.timestamps("timestamped")
        for _ in range(150):
            changed = bytearray(token)
            changed[chosen.randrange(len(token))] ^= 1 << chosen.randrange(8)
            (timestamp,) = self.timestamps("timestamped", bytes(changed))
            # What no signature covers may change, such as a certificate of the chain that is not needed.
            if timestamp.status == "verified":
                self.assertEqual((timestamp.gen_time, timestamp.accuracy), (good.gen_time, good.accuracy))

    def test_hostile_forms_are_refused(self) -> None:
        token = self.token()
        deep = b"\x30\x80" * 40
        for change in (
            token[:-1],
            token + b"\0",
            deep,
            b"\x30\x84\xff\xff\xff\xff",
            b"\x30",
            bytes(70_000),
            b"\x31" + token[1:],
        ):
            (timestamp,) = self.timestamps("timestamped", change)
            self.assertEqual(timestamp.status, "invalid")

    def test_roots_that_are_none(self) -> None:
        good = (SAMPLE / "tsa-roots.pem").read_text()
        for pem in ("", "text", good.replace("CERTIFICATE", "PRIVATE KEY"), good[:200] + good[260:]):
            with self.subTest(pem[:30]), self.assertRaises(ValueError):
                cer.TsaRoots(pem)


if __name__ == "__main__":
    unittest.main()
