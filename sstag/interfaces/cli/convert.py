"""The command `sstag convert`: it rewrites a file in another scheme, with other columns, or in another format."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import click

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import words_first
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import (
    FORMATS,
    USUAL,
    document_names,
    document_output,
    input_format,
    output_format,
    output_names,
)
from sstag.corpus.formats.columns import COMMENT, DOCSTART, Columns
from sstag.corpus.formats.contract import OutputFormat
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read, read_blocks
from sstag.corpus.sheets import with_names
from sstag.corpus.text.documents import PROBABILITIES
from sstag.corpus.text.losses import counted_comments, counted_probabilities, say_lost
from sstag.corpus.text.saving import is_folder, save_documents
from sstag.corpus.text.sentence_heads import with_heads
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import STANDARD, check_outputs, display_name, output
from sstag.foundation.readings import Reader, readings
from sstag.interfaces.cli.converted_documents import Relabel, counting, documents
from sstag.interfaces.cli.help_sections import OUTPUT, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading, output_option, reading, say_if_terminal
from sstag.labels.borrowed import borrowed
from sstag.labels.marks import marks_in
from sstag.labels.rejected_runs import with_rejected_runs
from sstag.labels.relabelling import Relabelling, relabelling, with_labels
from sstag.labels.schemes.rules import SCHEMES, scheme_name
from sstag.labels.span_list import SpanLabels, read_spans, span_labels, tagset_of

SEPARATORS = {"tab": b"\t", "space": b" "}
WORDS_ONLY = [name for name, entry in FORMATS.items() if not (entry.documents or entry.records or name == USUAL)]


_scheme, _spans, _output = map(options_of, ("Scheme", "Spans", OUTPUT))


@click.command(
    name="convert",
    cls=Command,
    explains_spans=True,
    lists=[
        ("Formats", [(name, entry.help) for name, entry in FORMATS.items()]),
        ("Schemes", [(name, scheme.help) for name, scheme in SCHEMES.items()]),
    ],
)
@click.argument("file", cls=Argument, metavar="FILE")
@_scheme("--from-scheme", "old", type=OneOf(SCHEMES, "scheme"), show_default="guessed", help="Scheme of the input.")
@_scheme("--to-scheme", "new", type=OneOf(SCHEMES, "scheme"), help="Scheme to write; see below.")
@_scheme("--repair", is_flag=True, help="Cut ill-formed sequences into chunks as conlleval does.")
@_spans("--spans", metavar="FILE", help="Label the sentences by a list of spans.")
@_spans("--tags", metavar="A,B,…", show_default="O, and those of the list's types", help="All labels there are.")
@_output(
    "--join",
    "joins",
    multiple=True,
    metavar="NAME=FILE",
    help="Add the labels of another file of the same text as a column, before the label. Repeatable.",
)
@_output("--to-format", type=OneOf(output_names(), "format"), help="Format to write.")
@_output("--keep", metavar="A,B,…", help="Write these columns only, in this order.")
@_output("--separator", type=OneOf(SEPARATORS, "separator"), show_default="as in the input", help="Between columns.")
@output_option
@reading
def command(
    file: str,
    target: str,
    old: str | None,
    new: str | None,
    repair: bool,
    spans: str | None,
    tags: str | None,
    joins: tuple[str, ...],
    keep: str | None,
    to_format: str | None,
    separator: str | None,
    how: Reading,
) -> None:
    """Change the scheme of labels, the columns or the format of a file.

    What is not asked to change stays as it is, to the byte. With --spans the sentences get a column of partial labels
    from a list of spans that are there, or are not.

    \b
    Example:
        sstag convert --to-scheme bioes train.txt -o train.bioes.txt
        sstag convert --columns word,pos,ner --keep word,ner train.txt
        sstag convert --repair predicted.txt
        sstag convert --spans names.tsv --to-scheme iob2 raw.txt -o partial.txt
        sstag convert --join spacy=spacy.jsonl train.txt -o train.joined.txt
    """
    say_if_terminal(file)
    fixed = input_format(file, how.asked).fixed
    layout = (replace(how, no_label=True, label=None) if spans and not fixed else how).layout(file)
    if spans and (old or repair or not new):
        raise click.UsageError("--spans needs --to-scheme, and neither --from-scheme nor --repair")
    if spans == file == STANDARD:
        raise click.UsageError("standard input (-) can be read only once")
    if tags and not spans:
        raise click.UsageError("--tags is for --spans, which needs --to-scheme")
    if old and not (new or repair):
        raise click.UsageError("--from-scheme needs --to-scheme, or --repair")
    if fixed and to_format is None and (keep or separator or joins):
        say(f"{display_name(file)}: written as columns, since {fixed.title} has {fixed.shape}")
        to_format = USUAL
    if separator and to_format not in (None, "columns"):
        raise click.UsageError("--separator is for --to-format columns")
    if to_format in document_names() and (keep or spans):
        raise click.UsageError(f"--keep and --spans are for columns; {to_format} holds texts with spans")
    others = [_named(text) for text in joins]
    if joins and (spans or file == STANDARD or to_format in document_names()):
        raise click.UsageError("--join needs FILE, which standard input is not, and writes columns, without --spans")
    held = document_output(to_format, how.asked.options) if to_format in document_names() else None
    inputs = [file, spans, *(path for _, path in others)]
    check_outputs([None if held and is_folder(held, target) else target], inputs)
    lost: Counter[str] = Counter()
    if held:
        found = documents(file, how, Relabel(old, new, repair), held.extra, to_format == "brat", lost)
        save_documents(found if PROBABILITIES in held.holds else counted_probabilities(found, lost), held, target, lost)
        return
    relabel = bool(new or repair)
    reading = click.get_current_context().with_resource(readings(file, layout.pieces))
    change = None
    if spans and new:
        named = [name.strip() for name in tags.split(",")] if tags else []
        column = layout.label if fixed else how.label or "label"
        listed = read_spans(spans)
        known, marks = tagset_of(listed, new, named), how.marks_of(layout)

        def made(text: Corpus) -> SpanLabels:
            return with_rejected_runs(span_labels(listed, known, marks, text), known, marks)

        blocks = _labelled(file, counting(layout, lost), reading, column, made)
    elif relabel:
        change = relabelling(file, layout, how.marks_of(layout), old, new, repair, reading())
        _say_how_it_was_read(display_name(file), change, guessed=old is None)
        before = read_blocks(file, counting(layout, lost), data=reading())
        blocks = (with_labels(block, change.labels(block), change.column) for block in before)
    else:
        blocks = read_blocks(file, counting(layout, lost), data=reading() if others else None)
    for name, path in others:
        blocks = _with_labels_of(path, name, file, layout, reading, blocks)
    if to_format:
        blocks = with_heads(blocks, layout.label)
    if to_format in WORDS_ONLY:
        blocks = _counting(blocks, lost)
    if to_format and not (to_format == USUAL and not fixed):
        blocks = counted_comments(blocks, lost)
    kept = [name.strip() for name in keep.split(",")] if keep else None
    if kept and (twice := next((name for name in kept if kept.count(name) > 1), None)):
        raise click.UsageError(f"--keep names '{twice}' twice")

    is_columns = isinstance(layout.format, Columns)

    def text(block: Block) -> bytes:
        form: OutputFormat = block.format
        if separator:
            form = Columns(SEPARATORS[separator])
        elif to_format:
            form = output_format(to_format)
        names = (kept or block.columns) if block.columns else ()
        unnamed = to_format == "tokens" or (to_format == USUAL and not fixed and not is_columns)
        if unnamed and not kept:  # columns whose order alone tells the words and the label
            names = words_first(block.columns, layout.label)
        if form == block.format and not (kept or others) and tuple(names) == block.columns:
            return block.text
        if kept:
            _check_words(block, kept)
        data = form.text(block, names)
        named = isinstance(form, Columns) and how.label and block.first_line == 1
        return with_names(data, names, block.columns, how.label) if named else data

    with output(target) as out:
        for block in blocks:
            out.write(text(block))
    say_lost(lost)
    if change and (merged := sum(change.merged)):
        touching = "1 chunk touches another" if merged == 1 else f"{merged} chunks touch others"
        click.echo(f"{display_name(file)}: {touching} of the same type, and became one with it", err=True)


def _check_words(block: Block, names: Sequence[str]) -> None:
    """Refuses what becomes the word of a token by --keep, and would be read as a mark or a comment."""
    places = [block.column(name) for name in names]
    if not {DOCSTART, b"#"} & set(block.fields[places[0]]):
        return
    for token, values in enumerate(zip(*(block.fields[place] for place in places), strict=True)):
        is_mark = values[0] == DOCSTART
        if is_mark or (values[0] == b"#" and token in block.offsets and COMMENT.match(b" ".join(values))):
            said = b" ".join(values).decode(errors="replace")
            message = f"'{said}' cannot be a token: in columns it is a mark or a comment"
            raise DataError(message, block.path, int(block.lines[token]))


def _counting(blocks: Iterator[Block], lost: Counter[str]) -> Iterator[Block]:
    """The blocks, of which is counted what a format cannot say that has nothing but words and names."""
    for block in blocks:
        if heads := block.heads:
            begun = [*heads.empty, *(one for said in heads.sentences for one in said.empty)]
            lost["documents without a word"] += len(begun)
            begun += [said.document for said in heads.sentences if said.begins]
            lost["other keys of records"] += sum(len(one.more) for one in begun)
        yield block


def _labelled(
    file: str,
    layout: Layout,
    reading: Reader,
    column: str | None,
    made: Callable[[Corpus], SpanLabels],
) -> Iterator[Block]:
    """The blocks of a file with what a list of spans says, in the label column of CoNLL-U, or else in a new one."""
    corpus = joined(read_blocks(file, layout, data=reading()), file)
    if column is None or (column in corpus.columns and not layout.format.fixed):
        raise click.UsageError("the labels need a column of their own: --label names it")
    said = made(corpus)
    if said.left:
        rejected = counted(said.rejected, "rejected span")
        click.echo(f"{rejected}, of which a label column cannot hold {len(said.left):,}", err=True)
    texts = [text.encode() for text in said.texts]
    labels = iter(map(texts.__getitem__, said.codes.tolist()))
    for block in read_blocks(file, layout, data=reading()):
        yield with_labels(block, list(islice(labels, len(block.rows))), column)


def _named(text: str) -> tuple[str, str]:
    """The name and the path in NAME=FILE."""
    name, equals, path = text.partition("=")
    if not (name.strip() and equals and path):
        raise click.BadParameter(f"'{text}': write NAME=FILE", param_hint="--join")
    return name.strip(), path


def _with_labels_of(
    path: str, name: str, file: str, layout: Layout, reading: Reader, blocks: Iterator[Block]
) -> Iterator[Block]:
    """The blocks of a file with the labels of another one in a column of this name, before the label."""
    other = layout_for(path)
    if other.label is None:
        raise click.UsageError(f"{path} has no column of labels to join")
    corpus, texts = joined(read_blocks(file, layout, data=reading()), file), read(path, other)
    if name in corpus.columns:
        raise click.UsageError(f"{file} has a column '{name}' already: choose another name")
    labels = iter(borrowed(corpus, texts, other.label, marks_in(other.format)))
    for block in blocks:
        place = len(block.columns) - (layout.label in block.columns)
        values = [label.encode() for label in islice(labels, len(block.rows))]
        columns = (*block.columns[:place], name, *block.columns[place:])
        yield replace(block, columns=columns, fields=[*block.fields[:place], values, *block.fields[place:]])


def _say_how_it_was_read(name: str, change: Relabelling, guessed: bool) -> None:
    if guessed:
        click.echo(f"{name}: read as {scheme_name(change.tags.scheme)} (--from-scheme names another)", err=True)
    for label in change.sets.marked:
        say(f"{name}: the label '{label}' contains a mark, and was read as it is")
