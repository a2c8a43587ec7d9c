"""Servers whose standard output takes nothing: a line that says so, and no traceback."""

import subprocess
import sys

from tests.with_web.benches import begin
from tests.with_web.servers import model_in


def ended(folder, *arguments) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sstag", *arguments, "--port", "0"]
    with open("/dev/full", "w") as full:
        return subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)


def test_a_server_that_cannot_tell_its_address_ends_with_a_line(tmp_path):
    model_in(tmp_path)
    for arguments in (("annotate", *begin(tmp_path, 5), "--no-browser"), ("serve", "-m", "names.model")):
        came = ended(tmp_path, *arguments)
        assert came.returncode == 1
        assert "Traceback" not in came.stderr, came.stderr
        assert came.stderr.splitlines()[-1] == "<stdout>: no space left on device"
