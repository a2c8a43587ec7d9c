"""Parts of a file of sentences as `sstag split` and `sstag draw` write them."""

from collections.abc import Sequence
from contextlib import ExitStack

import click

from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.files import STANDARD, display_name, output
from sstag.interfaces.cli.help_sections import DATA, options_of
from sstag.interfaces.cli.options import Reading

in_order = options_of(DATA)("--in-order", is_flag=True, help="Runs of the file, instead of sentences at random.")


def refuse_stdin(file: str) -> None:
    if file == STANDARD:
        raise click.UsageError("the file is read twice: it cannot be standard input (-)")


def deal(file: str, how: Reading, amounts: Sequence[str], paths: Sequence[str], in_order: bool, seed: int) -> None:
    """Writes parts of a file, and says how large each is."""
    import numpy as np

    from sstag.corpus.parts import NONE, amount, dealt, head_of, sentence_texts
    from sstag.corpus.reading import read_blocks

    layout = how.layout(file)
    sizes = [np.diff(block.offsets) for block in read_blocks(file, layout)]
    lengths = np.concatenate([np.zeros(0, np.int64), *sizes])
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
        files = [stack.enter_context(output(path)) for path in paths]
        sentence = 0
        for block in read_blocks(file, layout):
            head = head_of(block)
            if head:
                for out in files:
                    out.write(head)
            for text in sentence_texts(block) if len(block.rows) else ():
                number = int(part_of[sentence])
                sentence += 1
                if number != NONE:
                    files[number].write(text)
    for number, path in enumerate(paths):
        mine = part_of == number
        size = f"{counted(int(mine.sum()), 'sentence')}, {counted(int(lengths[mine].sum()), 'token')}"
        click.echo(f"{path}: {size}" if path != STANDARD else size, err=path == STANDARD)
