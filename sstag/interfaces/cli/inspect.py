"""sstag inspect"""

import json
import os
from typing import TYPE_CHECKING

import click

from sstag.interfaces.cli.help_sections import OUTPUT, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.options import all_labels_option
from sstag.interfaces.cli.width import for_stdout

if TYPE_CHECKING:
    from sstag.model.inspection import Inspection, Weight

KINDS = {
    "unary": "of attributes",
    "steps": "of steps",
    "begin": "of first labels",
    "end": "of last labels",
    "edge": "of attributes of steps",
}


FEW_LABELS = 12  # that are shown unless all are asked for

_output = options_of(OUTPUT)


@click.command(name="inspect", cls=Command)
@click.argument("model", cls=Argument, metavar="MODEL")
@_output(
    "--most", "-n", default=5, show_default=True, type=click.IntRange(0), help="How many weights of a kind to show."
)
@_output("--only", "labels", multiple=True, metavar="LABEL", help="Weights of this label only. Repeatable.")
@all_labels_option
@_output(
    "--format",
    "form",
    type=OneOf(["text", "json"], "format"),
    default="text",
    show_default=True,
    help="Format of the report.",
)
def command(model: str, most: int, labels: tuple[str, ...], all_labels: bool, form: str) -> None:
    """Show what is in a model.

    Its labels, how many attributes and weights it has, what it was trained with, and the attributes of each label and
    the steps between labels that have the most weight: a negative one speaks against its label.

    \b
    Example:
        sstag inspect ner.model
        sstag inspect --only B-LOC --most 50 ner.model
    """
    from sstag.model.inspection import inspected
    from sstag.model.model_file import load

    found = inspected(load(model), most, labels)
    size = os.path.getsize(model)
    if form == "json":
        click.echo(json.dumps({"path": model, "bytes": size} | vars(found), default=vars, ensure_ascii=False))
    else:
        click.echo(for_stdout(_text(model, size, found, all_labels)))


def _text(path: str, size: int, found: "Inspection", all_labels: bool) -> str:
    about = found.about
    lines = [path]

    def say(name: str, text: str) -> None:
        lines.append(f"  {name:<11}{text}")

    weights = ", ".join(f"{count:,} {KINDS[kind]}" for kind, count in found.weights.items() if count)
    say("size", f"{size:,} bytes")
    say("columns", ", ".join(found.columns))
    say("labels", f"{len(found.labels):,}   {_listed(found.labels, all_labels)}")
    say("scheme", "plain labels" if found.scheme == "plain" else found.scheme.upper())
    say("attributes", f"{found.attributes:,}")
    say("weights", f"{sum(found.weights.values()):,}   ({weights}; {found.zeros:,} are 0)")
    if "method" in about:
        objectives = about.get("parameters", {}).get("objectives")
        parameters = _said({k: value for k, value in about.get("parameters", {}).items() if k != "objectives"})
        way = ", --labeled-features" if "labelled features" in about else ""
        way += ", --sentence-weights" if "sentence weights" in about else ""
        way += f", --ambiguous {about['ambiguous']}" if "ambiguous" in about else ""
        say("method", f"{about['method']}{way}   ({parameters}, seed {about.get('seed', 'unknown')})")
        if objectives:
            say("objectives", _said(objectives))
        iterations = f"{about['iterations']:,} iterations; " if "iterations" in about else ""
        say("training", f"{iterations}{about.get('reason', '')}")
    for name, data in sorted(about.get("data", {}).items(), reverse=True):  # train, dev
        say(name, f"{data['sentences']:,} sentences, {data['tokens']:,} tokens   (sha256 {data['sha256'][:12]}…)")
    if "template" in about:
        say("template", f"sha256 {about['template'][:12]}…")
    if "init" in about:
        say("init", f"weights of an earlier model (sha256 {about['init'][:12]}…)")
    for label, weights_of in found.strongest.items():
        lines += _section(label, weights_of)
    lines += _section("steps", found.steps) + _section("attributes of steps", found.step_attributes)
    return "\n".join(lines)


def _listed(labels: tuple[str, ...], every: bool) -> str:
    return " ".join(labels if every or len(labels) <= FEW_LABELS else [*labels[:FEW_LABELS], "… (--all-labels)"])


def _section(title: str, weights: "list[Weight]") -> list[str]:
    if not weights:
        return []
    return ["", title, *(f"  {one.weight:>9.3f}  {_what(one)}" for one in weights)]


def _what(one: "Weight") -> str:
    step = f"{one.before} → {one.label}" if one.before is not None else ""
    return "   ".join(part for part in (one.attribute, step) if part)


def _said(value: object) -> str:
    """Settings in one line, whatever they are: `entropy (gamma 0.1, per token)`."""
    if isinstance(value, dict):
        parts = {name: f"({_said(one)})" if isinstance(one, dict) else _said(one) for name, one in value.items()}
        return ", ".join(f"{name} {text}" for name, text in parts.items())
    return " + ".join(map(_said, value)) if isinstance(value, list) else str(value)
