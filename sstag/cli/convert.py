"""sstag convert"""

import os

import click

from sstag.block import Block
from sstag.cli.options import Command, Reading, reading, say_if_terminal
from sstag.conll import read_blocks
from sstag.conversion import Relabelling, columns_text, conllu_text, json_lines, relabelling, with_labels
from sstag.files import STANDARD, display_name, output, pieces
from sstag.tags import SCHEMES

SEPARATORS = {"tab": b"\t", "space": b" "}


@click.command(name="convert", cls=Command)
@click.argument("file", metavar="FILE")
@click.option("--output", "-o", "target", default=STANDARD, metavar="FILE", help="Where to write.  [default: stdout]")
@click.option("--from", "old", type=click.Choice(list(SCHEMES)), help="Scheme of the input.  [default: guessed]")
@click.option("--to", "new", type=click.Choice(list(SCHEMES)), help="Scheme to write the labels in.")
@click.option("--repair", is_flag=True, help="Cut ill-formed sequences into chunks as conlleval does.")
@click.option("--keep", metavar="A,B,…", help="Write these columns only, in this order.")
@click.option("--to-format", type=click.Choice(["columns", "conllu", "jsonl"]), help="Write this format.")
@click.option("--separator", type=click.Choice(list(SEPARATORS)), help="Between columns.  [default: as in the input]")
@reading
def command(
    file: str,
    target: str,
    old: str | None,
    new: str | None,
    repair: bool,
    keep: str | None,
    to_format: str | None,
    separator: str | None,
    how: Reading,
) -> None:
    """Change scheme, columns or format of a column file.

    What is not asked to change stays as it is, to the byte. Undecided labels follow their scheme: B-X before an
    unknown label becomes B-X|S-X in BIOES. Another format keeps tokens and sentences only: comments, and the ranges
    and empty nodes of CoNLL-U, are left out, and blanks within a CoNLL-U form become no-break spaces in columns.
    In CoNLL-U `word` is the form, `pos` the xpos, and columns that it does not have go to misc.

    \b
    Example:
        sstag convert --to bioes train.txt -o train.bioes.txt
        sstag convert --columns word,pos,ner --keep word,ner --separator tab train.txt
        sstag convert --repair predicted.txt
    """
    say_if_terminal(file)
    layout = how.layout(file)
    if old and not (new or repair):
        raise click.UsageError("--from needs --to, the scheme to write, or --repair")
    if layout.conllu and to_format is None and (keep or separator):
        raise click.UsageError("CoNLL-U has ten columns, separated by tabs; --to-format columns writes others")
    relabel = bool(new or repair)
    data = None if os.path.isfile(file) or not relabel else list(pieces(file))  # a pipe cannot be read twice
    change = relabelling(file, layout, how.marks_of(layout), old, new, repair, data) if relabel else None
    if change:
        _say_how_it_was_read(display_name(file), change, guessed=old is None)
    kept = [name.strip() for name in keep.split(",")] if keep else None

    def text(block: Block) -> bytes:
        if not block.columns:
            return block.text
        names = kept or list(block.columns)
        if to_format == "jsonl":
            return json_lines(block, names)
        if to_format == "conllu" and not (block.conllu and kept is None):
            return conllu_text(block, names)
        if kept or separator or (to_format == "columns" and block.conllu):
            return columns_text(block, names, SEPARATORS.get(separator or ""))
        return block.text

    with output(target) as out:
        for block in read_blocks(file, layout, data=data):
            out.write(text(with_labels(block, change.labels(block), change.column) if change else block))
    if change and (merged := sum(change.merged)):
        touching = "1 chunk touches another" if merged == 1 else f"{merged} chunks touch others"
        click.echo(f"{display_name(file)}: {touching} of the same type, and became one with it", err=True)


def _say_how_it_was_read(name: str, change: Relabelling, guessed: bool) -> None:
    if guessed:
        scheme = "plain labels" if change.tags.scheme == "plain" else change.tags.scheme.upper()
        click.echo(f"{name}: read as {scheme} (--from names another scheme)", err=True)
    for label in change.sets.marked:
        click.echo(f"{name}: the label '{label}' contains a mark, and was read as it is", err=True)
