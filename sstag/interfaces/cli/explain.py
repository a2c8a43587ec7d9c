"""The command `sstag explain`: it tells why a token has its label."""

import json
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING

import click

from sstag.corpus.contexts import Context
from sstag.corpus.formats import Asked
from sstag.foundation.display import aligned
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.foundation.tables import Table, html
from sstag.interfaces.cli.help_sections import DATA, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.options import (
    context_of,
    context_option,
    format_option,
    legal_option,
    output_option,
    say_if_terminal,
)
from sstag.interfaces.cli.text_options import reading_text
from sstag.interfaces.cli.width import for_stdout

if TYPE_CHECKING:
    from sstag.model.explanation import Explanation

SHOWN = 2  # attributes in the line of a token

_data, _output = map(options_of, (DATA, OUTPUT))


@click.command(name="explain", cls=Command)
@click.argument("file", cls=Argument, metavar="[FILE]", default=STANDARD)
@_data("--model", "-m", "model_path", required=True, metavar="MODEL", help="A trained model.")
@_data("--sentence", default=1, show_default=True, type=click.IntRange(1), help="Which sentence, from 1.")
@_data("--token", type=click.IntRange(1), show_default="all", help="Which of its tokens, from 1.")
@legal_option
@context_option
@_output("--most", "-n", default=10, show_default=True, type=click.IntRange(1), help="How many attributes to show.")
@format_option(["text", "json", "html"], "Format of the report.")
@output_option
@reading_text
def command(
    file: str,
    model_path: str,
    sentence: int,
    token: int | None,
    legal: bool,
    context: Context | None,
    most: int,
    form: str,
    target: str,
    read_as: Asked,
) -> None:
    """Tell why a token has its label.

    Shows what each attribute of a token adds to the score of its label and of the second one, the steps beside it, and
    which attributes would have to be missing for another label. Without --token, a line for each token.

    \b
    Example:
        sstag explain -m ner.model test.txt --sentence 3
        sstag explain -m ner.model test.txt --sentence 3 --token 5
        sstag explain -m ner.model test.txt --sentence 3 --format html -o why.html
    """
    from sstag.foundation.errors import DataError
    from sstag.interfaces.cli.one_sentence import sentence_in_context
    from sstag.model.explanation import explained
    from sstag.model.legality import legality
    from sstag.model.model_file import load
    from sstag.model.questions import Question
    from sstag.model.runs import refuse_longest

    check_outputs([target], [file, model_path])
    say_if_terminal(file)
    model = load(model_path)
    layout = model.template.layout(file, read_as)
    reads = context_of(model, context, [file])
    corpus, model = sentence_in_context(file, layout, sentence, model, reads)
    if token and token > corpus.tokens:
        raise DataError(f"there is no token {token}: sentence {sentence} has {corpus.tokens}", corpus.path)
    refuse_longest(model, corpus, Question())
    found = explained(model, corpus, 0, legality(model) if legal else None)
    chosen = [found[token - 1]] if token else found
    if form == "json":
        told = [asdict(one) | {"token": one.token + 1} for one in chosen]  # counted from 1, as --token is
        text = json.dumps({"sentence": sentence, "tokens": told}, ensure_ascii=False) + "\n"
    elif form == "html":
        text = _page(chosen, sentence, most, model_path)
    else:
        text = _token(chosen[0], most) if token else _sentence(chosen)
        text = for_stdout(text) if target == STANDARD else text
    with output(target) as out:
        out.write(text.encode())


def _overview(found: "list[Explanation]") -> Table:
    head = ("token", "word", "label", "p", "second", "p", "margin", "most for it", "without it, or them")
    rows = []
    for one in found:
        best = max(one.reasons, key=lambda reason: reason.first - reason.second, default=None)
        more = f" and {len(one.enough) - SHOWN} more" if one.enough and len(one.enough) > SHOWN else ""
        missing = "–" if one.enough is None else f"{one.instead}: {', '.join(one.enough[:SHOWN])}{more}"
        rows.append(
            (str(one.token + 1), one.word, one.label, f"{one.probability:.4f}", one.second,
             f"{one.second_probability:.4f}", f"{one.margin:.3f}", best.text if best else "–", missing)
        )  # fmt: skip
    return Table(head, rows, (1, 2, 4, 7, 8))


def _details(one: "Explanation", most: int) -> Table:
    rows = [
        (reason.text + (f" ({reason.value:g})" if reason.value != 1 else ""), *_numbers(reason.first, reason.second))
        for reason in one.reasons[:most]
    ]
    if rest := one.reasons[most:]:
        sums = sum(reason.first for reason in rest), sum(reason.second for reason in rest)
        rows.append((f"{len(rest)} others", *_numbers(*sums)))
    for step in one.steps:
        first, second = (" → ".join(labels) for labels in (step.first_labels, step.second_labels))
        rows.append((first if first == second else f"{first}, or {second}", *_numbers(step.first, step.second)))
    rows.append(("the rest of the sentence", "", "", f"{one.elsewhere:+.3f}"))
    rows.append(("together", "", "", f"{one.margin:+.3f}"))
    return Table(("", one.label, one.second, "difference"), rows, (0,))


def _numbers(first: float, second: float) -> tuple[str, str, str]:
    return f"{first:.3f}", f"{second:.3f}", f"{first - second:+.3f}"


def _headline(one: "Explanation") -> str:
    return f"'{one.word}' is {one.label} ({one.probability:.4f}), and not {one.second} ({one.second_probability:.4f})"


def _change(one: "Explanation") -> str:
    if one.enough is None:
        return f"No attributes of this token alone make it {one.label}: it would be so without all of them."
    return f"Without {', '.join(one.enough)} it would be {one.instead}."


def _sentence(found: "list[Explanation]") -> str:
    table = _overview(found)
    return "\n".join(aligned([table.head, *table.rows], table.left)) + "\n"


def _token(one: "Explanation", most: int) -> str:
    table = _details(one, most)
    lines = aligned([table.head, *table.rows], table.left)
    return "\n".join([_headline(one), "", *lines, "", _change(one)]) + "\n"


def _page(found: "list[Explanation]", sentence: int, most: int, model: str) -> str:
    """A page of its own, without scripts and without anything from elsewhere."""
    parts = [html(f"Sentence {sentence}, by {model}", [_overview(found)])]
    for one in found:
        parts.append(html(_headline(one), [_details(one, most)]))
        parts.append(f"<p>{escape(_change(one))}</p>")
    style = (
        "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}td,th{padding:.1em .6em}"
    )
    head = f'<!doctype html><meta charset="utf-8"><title>{escape(model)}</title><style>{style}</style>'
    return "\n".join([head, *parts]) + "\n"
