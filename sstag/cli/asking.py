"""Asking a person for the labels of features, or of some of their occurrences (Mann & McCallum 2008, §5.3)."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import click
import numpy as np

from sstag.constraint_list import target_of
from sstag.corpus import Corpus
from sstag.errors import ConfigError, DataError, counted, nearest
from sstag.files import contents, output
from sstag.proposal_text import entry, in_context, known_of, of_samples
from sstag.proposals import Candidates
from sstag.rows import LARGEST

MORE, BACK = "+", "-"
LEFT_OUT = "# left out: "


@dataclass(frozen=True)
class Questions:
    """What is asked: features, or so many occurrences of each."""

    of: Candidates
    chosen: list[int]
    text: Corpus  # with the occurrences
    show: int
    samples: int  # 0: features
    smoothing: float
    seed: int


class _Back(Exception):
    """The last answer was wrong."""


def answered(questions: Questions, known: tuple[str, ...], path: str) -> None:
    """Asks what is not answered in a file, and writes each answer there; without known labels any is one."""
    before = _written(path) if os.path.exists(path) else ""
    done = {line.split("\t")[0].removeprefix(LEFT_OUT) for line in before.split("\n")}
    labels, is_open = list(known), not known
    names = dict(zip(questions.chosen, questions.of.texts(questions.chosen), strict=True))
    left = [attribute for attribute in questions.chosen if names[attribute] not in done]
    what = "label of an occurrence" if questions.samples else "label; several, or with shares: LABEL:0.8 OTHER:0.2"
    click.echo(f"{what}; its beginning is enough. Nothing: leave out; +: show more; -: back; Ctrl-D: end")
    answers: list[str] = []
    while len(answers) < len(left):
        attribute = left[len(answers)]
        click.echo(f"\n{names[attribute]}   ({len(answers) + 1} of {len(left)}; {known_of(questions.of, attribute)})")
        try:
            target, notes = (_of_occurrences if questions.samples else _of_feature)(
                questions, attribute, labels, is_open
            )
            comments = [known_of(questions.of, attribute), *notes]
            answers.append(entry(names[attribute], target, comments) if target else f"{LEFT_OUT}{names[attribute]}\n")
        except _Back:
            answers = answers[:-1]
        except click.Abort:
            click.echo()
            break
        with output(path) as file:
            file.write("".join([before, *answers]).encode())
    click.echo(f"{path}: {counted(len(answers), 'answer')}, {len(left) - len(answers)} left")


def _written(path: str) -> str:
    """The answers in a file."""
    try:
        text = contents(path, LARGEST).decode()
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start})", path) from error
    return text + "\n" * (bool(text) and not text.endswith("\n"))


def _of_feature(questions: Questions, attribute: int, labels: list[str], is_open: bool) -> tuple[str, list[str]]:
    """The labels, or their shares."""
    shown = iter(_shuffled(questions, attribute))

    def show() -> None:
        for _, token in zip(range(questions.show), shown, strict=False):
            click.echo(f"    {in_context(questions.text, token)}")

    show()
    said = _asked("label", show)
    while said:
        try:
            target = target_of(said)
            names = [_label(label, labels, is_open) for label in target.labels]
            if len(set(names)) < len(names):
                raise ConfigError("a label stands there twice")
        except ConfigError as error:
            click.echo(error.message)
            said = _asked("label", show)
            continue
        shares = target.shares or [None] * len(names)
        return " ".join(
            name if share is None else f"{name}:{share:g}" for name, share in zip(names, shares, strict=True)
        ), []
    return "", []


def _of_occurrences(questions: Questions, attribute: int, labels: list[str], is_open: bool) -> tuple[str, list[str]]:
    """The shares that some occurrences tell of; of each of them one label."""
    tokens = _shuffled(questions, attribute)[: questions.samples]
    found: list[str] = []
    while len(found) < len(tokens):
        click.echo(f"    {in_context(questions.text, tokens[len(found)])}")
        try:
            said = _asked(f"label {len(found) + 1} of {len(tokens)}")
            found.append(_label(said, labels, is_open) if said else "")
        except ConfigError as error:
            click.echo(error.message)
        except _Back:
            if not found:
                raise
            found.pop()
    counts = np.array([found.count(label) for label in labels], np.int64)
    return of_samples(labels, counts, questions.smoothing) if counts.any() else ("", [])


def _asked(what: str, more: Callable[[], None] = lambda: None) -> str:
    """An answer that is not a request."""
    while True:
        said: str = click.prompt(what, default="", show_default=False).strip()
        if said == BACK:
            raise _Back
        if said != MORE:
            return said
        more()


def _label(said: str, labels: list[str], is_open: bool) -> str:
    """The label that is meant; where any is one, a new one too."""
    fitting = [label for label in labels if label.startswith(said)]
    if said in labels or len(fitting) == 1:
        return said if said in labels else fitting[0]
    if fitting:
        raise ConfigError(f"{' or '.join(fitting)}?")
    if not is_open:
        raise ConfigError(f"no such label: '{said}'{nearest(said, labels)}")
    if labels and not click.confirm(f"a new label, '{said}'?", default=True):
        raise ConfigError(f"labels so far: {', '.join(labels)}")
    labels.append(said)
    return said


def _shuffled(questions: Questions, attribute: int) -> list[int]:
    """The tokens with an attribute, in an order of chance."""
    rng = np.random.default_rng([questions.seed, attribute])
    return [int(token) for token in rng.permutation(questions.of.tokens(attribute))]
