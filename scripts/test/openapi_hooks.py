"""Hooks of Schemathesis for scripts/test/openapi.mjs, which names this file in SCHEMATHESIS_HOOKS.

CER_OPENAPI_REAL is a file with what exists on the tested service, by method and path of the description: every second
request of an operation asks for it. CER_OPENAPI_SEEN is a file to which each answer adds a line: method, path, status.
"""

import json
import os
import uuid
from collections import Counter
from pathlib import Path

import schemathesis

REAL = json.loads(Path(os.environ["CER_OPENAPI_REAL"]).read_text())
SEEN = Path(os.environ["CER_OPENAPI_SEEN"])
NDJSON = "application/x-ndjson"

asked: Counter[str] = Counter()


def name_of(case):
    return f"{case.operation.method.upper()} {case.operation.path}"


@schemathesis.serializer(NDJSON)
def lines_of(context, value):
    """A body of lines: what the schema of one line generates, first and last, and a line that is never right between."""
    line = json.dumps(value)
    return f"{line}\n{{}}\n{line}\n".encode()


def fresh(value):
    """The value, with a new id wherever it has {new}."""
    if isinstance(value, dict):
        return {name: fresh(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [fresh(inner) for inner in value]
    return value.replace("{new}", str(uuid.uuid4())) if isinstance(value, str) else value


@schemathesis.hook
def before_call(context, case, kwargs):
    name = name_of(case)
    asked[name] += 1
    if asked[name] % 2 == 0:
        return
    real = fresh(REAL.get(name, {}))
    if "path" in real:
        case.path_parameters = real["path"]
    if "query" in real or case.operation.method.upper() == "GET":
        case.query = real.get("query", {})
    if "body" in real:
        case.body = real["body"]


@schemathesis.hook
def after_call(context, case, response):
    with SEEN.open("a") as seen:
        seen.write(f"{name_of(case)} {response.status_code}\n")


@schemathesis.check
def lines_conformance(ctx, response, case):
    """Answers of lines: whole lines of JSON; those of a batch are numbered in order."""
    if response.headers.get("content-type", [""])[0] != NDJSON:
        return
    text = response.content.decode()
    assert text == "" or text.endswith("\n"), "the last line has no end"
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    if case.operation.path.endswith("-batch"):
        assert [sorted(line) for line in lines] == [["body", "index", "status"]] * len(lines)
        assert [line["index"] for line in lines] == list(range(len(lines)))
        paths = case.operation.schema.raw_schema["paths"]
        alone = paths[case.operation.path.removesuffix("-batch")]["post"]["responses"]
        assert {str(line["status"]) for line in lines} <= set(alone), "a status that the single route does not have"
