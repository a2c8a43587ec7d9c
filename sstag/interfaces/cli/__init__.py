"""The command line: the only place that prints, exits, or draws a progress bar."""

import gc
import io
import os
import signal
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn, TextIO

import click

from sstag.foundation.errors import SstagError, nearest
from sstag.foundation.parallel import NO_THREAD, is_want_of_threads
from sstag.interfaces.cli.help_sections import say_more, written
from sstag.interfaces.cli.notices import notices
from sstag.interfaces.cli.plain import as_message
from sstag.interfaces.cli.terminal import shown_on_terminals

# name → module, one line of help: listing the commands imports none of them.
COMMANDS = {
    "train": ("sstag.interfaces.cli.train", "Train a tagger."),
    "inspect": ("sstag.interfaces.cli.inspect", "Show what is in a model."),
    "explain": ("sstag.interfaces.cli.explain", "Tell why a token has its label."),
    "check": ("sstag.interfaces.cli.check", "Look for mistakes in column files."),
    "convert": ("sstag.interfaces.cli.convert", "Change scheme, columns or format of a column file."),
    "split": ("sstag.interfaces.cli.split", "Split a file of sentences into parts."),
    "shuffle": ("sstag.interfaces.cli.shuffle", "Put the sentences of a file in random order."),
    "draw": ("sstag.interfaces.cli.draw", "Draw sentences from a file at random."),
    "eval": ("sstag.interfaces.cli.eval", "Score predicted labels against gold ones."),
    "agree": ("sstag.interfaces.cli.agree", "Tell how far several annotators agree."),
    "merge": ("sstag.interfaces.cli.merge", "Combine the labels of several annotators."),
    "template": ("sstag.interfaces.cli.template", "List, show or fit the templates that come with sstag."),
    "features": ("sstag.interfaces.cli.features", "Show the attributes that a template gives each token."),
    "expectations": ("sstag.interfaces.cli.expectations", "Propose features to label, and label them."),
    "select": ("sstag.interfaces.cli.select", "Choose what to annotate next."),
    "density": ("sstag.interfaces.cli.density", "Tell how probable sentences are."),
    "vectors": ("sstag.interfaces.cli.vectors", "Tell which words are used alike."),
    "encode": ("sstag.interfaces.cli.encode", "Give words vectors by an encoder, ahead of a training."),
    "cache": ("sstag.interfaces.cli.cache", "Show or clear the vectors that were kept."),
    "clusters": ("sstag.interfaces.cli.clusters", "Put words that are used alike into clusters."),
    "sample": ("sstag.interfaces.cli.sample", "Generate a corpus to try things on."),
    "experiment": ("sstag.interfaces.cli.experiment", "Run the experiment of a paper."),
    "tag": ("sstag.interfaces.cli.tag", "Label sentences with a trained model."),
    "annotate": ("sstag.interfaces.cli.annotate", "Annotate in a browser, with a model that learns."),
    "export": ("sstag.interfaces.cli.export", "Write what was annotated in the browser."),
    "serve": ("sstag.interfaces.cli.serve", "Tag over HTTP, for programs, INCEpTION and Label Studio."),
}


EXIT_CODES = (
    ("0", "The command did what was asked, perhaps with warnings."),
    ("1", "Something is wrong in a file or in a value, or check found errors."),
    ("2", "The command line is wrong: an option, a choice, or two that exclude each other."),
    ("130", "Ctrl-C ended it; 129 or 143: SIGHUP or SIGTERM. What train has learned is kept."),
    ("141", "The reader of its output has left."),
)
COMPLETION = (
    ("bash", 'eval "$(_SSTAG_COMPLETE=bash_source sstag)"  in ~/.bashrc'),
    ("zsh", 'eval "$(_SSTAG_COMPLETE=zsh_source sstag)"  in ~/.zshrc'),
    ("fish", "_SSTAG_COMPLETE=fish_source sstag | source  in its config.fish"),
)


ENDINGS = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]  # end a program, unless ignored
GARBAGE = 100_000  # new objects before it is looked for: those of a start stay, and looking took a tenth of it
CLOSED_PIPE = 141  # what a shell reports of programs that such a pipe ends


@contextmanager
def _closed_pipes() -> Iterator[None]:
    """A reader that has left is no fault; click, which knows nothing of the buffer, must not see it first."""
    try:
        yield
    except BrokenPipeError:
        _drop(sys.stdout, sys.stderr)
        sys.exit(CLOSED_PIPE)


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _closed_pipes():  # help and version are printed here
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, context: click.Context) -> object:
        with _closed_pipes(), notices():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command:
        if name not in COMMANDS:
            raise click.UsageError(f"there is no command '{name}'{nearest(name, COMMANDS)}", context)
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [(name, help_line) for name, (_, help_line) in COMMANDS.items()]
        written(formatter, [("Commands", commands), ("Exit codes", EXIT_CODES), ("Shell completion", COMPLETION)])

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        say_more("README", formatter)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="sstag", message="sstag %(version)s")
def sstag() -> None:
    """Sequence tagging in CoNLL format when labels are scarce.

    `sstag COMMAND --help` explains a command.

    \b
    Example:
        sstag sample ads ads
        sstag train --template ads --train ads/train.txt --model ads.model
        sstag eval ads/test.txt --model ads.model
    """


def main() -> None:
    """Runs the command line; what a user can cause ends in one line and exit code 1."""
    try:
        with _closed_pipes(), _ended_by_ctrl_c(), shown_on_terminals():
            _run()
    finally:
        gc.freeze()  # the process ends, and with it all objects: looking through them once more took a tenth of a start


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Ctrl-C is an exception while a command runs, which can end in order; before and after, it ends the program.

    So it never meets the interpreter where this shows a traceback: as it imports and as it ends.
    """
    sys.unraisablehook = _said_again
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # what runs in the background of a shell ignores it
        yield
        return
    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        finally:
            _ended_at_once()
        return
    _interrupted()


class _Ended(SystemExit):
    """The end that a signal asked for; its code is what a shell reports of it."""


def _end(number: int, frame: object) -> NoReturn:
    sys.unraisablehook = partial(_said_again, others=_unsaid)
    raise _Ended(128 + number)


def _unsaid(found: "sys.UnraisableHookArgs") -> None:
    """Says nothing: what was left in the middle cannot always be taken apart in order."""


def _said_again(
    found: "sys.UnraisableHookArgs", others: Callable[["sys.UnraisableHookArgs"], None] = sys.__unraisablehook__
) -> None:
    """A signal that came while something was being removed, where no exception can leave, comes once more."""
    ended = issubclass(found.exc_type, _Ended) and isinstance(found.exc_value, _Ended)
    if ended or issubclass(found.exc_type, KeyboardInterrupt):
        from threading import Timer

        number = int(str(found.exc_value)) - 128 if ended else signal.SIGINT
        Timer(0.01, interrupt_main, [number]).start()
    else:
        others(found)


def _ended_at_once() -> None:
    """Lets Ctrl-C end the program from here on; one that comes just now waits until that holds."""
    masks = [signal.SIGINT] if hasattr(signal, "pthread_sigmask") else []
    if masks:
        signal.pthread_sigmask(signal.SIG_BLOCK, masks)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if masks:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, masks)


def _run() -> None:
    gc.set_threshold(GARBAGE)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for who writes programs; what cannot be computed is an error
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show or say a character: no reason to fail
    for number in ENDINGS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)  # so that temporary files are removed
    try:
        sstag.main(prog_name="sstag", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(as_message(shown.getvalue()), err=True, nl=False)
        sys.exit(error.exit_code)
    except click.Abort:
        _interrupted()
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # so Python 3.11 says what comes while a class is made
            _interrupted()
        if isinstance(error.__cause__, _Ended):
            raise error.__cause__ from None
        if is_want_of_threads(error):
            _fail(NO_THREAD)
        raise
    except BrokenPipeError:
        raise
    except SstagError as error:
        _fail(str(error))
    except MemoryError:
        _fail("not enough memory for this input")
    except OSError as error:
        _drop(sys.stdout)
        _fail(f"{error.filename or '<stdout>'}: {(error.strerror or str(error)).lower()}")


def _interrupted() -> NoReturn:
    sys.unraisablehook = _unsaid
    click.echo("interrupted", err=True)
    sys.exit(128 + signal.SIGINT)


def _fail(message: str) -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop(sys.stdout)
    click.echo(as_message(message), err=True)
    sys.exit(1)


def _drop(*streams: TextIO | None) -> None:
    """Sends what is still buffered nowhere: at exit it would fail once more."""
    for stream in filter(None, streams):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
