"""The command `sstag split`: it deals the sentences of a file out to parts."""

import os

import click

from sstag.foundation.errors import DataError
from sstag.foundation.files import check_outputs
from sstag.interfaces.cli.help_sections import OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.options import Reading, reading_columns, seed_option
from sstag.interfaces.cli.portions import deal, in_order, refuse_stdin

_output = options_of(OUTPUT)


@click.command(name="split", cls=Command)
@click.argument("file", cls=Argument, metavar="FILE")
@_output(
    "--part", "parts", multiple=True, required=True, metavar="FILE=AMOUNT",
    help="A part: 80%, 500 (sentences), 20000t (tokens at most), or rest. Repeatable.",
)  # fmt: skip
@in_order
@_output("--force", is_flag=True, help="Replace files that are there.")
@seed_option
@reading_columns
def command(file: str, parts: tuple[str, ...], in_order: bool, force: bool, seed: int, how: Reading) -> None:
    """Split a file of sentences into parts.

    No sentence is in two parts, and in each they stand as in the file, with their comments, to the byte. Sentences of a
    document that is not in one part become documents of their own, called DOCUMENT:PLACE. The same seed gives the same
    parts.

    \b
    Example:
        sstag split all.txt --part train.txt=80% --part dev.txt=10% \\
            --part test.txt=rest
        sstag split all.txt --part few.txt=2000t --part pool.txt=rest --seed 2
    """
    named = [part.rpartition("=") for part in parts]
    if bad := next((text for text, (path, equals, _) in zip(parts, named, strict=True) if not (path and equals)), None):
        raise click.BadParameter(f"'{bad}': write FILE=AMOUNT", param_hint="--part")
    paths = [path for path, _, _ in named]
    refuse_stdin(file)
    check_outputs(paths, [file])
    if not force and (there := next((path for path in paths if os.path.exists(path)), None)):
        raise DataError("exists already (--force replaces it)", there)
    deal(file, how, [text for _, _, text in named], paths, in_order, seed)
