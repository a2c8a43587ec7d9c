"""The corpora of this experiment, as files that somebody would begin to annotate with."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected, without_columns
from sstag.corpus.layout import layout_for
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import CLIMBED
from sstag.experiments.representations.eyes import HERE, PARTS, WEIGHTS
from sstag.experiments.samples.ads import ads
from sstag.experiments.workbench.gold import Gold, gold_of, write_labelled, write_pool
from sstag.features.adapted import adapted
from sstag.features.shipped import template_path
from sstag.foundation.documents import load_text

SEED = 2026
SCHEME = "iob2"  # of the projects
FIELDS = ("size", "rent", "neighborhood", "contact", "available")  # of ads that are annotated
ENCODER = "minilm"
POOL, TEST, TEMPLATE = "pool.txt", "test.txt", "template.yaml"


@dataclass(frozen=True)
class Task:
    """A corpus; one without files is generated."""

    name: str
    title: str
    columns: tuple[str, ...]
    left_out: tuple[str, ...]  # columns of other taggers, which somebody who begins does not have
    template: str
    scheme: str
    train: str = ""
    test: str = ""

    @property
    def label(self) -> str:
        return self.columns[-1]

    def files(self, encoder: bool) -> list[str]:
        """The files that are read."""
        return [*filter(None, (self.train, self.test)), *(f"{HERE}/{ENCODER}/{part}" for part in PARTS if encoder)]


NAMES = Task(
    "conll2003", "CoNLL-2003, names in news", ("word", "pos", "chunk", "ner"), ("pos", "chunk"), "ner", "iob1",
    "conll2003/eng.train.gz", "conll2003/eng.testa",
)  # fmt: skip
GENES = Task(
    "bc2gm", "BioCreative II, genes in abstracts", ("word", "tag"), (), "genes", "iob2",
    "bc2gm/train.txt", "bc2gm/test.txt",
)  # fmt: skip
ADS = Task("ads", "Generated ads, five fields", ("word", "field"), (), "ads", "io")
CLIMB = f"--set l2={CLIMBED.l2} --set tolerance={CLIMBED.tolerance}"
TASKS = {task.name: task for task in (NAMES, GENES, ADS)}


@dataclass(frozen=True)
class Begun:
    """The right answers, and the arguments that begin a project."""

    gold: Gold
    arguments: list[str]


def begun(corpora: Corpora, task: Task, sizes: tuple[int, int], draw: int, encoder: bool, folder: Path) -> Begun:
    """Writes the files of a project: a pool, drawn at random for each draw, and a test set, the same for all."""
    pool, test = (
        _texts(corpora, task, file, size, seed)
        for file, size, seed in zip((task.train, task.test), sizes, ((SEED, draw), (SEED, 0)), strict=True)
    )
    gold = gold_of(pool, task.label, task.scheme)
    write_pool(pool, task.label, folder / POOL, np.random.default_rng([SEED, draw]))
    write_labelled(test, task.label, task.scheme, SCHEME, folder / TEST)
    template = task.template
    if encoder:
        template = str(folder / TEMPLATE)
        path = Path(corpora.path(f"{HERE}/{ENCODER}/{WEIGHTS}")).resolve().parent
        Path(template).write_text(_with_encoder(task, test, folder / TEST, path), encoding="utf-8")
    arguments = [str(folder / POOL), "--template", template, "--labels", ",".join(sorted(gold.labels))]
    return Begun(gold, [*arguments, "--scheme", SCHEME, "--dev", str(folder / TEST), "--train", CLIMB])


def _with_encoder(task: Task, test: Corpus, file: Path, encoder: Path) -> str:
    """The template of a task for its columns, with the vectors of an encoder beside all else."""
    said = adapted(load_text(template_path(task.template)), task.template, test.columns, layout_for(str(file))).text
    named = f"encoders:\n  {ENCODER}: {{model: {json.dumps(str(encoder))}, backend: numpy}}\n"
    return said.replace("features:\n", f"{named}features:\n  - encoded({ENCODER}[0])\n", 1)


def _texts(corpora: Corpora, task: Task, file: str, size: int, seed: tuple[int, int]) -> Corpus:
    """So many sentences of a corpus, drawn at random."""
    rng = np.random.default_rng(seed)
    if not file:
        rows = [[(word, f"I-{field}" if field in FIELDS else "O") for word, field in ad] for ad in ads(size, rng)]
        return corpus_of(rows, task.columns)
    whole = without_columns(corpora.read(file, task.columns), task.left_out)
    return selected(whole, rng.permutation(whole.sentences) < size)
