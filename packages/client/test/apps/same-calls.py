"""Makes the calls that standard input describes, observed by the client in Python, which leaves them in a spool."""

import json
import sys

import httpx
from cer_client import Certificates

asked = json.load(sys.stdin)
cer = Certificates(
    "tests", node_url=asked["nodeUrl"], spool_dir=asked["dir"], protocol=asked["protocol"], max_content_bytes=5000
)
with httpx.Client(transport=cer.transport(), base_url=asked["url"]) as client:
    for number, call in enumerate(asked["calls"]):
        headers = {"content-type": "application/json", "x-call": str(number), **call.get("headers", {})}
        try:
            with client.stream("POST", call["path"], content=call["body"].encode(), headers=headers) as answer:
                for _ in answer.iter_bytes():
                    if call.get("isLeft"):
                        break
        except httpx.HTTPError:
            # The answer broke off, as in the other client.
            pass
cer.close(0)
