"""Files to learn from, as `sstag train` takes them: sentences with labels, raw text, spans and features.

answers.txt   texts that were answered as a whole, or with `A|B` about a span; everything else in those is open
raw.txt       first the texts of which single spans are known, then raw text if method, list or template needs it
spans.tsv     these spans: sentence, first token, last token, type or !type
list.tsv      features with labels or shares
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sstag.corpus.sheets import naming_comments
from sstag.corpus.text.json_keys import a_list, an_object
from sstag.features.reading import load_template
from sstag.foundation.errors import DataError
from sstag.foundation.files import output
from sstag.interfaces.annotate.knowledge import Knowledge, Known, Line, Verdict, merged_columns, settled
from sstag.interfaces.annotate.pool import Pool
from sstag.interfaces.annotate.ranking import DRAWN, sample
from sstag.interfaces.annotate.records import Text
from sstag.interfaces.annotate.saying import OPEN, OUTSIDE, PLAIN, Said, Span, column, with_rejected
from sstag.interfaces.annotate.settings import Settings
from sstag.labels.schemes.tagset import labels_of_types
from sstag.training.methods import METHODS

ANSWERS, RAW, SPANS, LIST = "answers.txt", "raw.txt", "spans.tsv", "list.tsv"
RAW_TEXTS = 2_000  # beside those that were answered
COUNTED_TEXTS = DRAWN  # where raw text is only counted, by the first look of a template with predicted(…)
SMOOTHING = 1.0
PARTIAL, EXPECTATION = "partial", "expectation"


class Source(Protocol):
    """The texts of a project and the choices that it was begun with."""

    @property
    def settings(self) -> Settings: ...
    @property
    def pool(self) -> Pool: ...


@dataclass(frozen=True)
class Files:
    """The files of a training as options of `sstag train`, and how many noes they cannot hold."""

    options: list[str]
    lost: int


def written(project: Source, known: Knowledge, folder: str) -> Files:
    """Writes all that is known into a folder."""
    settings = project.settings
    names = tuple(project.pool.parts[0].corpus.columns)
    head = naming_comments((*names, LABEL), LABEL)
    answers, spans, about, lost = list[str](), list[str](), list[Text](), 0
    for one in known.texts.values():
        if whole := one.whole():
            columns = [column(said, len(one.text.tokens), settings.scheme, settings.outside) for said in whole]
            answers.append(rows_of(one.text, names, merged_columns(columns, settings.tags)))
            continue
        verdicts = settled(one)
        if not verdicts:
            continue
        if any(verdict.answer == "yes" and len(verdict.span.labels) > 1 for verdict in verdicts):
            labels, left = answered_column(verdicts, len(one.text.tokens), settings.scheme)
            answers.append(rows_of(one.text, names, labels))
            lost += left
            continue
        about.append(one.text)
        for verdict in verdicts:
            spans += [span_line(len(about), verdict.span, kind, verdict.answer) for kind in verdict.span.labels]
    paths = {name: os.path.join(folder, name) for name in (ANSWERS, RAW, SPANS, LIST)}
    options: list[str] = []
    method = method_of(settings.train)
    if answers or spans:
        is_decided = (
            method in METHODS and not METHODS[method].undecided
        )  # it refuses tokens that may have several labels
        _write(paths[ANSWERS], [head, *([] if is_decided else [_all_tags(project)]), *answers])
        options += ["--train", paths[ANSWERS]]
    if known.lines:
        _write(paths[LIST], listed_lines(settings, known))
        options += ["--expectations", paths[LIST]]
    if method is None:
        options += ["--method", EXPECTATION if known.lines else PARTIAL]
    if spans:
        _write(paths[SPANS], spans)
        options += ["--rejected", paths[SPANS]]
    raw = [rows_of(text, names) for text in about]
    learned = (
        known.lines or "--labeled-features" in settings.train or (method in METHODS and METHODS[method].unlabelled)
    )
    looked_at = load_template(settings.template).predicted and "--unlabeled" not in settings.train
    if learned or looked_at:
        drawn = sample(project.pool, RAW_TEXTS if learned else COUNTED_TEXTS, np.random.default_rng(0), known.texts)
        raw += [rows_of(project.pool.text(number), names) for number in drawn.numbers.tolist()]
    if raw:
        _write(paths[RAW], [naming_comments(names, PREDICTED), *raw])
        options += ["--unlabeled", paths[RAW]]
    return Files(["--template", settings.template, *options, *settings.train], lost)


def answered_column(verdicts: Sequence[Verdict], tokens: int, scheme: str) -> tuple[list[str], int]:
    """The label column of a text of which single spans were answered, and how many noes it has no room for."""
    yes, no = (
        sorted((one.span for one in verdicts if one.answer == answer), key=lambda span: (span.first, span.stop))
        for answer in ("yes", "no")
    )
    labels = column(Said(tuple(yes)), tokens, scheme, OPEN)
    return labels, with_rejected(labels, no, scheme)


def columns_by_annotator(known: Known, settings: Settings) -> dict[str, list[str]]:
    """The label column of each annotator about a text; a token is open to somebody who said nothing of it."""
    length = len(known.text.tokens)
    every = known.by_annotator().items()
    columns = {name: column(said, length, settings.scheme, settings.outside) for name, said in every}
    for name in {verdict.annotator for verdict in known.verdicts} - columns.keys():
        if verdicts := settled(known.only([name])):
            columns[name] = answered_column(verdicts, length, settings.scheme)[0]
    return columns


def answered_texts(project: Source, known: Knowledge) -> tuple[list[str], list[str]]:
    """The hashes of the texts that were answered as a whole, and the lines of a file of them."""
    settings, names = project.settings, tuple(project.pool.parts[0].corpus.columns)
    hashes, lines = list[str](), [naming_comments((*names, LABEL), LABEL), _all_tags(project)]
    for one in known.texts.values():
        if whole := one.whole():
            columns = [column(said, len(one.text.tokens), settings.scheme, settings.outside) for said in whole]
            hashes.append(one.text.hash)
            lines.append(rows_of(one.text, names, merged_columns(columns, settings.tags)))
    return hashes, lines


LABEL, PREDICTED = "label", "predicted"


def method_of(options: Sequence[str]) -> str | None:
    """The method that options of `sstag train` name."""
    return options[options.index("--method") + 1] if "--method" in options else None


def rows_of(text: Text, names: Sequence[str], labels: Sequence[str] | None = None) -> str:
    """A text as lines of a column file."""
    columns = [text.columns[name] for name in names]
    rows = zip(*columns, *([labels] if labels is not None else []), strict=True)
    return "".join("\t".join(row) + "\n" for row in rows) + "\n"


def _all_tags(project: Source) -> str:
    """A token that may have any tag, each by its name: so a model knows those, too, that nobody has given yet.

    A token that may have any label changes no likelihood.
    """
    text = project.pool.text(0)
    first = Text(text.hash, {name: cells[:1] for name, cells in text.columns.items()}, text.word)
    return rows_of(first, tuple(text.columns), ["|".join(project.settings.tags)])


def span_line(sentence: int, span: Span, kind: str, answer: str) -> str:
    """A line of a list of spans, for a yes or a no."""
    return f"{sentence}\t{span.first + 1}\t{span.stop}\t{'!' if answer == 'no' else ''}{kind}\n"


def listed_lines(settings: Settings, known: Knowledge) -> list[str]:
    """The lines of the list of features; a label is all of its tags, with shares as answered texts have them."""
    ratios = _ratios(settings, known)
    return [f"{line.feature}\t{_target(line, ratios)}\n" for line in known.lines.values()]


def _target(line: Line, ratios: dict[str, list[tuple[str, float]]]) -> str:
    named = [str(label) for label in a_list(line.said.get("labels", []), "labels")]
    shares = an_object(line.said.get("shares", {}), "shares")
    if unknown := next((label for label in (*named, *shares) if label not in ratios), None):
        raise DataError(f"'{line.feature:.60}' has the label '{unknown:.40}', and the project has none of this name")
    if named:
        tags = [tag for label in named for tag, _ in ratios[label]]
        return " ".join(sorted(tags, key=lambda tag: tag.endswith(",")))  # at the end none reads as a comma between
    return " ".join(
        f"{tag}:{float(str(share)) * ratio:.6f}" for label, share in shares.items() for tag, ratio in ratios[label]
    )


def _ratios(settings: Settings, known: Knowledge) -> dict[str, list[tuple[str, float]]]:
    """The tags of each label with the share that each has among the answered tokens of that label."""
    counts: Counter[str] = Counter()
    for one in known.texts.values():
        for said in one.whole():
            counts.update(column(said, len(one.text.tokens), settings.scheme, settings.outside))
    result = {}
    for label in (*settings.labels, OUTSIDE):
        tags = [OUTSIDE] if label == OUTSIDE and settings.scheme != PLAIN else labels_of_types([label], settings.scheme)
        weights = [counts[tag] + SMOOTHING for tag in tags]
        result[label] = [(tag, weight / sum(weights)) for tag, weight in zip(tags, weights, strict=True)]
    return result


def _write(path: str, texts: Iterable[str]) -> None:
    with output(path) as out:
        for text in texts:
            out.write(text.encode())
