"""Certifies the model calls of a Python program. See docs/clients.md, "Python"."""

# Codecs that the interpreter imports when they are first used. A process that forks while a thread of the client
# imports one would lack it for good: without `idna` it makes no connection at all.
import encodings.idna
import encodings.utf_8_sig
import encodings.utf_16_be  # noqa: F401

from cer_client.certificates import Certificates
from cer_client.certified_answers import SealedCall
from cer_client.recorder import CertifiedCall, CertifiedProject, Confidential, Opened, SpoolFullError
from cer_client.redaction import Redaction
from cer_client.stats import Stats

__all__ = [
    "CertifiedCall",
    "CertifiedProject",
    "Certificates",
    "Confidential",
    "Opened",
    "Redaction",
    "SealedCall",
    "SpoolFullError",
    "Stats",
]
