"""The command `sstag tag`: it labels sentences with a trained model."""

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from sstag.corpus.formats import Asked, document_names, document_output
from sstag.foundation.files import STANDARD, check_outputs, display_name, is_written_through, output
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.options import (
    format_option,
    legal_option,
    output_option,
    say_if_terminal,
    threads_option,
)
from sstag.interfaces.cli.progress import PATIENCE, ProgressLine
from sstag.interfaces.cli.text_options import reading_text

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block

_output, _method = map(options_of, (OUTPUT, METHOD))


@click.command(name="tag", cls=Command)
@click.argument("file", cls=Argument, metavar="[FILE]", default=STANDARD)
@options_of(DATA)("--model", "-m", "model_path", required=True, metavar="MODEL", help="A trained model.")
@_output("--confidence", is_flag=True, help="How sure the labels of sentences and chunks are.")
@_output("--marginals", is_flag=True, help="The probable labels of every token (JSON only).")
@_output("--nbest", type=click.IntRange(1, 1000), metavar="K", help="The K best labellings of each sentence.")
@legal_option
@_method("--no-rules", is_flag=True, help="Without the rules that the model was trained with.")
@_method("--rules", "rules_path", metavar="FILE", help="Rules for whole labellings, each with its penalty.")
@_method("--costs", "costs_path", metavar="FILE", help="Labels of least expected cost, by what missing each costs.")
@_method("--match-shares", "shares", metavar="FILE", help="Find labels as often in FILE as this list says.")
@_output("--write-model", "kept_model", metavar="MODEL", help="Write the model with what --match-shares found.")
@format_option(["columns", "jsonl", *document_names()], "Format to write.")
@output_option
@_output("--stream", is_flag=True, help="Write each sentence as soon as its blank line is read.")
@options_of(DATA)("--text", is_flag=True, help="The file is prose (--from-format text).")
@reading_text
@threads_option
def command(
    file: str,
    model_path: str,
    target: str,
    form: str,
    text: bool,
    read_as: Asked,
    confidence: bool,
    marginals: bool,
    nbest: int | None,
    legal: bool,
    no_rules: bool,
    rules_path: str | None,
    costs_path: str | None,
    shares: str | None,
    kept_model: str | None,
    stream: bool,
    threads: int,
) -> None:
    """Label sentences with a trained model.

    Reads FILE, or standard input. Every line passes through as it is, and lines of tokens get the label as a new last
    column; in CoNLL-U it takes its own column.

    \b
    Example:
        sstag tag -m ner.model test.txt -o tagged.txt
        sstag tag -m ner.model --confidence --nbest 5 test.txt
        tail -f log.txt | sstag tag -m ner.model --stream --format jsonl
        sstag tag -m ner.model --match-shares shares.tsv raw.txt \\
            --write-model new.model
        sstag tag -m ner.model --legal --costs costs.tsv test.txt
    """
    if rules_path and no_rules:
        raise click.UsageError("--rules and --no-rules contradict each other")
    if costs_path and (rules_path or nbest):
        raise click.UsageError("--costs decides by probabilities, which leave nothing for --rules or --nbest to rank")
    if kept_model and not shares:
        raise click.UsageError("--write-model writes a model with what --match-shares finds")
    if shares and file == STANDARD:
        raise click.UsageError("--match-shares reads the text twice: it needs FILE")
    if marginals and form != "jsonl":
        raise click.UsageError("--marginals needs --format jsonl: columns have no place for them")
    if form in document_names() and (nbest or stream):
        raise click.UsageError("--nbest and --stream are for --format columns and jsonl")
    if stream and not is_written_through(target):
        raise click.UsageError(f"--stream cannot write to '{target}': a file appears when it is complete")
    from sstag.corpus.reading import read_blocks
    from sstag.foundation.errors import ConfigError
    from sstag.foundation.parallel import ahead
    from sstag.model.decisions import listed_costs
    from sstag.model.legality import legality
    from sstag.model.model_file import load
    from sstag.model.questions import Question, of_confidence
    from sstag.model.tagged_text import Tagger, no_label

    held, in_folder = document_output(form, read_as.options) if form in document_names() else None, False
    if held:  # most files are columns, and start sooner without these
        from sstag.corpus.text.saving import is_folder, save_documents
        from sstag.model.tagged_documents import tagged_documents

        in_folder = is_folder(held, target)
    check_outputs([None if in_folder else target, kept_model], [file, model_path, shares, rules_path, costs_path])
    say_if_terminal(file)
    model = load(model_path)
    if no_rules:
        if model.rules is None:
            raise ConfigError("has no rules: --no-rules is for models that were trained with some", model_path)
        model = replace(model, rules=None)
    if rules_path:
        from sstag.training.ruled import under_rules

        model = under_rules(model, rules_path, partial(click.echo, err=True))
    question = replace(
        of_confidence(model) if confidence else Question(),
        token_confidence=confidence and form == "jsonl",
        marginals=marginals,
        best=nbest or 0,
        legality=legality(model) if legal else None,
        costs=listed_costs(model, costs_path) if costs_path else None,
    )
    if text:
        read_as = replace(read_as, name="text")
    layout = model.template.layout(file, read_as)
    layout = replace(layout, enough=model.columns_read)
    if shares:
        from sstag.interfaces.cli.matching import with_shares

        model = with_shares(model, file, layout, shares, kept_model, threads)
    on_screen = target == STANDARD and sys.stdout is not None and sys.stdout.isatty()
    progress = ProgressLine(math.inf if on_screen else PATIENCE)
    began, tokens = time.monotonic(), 0

    def blocks() -> "Iterator[Block]":
        nonlocal tokens
        for block in read_blocks(file, layout, stream=stream):
            if not tokens and (warning := no_label(block, model)):
                click.echo(warning, err=True)
            tokens += len(block.rows)
            yield block
            progress.show(f"{tokens:,} tokens, {tokens / (time.monotonic() - began):,.0f} a second")

    # A sentence of a stream is answered before the next one is waited for.
    with ahead(1 if stream else threads) as through, progress:
        if held:
            found = tagged_documents(model, question, blocks(), display_name(file), through, threads, held.extra)
            save_documents(found, held, target)
            return
        with output(target) as out:
            for piece in Tagger(model, question, form == "jsonl").texts(blocks(), through, threads):
                out.write(piece)
                if stream:
                    out.flush()
