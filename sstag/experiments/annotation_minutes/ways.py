"""Ways to spend the same minutes at a workbench, and what a model has learned at each moment."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sstag.experiments.annotation_minutes.tasks import TASKS, begun
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.trials import Row
from sstag.experiments.workbench.desk import Said, running
from sstag.experiments.workbench.person import Person

WORD = "word[0]="  # features that are labelled
STRATEGY = "entropy-rate"
AT_ONCE = 10  # spans, or words, of a page
RANDOM, SENTENCES, SPANS, WORDS = "random", "sentences", "spans", "words"


@dataclass(frozen=True)
class Way:
    """A way to work: what somebody does for the first share of the minutes, and then; and how texts are chosen."""

    title: str
    strategy: str
    helped: bool  # by suggestions
    first: str
    share: float
    then: str


WAYS = {
    RANDOM: Way("sentences at random, without suggestions", "random", False, SENTENCES, 1.0, SENTENCES),
    SENTENCES: Way("the loop of sentences", STRATEGY, True, SENTENCES, 1.0, SENTENCES),
    SPANS: Way("sentences, then spans in context", STRATEGY, True, SENTENCES, 1 / 3, SPANS),
    WORDS: Way("words, then sentences", STRATEGY, True, WORDS, 1 / 12, SENTENCES),
}


def annotated(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    way: str,
    encoder: bool,
    draw: int,
    sizes: Sequence[int],
    minutes: float,
) -> list[Row]:
    """A row for each model: what had been done when it was there, and its figure on the test set."""
    how = WAYS[way]
    with TemporaryDirectory(prefix="sstag-minutes-") as name:
        folder = Path(name)
        made = begun(corpora, TASKS[task], (sizes[0], sizes[1]), draw, encoder, folder)
        with running(folder, [*made.arguments, "--strategy", how.strategy]) as desk:
            person = Person(desk, made.gold)
            rows: list[Row] = []
            for kind, until in ((how.first, how.share * minutes), (how.then, minutes)):
                while person.effort.seconds() < 60 * until and _done(person, how, kind):
                    _note(rows, person, desk.settled())
                _note(rows, person, desk.learned())  # the next thing begins with a model that knows all answers
    return rows


def _done(person: Person, way: Way, kind: str) -> bool:
    """Does a page of what a person does; False if there is nothing left to do."""
    desk = person.desk
    if kind == SPANS and (places := desk.get("spans", count=AT_ONCE)["spans"]):
        for place in places:
            person.span(place)
        return True
    proposed = {"feature": WORD.rstrip("="), "by": "coverage", "count": AT_ONCE}
    if kind == WORDS and (features := desk.get("features", **proposed)["features"]):
        for feature in features:
            person.word(feature, feature["feature"].removeprefix(WORD))
        return True
    questions = desk.questions()
    if questions:
        person.sentence(questions[0], way.helped)
    return bool(questions)


def _note(rows: list[Row], person: Person, state: Said) -> None:
    """Adds a row if there is a model that has none."""
    model = state["model"]
    if model and all(row["model"] != model["id"] for row in rows):
        said = {"answers": person.answers, "sentences": person.sentences, "tokens": person.tokens}
        rows.append({"model": model["id"], **said, **asdict(person.effort), "f1": percent(model["f1"])})
