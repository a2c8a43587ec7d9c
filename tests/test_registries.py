"""Every entry of every registry is there and keeps its contract; and the checker finds faults that are planted."""

import inspect
import re
import typing
from dataclasses import dataclass, fields

import numpy as np
import pytest

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import FORMATS
from sstag.corpus.formats.contract import DocumentFormat, InputFormat, OutputFormat
from sstag.corpus.volumes import Text
from sstag.experiments import EXPERIMENTS, MakesExperiment
from sstag.experiments.samples import SAMPLES, Sample
from sstag.features.encoders import BACKENDS
from sstag.features.encoders.contract import Backend, MakesBackend
from sstag.features.template import Template
from sstag.foundation.arrays import Floats
from sstag.foundation.registry import registered
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.model.model import Model
from sstag.selection.density import DENSITIES, Density
from sstag.selection.density.file import density_of_text
from sstag.selection.density.hidden import Hidden
from sstag.selection.strategies import BY, SPREADS, STRATEGIES, Next, Scores
from sstag.training.disambiguation import AMBIGUOUS, Decides
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
from sstag.training.methods.contract import Method
from sstag.training.methods.parameters import Training
from sstag.training.objectives import OBJECTIVES
from sstag.training.objectives.contract import Ground, MakesObjective, Objective, Opened, Reader
from sstag.training.parameter_specs import Parameters, described, specs
from tests.contracts import broken, hint, lacking, result
from tests.corpora import corpus


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    entry = METHODS[name]
    train = registered(entry.where)
    assert list(broken(train, Method)) == []
    assert issubclass(entry.parameters, hint(train, 1))


@pytest.mark.parametrize("name", OBJECTIVES)
def test_objectives(name):
    entry = OBJECTIVES[name]
    made = registered(entry.where)
    assert list(broken(made, MakesObjective)) == []
    assert issubclass(entry.parameters, hint(made, 0))
    if entry.reads is None:
        assert hint(made, 2) is type(None)
    else:
        read = registered(entry.reads)
        assert list(broken(read, Reader)) == []
        assert hint(made, 2) == result(read)


@pytest.mark.parametrize("entry", [*METHODS.items(), *OBJECTIVES.items()], ids=lambda one: one[0])
def test_parameters_say_what_they_are(entry):
    kind = entry[1].parameters
    assert [one.name for one in described(kind)] == [one.name for one in fields(kind)]
    for one in described(kind):
        assert one.help
        assert one.range
        value = getattr(kind(), one.name)
        if isinstance(value, int | float | str):  # a default is a value that it can have
            assert specs(kind)[one.name].checked(one.name, value) == value


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ways_to_decide(name):
    assert list(broken(registered(AMBIGUOUS[name].where), Decides)) == []


@pytest.mark.parametrize("where", [one.where for one in (*STRATEGIES.values(), *BY.values())])
def test_strategies(where):
    assert list(broken(registered(where), Scores)) == []


@pytest.mark.parametrize("name", SPREADS)
def test_ways_to_spread(name):
    assert list(broken(registered(SPREADS[name].where), Next)) == []


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name):
    entry = FORMATS[name]
    writes = DocumentFormat if entry.documents else OutputFormat
    for contract, keeps in ((InputFormat, entry.reads), (writes, entry.writes)):
        assert not keeps or list(lacking(type(registered(entry.where)), contract)) == []


@pytest.mark.parametrize("name", BACKENDS)
def test_back_ends(name):
    made = registered(BACKENDS[name].where)
    assert list(broken(made, MakesBackend)) == []
    assert list(lacking(result(made), Backend)) == []


@pytest.mark.parametrize("kind", DENSITIES)
def test_densities(kind):
    made = density_of_text([corpus([[("a", "A")]], ("word", "label"))], kind=kind)
    assert list(lacking(type(made), Density)) == []


def test_the_density_of_an_hmm():
    assert list(lacking(Hidden, Density)) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    assert list(broken(registered(SAMPLES[name][0]), Sample)) == []


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments(name):
    assert list(broken(registered(EXPERIMENTS[name].where), MakesExperiment)) == []


# ------------------------------------------------------------------ planted faults


@dataclass(frozen=True)
class Whole:
    """An objective, of which others lack something."""

    @property
    def slope(self) -> Floats | None:
        return None

    def side(self, data: Dataset, batch: Batch) -> None:
        return None

    def gather(self, lattice: Lattice, side: None) -> Floats:
        return np.zeros(1)

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return 0.0, statistics

    def push(self, lattice: Lattice, side: None, slope: Floats) -> Potentials:
        return lattice.potentials

    def curvature(self, lattice: Lattice, side: None) -> None:
        return None


def whole(parameters: Parameters, ground: Ground, opened: None) -> Whole:
    return Whole()


def test_an_objective_that_is_whole_passes():
    assert list(broken(whole, MakesObjective)) == []


@pytest.mark.parametrize("member", [name for name in vars(Objective) if not name.startswith("_")])
def test_an_objective_without_a_member_is_found(member):
    lame = type("Lame", (), {name: value for name, value in vars(Whole).items() if name not in (member, "__dict__")})

    def made(parameters: Parameters, ground: Ground, opened: None) -> lame:  # type: ignore[valid-type]
        return lame()

    made.__annotations__["return"] = lame
    assert list(broken(made, MakesObjective)) == [f"Lame has no {member}"]


def test_an_objective_whose_member_takes_more_is_found():
    class More(Whole):
        def gather(self, lattice: Lattice, side: None, more: int) -> Floats:
            return np.zeros(1)

    assert list(lacking(More, Objective)) == ["More.gather takes 4 arguments, not 3"]


def test_an_objective_whose_property_is_a_method_is_found():
    class Called(Whole):
        def slope(self) -> Floats | None:  # type: ignore[override]
            return None

    assert list(lacking(Called, Objective)) == ["Called.slope is a method, no property"]


def test_an_objective_whose_members_are_of_other_types_is_found():
    class Odd(Whole):
        slope: str = ""  # type: ignore[assignment]

        def gather(self, lattice: Lattice, side: None) -> str:  # type: ignore[override]
            return ""

        def curvature(self, lattice: Lattice, side: None) -> int:  # type: ignore[override]
            return 0

    faults = list(lacking(Odd, Objective))
    assert [fault.partition(" returns ")[0] for fault in faults] == ["Odd.slope", "Odd.gather", "Odd.curvature"]
    assert re.match("Odd.gather returns str, not (numpy.ndarray|NDArray)", faults[1])  # NumPy 2.5 names its arrays


def test_an_objective_made_without_its_text_is_found():
    def made(parameters: Parameters, opened: None) -> Whole:
        return Whole()

    assert any("takes 2 arguments, not 3" in text for text in broken(made, MakesObjective))


def learned(inputs: Inputs, params: Training, rng: np.random.Generator, run: Run) -> Model:
    raise NotImplementedError


def learned_with_more(inputs: Inputs, params: Training, rng: np.random.Generator, run: Run, more: int) -> Model:
    raise NotImplementedError


def learned_nothing(inputs: Inputs, params: Training, rng: np.random.Generator, run: Run) -> None:
    raise NotImplementedError


def learned_from_text(inputs: Corpus, params: Training, rng: np.random.Generator, run: Run) -> Model:
    raise NotImplementedError


def test_methods_with_faults_are_found():
    assert list(broken(learned, Method)) == []
    assert list(broken(learned_with_more, Method)) == ["learned_with_more takes 5 arguments, not 4"]
    assert len(list(broken(learned_nothing, Method))) == 1
    assert len(list(broken(learned_from_text, Method))) == 1


def test_a_file_that_says_too_little_is_found():
    class Silent:
        path, digest, labels, tells_apart, about = "", "", frozenset[str](), False, dict[str, int]()

    def read(path: str, template: Template, text: Text) -> Silent:
        return Silent()

    read.__annotations__["return"] = Silent
    assert list(broken(read, Reader)) == ["Silent has no odd"]
    assert list(lacking(Silent, Opened)) == ["Silent has no odd"]


def test_the_contracts_have_members():
    for contract in (Objective, Opened, Density):
        assert [name for name in vars(contract) if not name.startswith("_")]
    for contract in (Method, MakesObjective, Reader, Decides, Scores, Sample, MakesExperiment):
        assert inspect.isfunction(contract.__call__)
        assert typing.get_origin(contract) is None
