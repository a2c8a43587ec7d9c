"""Projects of the workbench for tests: begun without a server, answered, and trained as the server trains them."""

import json
import subprocess
import sys
from pathlib import Path

from sstag.features.reading import load_template
from sstag.interfaces.annotate.answers import Ground, answer_in
from sstag.interfaces.annotate.lesson import Lesson
from sstag.interfaces.annotate.project import Project, begun
from sstag.interfaces.annotate.settings import Settings

WORDS = ("Ann met Bob .", "Eve saw Rome .", "Bob left Paris .", "Kim likes Oslo .", "Lee met Eve .", "Ann left Rome .")
TEXT = "".join("".join(f"{word}\n" for word in line.split()) + "\n" for line in WORDS)
LABELLED = "".join("".join(f"{word}\tO\n" for word in line.split()) + "\n" for line in WORDS)
TEMPLATE = 'columns: [word, label]\nfeatures: ["word[0]", "lower(word[-1])"]\n'


def project_in(folder: Path, template: str = TEMPLATE, train: tuple[str, ...] = (), dev: tuple[str, ...] = ()) -> Path:
    """A new project, and the files beside it that it was made of."""
    (folder / "raw.txt").write_text(TEXT)
    (folder / "t.yaml").write_text(template)
    raw, path = str(folder / "raw.txt"), str(folder / "t.yaml")
    settings = Settings(("PER", "LOC"), "iob2", path, train, dev, "random", 1)
    begun(str(folder / "work"), raw, load_template(path).raw_layout(raw), settings)
    return folder / "work"


def answer(project: Project, count: int = 4) -> None:
    """Answers some texts of a project: their first word is a person."""
    session = project.store.begin("ann")
    ground = Ground(project.settings.labels, "iob2", lambda hash: len(project.text(hash).tokens), str)
    for number in range(count):
        text = project.pool.text(number)
        spans = [{"first": 0, "stop": 1, "labels": ["PER"]}]
        project.text(text.hash)
        body = {"key": f"k{number}", "kind": "sentence", "text": text.hash, "spans": spans}
        project.store.keep(session, [answer_in(body, ground)])


def trained(project: Project) -> tuple[int, str]:
    """The exit code and messages of a training as the server has it done, whose files are in the folder `training`."""
    work = Path(project.path("training"))
    work.mkdir(exist_ok=True)
    target, result = str(work / "new.model"), str(work / "new.json")
    own = project.settings
    lesson = Lesson(project.folder, str(work), target, result, None, own.template, own.train, own.dev)
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-m", Lesson.child], stdin=pipe, stderr=pipe, text=True)
    assert child.stdin
    assert child.stderr
    with child:  # it ends when its standard input does
        child.stdin.write(json.dumps(vars(lesson)) + "\n")
        child.stdin.flush()
        return child.wait(120), child.stderr.read()
