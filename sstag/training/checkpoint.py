"""Checkpoints: what a training has found so far, in a file from which it goes on as if it had never been stopped.

A training is a row of climbs, and everything between two climbs follows from the inputs and from what the climbs found.
So a checkpoint has the outcomes of the climbs that ended, and the state of the optimiser in the one that had begun. A
training that is begun again passes through the former at once, goes on with the latter, and finds the same bytes.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sstag.foundation.archive import LARGEST, Archive, check_target, write_archive
from sstag.foundation.arrays import Array
from sstag.foundation.description import Description
from sstag.foundation.errors import ConfigError, ModelError, SstagError
from sstag.foundation.json_values import Json
from sstag.training.optimiser.lbfgs import State, fits
from sstag.training.outcome import Best, Outcome

logger = logging.getLogger("sstag")
FORMAT, VERSION = "sstag checkpoint", 1
WHAT = "a checkpoint"
# The arrays of a state, with the type and the number of dimensions of each.
STATE = {
    "theta": ("<f8", 1), "gradient": ("<f8", 1), "values": ("<f8", 1), "counts": ("<i8", 1), "inverse": ("<f8", 1),
    "s": ("<f4", 2), "y": ("<f4", 2), "s_y": ("<f8", 2), "y_y": ("<f8", 2),
}  # fmt: skip
BYTES = 112  # of a state, for each number
SHOWN = 20  # characters of a value in a message


@dataclass(frozen=True, eq=False)
class Climb:
    """A climb as a checkpoint has it: how it ended, or how far it came, or nothing of it."""

    outcome: Outcome | None = None
    state: State | None = None
    best: Best | None = None

    def fits(self, weights: int, numbers: int) -> bool:
        """Whether its arrays are those of so many numbers that stand for so many weights."""
        whole = [one.theta.shape == (weights,) for one in (self.outcome, self.best) if one]
        return all(whole) and (self.state is None or fits(self.state, numbers))


NEW = Climb()


@dataclass
class Checkpoint:
    """The checkpoint of a training in a file, which is written every so many iterations and after each climb."""

    path: str
    every: int
    _of: Mapping[str, Json] = field(default_factory=dict)
    _found: list[Climb] = field(default_factory=list)  # by the file, as far as the training has not asked for them
    _ended: list[Outcome] = field(default_factory=list)
    failed: SstagError | None = None  # why it could not be written the last time

    def begin(self, of: Mapping[str, Json]) -> str | None:
        """Reads the file, if there is one, and says where the training goes on; that of another one is an error.

        `of` is everything that the training depends on, by name.
        """
        check_target(self.path)
        of = json.loads(json.dumps(of))  # as the file would have it
        self._of, self._found, self._ended = of, [], []
        if not os.path.exists(self.path):
            return None
        archive = Archive(self.path, WHAT)
        archive.expect(FORMAT, VERSION)
        if different := next(_differences("", archive.document.get("of"), of), None):
            name, there, here = different
            raise ConfigError(
                f"is of another training: {name} was {_shown(there)} there, and is {_shown(here)} here (take another "
                "name for this training, or remove the file)",
                self.path,
            )
        self._found = _climbs(archive)
        climbs, state = len(self._found), self._found[-1].state if self._found else None
        where = "the end" if state is None else f"iteration {int(state['counts'][0])}"
        return f"going on from {self.path}: {where} of climb {climbs}"

    def next_climb(self, weights: int, numbers: int) -> Climb:
        """The climb that begins now, as far as it is known, in so many numbers that stand for so many weights."""
        climb = self._found.pop(0) if self._found else NEW
        if climb.outcome:
            self._ended.append(climb.outcome)
        elif (need := BYTES * numbers + 8 * weights * (len(self._ended) + 2)) > LARGEST:
            raise ConfigError(
                f"{numbers:,} weights need a checkpoint of {need / 2**30:.1f} GiB (at most {LARGEST / 2**30:.1f}): a "
                "minimum_count (--set minimum_count=2) makes them fewer",
                self.path,
            )
        if not climb.fits(weights, numbers):
            raise ModelError("damaged: its weights are not those of this training", self.path)
        return climb

    def keep(self, iteration: int, state: Callable[[], State], best: Best | None) -> None:
        """Writes the state of the climb that goes on, if it is time to."""
        if iteration % self.every == 0:
            self._write({"best": None if best is None else [best.score, best.iteration]}, state(), best)

    def end(self, outcome: Outcome) -> None:
        """Writes how the climb ended."""
        self._ended.append(outcome)
        self._write({}, {}, None)

    def remove(self) -> None:
        """Removes the file when the training has ended and its model is kept."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)

    def _write(self, going: dict[str, Json], state: State, best: Best | None) -> None:
        ended = [dict(vars(one)) for one in self._ended]
        arrays: dict[str, Array] = {f"ended {number}": one.pop("theta") for number, one in enumerate(ended)}
        arrays |= {f"state {name}": array for name, array in state.items()}
        if best:
            arrays["best"] = best.theta
        document = {"format": FORMAT, "version": VERSION, "of": dict(self._of), "ended": ended, **going}
        try:
            write_archive(self.path, document, arrays, lambda path: _climbs(Archive(path, WHAT)))
        except SstagError as error:  # it is there to save the training, and must not be what ends it
            if not self.failed:
                logger.warning("%s: the training goes on without its checkpoint, and tries again", error)
            self.failed = error
        else:
            self.failed = None


def _climbs(archive: Archive) -> list[Climb]:
    """The climbs in a file."""
    document = Description(archive)
    try:
        climbs = [
            Climb(Outcome(archive.array(f"ended {number}", "<f8"), **one))
            for number, one in enumerate(document.of("ended", list))
        ]
        if "best" in archive.document:
            state = {name: archive.array(f"state {name}", *how) for name, how in STATE.items()}
            best = None
            if archive.document["best"] is not None:
                score, iteration = document.of("best", list)
                best = Best(score, archive.array("best", "<f8"), iteration)
            climbs.append(Climb(None, state, best))
    except (KeyError, TypeError, ValueError) as error:
        raise archive.damaged(f"its climbs cannot be read ({error})") from error
    return climbs


def _differences(name: str, there: Json, here: Json) -> Iterator[tuple[str, Json, Json]]:
    """The values that differ, by their names one within another."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for key in dict.fromkeys((*here, *there)):
            yield from _differences(f"{name} {key}".strip(), there.get(key), here.get(key))
    elif there != here:
        yield name, there, here


def _shown(value: Json) -> str:
    text = "not given" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
