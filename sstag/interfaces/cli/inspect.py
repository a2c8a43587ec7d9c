"""The command `sstag inspect`: it shows the labels and the strongest weights of a model, and how it was trained."""

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from sstag.interfaces.cli.help_sections import OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import all_labels_option, format_option
from sstag.interfaces.cli.width import for_stdout

if TYPE_CHECKING:
    from sstag.model.inspection import Inspection, Weight
    from sstag.model.model import Model

_output = options_of(OUTPUT)


@click.command(name="inspect", cls=Command)
@click.argument("model", cls=Argument, metavar="MODEL")
@_output(
    "--most", "-n", default=5, show_default=True, type=click.IntRange(0), help="How many weights of a kind to show."
)
@_output("--only", "labels", multiple=True, metavar="LABEL", help="Weights of this label only. Repeatable.")
@all_labels_option
@_output(
    "--write-template", "template", metavar="FILE", help="Write the template, and beside it the files that it names."
)
@format_option(["text", "json"], "Format of the report.")
def command(model: str, most: int, labels: tuple[str, ...], all_labels: bool, template: str | None, form: str) -> None:
    """Show what is in a model.

    Its labels, how many attributes and weights it has, what it was trained with, and the attributes of each label and
    the steps between labels that have the most weight: a negative one speaks against its label.

    \b
    Example:
        sstag inspect ner.model
        sstag inspect --only B-LOC --most 50 ner.model
        sstag inspect ner.model --write-template ner.yaml
    """
    from sstag.model.facts import facts
    from sstag.model.inspection import inspected
    from sstag.model.model_file import load

    loaded = load(model)
    if template is not None:
        _write_template(loaded, template)
        return
    found = inspected(loaded, most, labels)
    size = os.path.getsize(model)
    if form == "json":
        click.echo(json.dumps({"path": model, "bytes": size} | vars(found), default=vars, ensure_ascii=False))
    else:
        said = facts(loaded, None if all_labels else "… (--all-labels)")
        click.echo(for_stdout(_text(model, size, said, found)))


def _write_template(model: "Model", target: str) -> None:
    """Writes the template of a model, and says what was written."""
    from sstag.model.template_files import write_template

    for path in write_template(model.template, target):
        say(path)


def _text(path: str, size: int, said: Iterable[tuple[str, str]], found: "Inspection") -> str:
    lines = [path, *(f"  {name:<11}{text}" for name, text in [("size", f"{size:,} bytes"), *said])]
    for label, weights_of in found.strongest.items():
        lines += _section(label, weights_of)
    for one in found.dense.strongest:
        lines += ["", f"{one.feature} → {one.label}"]
        lines += [f"  {one.numbers:<10} " + ", ".join(f"{d}: {weight:.3f}" for d, weight in one.dimensions.items())]
        lines += ["  words      " + ", ".join(f"{word} {score:.2f}" for word, score in one.words.items())] * bool(
            one.words
        )
    lines += ["", f"no words of vectors: {found.dense.missing}"] if found.dense.missing else []
    lines += _section("steps", found.steps) + _section("attributes of steps", found.step_attributes)
    return "\n".join(lines)


def _section(title: str, weights: "list[Weight]") -> list[str]:
    if not weights:
        return []
    return ["", title, *(f"  {one.weight:>9.3f}  {_what(one)}" for one in weights)]


def _what(one: "Weight") -> str:
    step = f"{one.before} → {one.label}" if one.before is not None else ""
    return "   ".join(part for part in (one.attribute, step) if part)
