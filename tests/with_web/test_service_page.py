"""The page on the web service: its commands print what it shows, to the last digit but for the version of the model."""

import re
import subprocess
import sys
from pathlib import Path

from docs.tools.examples import Session, agree, examples
from tests.with_web.servers import serving

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "tag-from-a-web-service.md"
PORT = "9090"


def without_version(text: str) -> str:
    return re.sub(r'"version":"[0-9a-f]{12}"', "", text)


def test_every_example_of_the_page_is_true(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    session = Session(tmp_path)
    for example in examples(page):
        assert agree(example.shown, session.printed(example))
    shown = page.partition("```text\n$ sstag serve names.model\n")[2].partition("```")[0]
    with serving(tmp_path, "serve", "names.model", "--port", "0", lines=3) as (_, lines):
        port = lines[-1].rpartition(":")[2].strip("/")
        printed = "\n".join([(tmp_path / "log.txt").read_text().strip(), *lines, ""])
        assert printed.replace(port, PORT) == shown
        blocks = re.findall(r"```shell-session\n.*?```", page, re.DOTALL)
        asked = [one for block in blocks for one in examples(block.replace("shell-session", "console"))]
        assert len(asked) == 5
        for one in asked:
            command = ["bash", "-c", one.code.replace(PORT, port)]
            run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
            assert agree(without_version(one.shown), without_version(run.stdout)), f"{one.code}\n{run.stdout}"
        program = page.partition("```python\n")[2].partition("```")[0].replace(PORT, port) + "print(names)\n"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "['Ann', 'Bob']\n"
