"""The command `sstag draw`: it draws sentences from a file at random."""

import click

from sstag.foundation.files import check_outputs
from sstag.interfaces.cli.help_sections import Argument, Command
from sstag.interfaces.cli.options import Reading, output_option, reading_columns, seed_option
from sstag.interfaces.cli.portions import deal, in_order, refuse_stdin


@click.command(name="draw", cls=Command)
@click.argument("file", cls=Argument, metavar="FILE")
@click.argument("amount", metavar="AMOUNT")
@in_order
@output_option
@seed_option
@reading_columns
def command(file: str, amount: str, in_order: bool, target: str, seed: int, how: Reading) -> None:
    """Draw sentences from a file at random.

    AMOUNT is a share (10%), a number of sentences (500), or of tokens at most (20000t). They stand as in the
    file; those of a document that is not drawn whole become documents of their own, called DOCUMENT:PLACE.

    `sstag sample` generates a corpus; this draws a sample of one that you have.

    \b
    Example:
        sstag draw raw.txt 5000 -o some.txt
        sstag draw train.txt 10% --seed 3 -o tenth.txt
    """
    refuse_stdin(file)
    check_outputs([target], [file])
    deal(file, how, [amount], [target], in_order, seed)
