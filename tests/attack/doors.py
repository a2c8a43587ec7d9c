"""Doors: the functions of the library by which commands read a file and use it, without the commands.

A door is a tenth of the work of a command, so that ten times as many files can be tried; each is read by what reads it
for a user, and what was read is used.
"""

import random
import traceback
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

import sstag
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import document_names, output_format, output_names
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read, read_blocks
from sstag.features.clusters import read_clusters
from sstag.features.encoders.encoder import found
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.settings import Settings
from sstag.features.lexicon import read_lexicon
from sstag.features.reading import load_template
from sstag.features.template import Template
from sstag.features.term_values import View
from sstag.features.vocabulary import built
from sstag.features.words.prototypes import nearest_words, read_prototypes
from sstag.features.words.vector_files import opened
from sstag.foundation.errors import SstagError
from sstag.foundation.npy import matrix
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.plain import as_message
from sstag.knowledge.expectation_list import OPEN, read_list, target_in
from sstag.knowledge.feature_steps import is_about_steps, steps_in
from sstag.knowledge.known_shares import read_shares
from sstag.knowledge.label_costs import costs_in
from sstag.knowledge.labelled_features import labels_of_lines, read_features, tokens_with
from sstag.labels.checking import checked
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks, marks_in
from sstag.labels.relabelling import relabelling, with_labels
from sstag.labels.schemes.rules import SCHEMES
from sstag.labels.span_list import read_spans, span_labels, tagset_of
from sstag.model.model import Model
from sstag.selection.density.file import load as load_density
from sstag.selection.density.weighing import weights_in
from sstag.training.ruled import under_rules
from tests.attack.inputs import Input
from tests.attack.room import Came

Door = Callable[["Doors", str, Input, random.Random], object]


FOLDER = "folder"
BEGINNINGS = {"as-": "document", "vectors-": "vectors", "clusters-": "clusters"}
MODELS = ("model", "hmm-model", "dense-model", "prototype-model")


class Doors:
    """The good template, text and model that what comes through a door is used with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def template(self) -> Template:
        return load_template(str(self.folder / "template"))

    @cached_property
    def text(self) -> Corpus:
        return read(str(self.folder / "train"), self.template.layout("train"))

    @cached_property
    def raw(self) -> Corpus:
        return read(str(self.folder / "raw"), self.template.raw_layout("raw"))

    @cached_property
    def model(self) -> Model:
        return sstag.load(str(self.folder / "model"))

    def came(self, one: Input, chance: random.Random) -> Came:
        """The end of an input whose file goes through its door."""
        name = next(iter(one.files))
        try:
            DOORS[_kind_of(name)](self, str(self.folder / name), one, chance)
        except SstagError as error:
            return Came(1, "", as_message(str(error)))
        except Exception:
            return Came(1, "", traceback.format_exc())
        return Came(0, "", "")


def has_door(one: Input) -> bool:
    """Whether an input can come through a door: it is one file of a kind that has one."""
    kinds = {*map(_kind_of, one.files)}
    return len(kinds) == 1 and (len(one.files) == 1 or kinds == {FOLDER}) and kinds <= DOORS.keys()


def _kind_of(name: str) -> str:
    if name.startswith("folder/"):
        return FOLDER if not name.startswith("folder/p") else name  # of a project
    return next((kind for before, kind in BEGINNINGS.items() if name.startswith(before)), name)


def _text(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    """Read, looked over, and written in another way: labels in another scheme, or the text in another format."""
    _used(doors, path, layout_for(path, label=_word_after(one, "--label")), chance)


def _document(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    _used(doors, path, layout_for(path, format=_word_after(one, "--from-format")), chance)


def _used(doors: Doors, path: str, layout: Layout, chance: random.Random) -> None:
    way = chance.randrange(4)
    if way == 0:
        checked(path, layout, marks_in(layout.format))
    elif way == 1:
        change = relabelling(path, layout, marks_in(layout.format), None, chance.choice(list(SCHEMES)), True)
        for block in read_blocks(path, layout):
            with_labels(block, change.labels(block), change.column)
    elif way == 2:
        form = output_format(chance.choice([name for name in output_names() if name not in document_names()]))
        for block in read_blocks(path, layout):
            form.text(block, block.columns)
    else:
        corpus = joined(read_blocks(path, layout), path)
        if corpus.sentences and layout.label in corpus.columns:
            labelled_text(corpus, layout.label, marks_in(layout.format))


def _word_after(one: Input, option: str) -> str | None:
    return one.words[one.words.index(option) + 1] if option in one.words[:-1] else None


def _template(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    template = load_template(path)
    corpus = read(str(doors.folder / "train"), template.layout(str(doors.folder / "train")))
    template = template.named(corpus.columns)
    view = View(corpus, template)
    for features, steps in ((template.features, False), (template.edges.features, True)):
        built(features, [view], steps=steps)[0].texts()


def _model(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    model = sstag.load(path)
    sstag.tag(model, str(doors.folder / "raw"), confidence=chance.random() < 0.3)


def _rules(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    sstag.tag(under_rules(doors.model, path, lambda text: None), doors.raw)


def _spans(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    listed = read_spans(path)
    tags = tagset_of(listed, chance.choice([*SCHEMES, *(("bioes", "iob2") * 3)]))
    span_labels(listed, tags, Marks(), doors.raw)


def _expectations(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    listed = read_list(path, doors.template, doors.text)
    for line in listed.lines:
        if line.rest[0] != OPEN:
            steps_in(listed, line) if is_about_steps(line.rest) else target_in(listed, line)
    tokens_with(listed, doors.text)


def _features(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    listed = read_features(path, doors.template)
    labels_of_lines(listed, Marks())
    tokens_with(listed, doors.text)


def _weights(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    weights_in(path, doors.text, one_by_one)


def _density(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    if chance.random() < 0.5:
        weights_in(path, doors.text, one_by_one)
    else:
        load_density(path).log_q(doors.text, one_by_one)


def _folder(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    """Documents, an encoder, or vectors, by the command that would read the folder."""
    folder = str(doors.folder / FOLDER)
    if one.words[0] == "encode":
        encoded(doors.text, "word", found(Settings(model=folder), [""]), None)
    elif one.words[0] == "vectors":
        _vectors(doors, folder, one, chance)
    else:
        _document(doors, folder, one, chance)


def _clusters(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    read_clusters(path)


def _vectors(doors: Doors, path: str, one: Input, chance: random.Random) -> None:
    opened(path).of(["Ann", "Oslo", "none"])
    nearest_words(opened(path).every(), "Ann", 3)


DOORS: Mapping[str, Door] = {
    **dict.fromkeys(("train", "two", "raw", "raw2"), _text),
    "document": _document,
    **dict.fromkeys(("template", "with-lexicon"), _template),
    **dict.fromkeys(MODELS, _model),
    "rules": _rules,
    "spans": _spans,
    "expectations": _expectations,
    "features": _features,
    "weights": _weights,
    "density": _density,
    **dict.fromkeys(("vectors", "own-vectors"), _vectors),
    "lexicon": lambda doors, path, one, chance: read_lexicon(path),
    "terms": lambda doors, path, one, chance: read_prototypes(path, "word"),
    "clusters": _clusters,
    FOLDER: _folder,
    "shares": lambda doors, path, one, chance: read_shares(path, doors.model.labels),
    "costs": lambda doors, path, one, chance: costs_in(path),
    "rows": lambda doors, path, one, chance: np.asarray(matrix(path)).sum(),
}
