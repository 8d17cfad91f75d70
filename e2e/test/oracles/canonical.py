"""The verifier in clients/python as an oracle: base64 of a text on each line in, one line of JSON for each out."""

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python"))

import cer_verify as cer  # noqa: E402


def form(value, profile):
    try:
        return cer.canonicalize(value, profile)
    except cer.CanonicalError as fault:
        return {"path": fault.path}


def answer(text, depth):
    try:
        value = cer.parse_json(text, depth)
    except cer.JsonFault as fault:
        return {"refused": fault.code, "path": fault.path}
    return {"svc": form(value, cer.SVC_V1), "jcs": form(value, cer.JCS_V1)}


for line in sys.stdin:
    print(json.dumps(answer(base64.b64decode(line), int(sys.argv[1]))))
