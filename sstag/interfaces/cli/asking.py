"""Asking a person for the labels of features, or of some of their occurrences (Mann & McCallum 2008, §5.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import click
import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import ConfigError, counted, nearest
from sstag.foundation.files import output
from sstag.foundation.tab_lists import BLANKS
from sstag.interfaces.cli.plain import UNREADABLE, printable
from sstag.knowledge.answers import (
    ANSWERED,
    Entry,
    answer,
    answers_in,
    below,
    by_name,
    changed,
    labels_in,
    read_entries,
    shares,
    smoothed,
    text_of,
)
from sstag.knowledge.expectation_list import OPEN, Target, is_label, target_of
from sstag.knowledge.proposal_text import AROUND, in_context, known_of, usual
from sstag.knowledge.proposals import Proposals

MORE, BACK, HELP = "+", "-", "?"


@dataclass(frozen=True)
class Questions:
    """What is asked: features, or so many occurrences of each."""

    of: Proposals
    chosen: list[int]
    said: Mapping[int, tuple[str, ...]]  # what a list says of some of them: the target, and perhaps a strength
    text: Corpus  # with the occurrences
    show: int
    samples: int  # 0: features
    smoothing: float
    seed: int

    def help(self, labels: Sequence[str]) -> str:
        """What can be answered."""
        what = "label of an occurrence" if self.samples else "label; or several, A B, or with shares, A:0.8 B:0.2"
        more = "the whole sentence" if self.samples else "show more"
        for_more, back, for_help = _keys(labels)
        return (
            f"{what}; beginnings are enough. Nothing: leave out; {for_more}: {more}; {back}: back; {for_help}: help; "
            "Ctrl-D: end"
        ) + (f"\nlabels: {', '.join(labels)}" if labels else "")


class _Back(Exception):
    """The last answer was wrong."""


def answered(questions: Questions, known: tuple[str, ...], path: str) -> None:
    """Asks what is not answered in a file, and writes each answer there; without known labels any is one."""
    entries = read_entries(path)
    names = _names_left(questions, entries, path)
    labels = list(known or labels_in(entries))
    ask = _of_occurrences if questions.samples else _of_feature
    _say(questions.help(labels))
    done: list[tuple[str, Entry | None]] = []  # with what was said before

    def keep(name: str, entry: Entry | None) -> None:
        entries[:] = changed(entries, name, entry)
        labels[:] = known or labels_in(entries)  # those of an answer that was taken back are gone
        with output(path) as file:
            file.write(text_of([smoothed(entry, labels, questions.smoothing) for entry in entries]).encode())

    while len(done) < len(names):
        attribute, name = list(names.items())[len(done)]
        old = by_name(entries).get(name)
        _say(f"\n{name}   ({len(done) + 1} of {len(names)}; {known_of(questions.of, attribute)})")
        try:
            for entry in ask(questions, attribute, labels, not known, old or _new(questions, attribute, name)):
                says = entry.target != OPEN or answers_in(entry)
                keep(name, entry if says or old else None)
            done.append((name, old))
        except _Back:
            if done:
                keep(*done.pop())
            else:
                before = f": answers from before stand in {path}" if entries else ""
                click.echo(f"nothing to take back{before}")
        except click.Abort:
            click.echo()
            break
    asked = [entry for name, entry in by_name(entries).items() if name in names.values()]
    begun = sum(entry.target == OPEN and bool(answers_in(entry)) for entry in asked)
    left = f"{len(names) - len(done)} left" + (f", {begun} of them begun" if begun else "")
    click.echo(f"{path}: {counted(len(done), 'answer')}, {left}")


def _names_left(questions: Questions, entries: Sequence[Entry], path: str) -> dict[int, str]:
    """The features that are to be asked: those chosen that have no answer, and what else is open."""
    names = dict(zip(questions.chosen, questions.of.texts(questions.chosen), strict=True))
    before = by_name(entries)
    left = {attribute: name for attribute, name in names.items() if name not in before or before[name].target == OPEN}
    others = {name for name, entry in before.items() if entry.target == OPEN} - set(names.values())
    every = {text: number for number, text in enumerate(questions.of.vocabulary.texts())} if others else {}
    for name in [name for name in before if name in others]:
        if name in every and questions.of.occurrences[every[name]]:
            left[every[name]] = name
        else:
            click.echo(f"{path}: '{name}' is none of the features, or never occurs: stays open", err=True)
    return left


def _new(questions: Questions, attribute: int, name: str) -> Entry:
    """A feature of which nothing has been said."""
    return Entry((), name, OPEN, questions.said.get(attribute, ())[1:])


def _of_feature(
    questions: Questions, attribute: int, labels: list[str], is_open: bool, entry: Entry
) -> Iterator[Entry]:
    """The labels, or their shares."""
    shown = iter(_shuffled(questions, attribute))

    def show() -> None:
        for _, token in zip(range(questions.show), shown, strict=False):
            _say(f"    {in_context(questions.text, token)}")

    def asked() -> str:
        return _asked("label", questions, labels, show)

    show()
    before = questions.said.get(attribute, (OPEN,))[0]
    if before != OPEN:
        _say(f"    the list says {before}")
    said = asked()
    while said:
        try:
            target = Target((said,), None) if said in labels else target_of(said)
            names = [_label(label, labels, is_open) for label in target.labels]
            if len(set(names)) < len(names):
                raise ConfigError("a label stands there twice")
        except ConfigError as error:
            _say(error.message)
            said = asked()
            continue
        text = usual(labels, names)
        if target.shares:
            text = " ".join(f"{name}:{share:g}" for name, share in zip(names, target.shares, strict=True))
        yield below(replace(entry, target=text), [f"{ANSWERED.removeprefix('# ')}{known_of(questions.of, attribute)}"])
        return
    yield below(replace(entry, target=None), [])


def _of_occurrences(
    questions: Questions, attribute: int, labels: list[str], is_open: bool, entry: Entry
) -> Iterator[Entry]:
    """The shares that some occurrences tell of; of each of them one label, and what is known after each."""
    order, known = _shuffled(questions, attribute), known_of(questions.of, attribute)
    before = _said_before(questions, order, [said for said in answers_in(entry) if said[0] in ("", *labels)])
    if lost := len(answers_in(entry)) - len(before):
        click.echo(f"    {counted(lost, 'answer')} from before without such an occurrence or label: left out")
    tokens, found = [*before, *(token for token in order if token not in before)], list(before.values())
    wanted = min(questions.samples, len(tokens))

    def answers() -> list[str]:
        pairs = zip(found, tokens, strict=False)
        return [known, *(answer(label, in_context(questions.text, token)) for label, token in pairs)]

    def show(around: int = AROUND) -> None:
        _say(f"    {in_context(questions.text, tokens[len(found)], around)}")

    while len(found) < wanted:
        show()
        try:
            more = partial(show, questions.text.tokens)
            said = _asked(f"label {len(found) + 1} of {wanted}", questions, labels, more)
            found.append(_label(said, labels, is_open) if said else "")
        except ConfigError as error:
            _say(error.message)
            continue
        except _Back:
            if not found:
                raise
            found.pop()
        yield below(replace(entry, target=OPEN), answers())
    if any(found):
        target, notes = shares(labels, found, questions.smoothing)
        yield below(replace(entry, target=target), [*answers(), *notes])
    else:
        yield below(replace(entry, target=None), [])


def _said_before(questions: Questions, order: list[int], answers: list[tuple[str, str]]) -> dict[int, str]:
    """The label, or "", of each token that an answer is about."""
    result, waiting = dict[int, str](), list(answers)
    for token in order:
        if not waiting:
            break
        context = in_context(questions.text, token).strip()
        if said := next((said for said in waiting if said[1] == context), None):
            waiting.remove(said)
            result[token] = said[0]
    return result


def _say(text: str) -> None:
    click.echo(printable(text))


def _keys(labels: Sequence[str]) -> tuple[str, ...]:
    """What asks for more, for the question before and for help; twice what is a label."""
    return tuple(key * (1 + (key in labels)) for key in (MORE, BACK, HELP))


def _asked(what: str, questions: Questions, labels: Sequence[str], more: Callable[[], None]) -> str:
    """An answer that is not a request."""
    for_more, back, for_help = _keys(labels)
    while True:
        said: str = click.prompt(what, default="", show_default=False).strip(BLANKS)
        if said == back:
            raise _Back
        if said == for_help:
            _say(questions.help(labels))
        elif said == for_more:
            more()
        elif UNREADABLE in printable(said):
            click.echo("that is no text in UTF-8, or has control characters")
        else:
            return said


def _label(said: str, labels: list[str], is_open: bool) -> str:
    """The label that is meant; where any is one, a new one too."""
    fitting = [label for label in labels if label.startswith(said)]
    if said in labels:
        return said
    if len(fitting) == 1 and not is_open:
        _say(f"    → {fitting[0]}")
        return fitting[0]
    if len(fitting) == 1 and click.confirm(f"{fitting[0]}?", default=True):
        return fitting[0]
    if len(fitting) > 1 and not is_open:
        raise ConfigError(f"{' or '.join(fitting)}?")
    if not is_open:
        several = "; several have blanks between them" if "," in said or "|" in said else nearest(said, labels)
        raise ConfigError(f"no such label: '{said}'{several}; --labels A,B,… names others")
    if not is_label(said):
        raise ConfigError(f"'{said}' is not one label")
    if labels and not click.confirm(f"a new label, '{said}'?", default=not fitting):
        raise ConfigError(f"labels so far: {', '.join(labels)}")
    labels.append(said)
    return said


def _shuffled(questions: Questions, attribute: int) -> list[int]:
    """The tokens with an attribute, in an order of chance."""
    rng = np.random.default_rng([questions.seed, attribute])
    return [int(token) for token in rng.permutation(questions.of.tokens(attribute))]
