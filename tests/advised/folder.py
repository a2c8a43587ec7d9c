"""The folder in which commands of the tables run: texts, lists, templates and models that most of them need."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from sstag.training.checkpoint import Checkpoint
from tests.advised import ran
from tests.advised.files import LABELLED, SHORT, VECTORS
from tests.encoder_models import model

TEXT = "Ann met Kim.\nThey left.\nBob met Ann.\n" * 4
FILES = {
    **SHORT,
    "dev.txt": LABELLED,
    "ann.txt": LABELLED,
    "bob.txt": LABELLED.replace("left O", "left B-PER"),
    "open.txt": LABELLED.replace("left O", "left ?"),
    "r.txt": TEXT,
    "raw.txt": TEXT,
    "p.txt": "Kim\nmet\nAnn\n.\n\nBob\nleft\n.\n\nAnn\nleft\n.\n\n",
    "two.txt": LABELLED.replace("B-PER", "B-PER B-PER").replace(" O\n", " O O\n"),
    "spans.tsv": "1\t1\t1\tPER\n2\t1\t1\t!PER\n",
    "l.tsv": "word[0]=Kim\tB-PER\nword[0]=met\tO\n",
    "w": "1\n" * 6,
    "v.txt": VECTORS,
    "costs.tsv": "B-PER\t2\n",
    "shares.tsv": "O\t0.6\n",
    "rules.yaml": "penalty: 1\nrules:\n  - once: [B-PER]\n",
    "vector.yaml": "columns: [word, label]\nfeatures: ['word[-1..1]', 'vector(word[0], v.txt)']\n",
    "look.yaml": "columns: [word, label]\nfeatures: ['word[-1..1]', 'predicted(word[0])']\n",
    "encoder.yaml": "columns: [word, label]\nencoders: {mini: {model: mini}}\nfeatures: ['encoded(mini[0])']\n",
    "many.txt": "".join(f"w{number} L{number}\n" for number in range(40)),
    "four.txt": "Kim N O O\nmet V O O\n",
    "named.jsonl": '{"text": "Kim met Ann .", "label": [{"start": 0, "end": 3, "label": "PER", "user": "ann"}]}\n'
    '{"text": "Bob left .", "label": [{"start": 0, "end": 3, "label": "PER", "user": "ann"},'
    ' {"start": 0, "end": 3, "label": "LOC", "user": "bob"}]}\n',
    "names.txt": "Kim\tPER\nAnn\tPER\n",
    "run.yaml": "template: t.yaml\ntrain: t.txt\nmodel: m\n",
}
COMMANDS = (
    "train -t t.yaml --train t.txt -m m",
    "train -t t.yaml --train t.txt -m m --checkpoint far",
    "annotate p.txt --labels PER,LOC --template t.yaml --project work --import named.jsonl",
    "train -t vector.yaml --train t.txt -m vector.model",
    "train -t look.yaml --train t.txt --unlabeled p.txt -m look.model",
    "train -t t.yaml --train t.txt --method constraint-driven --unlabeled p.txt --rules rules.yaml -m ruled.model",
    "train -t t.yaml --train many.txt --set max_iterations=1 -m many.model",
    "tag -m m t.txt --confidence --format jsonl -o sure.jsonl",
    "tag -m m t.txt --format jsonl -o tagged.jsonl",
    "density --text r.txt --save q.density",
    "clusters r.txt --count 4 -o c.clusters",
    "vectors r.txt --least 1 --dimensions 2 -o made.vectors",
)


def filled(place: Path) -> Path:
    """The folder, filled, of which each case has a copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        fill(place)
    return place


def fill(folder: Path) -> None:
    """Writes the files, and makes with commands what is made of them; the folder is the one that is worked in."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "above").mkdir()
    for place in (folder / "mini", folder / "above" / "mini"):
        model(place)
    np.save(folder / "rows.npy", np.ones((21, 2), np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSTAG_CACHE", str(folder / "cache"))
        patch.setattr(Checkpoint, "remove", lambda self: None)  # as if the training had been interrupted
        for command in COMMANDS:
            code, said = ran(shlex.split(command))
            assert code == 0, f"{command}: {said}"
