"""The command `sstag features`: it shows the attributes that a template gives each token of a sentence."""

import click

from sstag.corpus.formats import Asked
from sstag.features.adapted import fitted_to_file
from sstag.features.dense import blocks, tables
from sstag.features.reading import load_template
from sstag.features.template import Feature, Template
from sstag.features.term_values import View
from sstag.features.vocabulary import built
from sstag.foundation.grouping import ABSENT
from sstag.interfaces.cli.help_sections import METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.one_sentence import sentence_of_file
from sstag.interfaces.cli.options import say_if_terminal
from sstag.interfaces.cli.text_options import reading_text


@click.command(name="features", cls=Command)
@click.argument("file", cls=Argument, metavar="FILE")
@options_of(METHOD)(
    "--template", "-t", "template_path", required=True, metavar="TEMPLATE", help="A file, or a name of sstag template."
)
@options_of(OUTPUT)("--sentence", default=1, show_default=True, type=click.IntRange(1), help="Which sentence to show.")
@reading_text
def command(file: str, template_path: str, sentence: int, read_as: Asked) -> None:
    """Show the attributes that a template gives each token of a sentence.

    The label stands in [brackets], and the weight of an attribute with a numeric value() in (parentheses). Attributes
    of the step from the token before are marked with an arrow (->).

    \b
    Example:
        sstag features --template ner --sentence 3 train.txt
    """
    say_if_terminal(file)
    template = fitted_to_file(load_template(template_path), file, read_as)
    corpus = sentence_of_file(file, template.layout(file, read_as), sentence)
    view = View(corpus, template)
    unary = _attributes(template.features, view, steps=False)
    steps = _attributes(template.edges.features, view, steps=True)
    numbers = _numbers(template, view)
    label = template.label if template.label in corpus.columns else None
    if label is None:
        shown = ", ".join(corpus.columns)
        say(f"{corpus.path}: no label column '{template.label}', the columns are {shown}")
    words = list(zip(*(corpus.words(name, 0) for name in corpus.columns if name != label), strict=True))
    labels = corpus.words(label, 0) if label else [""] * len(words)
    for word, name, own, vectors, step in zip(words, labels, unary, numbers, steps, strict=True):
        click.echo("  ".join([*word, *([f"[{name}]"] if name else [])]))
        for text in [*own, *vectors, *(f"-> {text}" for text in step)]:
            click.echo(f"    {text}")


def _numbers(template: Template, view: View) -> list[list[str]]:
    """Which dense features each token has numbers for, and how many."""
    found = zip(template.dense, blocks(view, template.dense, tables(view, template.dense)), strict=True)
    texts = [
        [
            f"{feature.name}: {f'{block.numbers.shape[1]} numbers' if row != ABSENT else 'no vector'}"
            for row in block.rows
        ]
        for feature, block in found
    ]
    return [[own[t] for own in texts] for t in range(view.corpus.tokens)]


def _attributes(features: tuple[Feature, ...], view: View, steps: bool) -> list[list[str]]:
    """The texts of each token's attributes, in the order of the template."""
    vocabulary, (ids,) = built(features, [view], steps=steps)
    texts = vocabulary.texts()
    weights = vocabulary.weights(view)

    def text(row: int, token: int) -> str:
        number = 1.0 if weights is None else weights[row, token]
        return str(texts[ids[row, token]]) + (f" ({number:g})" if number != 1 else "")

    rows = range(len(features))
    return [[text(row, t) for row in rows if ids[row, t] != ABSENT] for t in range(view.corpus.tokens)]
