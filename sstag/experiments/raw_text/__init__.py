"""Raw text beside few labelled sentences, on texts that nobody tuned on: what each method does with its usual settings.

A method that loses on any of these corpora and does not say so is none that may be recommended.
"""

from collections.abc import Sequence
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.raw_text.report import losses, report
from sstag.experiments.raw_text.texts import RAW, TASKS
from sstag.experiments.raw_text.ways import WAYS
from sstag.experiments.representations.tasks import ADS, Task
from sstag.experiments.trials import Experiment, Row, Section, Trial

TITLE = "Raw text beside few labels: what each method does when nothing is set"
ABOUT = """Labelled sentences are drawn at random, the raw ones from the rest of the same file; the test is the whole
test file, and nothing was tuned. Every way is what somebody gets who sets nothing but what its name says. Shares are
those of the labelled sentences, within one standard error of them unless they are held exactly, and known shares those
of the raw sentences themselves. The words are the three most frequent of each label in the labelled sentences, with the
label that they have there: nobody has read the list. `Warned` says on how many draws training said that it may cost."""
SIZES = (100,)
DRAWS = 2
SECONDS = {"self-training": 40.0, "hmm (no raw text)": 1.0}  # about, of a trial; of others 10


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Every corpus with every way; generated ads where files are absent."""
    real = [] if scale == "smoke" else [task for task in TASKS.values() if task is not ADS]
    absent = corpora.absent([file for task in real for file in task.files])
    there: list[tuple[Task, tuple[int, ...], int, int]] = [
        (task, SIZES, RAW, DRAWS) for task in real if not corpora.absent(task.files)
    ]
    if absent or scale == "smoke":
        there.append((ADS, (5, 10), 20, 2))
    every = [section(*one) for one in there]
    trials = [trial for one in every for trial in one.trials]
    grid = [(task, sizes) for task, sizes, _, _ in there]
    return Experiment(
        TITLE, [Section([], lambda rows: [ABOUT]), *every, Section(trials, partial(losses, grid))], absent
    )


def section(task: Task, sizes: Sequence[int], raw: int, draws: int) -> Section:
    """The trials of a corpus, and the report on them."""
    trials = []
    for size in sizes:
        for way in WAYS:
            for draw in range(1, draws + 1):
                settings: Row = {"task": task.name, "sentences": size, "raw": raw, "draw": draw, "way": way}
                seconds = SECONDS.get(way, 10.0)
                trials.append(Trial("sstag.experiments.raw_text.ways:learned", settings, task.files, cost=seconds))
    return Section(trials, partial(report, task, sizes, raw))
