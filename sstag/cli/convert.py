"""sstag convert"""

import click

from sstag.cli.options import layout, marks_from, reading, say_if_terminal
from sstag.conll import Block, read_blocks
from sstag.conversion import columns_text, conllu_text, json_lines, relabelling, with_labels
from sstag.files import STANDARD, display_name, output, pieces
from sstag.tags import SCHEMES

SEPARATORS = {"tab": b"\t", "space": b" "}


@click.command(name="convert")
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
    columns: str | None,
    label: str | None,
    unlabeled: bool,
    form: str,
    marks: tuple[str, ...],
    no_marks: bool,
) -> None:
    """Change scheme, columns or format of a column file.

    What is not asked to change stays as it is, to the byte. Undecided labels follow their scheme: B-X before an
    unknown label becomes B-X|S-X in BIOES. Blanks within a CoNLL-U form become no-break spaces in columns.

    \b
    Example:
        sstag convert --to bioes train.txt -o train.bioes.txt
        sstag convert --columns word,pos,ner --keep word,ner --separator tab train.txt
        sstag convert --repair --to iob2 predicted.txt
    """
    say_if_terminal(file)
    how = layout(file, columns, label, unlabeled, form)
    if (repair or old) and new is None:
        raise click.UsageError("--repair and --from need --to, the scheme to write")
    data = list(pieces(file)) if file == STANDARD and new else None  # read twice: once for its labels
    change = relabelling(file, how, marks_from(marks, no_marks, how.conllu), old, new, repair, data) if new else None
    if change:
        if old is None:
            read_as = "plain labels" if change.tags.scheme == "plain" else change.tags.scheme.upper()
            click.echo(f"{display_name(file)}: read as {read_as} (--from names another scheme)", err=True)
        for marked in change.sets.marked:
            click.echo(f"{display_name(file)}: the label '{marked}' contains a mark, and was read as it is", err=True)
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
        for block in read_blocks(file, how, data=data):
            out.write(text(with_labels(block, change.labels(block), change.column) if change else block))
    if change and sum(change.merged):
        click.echo(f"{sum(change.merged)} chunks touch one of their type, and are now one with it", err=True)
