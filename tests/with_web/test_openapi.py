"""Random requests that fit the description of the API, and some that do not: no answer is a mistake of the server."""

import subprocess
import sys
from pathlib import Path

from bench.workbench import working
from tests.with_web.benches import Annotator, begin

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_the_api_is_as_it_is_described(tmp_path):
    program = Path(sys.executable).with_name("schemathesis")
    with working(tmp_path, *begin(tmp_path, 50)) as (_, base, token):
        ann = Annotator(base, token)
        for question in ann.next()[:3]:
            ann.answer(question)
        asked = ["run", f"{base}/api/openapi.json", "--header", f"Authorization: Bearer {token}", "--checks", CHECKS]
        some = ["--max-examples", "10", "--phases", "examples,fuzzing", "--seed", "1", "--no-color"]
        done = subprocess.run([program, *asked, *some], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-5000:]
        assert ann.get("state")["annotator"]["name"] == "ann"
