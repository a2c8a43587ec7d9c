"""Trainers of servers: child processes, which take nothing from the folder where the user stands."""

import sys
import time

from sstag.experiments.workbench.desk import running
from tests.planted import command_in, planted
from tests.with_web.benches import Annotator, begin
from tests.with_web.servers import model_in, requested, serving
from tests.with_web.test_serve import annotated, zorblax

PATIENCE = 120  # seconds


def waited(done) -> None:
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.1)


def sent(tmp_path):
    """A folder with a small model, a pool, and planted modules; the file that tells which of them were run."""
    folder = tmp_path / "sent"
    folder.mkdir()
    model_in(folder)
    return folder, begin(folder, 30), planted(folder), command_in(tmp_path / "bin")


def test_the_trainer_of_the_page_runs_nothing_of_the_working_folder(tmp_path):
    folder, begun, marks, command = sent(tmp_path)
    with serving(folder, "annotate", *begun, "--no-browser", "--port", "0", lines=1, command=command) as (_, lines):
        ann = Annotator(*lines[0].split("/login?token="))
        for question in ann.next()[:5]:
            ann.answer(question)
        ann.post("train")
        waited(lambda: not ann.get("state")["training"]["busy"])
        state = ann.get("state")
    assert state["training"]["failure"] is None
    assert state["model"]
    assert not marks.exists(), marks.read_text()


def test_the_trainer_of_serve_runs_nothing_of_the_working_folder(tmp_path):
    folder, _, marks, command = sent(tmp_path)
    options = ("serve", "-m", "names.model", "--port", "0", "--learned", "learned.model", "--train", "names.txt")
    with serving(folder, *options, command=command) as (_, lines):
        studio = lines[1].split()[-1]
        assert requested(f"{studio}/webhook", annotated("ANNOTATION_CREATED", zorblax("LOC")))[0] == 201
        waited((folder / "learned.model").exists)
    assert not marks.exists(), marks.read_text()


def test_a_simulated_workbench_runs_nothing_of_the_working_folder(tmp_path, monkeypatch):
    folder, begun, marks, _ = sent(tmp_path)
    monkeypatch.chdir(folder)
    with running(tmp_path, [word for word in begun if word not in ("--project", "work")]) as desk:
        assert desk.questions()
    assert not marks.exists(), marks.read_text()


BACKWARDS = """
import sys
import time
now, steps = time.time, [0.0]
def back():
    steps[0] -= 60
    return now() + steps[0]
time.time = back
from sstag.__main__ import main
if __name__ == "__main__":
    main()
"""


def test_a_clock_that_goes_back_loses_no_answer(tmp_path):
    (tmp_path / "backwards.py").write_text(BACKWARDS)
    folder, begun, _, _ = sent(tmp_path)
    command = [sys.executable, str(tmp_path / "backwards.py")]
    with serving(folder, "annotate", *begun, "--no-browser", "--port", "0", lines=1, command=command) as (_, lines):
        ann = Annotator(*lines[0].split("/login?token="))
        given = 0
        while given < 12:
            for question in ann.next()[:3]:
                ann.answer(question)
                given += 1
        ann.post("train")
        waited(lambda: not ann.get("state")["training"]["busy"])
        state = ann.get("state")
    assert state["training"]["failure"] is None
    assert state["undo"] == given
