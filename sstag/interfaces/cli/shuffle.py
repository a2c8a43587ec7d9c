"""The command `sstag shuffle`: it puts the sentences of a file in random order."""

import click

from sstag.foundation.errors import DataError
from sstag.foundation.files import check_outputs, display_name, output
from sstag.interfaces.cli.help_sections import Argument, Command
from sstag.interfaces.cli.options import Reading, output_option, reading_columns, say_if_terminal, seed_option


@click.command(name="shuffle", cls=Command)
@click.argument("file", cls=Argument, metavar="FILE")
@output_option
@seed_option
@reading_columns
def command(file: str, target: str, seed: int, how: Reading) -> None:
    """Put the sentences of a file in random order.

    Each keeps its bytes and its comments. The same seed gives the same order.

    \b
    Example:
        sstag shuffle train.txt -o shuffled.txt
    """
    import numpy as np

    from sstag.corpus.parts import head_of, sentence_texts
    from sstag.corpus.reading import read_blocks

    say_if_terminal(file)
    check_outputs([target], [file])
    texts: list[bytes] = []
    head = b""
    for block in read_blocks(file, how.layout(file)):
        head = head or head_of(block)
        texts += sentence_texts(block) if len(block.rows) else []
    if not texts:
        raise DataError("no sentence in it", display_name(file))
    with output(target) as out:
        out.write(head)
        for place in np.random.default_rng(seed).permutation(len(texts)).tolist():
            out.write(texts[place])
