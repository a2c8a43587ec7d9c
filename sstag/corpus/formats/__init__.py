"""File formats: one file for each, which reads sentences, writes them, or both.

`FORMATS` is plain data, so that listing formats imports none of them. `contract.py` says what a format has to have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import cast

from sstag.corpus.formats.contract import DocumentFormat, HasOptions, InputFormat, OutputFormat
from sstag.corpus.formats.guess import guessed_format, head_of, reads_it
from sstag.corpus.formats.prose_guess import is_prose, may_be_prose
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.parquet_bytes import is_parquet
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.registry import Where, registered

ENCODING = "encoding"
SPANNED = ("tokenize", "sentences", "cut", "overlaps", "rest", "skip_bad")  # what spans of characters need


@dataclass(frozen=True)
class FormatEntry:
    """A registered format: where its object is, a line of help, and whether it can be read and written.

    A file whose name ends in `ending` (before `.gz`) is read in this format unless another one is named, or its first
    bytes tell another (`guess.py`). A format of `documents` holds texts with spans of characters, one of `records` has
    room for other keys beside the columns of a sentence; `uses` are those of the `TextOptions` that change how it is
    read or written, for which its object has a field `options`. A format gets bytes in UTF-8, whatever
    encoding a file has, but for one whose files tell their encoding themselves.
    """

    where: Where[InputFormat] | Where[OutputFormat] | Where[DocumentFormat]
    help: str
    ending: str | None = None
    reads: bool = True
    writes: bool = True
    documents: bool = False
    records: bool = False
    uses: tuple[str, ...] = ()
    tells_encoding: bool = False


FORMATS = {
    "columns": FormatEntry(
        Where("sstag.corpus.formats.columns:COLUMNS"),
        "a token a line, blanks or tabs between columns, a blank line after each sentence",
        uses=("comments",),
    ),
    "conllu": FormatEntry(
        Where("sstag.corpus.formats.conllu:CONLLU"), "CoNLL-U: ten columns, separated by tabs", ending=".conllu"
    ),
    "jsonl": FormatEntry(
        Where("sstag.corpus.formats.jsonl:JSON_LINES"),
        "a JSON object for each sentence, with a list for each column",
        ending=".jsonl",
        records=True,
        uses=("keys", "skip_bad"),
    ),
    "tokens": FormatEntry(
        Where("sstag.corpus.formats.tokens:TOKENS"),
        "JSON lines of tokens and tags, which may be numbers (Hugging Face)",
        records=True,
        uses=("keys", "tag_names", "skip_bad"),
    ),
    "csv": FormatEntry(
        Where("sstag.corpus.formats.csv_rows:CSV"),
        "a token a row under a row of names, also with semicolons or tabs",
        ending=".csv",
        uses=("keys", "skip_bad"),
    ),
    "conll2012": FormatEntry(
        Where("sstag.corpus.formats.conll2012:CONLL2012"),
        "CoNLL-2012 (OntoNotes): names as brackets over the rows",
        documents=True,
        uses=SPANNED,
    ),
    "text": FormatEntry(
        Where("sstag.corpus.formats.prose:PROSE"),
        "prose, without labels: a file, or a folder of files .txt",
        documents=True,
        uses=("tokenize", "sentences", "pieces", "skip_bad"),
    ),
    "doccano": FormatEntry(
        Where("sstag.corpus.formats.doccano:DOCCANO"),
        "a JSON object for each text, with a list of spans (doccano, spaCy, Argilla, …)",
        documents=True,
        uses=(*SPANNED, "keys", "offsets", "annotators"),
    ),
    "label-studio": FormatEntry(
        Where("sstag.corpus.formats.label_studio:LABEL_STUDIO"),
        "Label Studio's JSON: tasks with annotations and predictions",
        documents=True,
        uses=(*SPANNED, "keys", "offsets", "annotators"),
    ),
    "prodigy": FormatEntry(
        Where("sstag.corpus.formats.prodigy:PRODIGY"),
        "Prodigy's JSON lines: texts with tokens, spans and answers",
        documents=True,
        uses=(*SPANNED, "keys", "annotators"),
    ),
    "brat": FormatEntry(
        Where("sstag.corpus.formats.brat:BRAT"),
        "a folder with .txt and .ann for each document",
        ending=".ann",
        documents=True,
        uses=(*SPANNED, "parted"),
    ),
    "webanno": FormatEntry(
        Where("sstag.corpus.formats.webanno:WEBANNO"),
        "WebAnno TSV 3.3 (INCEpTION): a document a file, or a folder of them",
        documents=True,
        uses=(*SPANNED, "keys"),
    ),
    "xmi": FormatEntry(
        Where("sstag.corpus.formats.xmi:XMI"),
        "UIMA CAS XMI (INCEpTION, DKPro), by the package dkpro-cassis",
        ending=".xmi",
        documents=True,
        tells_encoding=True,
        uses=(*SPANNED, "keys"),
    ),
    "spans": FormatEntry(
        Where("sstag.corpus.formats.spans:SPANS"),
        "JSON lines: texts with spans, their own texts and probabilities; read as doccano",
        reads=False,
        documents=True,
    ),
    "inline": FormatEntry(
        Where("sstag.corpus.formats.inline:INLINE"),
        "the text with marks in it: [Ann](PER 0.98) met",
        reads=False,
        documents=True,
    ),
    "html": FormatEntry(
        Where("sstag.corpus.formats.html_page:HTML"),
        "a page of the texts with coloured spans and how sure they are",
        reads=False,
        documents=True,
    ),
}
AUTO = "auto"  # stands for the format that a file tells
USUAL = "columns"  # the format of a file that does not tell another


@dataclass(frozen=True)
class Asked:
    """The formats that somebody names, and how texts become tokens with labels.

    Each file has the format that is named for it, or else for all, or else the one that it tells itself. An option is
    for the files whose format has a use for it: `beside` are the others of a command, of which one may have.
    """

    name: str | None = None
    options: TextOptions = field(default_factory=TextOptions)
    of_file: tuple[tuple[str, str], ...] = ()  # paths of files, each with its format
    beside: tuple[str, ...] = ()

    @property
    def in_utf8(self) -> "Asked":
        """The way to read a file that is in UTF-8 whatever the others are in."""
        return replace(self, options=replace(self.options, encoding=None))

    def named(self, path: str) -> str | None:
        """The format that is named for a file, or for all."""
        own = (name for pattern, name in self.of_file if pattern == path or fnmatchcase(path, pattern))
        return next(own, self.name)

    def among(self, paths: Iterable[str]) -> "Asked":
        """The way to read each of these files."""
        return replace(self, beside=tuple(paths))

    def for_files(self, paths: Sequence[str]) -> "Asked":
        """The way to read some of the files, without the options that none of these has a use for."""
        useless = [set(useless_options(format_of(path, self), self.options)) for path in paths]
        return replace(self, options=self.options.without(set.intersection(*useless) if useless else ()))

    def over(self, other: "Asked") -> "Asked":
        """The two as one: what this one says wins."""
        said = {one: getattr(self.options, one) for one in self.options.changed}
        of_file = {**dict(other.of_file), **dict(self.of_file)}
        return Asked(self.name or other.name, replace(other.options, **said), tuple(of_file.items()))


def as_asked(format: Asked | str | None) -> Asked:
    """Whatever a reader is asked for, if perhaps only a format is named."""
    return format if isinstance(format, Asked) else Asked(format)


def input_format(path: str, asked: Asked | str | None = None) -> InputFormat:
    """The format that a file is read in: the one that is named, or the one that its first bytes or its name tell."""
    asked = as_asked(asked)
    name = format_of(path, asked)
    if not (useless := useless_options(name, asked.options)):
        return _with_options(name, asked.options)
    others = {format_of(other, asked) for other in asked.beside if other != path}
    used = {one for other in others for one in useless if one not in useless_options(other, asked.options)}
    if wrong := next((one for one in useless if one not in used), None):
        fault = f"the format '{name}' has no use for {option_of(wrong)}"
        prose = name == USUAL and wrong in FORMATS["text"].uses and may_be_prose(head_of(path))
        raise ConfigError(f"{fault}; is this prose? {reads_it(path, 'text')}" if prose else fault)
    return _with_options(name, asked.options.without(used))


def format_of(path: str, asked: Asked) -> str:
    """The name of the format that a file is read in."""
    name = asked.named(path)
    if name is None or name == AUTO:
        name = guessed_format(path, asked.options.encoding)
    if name == "text" and is_parquet(path):  # whose rows are records of JSON
        name = "doccano"
    if name is None:
        name = next((one for one, entry in FORMATS.items() if entry.reads and is_called_as(path, one)), None)
    if name is None:
        name = "text" if is_prose(head_of(path, asked.options.encoding), path) else USUAL
    if name not in input_names():
        raise ConfigError(f"no format '{name}' can be read{nearest(name, input_names())}")
    return name


def document_input(path: str, asked: Asked) -> DocumentFormat | None:
    """The format of documents that a file is read in, if it is one."""
    made = input_format(path, asked)
    return cast(DocumentFormat, made) if hasattr(made, "documents") else None


def output_format(name: str) -> OutputFormat:
    """The format of this name, to write sentences in."""
    if name not in output_names() or FORMATS[name].documents:
        raise ConfigError(f"no format '{name}' can be written{nearest(name, output_names())}")
    return registered(cast(Where[OutputFormat], FORMATS[name].where))


def document_output(name: str, options: TextOptions) -> DocumentFormat:
    """The format of this name, to write documents in."""
    if name not in output_names() or not FORMATS[name].documents:
        raise ConfigError(f"no documents can be written as '{name}'{nearest(name, output_names())}")
    used = {one: getattr(options, one) for one in options.changed if one in FORMATS[name].uses}
    return cast(DocumentFormat, _with_options(name, TextOptions(**used)))


def _with_options(name: str, options: TextOptions) -> InputFormat:
    """The format of a name with these options; one that it has no use for is an error."""
    made: InputFormat = registered(cast(Where[InputFormat], FORMATS[name].where))
    if useless := useless_options(name, options):
        raise ConfigError(f"the format '{name}' has no use for {option_of(useless[0])}")
    has_options = options.changed and hasattr(made, "options")
    return cast(InputFormat, replace(cast(HasOptions, made), options=options)) if has_options else made


def useless_options(name: str, options: TextOptions) -> list[str]:
    """The choices that a format has no use for, by the names of their fields."""
    known = (*FORMATS[name].uses, *([] if FORMATS[name].tells_encoding else [ENCODING]))
    return [one for one in options.changed if one not in known]


def option_of(field_name: str) -> str:
    """The option of the command line that a field of `TextOptions` stands for."""
    return "--" + {"pieces": "documents", "parted": "discontinuous", "keys": "key"}.get(field_name, field_name).replace(
        "_", "-"
    )


def input_names() -> list[str]:
    """The names of the formats that can be read."""
    return [name for name, entry in FORMATS.items() if entry.reads]


def output_names() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name, entry in FORMATS.items() if entry.writes]


def document_names() -> list[str]:
    """The names of the formats in which documents can be written."""
    return [name for name, entry in FORMATS.items() if entry.writes and entry.documents]


def is_called_as(path: str, name: str) -> bool:
    """Whether the name of a file ends as those of a format do."""
    ending = FORMATS[name].ending
    return ending is not None and path.removesuffix(".gz").endswith(ending)
