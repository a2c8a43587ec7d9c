"""The command `sstag serve`: it makes a model the engine of other annotation tools."""

import os
import re
import secrets

import click

from sstag.foundation.errors import ConfigError
from sstag.foundation.files import translated_errors
from sstag.interfaces.cli.help_sections import DATA, OUTPUT, Command, options_of
from sstag.interfaces.cli.server_options import SERVER, queueing

LONGEST_LINE = 1000  # bytes
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
_data, _output, _server = map(options_of, (DATA, OUTPUT, SERVER))


@click.command(name="serve", cls=Command)
@_data("--model", "-m", "model_path", required=True, metavar="MODEL", help="A trained model that reads words alone.")
@_data("--train", multiple=True, metavar="FILE", help="Labelled sentences to learn from as well. Repeatable.")
@_output("--learned", metavar="MODEL", help="Learn from what the tools send; new models are written here.")
@_server("--port", type=click.IntRange(0, 65535), default=9090, show_default=True, help="0: any that is free.")
@_server("--listen", "address", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Who can reach it.")
@_server("--known-as", "names", multiple=True, metavar="HOST", help="Another name that clients call it by. Repeatable.")
@_server("--secret", "secret_path", metavar="FILE", help="A secret that all addresses begin with; made if missing.")
@queueing
def command(
    model_path: str,
    train: tuple[str, ...],
    learned: str | None,
    port: int,
    address: str,
    names: tuple[str, ...],
    secret_path: str | None,
    most_waiting: int,
) -> None:
    """Be the engine of other annotation tools.

    Answers INCEpTION's external recommender and Label Studio's machine learning back end, on this machine alone. With
    --learned it also learns from them: a child process trains on all that they sent and on the files of --train, and
    the new model takes over when it is whole. If that model is there already, it is the one to begin with.

    --listen with another address lets other machines in; they need the secret of --secret, since whoever knows the
    address can read what the model says and change what it learns.

    \b
    Example:
        sstag serve -m ner.model
        sstag serve -m ner.model --learned better.model --train train.txt
        sstag serve -m ner.model --listen 172.17.0.1 --secret secret.txt
    """
    if train and not learned:
        raise click.UsageError("--train is for --learned, the model that learns from it")
    from sstag.foundation.files import check_outputs
    from sstag.interfaces.web import check_stack

    check_stack()
    from sstag.interfaces.web.engine import Engine
    from sstag.interfaces.web.learning import Learning
    from sstag.interfaces.web.listening import listening, run
    from sstag.interfaces.web.logs import Refusals
    from sstag.interfaces.web.serving import engine_app

    check_outputs([learned, secret_path], [model_path, *train])
    token = _token(secret_path) if secret_path else None
    engine = Engine(learned if learned and os.path.exists(learned) else model_path)
    socket, bound = listening(address, port, names)
    with socket:
        if not (bound.is_loopback or token):
            raise click.UsageError(f"--listen {address} lets other machines in: it needs --secret FILE")
        learning = Learning(engine, learned, train) if learned else None
        base = f"{bound.url}/{token}" if token else bound.url

        def ready() -> None:
            click.echo(f"{engine.path}: {', '.join(engine.labels)}", err=True)
            click.echo(f"INCEpTION     {base}/inception")
            click.echo(f"Label Studio  {base}/label-studio")

        refusals = Refusals()
        run(engine_app(engine, learning, bound, token, most_waiting, refusals), socket, ready, refusals)


def _token(path: str) -> str:
    """The secret in a file, which nobody else may read; a new one if there is no such file."""
    if not os.path.exists(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as out:
            out.write(secrets.token_urlsafe(24) + "\n")
    with translated_errors(path), open(path, "rb") as file:
        token = file.readline(LONGEST_LINE).decode("ascii", "replace").strip()
    if not TOKEN.fullmatch(token):
        raise ConfigError("a secret is at least 16 letters, digits, - and _ on the first line", path)
    return token
