"""The command of clients/python: a JSON list of arguments on each line in, exit code and standard error on each line out."""

import contextlib
import io
import json
import os
import sys

sys.path.insert(0, os.getcwd())
import cer_verify  # noqa: E402


def answer(arguments):
    stderr = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
        try:
            code = cer_verify.main(arguments)
        except SystemExit as ended:
            code = ended.code
    return {"exitCode": code, "stderr": stderr.getvalue()}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
