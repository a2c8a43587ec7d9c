"""Raw text beside few labelled sentences, on texts that nobody tuned on: what each method does with its usual settings.

A method that loses on any of these corpora and does not say so is none that may be recommended.
"""

from dataclasses import dataclass
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.raw_text.report import claims, losses, report
from sstag.experiments.raw_text.texts import RAW, TASKS
from sstag.experiments.raw_text.ways import LISTS, PLAIN, REGULARISED, WAYS
from sstag.experiments.representations.tasks import ADS, GENES, NAMES, Task
from sstag.experiments.trials import Experiment, Row, Section, Trial

TITLE = "Raw text beside few labels: what each method does when nothing is set"
ABOUT = """Labelled sentences are drawn at random, the raw ones from the rest of the same file; the test is the whole
test file, and nothing was tuned. Every way is what somebody gets who sets nothing but what its name says. Shares are
those of the labelled sentences, within one standard error of them unless they are held exactly, and known shares those
of the raw sentences themselves. The words of these sentences are the three most frequent of each label in the labelled
sentences, with the label that they have there: nobody has read the list. A person's list has the ten words that each
label has most often in all labelled sentences of the corpus, as somebody who knows them would write them down; what
words are similar to these, the 3,000 raw sentences tell. `Warned` says on how many draws training said that it may
cost. Gains are over labels alone on the same draws; p is of Wilcoxon's signed ranks."""
SIZES = (10, 25, 100)
CLAIMED = (PLAIN, REGULARISED)
DRAWS, FEWER = 10, 3  # of what is claimed, and of all else
WITH_LISTS = (NAMES.name, GENES.name)  # corpora for which a person's list is made
SECONDS = {"self-training": 40.0, "hmm (no raw text)": 1.0}  # about, of a trial; of others 10
WHERE = "sstag.experiments.raw_text.ways"


@dataclass(frozen=True)
class Grid:
    """A corpus with its numbers of labelled and raw sentences, its draws, and the ways that are tried on it."""

    task: Task
    sizes: tuple[int, ...]
    raw: int
    draws: tuple[int, int]  # of what is claimed, and of all else
    ways: tuple[str, ...]

    @property
    def trials(self) -> list[Trial]:
        """A trial for each number of labelled sentences, way and draw."""
        return [
            self._trial("learned", size, way, draw)
            for size in self.sizes
            for way in self.ways
            for draw in range(1, self.draws[way not in CLAIMED] + 1)
        ]

    @property
    def over_test(self) -> Trial:
        """The trial of what the test's sentences make of one gain: of the default, on the first draw."""
        return self._trial("compared", self.sizes[len(self.sizes) // 2], REGULARISED, 1)

    def _trial(self, function: str, sentences: int, way: str, draw: int) -> Trial:
        settings: Row = {"task": self.task.name, "sentences": sentences, "raw": self.raw, "draw": draw, "way": way}
        return Trial(f"{WHERE}:{function}", settings, self.task.files, cost=SECONDS.get(way, 10.0))


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Every corpus with every way; generated ads where files are absent."""
    real = [] if scale == "smoke" else [task for task in TASKS.values() if task is not ADS]
    absent = corpora.absent([file for task in real for file in task.files])
    there = [_grid(task) for task in real if not corpora.absent(task.files)]
    if absent or scale == "smoke":
        there.append(Grid(ADS, (5, 10), 20, (2, 2), tuple(WAYS)))
    every = [Section(one.trials, partial(report, one.task, one.sizes, one.raw, one.ways)) for one in there]
    trials = [trial for one in there for trial in one.trials]
    sizes = [(one.task, one.sizes) for one in there]
    last = Section([*trials, there[0].over_test], partial(claims, sizes))
    sections = [Section([], lambda rows: [ABOUT]), *every, Section(trials, partial(losses, sizes)), last]
    return Experiment(TITLE, sections, absent)


def _grid(task: Task) -> Grid:
    ways = tuple(way for way in WAYS if task.name in WITH_LISTS or way not in LISTS)
    return Grid(task, SIZES, RAW, (DRAWS, FEWER), ways)
