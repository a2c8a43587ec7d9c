"""Tuning: which values of parameters make the best model, by development data or by cross-validation.

Runs follow one another, each with all threads. Those with the same template share its attributes, and the supervised
start of methods that have one. All go to their optimum: development data judges that, not the way there, since the best
weights on the way are often those of a start that the values have nothing to do with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sstag.foundation.errors import ConfigError, Interrupted
from sstag.model.model import Model
from sstag.training.inputs import Run
from sstag.training.judge import scorer
from sstag.training.run import Task
from sstag.training.tuning.cross_validation import best_by_folds
from sstag.training.tuning.runs import Session, Tried, Trying, Tuned, Values, by_start, described, in_groups


def tuned(
    tasks: Sequence[Task],
    points: Sequence[Values],
    folds: int,
    run: Run,
    tell: Callable[[Trying], None] = lambda trying: None,
) -> Tuned:
    """The best model of some tasks, which differ in the values of `points`; of equally good ones the first.

    `folds` 0 is by development data.
    """
    if bool(folds) == bool(tasks[0].inputs.development):
        raise ConfigError("tuning is by development data or by folds: one of them is needed")
    session = Session(tasks, points, run, tell, folds * len(points) + 1 if folds else len(points))
    found = best_by_folds(session, folds) if folds else _by_development(session)
    told = [{"values": dict(one.values), "score": one.score, "folds": list(one.folds)} for one in found.tried]
    about = found.model.about | {"tuned": {"by": found.by, "tried": told}}
    return replace(found, model=replace(found.model, about=about))


def doubts(found: Tuned) -> Iterator[str]:
    """A line if nothing tells which values are best."""
    if not found.decided:
        yield "nothing that was tried found anything right: no values are better than others"


def edges(points: Sequence[Values], best: Values) -> Iterator[str]:
    """A line for each best value beyond which nothing was tried."""
    for name, value in best.items():
        others = {other for point in points if isinstance(other := point[name], int | float)}
        if len(others) > 1 and all(isinstance(point[name], int | float) for point in points):
            for which, more, edge in (("largest", "larger", max(others)), ("smallest", "smaller", min(others))):
                if value == edge:
                    yield f"{name}={value} is the {which} value tried: {more} ones may be better"


def _by_development(session: Session) -> Tuned:
    tried: dict[int, Tried] = {}
    kept: tuple[int, Model] | None = None
    for index, once in in_groups(session.points, by_start(session.points)):
        values, task = session.points[index], session.tasks[index]
        to_the_end = replace(task, inputs=replace(task.inputs, development=None))
        try:
            model, seconds = session.model(described(values), to_the_end, once)
        except Interrupted:
            break
        score = scorer(task.inputs, model, session.run)(model.theta)
        first = scorer(task.inputs, model.first, session.run)(model.first.theta) if model.first else None
        tried[index] = Tried(values, score, (), model.about.get("iterations", 0), seconds, first)
        if kept is None or (score, -index) > (tried[kept[0]].score, -kept[0]):
            kept = index, model
        if session.run.stop():
            break
    if kept is None:
        raise Interrupted
    everything = [tried[index] for index in sorted(tried)]
    return Tuned("development data", kept[1], session.points[kept[0]], everything, not session.run.stop())
