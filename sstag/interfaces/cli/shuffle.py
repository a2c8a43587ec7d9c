"""The command `sstag shuffle`: it puts the sentences of a file in random order."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sstag.foundation.errors import DataError
from sstag.foundation.files import check_outputs, display_name, output
from sstag.interfaces.cli.help_sections import Argument, Command
from sstag.interfaces.cli.options import Reading, output_option, reading_columns, say_if_terminal, seed_option

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block


@click.command(name="shuffle", cls=Command)
@click.argument("file", cls=Argument, metavar="FILE")
@output_option
@seed_option
@reading_columns
def command(file: str, target: str, seed: int, how: Reading) -> None:
    """Put the sentences of a file in random order.

    Each keeps its bytes and its comments; those of a document of several become documents of their own, called
    DOCUMENT:PLACE. The same seed gives the same order.

    \b
    Example:
        sstag shuffle train.txt -o shuffled.txt
    """
    import numpy as np

    from sstag.corpus.formats.columns import ColumnOutput, columns_of
    from sstag.corpus.parts import head_of
    from sstag.corpus.reading import read_blocks
    from sstag.corpus.text.document_parts import leaving, sentences_of

    say_if_terminal(file)
    check_outputs([target], [file])
    head = b""
    columns: tuple[str, ...] = ()

    def blocks() -> "Iterator[Block]":
        nonlocal head, columns
        for block in read_blocks(file, how.layout(file)):
            head, columns = head or head_of(block), columns or columns_of(block)
            yield block

    sentences = [*sentences_of(blocks())]
    if not sentences:
        raise DataError("no sentence in it", display_name(file))
    order = np.random.default_rng(seed).permutation(len(sentences))
    alone = leaving([sentence.document for sentence in sentences], np.arange(len(sentences)))
    with output(target) as file_out:
        out = ColumnOutput(file_out, columns)
        out.write(head)
        for place in order.tolist():
            out.write(sentences[place].alone() if alone[place] else sentences[place].text)
        out.flush()
