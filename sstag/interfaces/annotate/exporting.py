"""All answered texts of a project in any format, also while somebody annotates."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property

from sstag.corpus.formats import document_names, document_output, output_format
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.sheets import DIVIDER, names_of_head, naming_comments
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import FROM, Head, name_text
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Spans
from sstag.corpus.text.documents import Span as Characters
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.saving import save_documents
from sstag.corpus.text.sentence_heads import SENT_ID, with_heads
from sstag.corpus.text.span_labels import BLANK
from sstag.foundation.errors import DataError, counted, nearest
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.checking import check_rows
from sstag.interfaces.annotate.connecting import check_file, connected, told_plainly
from sstag.interfaces.annotate.inside import DATABASE, check_folder
from sstag.interfaces.annotate.knowledge import Knowledge, Known, Verdict, knowledge, merged_columns, settled
from sstag.interfaces.annotate.lessons import LABEL, columns_by_annotator, listed_lines, span_line
from sstag.interfaces.annotate.project import is_project, no_project
from sstag.interfaces.annotate.records import Provenance, Text
from sstag.interfaces.annotate.rows import stored_settings
from sstag.interfaces.annotate.saying import Said, Span, column
from sstag.interfaces.annotate.settings import Settings, settings_in
from sstag.knowledge.feature_steps import is_about_steps

OF_EACH = ("label-studio", "prodigy", "text")  # document formats that have room for what each annotator sees


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answers:
    """All that is known of a project, and how its labels are written."""

    settings: Settings
    known: Knowledge

    @cached_property
    def texts(self) -> list[Known]:
        """The texts of which something is known."""
        return [one for one in self.known.texts.values() if one.whole() or settled(one)]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that all texts have."""
        every = [tuple(one.text.columns) for one in self.texts]
        return tuple(name for name in (every[0] if every else ()) if all(name in names for names in every))

    @property
    def annotators(self) -> list[str]:
        """Everybody who said something of a text."""
        return sorted({name for one in self.known.texts.values() for name in speakers(one)})

    def only(self, annotators: Sequence[str]) -> "Answers":
        """The answers of these annotators, whatever was decided."""
        if unknown := next((name for name in annotators if name not in self.annotators), None):
            hint = nearest(unknown, self.annotators) if self.annotators else ", and neither has anybody else"
            raise DataError(f"'{unknown:.40}' has annotated nothing{hint}")
        texts = {hash: one.only(annotators) for hash, one in self.known.texts.items()}
        return replace(self, known=replace(self.known, texts=texts))


def speakers(one: Known) -> list[str]:
    """The annotators who said something of a text or of its spans."""
    return [*dict.fromkeys([*one.said, *(verdict.annotator for verdict in one.verdicts if verdict.answer != "skip")])]


def answers_of(folder: str) -> Answers:
    """The answers of a project, which may be open elsewhere."""
    if not is_project(folder):
        raise no_project(folder)
    check_folder(folder)
    path = os.path.join(folder, DATABASE)
    with told_plainly(path), closing(connected(path, read_only=True)) as file:
        file.execute("begin")
        check_file(file)
        check_rows(file, path)
        return Answers(settings_in(stored_settings(file)), knowledge(file))


def export(answers: Answers, form: str, target: str, together: bool = False) -> None:
    """Writes all answered texts in a format: what each annotator says, or `together`, one annotation of each text."""
    if not answers.texts:
        raise DataError("nothing is answered yet: there is nothing to export")
    if form not in document_names():
        with output(target) as out:
            for piece in _columns(answers, form, together):
                out.write(piece)
        return
    is_of_each = form in OF_EACH and not together
    _say_left_out(answers, form, is_of_each, together)
    save_documents(_documents(answers, is_of_each), document_output(form, TextOptions()), target)


def _say_left_out(answers: Answers, form: str, is_of_each: bool, together: bool) -> None:
    """Says what a document format has no room for beside what is written."""
    decided = sum(one.decided is not None for one in answers.texts)
    several = sum(len(speakers(one)) > 1 for one in answers.texts)
    if is_of_each and decided:
        log.warning("not written: %s, beside what each annotator says (--together)", counted(decided, "decision"))
    elif several and not (is_of_each or together or form == "text"):
        texts = f"{counted(several, 'text')} of several annotators"
        log.warning(
            "%s has no names of annotators: %s as decided, or as all of them see it (--annotators)", form, texts
        )


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
    lines = listed_lines(answers.settings, answers.known)
    if wrong := next((line for line in lines if is_about_steps(line.rstrip("\n").split("\t")[1:])), None):
        feature = wrong.split("\t")[0]
        raise DataError(f"'{feature:.60}': a share of a label A>B, or same, is one of steps: rename the label")
    return lines


def _columns(answers: Answers, form: str, together: bool) -> Iterator[bytes]:
    """The texts as tokens with labels: a column of each annotator if there are several, and the label of all last."""
    names, annotators = answers.names, [] if together else answers.annotators
    annotators = annotators if len(annotators) > 1 else []
    places = PLACES[1:] if all(has_text(one.text) for one in answers.texts) else ()
    columns = names_of_head([*names, *places, *(f"{LABEL}{DIVIDER}{name}" for name in annotators), LABEL])
    lines = [naming_comments(columns, LABEL)]
    for one in answers.texts:
        lines += [f"{comment}\n" for comment in _comments(one.text, form, bool(places))]
        cells = [one.text.columns[name] for name in names]
        if places:
            begin, (_, every) = one.text.origin.begin, laid_out(one.text)
            cells += [[str(begin + place[end]) for place in every] for end in (0, 1)]
        by_name = columns_by_annotator(one, answers.settings) if annotators else {}
        cells += [by_name.get(name, [OPEN] * len(one.text.tokens)) for name in annotators]
        lines += ["\t".join(row) + "\n" for row in zip(*cells, labels_of(one, answers.settings), strict=True)]
        lines.append("\n")
    sheet = "".join(lines).encode()
    if form == "columns":
        yield sheet
        return
    writer = output_format(form)
    for block in with_heads(read_blocks("the answers", Layout(tuple(columns), LABEL), data=[sheet])):
        yield writer.text(block, block.columns if block.columns else ())


def _comments(text: Text, form: str, is_placed: bool) -> list[str]:
    """The comments that say the name of a text and its characters; CoNLL-U calls it a sentence, not a document."""
    origin = text.origin if is_placed else Provenance()
    head = Head(name=text.name, text=origin.text, begin=origin.begin, more=_more(text))
    if form != "conllu":
        return head.comments
    of_text = [f"{FROM}{head.begin}", *head.of_text[-1:]] if is_placed else []  # a text before began elsewhere
    return [*of_text, SENT_ID + name_text(text.name)]


def _more(text: Text) -> dict[str, Json]:
    """The further names of a text, as another key of its record."""
    return {"also": [*text.origin.names[1:]]} if len(text.origin.names) > 1 else {}


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
    """The texts with spans of characters: what each annotator says, or what was decided, or what all of them see."""
    for one in answers.texts:
        text, places = laid_out(one.text)
        if of_each:
            said = [_spans(name, each, places) for name, each in one.by_annotator().items()]
            others = [name for name in speakers(one) if name not in one.said]
            said += [_verdicts(name, mine, places) for name in others if (mine := settled(one.only([name])))]
        elif one.decided or len(one.whole()) == 1:
            said = [_spans("", one.whole()[0], places)]
        elif one.said:
            said = [_common([_spans("", each, places) for each in one.whole()])]
        else:
            said = [_verdicts("", settled(one), places)]
        yield Document(one.text.name, text, tuple(said), 1, places, [0], more=_more(one.text))


def _verdicts(by: str, verdicts: Sequence[Verdict], places: Sequence[tuple[int, int]]) -> Spans:
    """The single spans of a text that somebody said yes or no to."""
    spans = [_characters(verdict.span, places, verdict.answer == "yes") for verdict in verdicts]
    return Spans(tuple(sorted(spans, key=lambda span: span.start)), by, OPEN)


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


def has_text(text: Text) -> bool:
    """Whether it is known where the words of a text stand in its characters; what a file says wrongly is not."""
    origin = text.origin
    if origin.text is None or origin.starts is None or len(origin.starts) != len(text.tokens):
        return False
    end = 0
    for word, start in zip(text.tokens, (start - origin.begin for start in origin.starts), strict=True):
        if start < end or origin.text[start : start + len(word)].replace(" ", BLANK) != word.replace(" ", BLANK):
            return False
        end = start + len(word)
    return True


def laid_out(text: Text) -> tuple[str, list[tuple[int, int]]]:
    """The characters of a text, and where each word stands in them.

    If they are not known, the words stand one after another, with a blank between two that are not joined.
    """
    origin = text.origin
    if has_text(text) and origin.text is not None and origin.starts is not None:
        starts = [start - origin.begin for start in origin.starts]
        return origin.text, [(start, start + len(word)) for start, word in zip(starts, text.tokens, strict=True)]
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
