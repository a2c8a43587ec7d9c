"""All answered texts of a project in any format, also while somebody annotates."""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from sstag.corpus.formats import document_names, document_output, output_format
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.sheets import naming_comments
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Spans
from sstag.corpus.text.documents import Span as Characters
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.saving import save_documents
from sstag.corpus.text.sentence_heads import with_heads
from sstag.corpus.text.span_labels import BLANK
from sstag.foundation.errors import DataError
from sstag.foundation.files import output
from sstag.interfaces.annotate.knowledge import Knowledge, Known, knowledge, merged_columns, settled
from sstag.interfaces.annotate.lessons import LABEL, listed_lines, rows_of, span_line
from sstag.interfaces.annotate.project import DATABASE, Settings, is_project, settings_in
from sstag.interfaces.annotate.records import Text
from sstag.interfaces.annotate.rows import connected
from sstag.interfaces.annotate.saying import Said, Span, column

OF_EACH = ("label-studio", "prodigy", "text")  # document formats that have room for what each annotator sees


@dataclass(frozen=True)
class Answers:
    """All that is known of a project, and how its labels are written."""

    settings: Settings
    known: Knowledge

    @property
    def texts(self) -> list[Known]:
        """The texts of which something is known."""
        return [one for one in self.known.texts.values() if one.whole() or settled(one)]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that all texts have."""
        every = [tuple(one.text.columns) for one in self.texts]
        return tuple(name for name in (every[0] if every else ()) if all(name in names for names in every))


def answers_of(folder: str) -> Answers:
    """The answers of a project, which may be open elsewhere."""
    if not is_project(folder):
        raise DataError("there is no project in it", folder)
    try:
        with closing(connected(os.path.join(folder, DATABASE), read_only=True)) as file:
            file.execute("begin")
            settings = settings_in(
                {row["name"]: json.loads(row["value"]) for row in file.execute("select * from setting")}
            )
            return Answers(settings, knowledge(file))
    except sqlite3.DatabaseError as error:
        raise DataError(f"cannot be read as a project: {error}", folder) from error


def export(answers: Answers, form: str, target: str) -> None:
    """Writes all answered texts in a format."""
    if not answers.texts:
        raise DataError("nothing is answered yet: there is nothing to export")
    if form in document_names():
        save_documents(_documents(answers, form in OF_EACH), document_output(form, TextOptions()), target)
        return
    with output(target) as out:
        for piece in _columns(answers, form):
            out.write(piece)


def rejected_lines(answers: Answers) -> Iterator[str]:
    """The rejected spans of texts that were not answered as a whole, as `sstag train --rejected` takes them."""
    for number, one in enumerate(answers.texts, 1):
        if not one.whole():
            for verdict in settled(one):
                if verdict.answer == "no":
                    for kind in verdict.span.labels:
                        yield span_line(number, verdict.span, kind, verdict.answer)


def expectation_lines(answers: Answers) -> list[str]:
    """The labels of words and features as lines of a list that `sstag train --expectations` takes."""
    return listed_lines(answers.settings, answers.known)


def _columns(answers: Answers, form: str) -> Iterator[bytes]:
    """The texts as tokens with labels."""
    names = answers.names
    lines = [naming_comments((*names, LABEL), LABEL)]
    lines += [rows_of(one.text, names, labels_of(one, answers.settings)) for one in answers.texts]
    sheet = "".join(lines).encode()
    if form == "columns":
        yield sheet
        return
    writer = output_format(form)
    for block in with_heads(read_blocks("the answers", Layout((*names, LABEL), LABEL), data=[sheet])):
        yield writer.text(block, block.columns if block.columns else ())


def labels_of(one: Known, settings: Settings) -> list[str]:
    """The label column of a text: what nobody said anything of is open, and what annotators differ in is `A|B`."""
    length = len(one.text.tokens)
    if whole := one.whole():
        every = [column(said, length, settings.scheme, settings.outside) for said in whole]
        return merged_columns(every, settings.tags)
    spans = [verdict.span for verdict in settled(one) if verdict.answer == "yes"]
    said = Said(tuple(sorted(spans, key=lambda span: span.first)))
    return column(said, length, settings.scheme, OPEN)


def _documents(answers: Answers, of_each: bool) -> Iterator[Document]:
    """The texts with spans of characters; where annotators differ, with those of each, or with what all of them see."""
    for one in answers.texts:
        text, places = laid_out(one.text)
        if one.decided or len(one.whole()) == 1:
            said = [_spans("", one.whole()[0], places)]
        elif one.said and of_each:
            said = [_spans(name, each, places) for name, (_, each) in one.said.items()]
        elif one.said:
            said = [_common([_spans("", each, places) for each in one.whole()])]
        else:
            verdicts = settled(one)
            spans = [_characters(verdict.span, places, verdict.answer == "yes") for verdict in verdicts]
            said = [Spans(tuple(sorted(spans, key=lambda span: span.start)), "", OPEN)]
        yield Document(one.text.hash, text, tuple(said), 1, places, [0])


def _spans(by: str, said: Said, places: Sequence[tuple[int, int]]) -> Spans:
    rest = OPEN if said.open or said.forbidden or said.rejected else MANUAL
    both = [(span, True) for span in said.spans] + [(span, False) for span in said.rejected]
    both.sort(key=lambda one: one[0].first)
    return Spans(tuple(_characters(span, places, accepted) for span, accepted in both), by, rest)


def _common(every: Sequence[Spans]) -> Spans:
    """The spans in which annotators agree; one that each calls otherwise is one of these, the rest is open."""
    labels: dict[tuple[int, int, bool], list[tuple[str, ...]]] = {}
    for said in every:
        for span in said.spans:
            labels.setdefault((span.start, span.stop, span.accepted), []).append(span.labels)
    common = [
        Characters(start, stop, tuple(dict.fromkeys(label for one in given for label in one)), accepted=accepted)
        for (start, stop, accepted), given in sorted(labels.items())
        if len(given) == len(every)
    ]
    is_all = len(common) == len(labels) and all(said.rest == MANUAL for said in every)
    return Spans(tuple(common), "", MANUAL if is_all else OPEN)


def _characters(span: Span, places: Sequence[tuple[int, int]], accepted: bool = True) -> Characters:
    return Characters(places[span.first][0], places[span.stop - 1][1], span.labels, accepted=accepted)


def laid_out(text: Text) -> tuple[str, list[tuple[int, int]]]:
    """The words of a text one after another, with a blank between two that are not joined, and where each stands."""
    joined = set(text.joined or ())
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    end = 0
    for token, word in enumerate(text.tokens):
        if token and token not in joined:
            pieces.append(" ")
            end += 1
        pieces.append(word.replace(BLANK, " "))
        places.append((end, end + len(word)))
        end += len(word)
    return "".join(pieces), places
