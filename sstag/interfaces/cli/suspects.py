"""The search of `sstag check --suspect` for labels that may be wrong: they are ranked, and written open if asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

import click

from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import Asked as Source
from sstag.corpus.formats.jsonl import json_line
from sstag.corpus.layout import Layout
from sstag.corpus.reading import blocks_again, read
from sstag.features.adapted import fitted_to_file
from sstag.features.reading import load_template
from sstag.foundation.display import aligned
from sstag.foundation.errors import ConfigError, counted
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import shards
from sstag.foundation.ranges import sentence_of
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.width import for_stdout
from sstag.labels.marks import Marks
from sstag.labels.relabelling import with_labels
from sstag.selection.suspects import OutOfFold, doubtful_tokens, out_of_fold, with_doubted_open
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task

CONTEXT = 3  # words that are shown on each side


@dataclass(frozen=True)
class Asked:
    """The options of a search for wrong labels."""

    template: str
    method: str
    parameters: Mapping[str, Json]
    folds: int
    seed: int
    threads: int
    tokens: bool  # by token instead of by chunk
    most: int
    as_json: bool
    open_below: float | None
    target: str | None


@dataclass(frozen=True)
class _Suspect:
    """A place whose labels may be wrong."""

    line: int
    sentence: int
    words: str
    before: str
    after: str
    given: str
    suggested: str
    p_given: float
    p_suggested: float

    def said(self, path: str) -> dict[str, object]:
        """The suspect as a JSON object."""
        return {
            "file": path, "line": self.line, "sentence": self.sentence, "words": self.words, "given": self.given,
            "suggested": self.suggested, "probability of given": self.p_given,
            "probability of suggested": self.p_suggested,
        }  # fmt: skip


def search(path: str, said: Layout | None, source: Source, marks: Marks, asked: Asked) -> None:
    """Prints the suspects of a file, the surest first, and writes the file with open labels if asked.

    The columns are those that are said, or else the template's.
    """
    template = load_template(asked.template)
    template = template if said else fitted_to_file(template, path, source, labelled=True)
    layout = said or template.layout(path, source)
    corpus = read(path, layout)
    if template.label not in corpus.columns:
        raise ConfigError(f"{corpus.path}: no column '{template.label}', which the template names as the label")
    inputs = Inputs(template, corpus, marks=marks)
    task = Task(inputs, asked.method, completed(asked.method, asked.parameters), asked.seed)
    with ProgressLine() as line, shards(asked.threads) as over:
        run = Run(over, lambda progress: None, warn=line.say)
        found = out_of_fold(task, asked.folds, run, line.show)
    if asked.target and asked.open_below is not None:
        _write_open(path, layout, template.label, found, marks, asked.open_below, asked.target)
    some = list(islice(_tokens(found) if asked.tokens else _places(found), asked.most))
    if asked.as_json:
        for one in some:
            click.echo(json_line(one.said(corpus.path)), nl=False)
        return
    total = len(doubtful_tokens(found)) if asked.tokens else len(found.places)
    what = "token" if asked.tokens else "place"
    click.echo(for_stdout(_table(corpus, some, total, what, asked)))


def _table(corpus: Corpus, some: list[_Suspect], total: int, what: str, asked: Asked) -> str:
    head = f"{corpus.path}: {counted(total, what)} whose label models of the other {asked.folds - 1} folds doubt"
    rows = [("p(given)", "given", "suggested", "p", "line", "words")]
    rows += [
        (f"{one.p_given:.4f}", one.given, one.suggested, f"{one.p_suggested:.4f}", str(one.line),
         f"{one.before} [{one.words}] {one.after}".strip())
        for one in some
    ]  # fmt: skip
    lines = [head, *(f"  {line}" for line in aligned(rows, (1, 2, 5)))] if some else [head]
    if total > len(some):
        lines.append(f"  {total - len(some):,} more (--most {total} shows all)")
    return "\n".join(lines)


def _tokens(found: OutOfFold) -> Iterator[_Suspect]:
    """The tokens whose best label is not what is given."""
    for token in doubtful_tokens(found).tolist():
        yield _suspect(found, token, token, float(found.given[token]), float(found.best[token]))


def _places(found: OutOfFold) -> Iterator[_Suspect]:
    """The runs of tokens whose best labels are not what is given."""
    for (first, last), given, best in zip(
        found.places.tolist(), found.of_given.tolist(), found.of_best.tolist(), strict=True
    ):
        yield _suspect(found, first, last, given, best)


def _suspect(found: OutOfFold, first: int, last: int, p_given: float, p_best: float) -> _Suspect:
    text = found.text
    corpus = text.corpus
    sentence = sentence_of(corpus.offsets, first)
    begin, end = corpus.offsets[sentence : sentence + 2].tolist()
    place = corpus.word_column
    words = [corpus.values[place][code] for code in corpus.codes[place][begin:end].tolist()]
    inside = slice(first - begin, last + 1 - begin)
    written = [text.sets.written[code].value for code in text.codes[first : last + 1].tolist()]
    return _Suspect(
        line=int(corpus.lines[first]),
        sentence=sentence + 1,
        words=" ".join(words[inside]),
        before=" ".join(words[max(inside.start - CONTEXT, 0) : inside.start]),
        after=" ".join(words[inside.stop : inside.stop + CONTEXT]),
        given=_in_runs(written),
        suggested=_in_runs([found.labels[y] for y in found.found[first : last + 1].tolist()]),
        p_given=p_given,
        p_suggested=p_best,
    )


def _in_runs(labels: list[str]) -> str:
    """Labels one after another; three or more of a kind as `O ×3`."""
    groups = ((label, len(list(some))) for label, some in groupby(labels))
    return " ".join(f"{label} ×{count}" if count > 2 else " ".join([label] * count) for label, count in groups)


def _write_open(
    path: str, layout: Layout, label: str, found: OutOfFold, marks: Marks, below: float, target: str
) -> None:
    """Writes the file with doubted labels as sets, or open."""
    if marks.unknown is None:
        raise ConfigError("without a mark for it, an open label cannot be written (--mark unknown=…)")
    changes = with_doubted_open(found, below)
    texts = [one.value for one in found.text.sets.written]
    labels = [texts[code] for code in found.text.codes.tolist()]
    for token, names in changes:
        labels[token] = marks.unknown if names is None else marks.written(names)
    values = (text.encode() for text in labels)
    with output(target) as out:
        for block in blocks_again(path, layout, found.text.corpus.digest):
            mine = list(islice(values, len(block.rows)))
            out.write(with_labels(block, mine, label).text if mine else block.text)
    opened = sum(names is None for _, names in changes)
    click.echo(f"{target}: {counted(len(changes) - opened, 'label')} made sets, {opened:,} open", err=True)
