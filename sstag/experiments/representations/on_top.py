"""Raw text, word lists and choosing sentences on top of representations: do they add anything?

Every way begins with the same labelled sentences, and has the same raw ones. The lists have the words that each label
has most often in all labelled sentences of the corpus, as somebody who knows the field would write them down.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from tempfile import TemporaryDirectory

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import ALONE, CLIMBED, judged, percent, settings, tagger
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.eyes import files_of, lines_of, paths_of, template_of
from sstag.experiments.representations.tasks import RAW, TASKS, Task, labelled, raw_sentences, text
from sstag.experiments.spread import by_draw, comparison, gain_and_p, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.features.grammar import features
from sstag.features.template import Template
from sstag.foundation.json_values import Json
from sstag.knowledge.labelled_features import read_features
from sstag.knowledge.proposals import chosen_proposals, every_proposal, majority_labels, with_features
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.selection.budget import Budget
from sstag.selection.choosing import Wish
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import SENTENCES, Scene, rounds
from sstag.training.inputs import Inputs
from sstag.training.run import Task as Training
from sstag.training.run import trained

PER_LABEL = 10  # words of the lists
PLAIN = "labels alone"


@dataclass(frozen=True)
class Given:
    """All that a way has: templates, sentences, and where it may write."""

    template: Template
    seen_by_teacher: Template
    train: Corpus
    raw: Corpus
    pool: Corpus  # labelled ones, of which some may be asked for
    known: Corpus  # all labelled sentences, of which lists are made
    task: Task
    draw: int
    folder: str
    looked_into: Mapping[str, str]  # the paths of the files of vectors and the encoders of the teacher, by their names

    @property
    def listed(self) -> str:
        """The path of the list of words and their labels."""
        path = os.path.join(self.folder, "words.tsv")
        label = self.task.label
        how = with_features(self.template, features(f"lower({self.task.word}[0])", self.known.columns, label))
        found = every_proposal(how, self.known, None, Marks())
        words = chosen_proposals(found, "prototypes", PER_LABEL, 1, 0.0)
        with open(path, "w", encoding="utf-8") as file:
            for word, said in zip(words, found.texts(words), strict=True):
                file.write(f"{said}\t{majority_labels(found, word)[0]}\n")
        return path


def _by_method(method: str, **parameters: Json) -> Callable[[Given], Model]:
    def made(given: Given) -> Model:
        return tagger(given.template, given.train, method, None, given.draw, given.raw, **parameters)

    return made


def _plain(given: Given) -> Model:
    return tagger(given.template, given.train, "crf", seed=given.draw)


def _expecting(given: Given) -> Model:
    return _by_method("expectation", expectations=given.listed)(given)


def _partial(given: Given) -> Model:
    """Raw sentences in which the words of the list have their labels, and all others are open."""
    inputs = Inputs(given.template, given.train, given.raw)
    listed = read_features(given.listed, given.template)
    return trained(Training(inputs, "partial", settings("partial"), given.draw, features=listed), ALONE)


def _chosen(given: Given) -> Model:
    """Half of the sentences at random, and half those of whose labels the tagger is least sure, in four rounds."""
    most = given.train.sentences
    totals = sorted({most // 2 + most * step // 8 for step in range(5)})
    scene = Scene(given.template, Annotator(given.pool, given.task.label), parameters=CLIMBED)
    wish = Wish("token-entropy", Budget(count=1), seed=given.draw)
    *_, last = rounds(scene, wish, totals, SENTENCES)
    return last.model


def _distilled(given: Given) -> Model:
    """A student of what the best representations say of the raw text."""
    for name, path in given.looked_into.items():
        os.symlink(os.path.abspath(path), os.path.join(given.folder, name))  # a model looks beside itself
    teacher = os.path.join(given.folder, "teacher.model")
    save(tagger(given.seen_by_teacher, given.train, "crf", seed=given.draw), teacher)
    return _by_method("distill", teacher=teacher)(given)


WAYS: Mapping[str, Callable[[Given], Model]] = {
    PLAIN: _plain,
    "label regularisation": _by_method("label-regularization", errors=0.0),
    "entropy, γ = 0.001": _by_method("entropy"),
    "entropy, γ = 0.1": _by_method("entropy", gamma=0.1),
    "self-training": _by_method("self-training"),
    "expectation, of a list": _expecting,
    "partial labels, of a list": _partial,
    "chosen by token entropy": _chosen,
    "distilled": _distilled,
}
NO_LISTS = [way for way in WAYS if "of a list" not in way]  # where labels are no matter of single words


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    lines: Sequence[str],
    teacher: Sequence[str],
    sentences: int,
    raw: int,
    draw: int,
    way: str,
) -> list[Row]:
    """The figure of one way, and the processor's seconds that it took."""
    of = TASKS[task]
    known = text(corpora, of, "train")
    how, best = (template_of(corpora, of, one) for one in (lines, teacher))
    test, train = text(corpora, of, "test"), labelled(known, sentences, draw)
    with TemporaryDirectory() as folder:
        others, pool = raw_sentences(corpora, of, raw, draw), labelled(known, raw, draw)
        named = paths_of(corpora, of, teacher)
        given = Given(how, best, train, others, pool, known, of, draw, folder, named)
        began = time.process_time()
        made = WAYS[way](given)
        seconds = time.process_time() - began
    return [{"figure": percent(judged(made, test).figures[of.measure]), "seconds": round(seconds, 2)}]


def on_top(
    task: Task, systems: Sequence[str], teacher: str, sizes: Sequence[int], draws: int, ways: Sequence[str]
) -> Section:
    """The trials of a task: ways by what is seen and by labelled sentences."""
    seen = lines_of(teacher)
    trials = []
    for size, system, way, draw in product(sizes, systems, ways, range(1, draws + 1)):
        settings: Row = {
            "task": task.name, "lines": lines_of(system), "teacher": seen, "sentences": size, "raw": RAW, "draw": draw,
            "way": way,
        }  # fmt: skip
        own = filter(None, [task.unlabelled])
        data = dict.fromkeys([*task.files, *own, *files_of(task, [*lines_of(system), *seen])])
        trials.append(Trial(f"{__name__}:learned", settings, list(data), cost=10.0))
    return Section(trials, partial(_report, task, systems, teacher, sizes, ways))


def _report(
    task: Task, systems: Sequence[str], teacher: str, sizes: Sequence[int], ways: Sequence[str], rows: list[Row]
) -> Iterator[Block]:
    yield (
        f"## On top: {task.title}\n\n{RAW:,} raw sentences; {PER_LABEL} words of each label in the list; what is "
        f"distilled sees spellings and {teacher}; seconds of one core are those of the last system."
    )
    name = {"f1": "F₁", "accuracy": "accuracy"}[task.measure]
    for size in sizes:
        head = ["", *(cell for system in systems for cell in (system, "gain", "p")), "seconds"]
        table: list[list[Cell]] = []
        for way in ways:
            line: list[Cell] = [way]
            for system in systems:
                here, plain = (
                    by_draw(rows, "figure", lines=lines_of(system), sentences=size, way=one) for one in (way, PLAIN)
                )
                against = comparison(here, plain) if way != PLAIN else None
                line += [spread([*here.values()]), *gain_and_p(against)]
            seconds = by_draw(rows, "seconds", lines=lines_of(systems[-1]), sentences=size, way=way)
            table.append([*line, spread([*seconds.values()])])
        yield Table(f"{task.title}, {size} labelled sentences: {name}, and gain over labels alone", head, table)
