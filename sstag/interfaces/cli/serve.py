"""The command `sstag serve`: models answer requests over HTTP, of programs and of other annotation tools."""

import os

import click

from sstag.interfaces.cli.help_sections import DATA, OUTPUT, Argument, Command, options_of
from sstag.interfaces.cli.server_options import SERVER, queueing, secret_option

MOST_TOKENS = 100_000
_data, _output, _server = map(options_of, (DATA, OUTPUT, SERVER))


@click.command(name="serve", cls=Command)
@click.argument("arguments", nargs=-1, metavar="[MODEL]...", cls=Argument)
@_data("--model", "-m", "options", multiple=True, metavar="MODEL", help="A model that reads words alone. Repeatable.")
@_data("--train", multiple=True, metavar="FILE", help="Labelled sentences to learn from as well. Repeatable.")
@_output("--learned", metavar="MODEL", help="Learn from what the tools send; new models are written here.")
@_server("--port", type=click.IntRange(0, 65535), default=9090, show_default=True, help="0: any that is free.")
@_server("--listen", "address", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Who can reach it.")
@_server("--known-as", "names", multiple=True, metavar="HOST", help="Another name that clients call it by. Repeatable.")
@secret_option("A secret that all addresses begin with; made if missing. -: standard input.")
@queueing
@_server(
    "--max-tokens",
    "most_tokens",
    type=click.IntRange(1, 10_000_000),
    default=MOST_TOKENS,
    show_default=True,
    help="How many tokens a request may have.",
)
def command(
    arguments: tuple[str, ...],
    options: tuple[str, ...],
    train: tuple[str, ...],
    learned: str | None,
    port: int,
    address: str,
    names: tuple[str, ...],
    secret_path: str | None,
    most_waiting: int,
    most_tokens: int,
) -> None:
    """Tag texts over HTTP, also for other annotation tools.

    POST /tag takes texts or tokens and answers with spans; GET / says what else there is. Several models are chosen by
    the names of their files, or by those of NAME=MODEL. SIGHUP has their files read again.

    Also answers INCEpTION's external recommender and Label Studio's machine learning back end. With --learned it learns
    from them: a child process trains on all that they sent and on the files of --train, and the new model takes over
    when it is whole. If that model is there already, it is the one to begin with.

    It answers this machine alone. --listen with another address lets other machines in; they need the secret of
    --secret, since whoever knows the address can read what the model says and change what it learns.

    \b
    Example:
        sstag serve ner.model
        sstag serve news=ner.model pos.model --port 8000
        sstag serve -m ner.model --learned better.model --train train.txt
        sstag serve -m ner.model --listen 172.17.0.1 --secret secret.txt
    """
    models = (*arguments, *options)
    if not models:
        raise click.UsageError("name a model: sstag serve ner.model")
    if learned and len(models) > 1:
        raise click.UsageError("--learned is for one model")
    if train and not learned:
        raise click.UsageError("--train is for --learned, the model that learns from it")
    from sstag.foundation.files import check_outputs
    from sstag.interfaces.web import check_stack

    check_stack()
    from sstag.interfaces.web.engine import engines_of
    from sstag.interfaces.web.learning import Learning
    from sstag.interfaces.web.listening import listening, run
    from sstag.interfaces.web.logs import Refusals
    from sstag.interfaces.web.secret_files import named_secret
    from sstag.interfaces.web.serving import engine_app, reloading, tool_paths

    engines = engines_of(models, most_tokens)
    first = next(iter(engines.values()))
    own = [secret_path] if secret_path and os.path.exists(secret_path) else []
    inputs = [*(engine.path for engine in engines.values()), *train, *own]
    check_outputs([learned, *([] if own else [secret_path])], inputs)
    token = named_secret(secret_path) if secret_path else None
    if learned and os.path.exists(learned):
        first.take(learned)
    socket, bound = listening(address, port, names)
    with socket:
        if not (bound.is_loopback or token):
            raise click.UsageError(f"--listen {address} lets other machines in: it needs --secret FILE")
        learning = Learning(first, learned, train) if learned else None
        base = f"{bound.url}/{token}" if token else bound.url

        def ready() -> None:
            for name, path in tool_paths(engines).items():
                click.echo(f"{engines[name].path}: {', '.join(engines[name].labels)}", err=True)
                click.echo(f"INCEpTION     {base}{path}/inception")
                click.echo(f"Label Studio  {base}{path}/label-studio")
            click.echo(f"Web service   {base}/")

        refusals = Refusals()
        app = engine_app(engines, learning, bound, token, most_waiting, refusals)
        run(app, socket, ready, refusals, reloading(engines))
