"""sstag select"""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sstag.corpus.formats import input_format
from sstag.corpus.layout import Layout
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.interfaces.cli.help_sections import Command, Number
from sstag.interfaces.cli.options import Reading, reading, say_if_terminal, threads_option
from sstag.selection.strategies import BY, CONFIDENCE, QUOTA, STRATEGIES, looks_at_density

if TYPE_CHECKING:
    from sstag.model.model import Model
    from sstag.selection.choosing import Choice, Wish


def _epilog() -> str:
    """The strategies, and what a quota goes by."""
    strategies = [f"  {name:<14} {entry.help}" for name, entry in STRATEGIES.items()]
    by = [f"  {name:<14} {entry.help}" for name, entry in BY.items()]
    return "\b\nStrategies:\n" + "\n".join(strategies) + "\n\n\b\nWhat a quota goes by:\n" + "\n".join(by)


@click.command(name="select", cls=Command, epilog=_epilog())
@click.option("--pool", required=True, metavar="FILE", help="Sentences to choose from; labels in it are not looked at.")
@click.option("--strategy", required=True, type=click.Choice(list(STRATEGIES)), help="How to choose.")
@click.option("--count", type=click.IntRange(1), metavar="N", help="So many sentences, or spans.")
@click.option("--tokens", type=click.IntRange(1), metavar="N", help="At most so many tokens.")
@click.option("--model", "-m", "model_path", metavar="MODEL", help="What is asked, and what suggests labels.")
@click.option(
    "--density", "density_path", metavar="FILE", help="q(x): saved, or an HMM.  [default: the pool's trigrams]"
)
@click.option("--by", type=click.Choice(list(BY)), help="What a quota goes by.  [default: q]")
@click.option("--terms", metavar="LIST", help="Choose among places of these terms, one a line.")
@click.option("--spans", is_flag=True, help="Ask for spans; the rest of their sentences stays open.")
@click.option(
    "--diverse",
    type=Number(0, 1, min_open=True),
    metavar="S",
    help="None that shares S of its words with another one.",
)
@click.option(
    "--confidence",
    type=Number(0, 1, min_open=True),
    metavar="P",
    help=f"sesal: labels as probable as this are the model's.  [default: {CONFIDENCE}]",
)
@click.option("--exclude", multiple=True, metavar="FILE", help="What was asked before; may be given repeatedly.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="For what is random.")
@click.option("--format", "form", type=click.Choice(["columns", "jsonl"]), default="columns", show_default=True)
@click.option("--output", "-o", "target", default=STANDARD, metavar="FILE", help="Where to write.  [default: stdout]")
@threads_option
@reading
def command(
    pool: str,
    strategy: str,
    count: int | None,
    tokens: int | None,
    model_path: str | None,
    density_path: str | None,
    by: str | None,
    terms: str | None,
    spans: bool,
    diverse: float | None,
    confidence: float | None,
    exclude: tuple[str, ...],
    seed: int,
    form: str,
    target: str,
    threads: int,
    how: Reading,
) -> None:
    """Choose what to annotate next.

    Writes the chosen sentences, the first choice first, with ? in the label column and, if there is a model, its labels
    in a column beside it, called predicted: what an annotator corrects. Comments before a sentence tell its number in
    the pool and its score. With --spans only those tokens are asked for (# asked = 3-5), and the others stay ?; what
    comes back is partial annotation (train --method partial). With sesal only the tokens are asked for of which the
    model is unsure; of the others its labels stand in the label column already, and budgets count what is asked.

    Without a model there is random, and quota, which needs no label at all: sentences are sorted, cut into as many
    groups as are wanted, and one is drawn from each. Files that are excluded are sheets that were written before,
    annotated or not, or any sentences in these columns: the same words are not asked for again, and of spans, no token
    that is decided there.

    \b
    Example:
        sstag select --pool raw.txt --strategy quota --count 50 -o first.txt
        sstag select --pool raw.txt --strategy entropy --tokens 2000 --model ner.model --exclude first.txt
        sstag select --pool raw.txt --strategy sesal --tokens 500 --confidence 0.95 --model ner.model
        sstag select --pool raw.txt --strategy span-entropy --spans --terms names.txt --count 100 --model ner.model
    """
    if (count is None) == (tokens is None):
        raise click.UsageError("how much? --count, or --tokens")
    if by and strategy != QUOTA:
        raise click.UsageError(f"--by is for --strategy {QUOTA}")
    if confidence is not None and not STRATEGIES[strategy].unsure:
        names = ", ".join(name for name, entry in STRATEGIES.items() if entry.unsure)
        raise click.UsageError(f"--confidence is for --strategy {names}")
    if density_path and not looks_at_density(strategy, by or "q"):
        raise click.UsageError(f"--density is for --strategy {QUOTA} (by q) and density")
    if model_path and (how.columns or how.label or how.no_label):
        raise click.UsageError("the model knows its columns: not together with --columns, --label or --no-label")
    if [pool, *exclude].count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    from sstag.corpus.reading import read
    from sstag.features.lexicon import read_lexicon
    from sstag.foundation.parallel import shards
    from sstag.model.model_file import load
    from sstag.selection.budget import Budget
    from sstag.selection.candidates import Pool
    from sstag.selection.choosing import Wish, chosen
    from sstag.selection.density.file import load as load_density
    from sstag.selection.sheet import Sheet, column_text, json_text, sheet_columns, suggestions

    check_outputs([target], [pool, model_path, density_path, terms, *exclude])
    say_if_terminal(pool)
    model = load(model_path) if model_path else None
    layout = _layout(pool, how, model)
    label = model.template.label if model else layout.label or "label"
    mark = how.marks_of(layout).unknown
    if mark is None:
        raise click.UsageError("without a mark for it, an open label cannot be written (--mark unknown=…)")
    density = load_density(density_path) if density_path else None
    wish = Wish(strategy, Budget(count, tokens), by or "q", spans, diverse, seed, confidence or CONFIDENCE)
    with shards(threads) as over:
        corpus = read(pool, layout)
        before = [read(path, _layout_of_earlier(path, layout, sheet_columns(corpus, label), label)) for path in exclude]
        known = Pool(corpus, label, over, model, density, read_lexicon(terms) if terms else None)
        choice = chosen(known, wish, before, label, mark)
        if not len(choice.candidates):
            raise DataError("nothing is left to ask for within this budget", corpus.path)
        suggested = suggestions(model, corpus, choice, over) if model else None
    sheet = Sheet(corpus, choice, label, mark, suggested)
    with output(target) as out:
        for text in (json_text if form == "jsonl" else column_text)(sheet):
            out.write(text.encode())
    click.echo(_summary(choice, wish), err=True)


def _layout(path: str, how: Reading, model: "Model | None") -> Layout:
    """How the pool is read: as the model's template says, if there is one."""
    if model is None:
        return how.layout(path)
    layout = model.template.layout(path, how.format)
    return replace(layout, enough=model.columns_read)


def _layout_of_earlier(path: str, pool: Layout, columns: tuple[str, ...], label: str) -> Layout:
    """How a file is read that was a sheet of such a pool, or has its columns."""
    return pool if input_format(path).fixed else Layout(columns[:-1], label, enough=columns)


def _summary(choice: "Choice", wish: "Wish") -> str:
    """How much was chosen, and whether that is all there was."""
    found = choice.candidates
    what = f"{len(found):,} of {counted(choice.of, 'span' if wish.spans else 'sentence')}"
    where = "" if found.whole else f" in {counted(len(set(found.sentence.tolist())), 'sentence')}"
    more = "" if wish.budget.count in (None, len(found)) else "; there are no others"
    asked = "" if found.asked is None else f" to label of {int((found.stop - found.first).sum()):,}"
    return f"{what}{where}, {counted(int(found.lengths.sum()), 'token')}{asked}{more}"
