"""Certifies the model calls of a Python program. See docs/clients.md, "Python"."""

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
