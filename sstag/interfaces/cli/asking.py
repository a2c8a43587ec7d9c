"""Questions about features on a terminal; each answer is written at once. `knowledge/questions.py` has the rules."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click

from sstag.foundation.errors import ConfigError, counted
from sstag.foundation.files import contents, only_here, output
from sstag.foundation.tab_lists import BLANKS, LARGEST
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.plain import UNREADABLE, printable
from sstag.knowledge.answers import (
    FeatureEntry,
    answers_in,
    entries_by_name,
    entries_text,
    labels_named,
    read_entries,
    with_entry,
    with_smoothed_shares,
)
from sstag.knowledge.expectation_list import OPEN
from sstag.knowledge.proposal_text import AROUND, in_context, occurrences_text
from sstag.knowledge.questions import Questions, label_meant, left_out

MORE, BACK, HELP = "+", "-", "?"


class _Back(Exception):
    """The person wants to answer the question before again."""


def ask(questions: Questions, known: tuple[str, ...], path: str) -> None:
    """Asks all that a file leaves open, and writes each answer to it; without known labels a person can name any."""
    with only_here(path):
        _ask(questions, known, path)


def _ask(questions: Questions, known: tuple[str, ...], path: str) -> None:
    written, entries = _bytes_of(path), read_entries(path)
    names, unknown = questions.left(entries)
    for name in unknown:
        say(f"{path}: '{name}' is none of the features, or never occurs: stays open")
    labels = list(known or labels_named(entries))
    ask_one = _of_occurrences if questions.samples else _of_feature
    _say(_help(questions, labels))
    done: list[tuple[str, FeatureEntry | None]] = []  # with the entry that was there before

    def keep(name: str, entry: FeatureEntry | None) -> None:
        nonlocal written
        if _bytes_of(path) != written:  # somebody has edited the file meanwhile: what he wrote stays
            entries[:] = read_entries(path)
        entries[:] = with_entry(entries, name, entry)
        labels[:] = known or labels_named(entries)  # a label that only a withdrawn answer named is gone
        smoothed = [with_smoothed_shares(entry, labels, questions.smoothing) for entry in entries]
        written = entries_text(smoothed).encode()
        with output(path, read_entries) as file:
            file.write(written)

    while len(done) < len(names):
        attribute, name = list(names.items())[len(done)]
        old = entries_by_name(entries).get(name)
        _say(f"\n{name}   ({len(done) + 1} of {len(names)}; {occurrences_text(questions.of, attribute)})")
        try:
            for entry in ask_one(questions, attribute, labels, not known, old or questions.new_entry(attribute, name)):
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
    asked = [entry for name, entry in entries_by_name(entries).items() if name in names.values()]
    begun = sum(entry.target == OPEN and bool(answers_in(entry)) for entry in asked)
    left = f"{len(names) - len(done)} left" + (f", {begun} of them begun" if begun else "")
    click.echo(f"{path}: {counted(len(done), 'answer')}, {left}")


def _bytes_of(path: str) -> bytes:
    """The content of the file with the answers; none if there is no file yet."""
    return contents(path, LARGEST) if os.path.exists(path) else b""


def _of_feature(
    questions: Questions, attribute: int, labels: list[str], is_open: bool, entry: FeatureEntry
) -> Iterator[FeatureEntry]:
    """The entry of a feature with the labels that a person says, or their shares."""
    shown = iter(questions.occurrences(attribute))

    def show() -> None:
        for _, token in zip(range(questions.show), shown, strict=False):
            _say(f"    {in_context(questions.text, token)}")

    show()
    before = questions.said.get(attribute, (OPEN,))[0]
    if before != OPEN:
        _say(f"    the list says {before}")
    while said := _asked("label", questions, labels, show):
        try:
            label_of = partial(_label, labels=labels, is_open=is_open)
            yield questions.with_labels(entry, attribute, said, labels, label_of)
            return
        except ConfigError as error:
            _say(error.message)
    yield left_out(entry)


def _of_occurrences(
    questions: Questions, attribute: int, labels: list[str], is_open: bool, entry: FeatureEntry
) -> Iterator[FeatureEntry]:
    """The entry of a feature after each answer about one of its occurrences, and with the shares of all at the end."""
    order = questions.occurrences(attribute)
    before = questions.looked_at(order, [said for said in answers_in(entry) if said[0] in ("", *labels)])
    if lost := len(answers_in(entry)) - len(before):
        click.echo(f"    {counted(lost, 'answer')} from before without such an occurrence or label: left out")
    tokens, found = [*before, *(token for token in order if token not in before)], list(before.values())
    wanted = min(questions.samples, len(tokens))

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
        yield questions.with_occurrences(entry, attribute, tokens, found)
    yield questions.with_shares(entry, attribute, tokens, found, labels)


def _say(text: str) -> None:
    click.echo(printable(text))


def _help(questions: Questions, labels: Sequence[str]) -> str:
    """The answers and requests that are understood."""
    what = "label of an occurrence" if questions.samples else "label; or several, A B, or with shares, A:0.8 B:0.2"
    more = "the whole sentence" if questions.samples else "show more"
    for_more, back, for_help = _keys(labels)
    return (
        f"{what}; beginnings are enough. Nothing: leave out; {for_more}: {more}; {back}: back; {for_help}: help; "
        "Ctrl-D: end"
    ) + (f"\nlabels: {', '.join(labels)}" if labels else "")


def _keys(labels: Sequence[str]) -> tuple[str, ...]:
    """The keys for more, for the question before and for help; a key that is a label is doubled."""
    return tuple(key * (1 + (key in labels)) for key in (MORE, BACK, HELP))


def _asked(what: str, questions: Questions, labels: Sequence[str], more: Callable[[], None]) -> str:
    """The next answer that is no request; requests are fulfilled."""
    for_more, back, for_help = _keys(labels)
    while True:
        said: str = click.prompt(what, default="", show_default=False).strip(BLANKS)
        if said == back:
            raise _Back
        if said == for_help:
            _say(_help(questions, labels))
        elif said == for_more:
            more()
        elif UNREADABLE in printable(said):
            click.echo("that is no text in UTF-8, or has control characters")
        else:
            return said


def _label(said: str, labels: list[str], is_open: bool) -> str:
    """The label that is meant; a new one is added to the labels."""
    label = label_meant(said, labels, is_open, lambda question, default: click.confirm(question, default=default))
    if label != said and not is_open:
        _say(f"    → {label}")
    if label not in labels:
        labels.append(label)
    return label
