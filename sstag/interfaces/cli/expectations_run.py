"""Features that `sstag expectations` proposes: found in texts, then written as a list or asked about."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import click
import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read_files
from sstag.features.adapted import fitted_to_file
from sstag.features.grammar import features
from sstag.features.reading import load_template
from sstag.features.template import Feature, Template
from sstag.features.words.vector_files import opened
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.files import STANDARD, output
from sstag.interfaces.cli import asking
from sstag.interfaces.cli.asked_features import Proposing
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import say_if_terminal
from sstag.knowledge.alike_words import alike_words
from sstag.knowledge.answers import has_answers, labels_named, read_entries
from sstag.knowledge.expectation_list import OPEN, read_list, target_in
from sstag.knowledge.feature_steps import is_about_steps, steps_in
from sstag.knowledge.proposal_text import in_context, occurrences_text, proposal_entry, target_text
from sstag.knowledge.proposals import Proposals, chosen_proposals, every_proposal, listed_attributes, with_features
from sstag.knowledge.questions import Questions
from sstag.labels.marks import Marks, changed_marks, marks_in_file


def ask(how: Proposing, named: tuple[str, ...], target: str) -> None:
    """Asks a person for labels, of these or of those that there are; every answer is written at once."""
    found = _found(how)
    samples = how.samples if how.targets == "sampled" else 0
    questions = Questions(found.of, found.chosen, found.said, found.text, how.show, samples, how.smoothing, how.seed)
    asking.ask(questions, named or found.of.labels, target)


def propose(how: Proposing, target: str) -> None:
    """Writes the list of features, and says how many there are."""
    found = _found(how)
    _check_unanswered(target, how)
    if not found.chosen:
        why = (
            "none of the list occurs"
            if how.listed
            else f"none occurs {how.least} times and has a label (--least, --by)"
        )
        why = "none of the list occurs" if how.listed else why
        raise DataError(f"no feature to write: {why}", found.text.path)
    with output(target, partial(_read_back, found, how.targets == "given")) as file:
        file.write("".join(_entries(how, found)).encode())
    times = int(found.of.occurrences[found.chosen].sum())
    features = counted(len(found.chosen), "feature")
    wanted = how.count * (len(found.of.labels) if how.way == "prototypes" and not how.like else 1)
    fewer = f" of {wanted} (no others fit, of those that occur {how.least} times)"
    some = fewer if not how.listed and len(found.chosen) < wanted else ""
    click.echo(f"{features}{some}, {counted(times, 'occurrence')} in {found.text.path}", err=True)


def _read_back(found: "_Found", is_given: bool, path: str) -> None:
    """Raises an error if training could not read the list, or would take a label for something else."""
    listed = read_list(path, found.template, found.text)
    for line in listed.lines:
        if line.rest[0] == OPEN:
            continue
        if is_about_steps(line.rest) and not is_given:
            raise DataError("a share of a label A>B, or same, is one of steps: rename the label", path, line.line)
        steps_in(listed, line) if is_about_steps(line.rest) else target_in(listed, line)


def _check_unanswered(path: str, how: Proposing) -> None:
    """Answers are work: no list is written over them, and one that asks for labels not over any."""
    if path != STANDARD and (has_answers(path) or (how.targets == "open" and labels_named(read_entries(path)))):
        raise click.UsageError(f"{path} has answers already: --ask goes on with it; else another --output")


@dataclass(frozen=True)
class _Found:
    """The proposals, those that are chosen, the text in which they occur, and what a list says of each."""

    of: Proposals
    chosen: list[int]
    template: Template
    text: Corpus
    said: dict[int, tuple[str, ...]]
    notes: dict[int, str] = field(default_factory=dict)  # of features that are like listed ones: like which


def _found(how: Proposing) -> _Found:
    """The features that are asked for."""
    for path in (*how.train, *how.unlabeled):
        say_if_terminal(path)
    first = (*how.train, *how.unlabeled)[0]
    template = fitted_to_file(load_template(how.template), first, how.read_as, bool(how.train))
    labelled = read_files(how.train, lambda path: template.layout(path, how.read_as)) if how.train else None
    template = template.named(labelled.columns) if labelled else template
    raw = (
        read_files(how.unlabeled, lambda path: template.raw_layout(path, how.read_as), template.label)
        if how.unlabeled
        else None
    )
    text = raw or labelled
    assert text is not None
    template = template.named(text.columns)
    marks = changed_marks(marks_in_file(how.train[0] if how.train else ""), how.marks)
    if how.listed:
        listed = read_list(how.listed, template, text)
        for line in listed.lines:
            if line.rest[0] != OPEN:  # an error if it says what no list can
                steps_in(listed, line) if is_about_steps(line.rest) else target_in(listed, line)
        of = every_proposal(listed.template, labelled, raw, marks)
        said, missing = listed_attributes(of, listed)
        for name in missing:
            say(f"{name} never occurs: left out")
        return _Found(of, list(said), template, text, said)
    if how.like:
        return _like(how, how.like, template, labelled, raw, marks)
    own = [feature for line in how.asked for feature in _features(line, template)]
    of = every_proposal(with_features(template, own), labelled, raw, marks)
    return _Found(of, chosen_proposals(of, how.way, how.count, how.least, how.smoothing), template, text, {})


def _like(
    how: Proposing, path: str, template: Template, labelled: Corpus | None, raw: Corpus | None, marks: Marks
) -> _Found:
    """Words like those of a list, each with what the list says of the nearest one."""
    text = raw or labelled
    assert text is not None
    vectors = opened(how.vectors) if how.vectors else next(iter(template.vectors.values()), None)
    if vectors is None:
        raise ConfigError("the template has no vector(…): which vectors say what words are like? (--vectors)")
    listed = read_list(path, template, text)
    of = every_proposal(listed.template, labelled, raw, marks)
    found = alike_words(of, listed, vectors, how.count, how.least)
    said = {number: one.line.rest for number, one in found.items()}
    notes = {number: f"like {one.line.attribute} ({one.cosine:.2f})" for number, one in found.items()}
    return _Found(of, list(found), template, text, said, notes)


def _features(line: str, template: Template) -> Sequence[Feature]:
    """The features that `--feature` stands for; one with a value, as in lists, is an error."""
    try:
        return features(line, template.columns or (), template.label)
    except ConfigError as error:
        hint = "; what has a value, word[0]=rent, stands in a list (--list)" if "=" in line else ""
        raise ConfigError(f"{error.message}{hint}", "--feature") from error


def _entries(how: Proposing, found: _Found) -> list[str]:
    """The list, feature by feature."""
    of, entries = found.of, []
    for attribute, name in zip(found.chosen, of.texts(found.chosen), strict=True):
        rng = np.random.default_rng([how.seed, attribute])
        notes: list[str] = []
        like = [found.notes[attribute]] if attribute in found.notes else []
        if how.targets == "given":
            target = "\t".join(found.said[attribute])
        else:
            target, notes = target_text(of, attribute, how.targets, how.samples, how.smoothing, rng)
            target = "\t".join([target, *found.said.get(attribute, ())[1:]])
        shown = rng.permutation(of.tokens(attribute))[: how.show].tolist() if how.show else []
        contexts = [f"  {in_context(found.text, token)}" for token in shown]
        entries.append(proposal_entry(name, target, [occurrences_text(of, attribute), *like, *notes, *contexts]))
    return entries
