"""Parts of a file of sentences as `sstag split` and `sstag draw` write them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.files import STANDARD, display_name, output
from sstag.foundation.readings import readings
from sstag.interfaces.cli.help_sections import DATA, options_of
from sstag.interfaces.cli.options import Reading

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block

in_order = options_of(DATA)("--in-order", is_flag=True, help="Runs of the file, instead of sentences at random.")


def refuse_stdin(file: str) -> None:
    if file == STANDARD:
        raise click.UsageError("the file is read twice: it cannot be standard input (-)")


def deal(file: str, how: Reading, amounts: Sequence[str], paths: Sequence[str], in_order: bool, seed: int) -> None:
    """Writes parts of a file, and says how large each is."""
    import numpy as np

    from sstag.corpus.formats.columns import ColumnOutput, columns_of
    from sstag.corpus.parts import NONE, amount, dealt, head_of
    from sstag.corpus.reading import read_blocks
    from sstag.corpus.text.document_parts import leaving, sentences_of

    layout = how.layout(file)
    reading = click.get_current_context().with_resource(readings(file, layout.pieces))
    sizes, head = [np.zeros(0, np.int64)], b""
    columns: tuple[str, ...] = ()

    def blocks() -> "Iterator[Block]":
        nonlocal head, columns
        for block in read_blocks(file, layout, data=reading()):
            head, columns = head or head_of(block), columns or columns_of(block)
            sizes.append(np.diff(block.offsets))
            yield block

    documents = [sentence.document for sentence in sentences_of(blocks())]
    lengths = np.concatenate(sizes)
    if not len(lengths):
        raise DataError("no sentence in it", display_name(file))
    order = np.arange(len(lengths)) if in_order else np.random.default_rng(seed).permutation(len(lengths))
    try:
        part_of = dealt(lengths, [amount(text) for text in amounts], order)
    except ConfigError as error:
        raise DataError(error.message, display_name(file)) from error
    empty = [path for number, path in enumerate(paths) if not (part_of == number).any()]
    if empty:
        raise DataError(f"nothing is left for {empty[0]}", display_name(file))
    with ExitStack() as stack:
        files = [ColumnOutput(stack.enter_context(output(path)), columns) for path in paths]
        for out in files:
            out.write(head)
        alone = leaving(documents, part_of)
        for place, sentence in enumerate(sentences_of(read_blocks(file, layout, data=reading()))):
            if (number := int(part_of[place])) != NONE:
                files[number].write(sentence.alone() if alone[place] else sentence.text)
        for out in files:
            out.flush()
    for number, path in enumerate(paths):
        mine = part_of == number
        size = f"{counted(int(mine.sum()), 'sentence')}, {counted(int(lengths[mine].sum()), 'token')}"
        click.echo(f"{path}: {size}" if path != STANDARD else size, err=path == STANDARD)
