"""The command `sstag tag`: it labels sentences with a trained model."""

import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sstag.corpus.contexts import OF_FILE, Context
from sstag.corpus.formats import USUAL, Asked, document_names, document_output
from sstag.foundation.files import STANDARD, check_outputs, is_written_through, translated_errors
from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import (
    context_of,
    context_option,
    format_option,
    legal_option,
    output_option,
    say_if_terminal,
    those_called,
    threads_option,
)
from sstag.interfaces.cli.progress import PATIENCE, ProgressLine
from sstag.interfaces.cli.text_options import reading_text
from sstag.interfaces.cluster.wanted import Joining

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block

_output, _method = map(options_of, (OUTPUT, METHOD))


@click.command(name="tag", cls=Command)
@click.argument("files", cls=Argument, metavar="[FILE]...", nargs=-1, callback=those_called)
@options_of(DATA)("--model", "-m", "model_path", required=True, metavar="MODEL", help="A trained model.")
@_output("--confidence", is_flag=True, help="How sure the labels of sentences and chunks are.")
@_output("--marginals", is_flag=True, help="The probable labels of every token (JSON only).")
@_output("--nbest", type=click.IntRange(1, 1000), metavar="K", help="The K best labellings of each sentence.")
@legal_option
@context_option
@_method("--no-rules", is_flag=True, help="Without the rules that the model was trained with.")
@_method("--rules", "rules_path", metavar="FILE", help="Rules for whole labellings, each with its penalty.")
@_method("--costs", "costs_path", metavar="FILE", help="Labels of least expected cost, by what missing each costs.")
@_method("--match-shares", "shares", metavar="FILE", help="Find labels as often in FILE as this list says.")
@_output("--write-model", "kept_model", metavar="MODEL", help="Write the model with what --match-shares found.")
@format_option(["columns", "jsonl", *document_names()], "Format to write.")
@output_option
@_output("--stream", is_flag=True, help="Write each sentence as soon as its blank line is read.")
@options_of(DATA)("--text", is_flag=True, hidden=True, help="As --from-format text, from before files told it.")
@reading_text
@threads_option
@joining_cluster
def command(
    files: tuple[str, ...],
    model_path: str,
    target: str,
    form: str,
    text: bool,
    read_as: Asked,
    confidence: bool,
    marginals: bool,
    nbest: int | None,
    legal: bool,
    context: Context | None,
    no_rules: bool,
    rules_path: str | None,
    costs_path: str | None,
    shares: str | None,
    kept_model: str | None,
    stream: bool,
    threads: int,
    joining: Joining | None,
) -> None:
    """Label sentences with a trained model.

    Reads FILE, or standard input. Every line passes through as it is, and lines of tokens get the label as a new last
    column; in CoNLL-U it takes its own column. Several files, also those of a pattern in quotes, become files of the
    same names in the folder that --output names.

    \b
    Example:
        sstag tag -m ner.model test.txt -o tagged.txt
        sstag tag -m ner.model --confidence --nbest 5 test.txt
        tail -f log.txt | sstag tag -m ner.model --stream --format jsonl
        sstag tag -m twice.model --context document news.txt -o tagged.txt
        sstag tag -m ner.model --match-shares shares.tsv raw.txt \\
            --write-model new.model
        sstag tag -m ner.model --legal --costs costs.tsv test.txt
        sstag tag -m ner.model 'crawl/*.txt.gz' -o tagged --workers 4
    """
    pairs = _pairs(files or (STANDARD,), target, form in document_names())
    if rules_path and no_rules:
        raise click.UsageError("--rules and --no-rules contradict each other")
    if costs_path and (rules_path or nbest):
        raise click.UsageError("--costs decides by probabilities, which leave nothing for --rules or --nbest to rank")
    if kept_model and not shares:
        raise click.UsageError("--write-model writes a model with what --match-shares finds")
    if shares and (len(pairs) > 1 or pairs[0][0] == STANDARD):
        raise click.UsageError("--match-shares reads a text twice: it needs one FILE")
    if marginals and form != "jsonl":
        raise click.UsageError("--marginals needs --format jsonl: columns have no place for them")
    if form in document_names() and (nbest or stream):
        raise click.UsageError("--nbest and --stream are for --format columns and jsonl")
    if stream and not is_written_through(target):
        raise click.UsageError(f"--stream cannot write to '{target}': a file appears when it is complete")
    if joining and (shares or stream):
        raise click.UsageError(f"--{'match-shares' if shares else 'stream'} is for one machine: not with a cluster")
    if joining and any(STANDARD in pair or is_written_through(pair[1]) for pair in pairs):
        raise click.UsageError("with a cluster say FILE and --output, in folders that its workers reach")
    from sstag.corpus.reading import read_blocks
    from sstag.foundation.errors import ConfigError
    from sstag.foundation.parallel import ahead
    from sstag.model.decisions import listed_costs
    from sstag.model.legality import legality
    from sstag.model.model_file import load
    from sstag.model.questions import Question, of_confidence
    from sstag.model.tagged_file import TaggedFiles
    from sstag.model.tagged_text import with_warnings

    held, in_folder = document_output(form, read_as.options) if form in document_names() else None, False
    if held:  # most files are columns, and start sooner without this
        from sstag.corpus.text.saving import is_folder

        in_folder = is_folder(held, pairs[0][1])
    if pairs[0][1] != target:
        with translated_errors(target):
            os.makedirs(target, exist_ok=True)
    outputs = [kept_model] if in_folder else [*(to for _, to in pairs), kept_model]
    check_outputs(outputs, [*(source for source, _ in pairs), model_path, shares, rules_path, costs_path])
    say_if_terminal(pairs[0][0])
    model = load(model_path)
    if no_rules:
        if model.rules is None:
            raise ConfigError("has no rules: --no-rules is for models that were trained with some", model_path)
        model = replace(model, rules=None)
    if rules_path:
        from sstag.training.ruled import under_rules

        model = under_rules(model, rules_path, say)
    question = replace(
        of_confidence(model) if confidence else Question(),
        token_confidence=confidence and form == "jsonl",
        marginals=marginals,
        best=nbest or 0,
        legality=legality(model) if legal else None,
        costs=listed_costs(model, costs_path) if costs_path else None,
    )
    reads = context_of(model, context, [source for source, _ in pairs], stream)
    if shares and reads.is_held:
        raise click.UsageError(f"--match-shares is about a whole FILE: not with --context {reads}")
    if text:
        read_as = replace(read_as, name="text")
    elif stream and read_as.named(STANDARD) is None:
        read_as = replace(read_as, name=USUAL)  # another format would be told by more than one sentence
    tagged = TaggedFiles(model, question, form == "jsonl", held, reads)
    if shares:
        from sstag.interfaces.cli.matching import with_shares

        file = pairs[0][0]
        layout = tagged.layout(file, read_as)
        if reads == OF_FILE:
            tagged = tagged.having_read(read_blocks(file, layout), map, 1)
        tagged = replace(tagged, model=with_shares(tagged.model, file, layout, shares, kept_model, threads))
    on_screen = target == STANDARD and sys.stdout is not None and sys.stdout.isatty()
    progress = ProgressLine(math.inf if on_screen else PATIENCE)
    if joining:
        from sstag.interfaces.cluster.joining import joined
        from sstag.interfaces.cluster.tagging import tagged_by_workers

        with progress, joined(joining) as cluster:
            assert cluster
            tagged_by_workers(cluster, tagged, read_as, pairs, progress.show, say)
        return
    began, tokens = time.monotonic(), 0

    def watched(blocks: "Iterator[Block]", is_last: bool) -> "Iterator[Block]":
        nonlocal tokens
        read = 0
        for block in with_warnings(blocks, model, reads, say) if is_last else blocks:
            read += len(block.rows)
            tokens += len(block.rows) if is_last else 0
            yield block
            speed = f"{tokens:,} tokens, {tokens / (time.monotonic() - began):,.0f} a second"
            progress.show(speed if is_last else f"first look: {read:,} tokens")

    # A sentence of a stream is answered before the next one is waited for.
    with ahead(1 if stream else threads) as through, progress:
        for source, to in pairs:
            tagged.tag(source, to, read_as, through, threads, stream, watched)


def _pairs(files: Sequence[str], target: str, documents: bool) -> list[tuple[str, str]]:
    """Each file with the one that is written: several become files of the same names in a folder."""
    into = target != STANDARD and (target.endswith("/") or os.path.isdir(target))
    if len(files) == 1 and not (into and not documents):
        return [(files[0], target)]
    if target == STANDARD or STANDARD in files or (os.path.exists(target) and not into):
        raise click.UsageError("several files become files of a folder: --output names it")
    return [(file, os.path.join(target, os.path.basename(file))) for file in files]
