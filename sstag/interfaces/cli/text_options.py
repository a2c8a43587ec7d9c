"""The options for files of text with spans, and the format of the input, together as what is asked of a reader."""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import wraps
from glob import has_magic

import click

from sstag.corpus.formats import AUTO, Asked, input_names, option_of
from sstag.corpus.text.encodings import encoding_called
from sstag.corpus.text.options import (
    CUTS,
    OVERLAPS,
    PARTED,
    PIECES,
    RESTS,
    SENTENCES,
    TOKENS,
    UNITS,
    TextOptions,
    names_in,
    names_list,
)
from sstag.foundation.errors import ConfigError, nearest
from sstag.interfaces.cli.help_sections import READING, SPANS, OneOf, options_of

SENTENCE_FILES = (  # options and arguments that name files of sentences
    "file", "files", "train", "dev", "unlabeled", "test", "gold", "predicted", "compare", "ambiguous_in", "near",
    "pool", "pools", "exclude", "count",
)  # fmt: skip
KEYS = ("text", "spans", "id", "tokens", "layer", "sentence")

_in_reading, _of_spans = map(options_of, (READING, SPANS))


class _Ways(OneOf):
    """One of some ways; a number is likely meant for the option that says how many sentences."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        counting = ctx is not None and any("--count" in one.opts for one in ctx.command.params)
        if counting and str(value).isdecimal():
            return f"'{value}' is no {self.noun}; did you mean '--count {value}'?"
        return super().get_invalid_choice_message(value, ctx)


class _Formats(OneOf):
    """A format, or FILE=FORMAT."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path, equals, name = value.rpartition("=")
        return path + equals + super().convert(name, param, ctx)


def reading_text(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options for the format of its files and for text with spans, together as `read_as`."""

    @_in_reading(
        "--from-format",
        "formats",
        multiple=True,
        type=_Formats([AUTO, *input_names()], "format"),
        callback=_formats,
        help="FORMAT, or FILE=FORMAT for one file. Repeatable.",
    )
    @_in_reading("--encoding", metavar="NAME", callback=_encoding, show_default="UTF-8", help="Encoding of the input.")
    @_in_reading("--comments", metavar="A,B,…", help="First columns of comments before a sentence.")
    @_choice("--tokenize", TOKENS, "How tokens are made", "the file's, else rule")
    @_choice("--sentences", SENTENCES, "How sentences end", "the file's, else rule")
    @_choice("--documents", PIECES, "Prose is cut by", "file", _in_reading)
    @_choice("--cut", CUTS, "Spans that cut a token", "error")
    @_choice("--overlaps", OVERLAPS, "Spans that share a token", "error")
    @_choice("--discontinuous", PARTED, "Spans of several pieces", "error")
    @_choice("--rest", RESTS, "Label outside of spans", "as the format says")
    @_choice("--offsets", UNITS, "Units in which offsets count", "as the format says")
    @_of_spans("--annotators", metavar="A,B,…", help="A column for each of these annotators.")
    @_of_spans("--tag-names", metavar="A,B,…", help="The labels that whole numbers stand for, from 0.")
    @_of_spans("--key", "keys", multiple=True, metavar="NAME=KEY", help=f"Another key: {', '.join(KEYS)}. Repeatable.")
    @_of_spans("--skip-bad", is_flag=True, help="Leave out records with a fault, and write them to FILE.bad.")
    @wraps(command)
    def with_options(
        *, formats: tuple[tuple[str, str], ...], tokenize: str | None, sentences: str | None, documents: str | None,
        cut: str | None, overlaps: str | None, discontinuous: str | None, rest: str | None, annotators: str | None,
        tag_names: str | None, keys: tuple[str, ...], offsets: str | None, encoding: str | None, comments: str | None,
        skip_bad: bool,
        **others: object,
    ) -> object:  # fmt: skip
        options = TextOptions(
            tokenize=tokenize,
            sentences=sentences,
            cut=cut or "error",
            overlaps=overlaps or "error",
            parted=discontinuous or "error",
            rest=rest,
            pieces=documents or "file",
            offsets=offsets,
            annotators=_names(annotators, "--annotators", names_in),
            tag_names=_names(tag_names, "--tag-names"),
            keys=_pairs(keys),
            encoding=encoding,
            comments=_names(comments, "--comments"),
            skip_bad=skip_bad,
        )
        of_file = tuple((path, name) for path, name in formats if path)
        files = _sentence_files(others)
        if not others.get("config_path"):  # which names others
            _refuse_unknown([path for path, _ in of_file], files)
        read_as = Asked(dict(formats).get(""), options, of_file)
        return command(read_as=read_as.among(files), **others)

    return with_options


def _formats(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """A callback that splits FILE=FORMAT; the file is empty where a format is that of all."""
    pairs: list[tuple[str, str]] = []
    for path, name in (one.rpartition("=")[::2] for one in said):
        if path in dict(pairs):
            raise click.BadParameter(f"two formats of {path or 'all files'}")
        pairs.append((path, name))
    return tuple((path, name) for path, name in pairs if path or name != AUTO)


def _sentence_files(values: Mapping[str, object]) -> list[str]:
    """The files of sentences that the options of a command name."""
    given = (values.get(name) for name in SENTENCE_FILES)
    paths = (path for value in given for path in (value if isinstance(value, tuple) else (value,)))
    return [path for path in paths if isinstance(path, str) and path]  # `--count 2` is a number, where it is no file


def _refuse_unknown(paths: Sequence[str], files: Sequence[str]) -> None:
    """Refuses a format of a file that no option of the command names."""
    for path in paths:
        if not any(path == file or fnmatchcase(file, path) or has_magic(file) for file in files):
            raise click.BadParameter(
                f"the command reads no file '{path}'{nearest(path, files)}", param_hint="--from-format"
            )


def words_of(asked: Asked) -> list[str]:
    """The words of a command line that ask for this."""
    words = ["--from-format", asked.name] if asked.name else []
    words += [word for path, name in asked.of_file for word in ("--from-format", f"{path}={name}")]
    for name in asked.options.changed:
        value = getattr(asked.options, name)
        if isinstance(value, Mapping):
            words += [word for one, key in value.items() for word in (option_of(name), f"{one}={key}")]
        elif isinstance(value, bool):
            words.append(option_of(name))
        else:
            listed = names_list if name == "annotators" else ",".join
            words += [option_of(name), value if isinstance(value, str) else listed(value)]
    return words


def _encoding(_: click.Context, __: click.Parameter, said: str | None) -> str | None:
    """A callback that checks the name of an encoding."""
    try:
        return None if said is None else encoding_called(said)
    except ConfigError as error:
        raise click.BadParameter(error.message) from error


def _choice(
    option: str,
    choices: Mapping[str, str],
    what: str,
    usual: str,
    section: Callable[..., Callable[..., Callable[..., object]]] = _of_spans,
) -> Callable[..., Callable[..., object]]:
    """An option that is one of a few words."""
    names = list(choices)
    line = f"{what}: {', '.join(names)}."
    return section(option, type=_Ways(names, "way"), metavar="WAY", show_default=usual, help=line)


def _names(
    said: str | None, option: str, parts: Callable[[str], list[str]] = lambda text: text.split(",")
) -> tuple[str, ...]:
    names = () if said is None else tuple(name.strip() for name in parts(said))
    if not all(names) or len(set(names)) < len(names):
        raise click.BadParameter("a name is empty, or stands twice", param_hint=option)
    return names


def _pairs(said: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for one in said:
        name, _, key = one.partition("=")
        if name not in KEYS or not key:
            raise click.BadParameter(f"'{one}': write NAME=KEY, NAME one of {', '.join(KEYS)}", param_hint="--key")
        pairs[name] = key
    return pairs
