"""The corpora of this experiment: those that everything was chosen on, others that chose nothing; or generated ads."""

from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.experiments.corpora import Corpora
from sstag.experiments.raw_text.texts import TASKS as OF_RAW_TEXT
from sstag.experiments.representations.tasks import ADS, CITATIONS, GENES, JAPANESE, NAMES, SEED, WEB, Task, text
from sstag.foundation.arrays import Longs
from sstag.selection.simulation.annotator import without

ALL = 0  # stands for all sentences
WORDS, RECORDS, MORPHOLOGY = "templates/words", "templates/records", "templates/morphology"
CHARACTERS, SEGMENTATION = "templates/characters", "templates/segmentation"
OTHER_TAGGERS = ("pos", "chunk", "class")  # lines of templates that look at such columns are left out
HALVES = "halves"  # in place of a part to judge by: announcements 1, 3, …; learned from are the others


def _names(name: str, title: str) -> Task:
    other = OF_RAW_TEXT[name]
    return replace(other, title=title, template=WORDS, left_out=OTHER_TAGGERS, development=f"names/{name}.dev.txt")


def _apart(name: str, title: str, template: str, measure: str = "f1", word: str = "word") -> Task:
    """A corpus that chose nothing."""
    train, test = (f"second-look/{name}.{part}.txt" for part in ("train", "test"))
    return Task(name, title, (word, "tag"), template, OTHER_TAGGERS, train, test, measure=measure)


DEVELOPMENT = (
    replace(NAMES, title="names in English news", template=WORDS),
    replace(
        GENES, title="genes in abstracts", template=WORDS, left_out=OTHER_TAGGERS, development="bc1gm/round1.txt",
    ),
    _names("de", "German names"),
    _names("fr", "French names"),
    _names("lener", "names in Portuguese law"),
    replace(WEB, title="parts of speech in web text", template=MORPHOLOGY, development="ewt/dev.txt"),
    replace(
        JAPANESE, title="Japanese words", template=SEGMENTATION, train="jws/wiki.train.txt.gz",
        development="jws/wiki.dev.txt", raw=("jws/kwdlc.train.txt.gz",),
    ),
    replace(CITATIONS, title="fields of citations", template=RECORDS, development="citations/dev.txt"),
    Task(
        "seminars", "fields of announcements", ("word", "pos", "field"), RECORDS, ("pos",), "seminars/rest.txt",
        measure="accuracy",
    ),
)  # fmt: skip
APART = (
    _apart("yoruba", "names in Yoruba news (MasakhaNER)", WORDS),
    _apart("tweets", "names in tweets, of kinds that are new (WNUT 2017)", WORDS),
    _apart("snips", "slots of spoken requests (Snips)", WORDS),
    _apart("resumes", "names in Chinese résumés, by characters", CHARACTERS, word="char"),
    _apart("turkish", "parts of speech and cases in Turkish (UD IMST)", MORPHOLOGY, "accuracy"),
    _apart("references", "fields of references (AnyStyle)", RECORDS, "accuracy"),
)
TASKS = {task.name: task for task in (*DEVELOPMENT, *APART, replace(ADS, template=RECORDS))}


@dataclass(frozen=True)
class Drawn:
    """The sentences of a draw: labelled ones, raw ones without labels, and those to judge by."""

    labelled: Corpus
    raw: Corpus
    judged: Corpus


def drawn(corpora: Corpora, task: Task, on: str, sentences: int, raw: int, draw: int) -> Drawn:
    """So many labelled sentences, and raw ones that are none of these; larger draws have the smaller ones.

    Beside all sentences there are no others, so that the raw ones are some of them, without their labels.
    """
    known, judged = _parts(corpora, task, on)
    order = np.random.default_rng([SEED, draw]).permutation(known.sentences)
    others = order if sentences == ALL else order[sentences:]
    labelled = _some(known, order[: sentences or None])
    if task.unlabelled or not task.train:
        rest = text(corpora, task, "unlabelled")
        rest = _some(rest, np.random.default_rng([SEED, draw]).permutation(rest.sentences)[-raw:])
    else:
        rest = _some(known, others[-raw:])
    return Drawn(labelled, without(rest, task.label), judged)


def _parts(corpora: Corpora, task: Task, on: str) -> tuple[Corpus, Corpus]:
    known = text(corpora, task, "train")
    if on != HALVES:
        return known, text(corpora, task, on)
    odd = np.arange(known.sentences) % 2 == 1
    return selected(known, ~odd), selected(known, odd)


def _some(known: Corpus, places: Longs) -> Corpus:
    return selected(known, np.isin(np.arange(known.sentences), places))


def judged_on(task: Task) -> str:
    """The part by which a development corpus is judged; generated ads have a part for that, too."""
    return "development" if task.development or not task.train else HALVES


def files_judged_on(task: Task, on: str) -> list[str]:
    """The files from which sentences of a draw come."""
    judged = "" if on == HALVES else getattr(task, on)
    return [file for file in (task.train, judged, task.unlabelled) if file]
