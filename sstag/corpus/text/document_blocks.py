"""Documents as blocks of columns: word, start, end, and a label column for each annotator.

Comments before the first sentence of a document tell its name and its text, so that the documents can be had back:

    # document = letter-1
    # text = "Ann Lee met Bob."
    Ann ⇥ 0 ⇥ 3 ⇥ B-PER
"""

import logging
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import PREDICTED
from sstag.corpus.made_blocks import Made, made_blocks
from sstag.corpus.sheets import DIVIDER, names_of_head, naming_comments
from sstag.corpus.text.document_comments import comments_of
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Spans
from sstag.corpus.text.faults import Faults
from sstag.corpus.text.options import TextOptions, names_list
from sstag.corpus.text.sentences import first_tokens, sentence_starts
from sstag.corpus.text.span_labels import BLANK, column_of
from sstag.corpus.text.span_tokens import CutError, Run, split_tokens, token_runs
from sstag.corpus.text.tokenizer import is_unseen, place_array
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import display_name

PLACES = ("word", "start", "end")
LABEL = "label"
MOST_TOKENS = 2**20  # of a sentence, which is held whole with all that is made of it: half a gigabyte
MOST_NAMES = 10  # that a message lists

log = logging.getLogger(__name__)


def label_columns(options: TextOptions) -> tuple[str, ...]:
    """The names of the label columns: one, or one for each annotator that is asked for."""
    if len(options.annotators) < 2:
        return (LABEL,)
    return tuple(names_of_head([f"{LABEL}{DIVIDER}{name}" for name in options.annotators]))


def document_blocks(
    faults: Faults,
    columns: Sequence[str],
    documents: Iterable[Document],
    options: TextOptions,
    stream: bool,
    labelled: bool = True,
    extra: Sequence[str] = (),
) -> Iterator[Block]:
    """The blocks of some documents; at the end it is said what became of spans that do not fit tokens."""
    counts: Counter[str] = Counter()
    path = display_name(faults.path)

    def sentences() -> Iterator[Made]:
        names = naming_comments(columns, columns[-1] if labelled else PREDICTED).splitlines()
        first: DataError | None = None  # of the documents with a span that cuts a token
        cut = 0
        for document in documents:
            try:
                for made in made_sentences(document, options, counts, extra):
                    cells = made.cells if labelled else made.cells[: len(PLACES)]
                    yield replace(made, cells=cells, comments=[*names, *made.comments])
                    names = []
            except DataError as error:
                placed = DataError(error.message, error.path or path, error.line or document.line)
                if isinstance(error, CutError) and not (stream or faults.lenient):
                    cut += 1
                    first = first or placed
                else:
                    faults.found(placed, document.raw)
        if first:
            more = f"; {counted(cut, 'document')} with such spans in all" if cut > 1 else ""
            raise DataError(first.message + more, first.path, first.line)

    yield from made_blocks(path, columns, sentences(), stream)
    for what, number in counts.items():
        if number:
            log.warning("%s: %s %s %s", path, counted(number, "span"), "is" if number == 1 else "are", what)


def tokenized(document: Document, options: TextOptions) -> Document:
    """The document with tokens and the places where its sentences begin, as the file or the options have them."""
    tokens = document.tokens
    if tokens is None or options.tokenize:
        tokens = place_array(document.text, options.tokenize or "rule")
    if options.cut == "split":
        tokens = split_tokens(tokens, [span for said in document.said for span in said.spans])
    starts = document.starts
    if starts is None or options.sentences:
        starts = sentence_starts(document.text, options.sentences or "rule")
    return replace(document, tokens=tokens, starts=starts)


def made_sentences(
    document: Document, options: TextOptions, counts: Counter[str], extra: Sequence[str] = ()
) -> Iterator[Made]:
    """The sentences of a document; the first has the comments that tell its name and its text."""
    text = document.text
    whole = tokenized(document, options)
    assert whole.tokens is not None
    assert whole.starts is not None
    tokens = whole.tokens
    runs = [token_runs(text, tokens, said.spans, options, counts) for said in said_by(document, options)]
    firsts = _uncut(first_tokens(whole.starts, tokens), runs)
    ends = [*firsts[1:], len(tokens)]
    labels = [
        column_of(own, len(tokens), ends, options.rest or said.rest or MANUAL, counts)
        for own, said in zip(runs, said_by(document, options), strict=True)
    ]
    comments = comments_of(document)
    if not tokens:
        yield Made(document.line, (), comments)
        return
    others = [document.columns[name] for name in extra]
    if others and any(len(column) != len(tokens) for column in others):
        raise DataError(f"{', '.join(extra)} is told of the file's own tokens: not with --tokenize or --cut split")
    has_blanks = " " in text
    for first, end in zip(firsts, ends, strict=True):
        if end - first > MOST_TOKENS:
            said = f"a sentence of {end - first:,} tokens, and {MOST_TOKENS:,} are the most (--sentences line or blank)"
            raise DataError(said, None, document.line)
        here = tokens[first:end]  # of one sentence at a time, since a document may have millions
        words = [text[start:stop] for start, stop in here]
        if has_blanks and any(" " in word for word in words):
            words = [word.replace(" ", BLANK) for word in words]
        places = [[str(start) for start, _ in here], [str(stop) for _, stop in here]]
        del here
        cells = [words, *places, *(column[first:end] for column in (*others, *labels))]
        yield Made(document.line, cells, comments)
        comments = []


def said_by(document: Document, options: TextOptions) -> list[Spans]:
    """The spans of each annotator that is asked for; one who says nothing leaves every token open."""
    said = document.said
    if not options.annotators:
        if len(said) > 1:
            names = shlex.quote(names_list([one.by for one in said]))
            raise DataError(f"{len(said)} annotations (--annotators {names} makes a column of each)")
        return [*said] or [Spans((), rest=OPEN)]
    by_name = {one.by: one for one in said}
    return [by_name.get(name, Spans((), name, OPEN)) for name in options.annotators]


def annotated_by(documents: Iterable[Document], wanted: Sequence[str], path: str) -> Iterator[Document]:
    """Documents of a file; at the end it is said which of the annotators who are asked for annotated none of them."""
    found = dict[str, None]()
    for document in documents:
        found.update(dict.fromkeys(said.by for said in document.said if said.by))
        yield document
    if missing := [name for name in wanted if name not in found]:
        there = f"its annotators: {', '.join([*found][:MOST_NAMES])}" if found else "no text names who annotated it"
        message = f"nothing is annotated by {', '.join(missing[:MOST_NAMES])} ({there})"
        if len(missing) == len(wanted):
            raise DataError(message, path)
        log.warning("%s: %s", path, message)


def _uncut(firsts: Sequence[int], runs: Sequence[Sequence[Run]]) -> list[int]:
    """The first tokens of sentences, without those that stand within a span: it goes on there."""
    inner = {
        token for own in runs for run in own if run.stop - run.first > 1 for token in range(run.first + 1, run.stop)
    }
    return [first for first in firsts if first not in inner]


def trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    """The characters start:stop without blanks and unseen characters at either end."""
    while start < stop and is_unseen(text[start]):
        start += 1
    while start < stop and is_unseen(text[stop - 1]):
        stop -= 1
    return start, stop
