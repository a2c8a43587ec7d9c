"""The outcome of a climb: the weights it found, and how it went."""

from dataclasses import dataclass

from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json


@dataclass(frozen=True, eq=False)
class Outcome:
    """The weights that a climb found, and how it went."""

    theta: Floats
    iterations: int
    converged: bool
    reason: str
    objective: float | None  # its value there; None if the climb was ended before it was known
    score: float | None = None  # on development data
    best_iteration: int | None = None  # the one that had this score

    @property
    def about(self) -> dict[str, Json]:
        """A report of it, which the model keeps."""
        said: dict[str, Json] = {
            "iterations": self.iterations,
            "converged": self.converged,
            "reason": self.reason,
            "objective": self.objective,
            "development score": self.score,
            "best iteration": self.best_iteration,
        }
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Best:
    """The weights with the best score on development data so far."""

    score: float
    theta: Floats
    iteration: int

    def or_better(self, score: float, theta: Floats, iteration: int) -> "Best":
        """The better of these weights and of others; where nothing is right, the last."""
        return Best(score, theta, iteration) if score > self.score or score == self.score == 0 else self

    def is_old(self, iteration: int, patience: int) -> bool:
        """Whether so many iterations have found nothing better; never, if they are 0."""
        return 0 < patience <= iteration - self.iteration


def out_of_patience(patience: int) -> str:
    """Why it ended, if what was best is old."""
    return f"stopped: no better score on the development data in {patience} iterations"


@dataclass(frozen=True)
class Start:
    """Where a climb began, and how many iterations it took to get there."""

    name: str
    iterations: int | None = None

    @property
    def about(self) -> dict[str, Json]:
        """A report of it, which the model keeps."""
        found: dict[str, Json] = {} if self.iterations is None else {"iterations of the start": self.iterations}
        return {"start": self.name, **found}


ZERO, EARLIER = Start("zero"), Start("earlier model")
