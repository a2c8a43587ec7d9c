"""The command `sstag select`: it chooses what to annotate next and writes a sheet for it."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from sstag.corpus.contexts import NO_CONTEXT, OF_FILE, context_called
from sstag.corpus.formats import Asked, input_format
from sstag.corpus.formats.columns import COLUMNS, Columns
from sstag.corpus.layout import Layout
from sstag.corpus.sheets import named_columns
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import STANDARD, check_outputs, is_written_through, output
from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.encoding import watched_model, watched_template
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Command, Number, OneOf, options_of
from sstag.interfaces.cli.options import (
    Reading,
    context_of,
    format_option,
    output_option,
    reading,
    say_if_terminal,
    seed_option,
    those_called,
    threads_option,
    whole_context_option,
)
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cluster.wanted import Joining
from sstag.selection.strategies import (
    ALIKE,
    BY,
    CONFIDENCE,
    MEANING,
    QUOTA,
    SPREADS,
    STRATEGIES,
    WORDS,
    looks_at_density,
)

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus
    from sstag.model.model import Model
    from sstag.selection.choosing import Choice, Wish


_strategies = [(name, entry.help) for name, entry in STRATEGIES.items()]
_by = [(name, entry.help) for name, entry in BY.items()]
_spreads = [(name, entry.help) for name, entry in SPREADS.items()]
_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(
    name="select",
    cls=Command,
    lists=[
        ("Strategies", _strategies),
        ("What a quota goes by (--by)", _by),
        ("Ways to spread a batch over what sentences mean (--spread)", _spreads),
    ],
)
@_data(
    "--pool",
    "pools",
    required=True,
    multiple=True,
    callback=those_called,
    metavar="FILE",
    help="Sentences to choose from. Repeatable.",
)
@_data("--model", "-m", "model_path", metavar="MODEL", help="The model that is unsure, and that suggests labels.")
@_data("--exclude", multiple=True, callback=those_called, metavar="FILE", help="What was asked before. Repeatable.")
@_data("--terms", metavar="FILE", help="Choose among places of these terms, one a line.")
@_data("--density", "density_path", metavar="FILE", show_default="trigrams of the pool", help="q(x): saved, or an HMM.")
@_data(
    "--meaning",
    "meaning_path",
    metavar="FILE",
    show_default="the model's",
    help="Vectors, or a template that has some: what sentences mean.",
)
@_method("--strategy", required=True, type=OneOf(STRATEGIES, "strategy"), help="How to choose; see below.")
@_method("--count", type=click.IntRange(1), help="How many sentences, or spans.")
@_method("--tokens", type=click.IntRange(1), help="How many tokens at most.")
@_method("--by", type=OneOf(BY, "number"), show_default="q", help="quota: what it goes by; see below.")
@_method(
    "--confidence",
    type=Number(0, 1, min_open=True),
    metavar="P",
    show_default=str(CONFIDENCE),
    help="sesal: from this probability on, a label is the model's.",
)
@whole_context_option
@_method("--spans", is_flag=True, help="Ask for spans; the rest of their sentences stays open.")
@_method("--diverse", type=Number(0, 1, min_open=True), metavar="S", help="No two that share S of their words.")
@_method("--alike", type=OneOf(ALIKE, "way"), show_default=WORDS, help="--diverse: by words, or by meaning (cosine).")
@_method("--spread", type=OneOf(SPREADS, "way"), help="Choose far from what was chosen before; see below.")
@format_option(["columns", "jsonl"], "Format of the sheet.")
@_output("--prefill", is_flag=True, help="Put the model's labels in the label column: leaving one accepts it.")
@output_option
@seed_option
@threads_option
@joining_cluster
@reading
def command(
    pools: tuple[str, ...],
    strategy: str,
    count: int | None,
    tokens: int | None,
    model_path: str | None,
    density_path: str | None,
    meaning_path: str | None,
    by: str | None,
    terms: str | None,
    spans: bool,
    diverse: float | None,
    alike: str | None,
    spread: str | None,
    confidence: float | None,
    context: str | None,
    exclude: tuple[str, ...],
    seed: int,
    form: str,
    prefill: bool,
    target: str,
    threads: int,
    joining: Joining | None,
    how: Reading,
) -> None:
    """Choose what to annotate next.

    Writes the chosen sentences as a sheet to annotate, the first choice first: ? stands in the label column, and the
    model's labels beside it. Without a model there are the strategies random and quota. A batch can be spread over what
    sentences mean (--spread): vectors say it without any label.

    \b
    Example:
        sstag select --pool raw.txt --strategy quota --count 50 -o first.txt
        sstag select --pool raw.txt --strategy entropy --tokens 2000 \\
            -m ner.model --exclude first.txt -o second.txt
        sstag select --pool raw.txt --strategy span-entropy --spans \\
            --terms names.txt --count 100 -m ner.model
        sstag select --pool raw.txt --strategy random --spread k-means++ \\
            --meaning glove.txt --count 25 -o first.txt
        sstag select --pool 'raw/*.gz' --strategy entropy --count 100 \\
            -m ner.model -o next.txt --workers 4
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
    if alike and diverse is None:
        raise click.UsageError("--alike says how --diverse compares: from which share, or cosine, on?")
    if meaning_path and not (spread or alike == MEANING):
        raise click.UsageError(f"--meaning is for --spread, and for --diverse with --alike {MEANING}")
    if prefill and not model_path:
        raise click.UsageError("--prefill needs --model, which suggests labels")
    if prefill and form != "columns":
        raise click.UsageError("--prefill is for a sheet in columns: JSON lines have no label to leave")
    if model_path and (how.columns or how.label or how.no_label):
        raise click.UsageError("the model knows its columns: not together with --columns, --label or --no-label")
    if [*pools, *exclude].count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    if joining and (STANDARD in pools or is_written_through(target)):
        raise click.UsageError("with a cluster say --pool FILE and --output, in folders that its workers reach")
    from sstag.corpus.reading import read
    from sstag.features.lexicon import read_lexicon
    from sstag.features.meaning import meaning_in
    from sstag.foundation.parallel import shards
    from sstag.model.model_file import load
    from sstag.model.second_look import in_own_context
    from sstag.selection.budget import Budget
    from sstag.selection.candidates import Pool
    from sstag.selection.choosing import Wish, check, chosen
    from sstag.selection.density.file import load as load_density
    from sstag.selection.pool_labels import held, refuse_to_lose
    from sstag.selection.pool_text import read_pool
    from sstag.selection.sheet import Sheet, column_text, json_text, sheet_columns, suggestions

    check_outputs([target], [*pools, model_path, density_path, terms, meaning_path, *exclude])
    say_if_terminal(pools[0])
    if context and not model_path:
        raise click.UsageError("--context is for --model")
    model = load(model_path) if model_path else None
    reads = context_of(model, context_called(context) if context else None) if model else NO_CONTEXT
    layout_of = partial(_layout, how=how, model=model)
    layout = layout_of(pools[0])
    label = model.template.label if model else layout.label or "label"
    mark = how.marks_of(replace(layout, format=COLUMNS)).unknown  # those of the sheet, whatever format the pool has
    if mark is None:
        raise click.UsageError("without a mark for it, an open label cannot be written (--mark unknown=…)")
    wish = Wish(
        strategy,
        Budget(count, tokens),
        by or "q",
        spans,
        diverse,
        seed,
        confidence or CONFIDENCE,
        alike or WORDS,
        spread,
    )
    check(wish)
    lexicon = read_lexicon(terms) if terms else None
    may_lose = not (how.columns or how.label) and any(map(_names_no_label, pools, map(layout_of, pools)))

    def earlier(corpus: "Corpus") -> "list[Corpus]":
        columns = sheet_columns(corpus, label)
        return [read(path, _layout_of_earlier(path, layout, columns, label, how.asked)) for path in exclude]

    with ProgressLine() as line, shards(threads) as over:
        if joining:
            from sstag.interfaces.cluster.joining import joined
            from sstag.interfaces.cluster.parts import beside
            from sstag.interfaces.cluster.selecting import Known, chosen_by_workers, having_read_pool

            with joined(joining) as cluster, beside(target) as folder:
                assert cluster
                if model and reads == OF_FILE:
                    model = having_read_pool(cluster, folder, pools, layout_of, model, line.show)
                known = Known(label, mark, model, lexicon, density_path, meaning_path, may_lose)
                corpus, choice, origin = chosen_by_workers(
                    cluster, folder, pools, layout_of, known, wish, earlier, over, line.show
                )
        else:
            model = watched_model(model, threads, line) if model else None
            corpus, origin = read_pool(pools, layout_of, label)
            if may_lose:
                own = held(corpus, label, mark, model.labels if model else None)
                refuse_to_lose(own, label, corpus.columns, model is not None, corpus.path)
            if model and reads == OF_FILE:
                line.show("first look at the pool")
                model = in_own_context(model, corpus, over)
            meaning = meaning_in(meaning_path, corpus.columns[corpus.word_column]) if meaning_path else None
            meaning = watched_template(meaning, threads, line) if meaning else None
            density = load_density(density_path) if density_path else None
            pool = Pool(corpus, label, over, model, density, lexicon, meaning)
            choice = chosen(pool, wish, earlier(corpus), label, mark)
        if not len(choice.candidates):
            raise DataError("nothing is left to ask for within this budget", corpus.path)
        suggested = suggestions(model, corpus, choice, over) if model else None
    sheet = Sheet(corpus, choice, label, mark, suggested, prefill, origin)
    with output(target) as out:
        for text in (json_text if form == "jsonl" else column_text)(sheet):
            out.write(text.encode())
    told = f"; context {reads}" if model and model.first else ""
    click.echo(_summary(choice, wish) + told, err=True)


def _layout(path: str, how: Reading, model: "Model | None") -> Layout:
    """How the pool is read: as the model's template says, if there is one."""
    if model is None:
        return how.layout(path)
    layout = model.template.layout(path, how.asked)
    return replace(layout, enough=model.columns_read)


def _names_no_label(path: str, layout: Layout) -> bool:
    """Whether the last column of a file is taken for the label, though nothing names it."""
    return isinstance(layout.format, Columns) and not named_columns(path, layout.encoding)


def _layout_of_earlier(path: str, pool: Layout, columns: tuple[str, ...], label: str, how: Asked) -> Layout:
    """How a file is read that was a sheet of such a pool, or has its columns; it is in UTF-8, as sheets are."""
    if input_format(path, how.in_utf8).fixed:
        return replace(pool, encoding=None)
    return Layout(columns[:-1], label, enough=columns)


def _summary(choice: "Choice", wish: "Wish") -> str:
    """How much was chosen, and whether that is all there was."""
    found = choice.candidates
    what = f"{len(found):,} of {counted(choice.of, 'span' if wish.spans else 'sentence')}"
    where = "" if found.whole else f" in {counted(len(set(found.sentence.tolist())), 'sentence')}"
    more = "" if wish.budget.count in (None, len(found)) else "; there are no others"
    asked = "" if found.asked is None else f" to label of {int((found.stop - found.first).sum()):,}"
    return f"{what}{where}, {counted(int(found.lengths.sum()), 'token')}{asked}{more}"
