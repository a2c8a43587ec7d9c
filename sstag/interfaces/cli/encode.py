"""The command `sstag encode`: it makes the vectors of words in their sentences ahead of a training, and keeps them."""

import os

import click

from sstag.features.encoders import BACKENDS
from sstag.features.encoders.settings import CASES, PIECES, Reading, Settings
from sstag.foundation.errors import counted
from sstag.foundation.files import STANDARD, check_outputs, display_name
from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.encoding import watch
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.options import Reading as HowToRead
from sstag.interfaces.cli.options import reading_columns, say_if_terminal, those_called, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cluster.wanted import Joining

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(
    name="encode",
    cls=Command,
    lists=[("Back ends", [(name, entry.help) for name, entry in BACKENDS.items()])],
)
@click.argument("files", cls=Argument, metavar="FILE...", nargs=-1, required=True, callback=those_called)
@_data("--encoder", "model", metavar="MODEL", help="A folder, an ONNX file, a name in the hub's cache.")
@_data("--template", "-t", metavar="TEMPLATE", help="MODEL is the name of an encoder in this template.")
@_data("--rows", metavar="FILE", help="No encoder: .npy or safetensors with a row for each token of FILE.")
@_data("--name", metavar="NAME", help="Of the program that made the rows; what a model asks for.")
@_data("--column", metavar="NAME", show_default="the first; in CoNLL-U form", help="Column of the words.")
@_method("--backend", type=OneOf(BACKENDS, "back end"), show_default="by what there is", help="What runs MODEL.")
@_method("--layers", metavar="N,M,…", show_default="the middle third", help="Take the mean of these; 0 is before all.")
@_method("--pieces", type=click.Choice(PIECES), default=PIECES[0], show_default=True, help="Of a word in pieces.")
@_method("--window", type=click.IntRange(1), show_default="what MODEL can", help="Pieces looked at together.")
@_method("--stride", type=click.IntRange(1), show_default="half a window", help="Pieces from window to window.")
@_method("--case", type=click.Choice(CASES), default=CASES[0], show_default=True, help="Of the words.")
@_output("--output", "-o", "target", metavar="FILE", help="Where to write the vectors, besides keeping them.")
@reading_columns
@threads_option
@joining_cluster
def command(
    files: tuple[str, ...],
    model: str | None,
    template: str | None,
    rows: str | None,
    name: str | None,
    column: str | None,
    backend: str | None,
    layers: str | None,
    pieces: str,
    window: int | None,
    stride: int | None,
    case: str,
    target: str | None,
    how: HowToRead,
    threads: int,
    joining: Joining | None,
) -> None:
    """Give words vectors by an encoder, ahead of a training.

    What is encoded is kept by content, so that a training or tagging with the same encoder reads it in a moment.
    Ctrl-C loses nothing: the next run goes on where this one ended.

    \b
    Example:
        sstag encode train.txt raw.txt --encoder ./minilm --layers 2,3,4
        sstag encode train.txt --template ner.yaml --encoder mini
        sstag encode train.txt --rows train.npy --name elmo -o train.vectors
        sstag encode 'raw/*.txt' --encoder ./minilm -o raw.vectors --workers 4
    """
    if (model is None) == (rows is None):
        raise click.UsageError(
            "what makes the vectors? --encoder MODEL; or another program did: --rows FILE --name NAME --output FILE"
        )
    if rows and (name is None or target is None or len(files) != 1):
        raise click.UsageError("--rows are those of one FILE, and need --name and --output")
    if name and not rows:
        raise click.UsageError("--name is for --rows")
    if stride and (not window or stride > window):
        raise click.UsageError("a --stride needs a --window that is at least as large")
    said = Settings(model, None, column, backend, Reading(_layers(layers), pieces, window, stride, case))
    if rows and said != Settings(column=column):
        raise click.UsageError("--rows are read as they are: --layers, --pieces and the like are for --encoder")
    if template and said != Settings(model):
        raise click.UsageError("a template says how its encoders are read: give the options there")
    if joining and (rows or not target or STANDARD in (*files, target)):
        raise click.UsageError("with a cluster say FILE, --encoder and --output, in folders that its workers reach")

    from sstag.corpus.reading import read
    from sstag.features.encoders.ahead import encoded_texts, settings_in, taken_text, write_vectors

    check_outputs([target], [*files, rows])
    for path in files:
        say_if_terminal(path)
    settings, folder = settings_in(template, model or "") if template else said, os.path.dirname(template or "")
    if joining and target:
        from sstag.interfaces.cluster.encoding import encoded_by_workers
        from sstag.interfaces.cluster.joining import joined

        with ProgressLine() as line, joined(joining) as cluster:
            assert cluster
            done = encoded_by_workers(cluster, files, how.layout, settings, folder, target, line.show)
        for path, tokens in zip(files, done.tokens, strict=True):
            _tell(path, tokens, done.width)
        _tell_of_file(target, done.sentences, done.digest)
        return
    texts = [read(path, how.layout(path)) for path in files]
    if rows and name:
        made = taken_text(texts[0], column, rows, name)
    else:
        with ProgressLine() as line:
            made = encoded_texts(texts, settings, folder, threads, watch(line))
    for text in made.texts:
        _tell(text.corpus.path, text.corpus.tokens, text.vectors.shape[1])
    if target:
        _tell_of_file(target, write_vectors(target, made), made.digest)
    else:
        click.echo(f"kept for the encoder {made.digest[:12]}…: `sstag cache` shows it", err=True)


def _tell(path: str, tokens: int, width: int) -> None:
    click.echo(f"{display_name(path)}: {counted(tokens, 'token')}, {counted(width, 'dimension')}", err=True)


def _tell_of_file(target: str, sentences: int, digest: str) -> None:
    click.echo(f"{target}: {counted(sentences, 'sentence')}, encoder {digest[:12]}…", err=True)


def _layers(said: str | None) -> tuple[int, ...] | None:
    """The numbers of layers that an option lists."""
    if said is None:
        return None
    numbers = [number.strip() for number in said.split(",")]
    if not all(number.isascii() and number.isdigit() and len(number) < 4 for number in numbers):
        raise click.BadParameter("numbers with commas between them, such as 2,3,4", param_hint="--layers")
    return tuple(sorted({int(number) for number in numbers}))
