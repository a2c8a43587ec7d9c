"""The template for sentences where nobody names one: which of those that come with sstag, and lines for other columns.

The first sentences decide, by the first of these rules that holds:

    characters   nine of ten tokens are one character
    records      nearly every token is in a field, and a sentence has each of its fields once, in one piece
    words        labels are spans of words: a scheme of tags, or one label that most tokens have
    morphology   the ending of a word tells its label better than the most frequent label does
    words        else

Other columns of a file that names none, such as parts of speech, get the lines of `chunking` if they have few values.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read_blocks
from sstag.features.adapted import adapted
from sstag.features.proposals import with_files
from sstag.features.reading import template
from sstag.features.shipped import shipped_names, shipped_path
from sstag.features.template import Template
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.documents import load_text
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, inflated_start
from sstag.foundation.ranges import row_of_each
from sstag.foundation.streams import is_stream, looked
from sstag.labels.column import annotation
from sstag.labels.marks import Marks, marks_in
from sstag.labels.schemes.rules import UNDECIDED, scheme_name
from sstag.labels.schemes.tagset import Tagset, chunk_bounds

SENTENCES = 1000  # that are looked at
STREAM = 2**22  # bytes of a stream that are looked at
WORDS, RECORDS, MORPHOLOGY, CHARACTERS = "words", "records", "morphology", "characters"
CHARACTER_TEMPLATES = (CHARACTERS, "letters", "segmentation")
OF_WORDS = (
    "predicted(lower({0}[-1..1]))", "predicted(suffix(lower({0}[0]), 2..4))", "predicted(prefix(lower({0}[0]), 2..4))",
    "predicted(short_shape({0}[0]))",
)  # fmt: skip
OF_CHARACTERS = ("predicted({0}[-1..1])", "predicted({0}[-1] | {0}[0])", "predicted({0}[0] | {0}[1])")
SINGLE = 0.9  # of the tokens are one character
DOMINANT = 0.5  # of the tokens: a label that stands for "nothing here"
INSIDE = 0.8  # of the tokens: fields leave few out
PIECES = 1.1  # in which a label stands in a sentence that has it, on average
TOLD = 0.05  # of the words whose label is not the most frequent one are told by their endings
ENDING, LETTERS = 2, 4  # of a word that has so many letters
VALUES, TOKENS_EACH = 100, 3  # of another column: how many at most, and tokens for each at least
COLUMN_LINES = (
    "{0}[-2..2]", "{0}[-2] | {0}[-1]", "{0}[-1] | {0}[0]", "{0}[0] | {0}[1]", "{0}[1] | {0}[2]",
    "{0}[-2] | {0}[-1] | {0}[0]", "{0}[-1] | {0}[0] | {0}[1]", "{0}[0] | {0}[1] | {0}[2]",
)  # fmt: skip
HEAD = re.compile(r"^features:[ ]*$", re.MULTILINE)


@dataclass(frozen=True)
class Choice:
    """A template for some sentences, the name of the one that it is made of, and the reason."""

    template: Template
    name: str
    why: str
    word: str  # the column of words
    others: tuple[str, ...]  # columns besides words and label that it looks at

    @property
    def predicts(self) -> tuple[str, ...]:
        """The lines that ask for what a first model predicts in raw text."""
        return OF_CHARACTERS if self.of_characters else OF_WORDS

    @property
    def of_characters(self) -> bool:
        return self.name in CHARACTER_TEMPLATES


@dataclass(frozen=True, eq=False)
class Sample:
    """The first sentences of a text, and how it is read."""

    corpus: Corpus
    layout: Layout
    marks: Marks


def sample_of_file(path: str, asked: Asked | str | None, labelled: bool) -> Sample:
    """The first sentences of a file; a stream is only looked at."""
    layout = layout_for(path, unlabelled=not labelled, format=asked)
    corpus = _first_sentences(path, layout)
    return Sample(corpus, layout, marks_in(layout.format))


def choice_for(sample: Sample, name: str | None = None) -> Choice:
    """The template for sentences, or the one of a name, with lines for other columns."""
    corpus = sample.corpus.part(slice(0, min(sample.corpus.sentences, SENTENCES)))
    label = sample.layout.label if sample.layout.label in corpus.columns else None
    kind, why = (name, "it is named") if name else _kind(corpus, label, sample.marks)
    path = shipped_path(kind)
    fixed = sample.layout.format.fixed
    layout = sample.layout if fixed else replace(sample.layout, names=corpus.columns)
    others = () if fixed else tuple(_columns_of_few_values(corpus, label))
    text = adapted(load_text(path), path, corpus.columns, layout).text
    text = with_lines(text, [line.format(column) for column in others for line in COLUMN_LINES])
    return Choice(template(text, path), kind, why, corpus.columns[corpus.word_column], others)


def choices_for(sample: Sample, several: bool = False, encoder: str | None = None) -> list[Choice]:
    """The template for sentences, and after it, if several are to be tried, all others for texts like these."""
    first = choice_for(sample)
    others = (
        one for one in shipped_names() if one != first.name and (one in CHARACTER_TEMPLATES) == first.of_characters
    )
    made = [first, *(choice_for(sample, name) for name in others if several)]
    return [_with_encoder(one, encoder) for one in made] if encoder else made


def _with_encoder(choice: Choice, encoder: str) -> Choice:
    """The choice with an encoder, a folder or a name in the hub's cache."""
    text = with_files(choice.template.text, choice.name, [], [], [encoder], os.curdir)
    return replace(choice, template=template(text, choice.name))


def with_lines(text: str, lines: Iterable[str]) -> str:
    """A template with more lines before its features, but for those that it has."""
    own = {line.strip().removeprefix("- ") for line in text.split("\n")}
    added = "".join(f"\n  - {line}" for line in lines if line not in own)
    return HEAD.sub(lambda found: found[0] + added, text, count=1)


def _first_sentences(path: str, layout: Layout) -> Corpus:
    data = None
    if is_stream(path):
        head = inflated_start(looked(path, lambda data: len(inflated_start(data, STREAM)) >= STREAM), STREAM)
        data = [head if len(head) < STREAM else head[: head.rfind(b"\n") + 1] or head]
    blocks, sentences = [], 0
    try:
        for block in read_blocks(path, layout, data=data):
            blocks.append(block)
            sentences += len(block.offsets) - 1
            if sentences >= SENTENCES:
                break
    except DataError:
        if not blocks:
            raise
    if not sentences:
        raise DataError("no sentence in it", display_name(path))
    return joined([block for block in blocks if block.columns], path)


def _kind(sample: Corpus, label: str | None, marks: Marks) -> tuple[str, str]:
    """The name of the template for some sentences, and the reason."""
    words, codes = sample.values[sample.word_column], sample.codes[sample.word_column]
    single = np.array([len(word) == 1 for word in words])
    if single[codes].mean() >= SINGLE:
        return CHARACTERS, "a token is one character"
    if label is None:
        return WORDS, "there are no labels to look at"
    place = sample.column(label)
    read = annotation(sample.values[place], sample.codes[place], sample.offsets, marks, None)
    labels = read.single[sample.codes[place]]
    times = np.bincount(labels[labels != UNDECIDED], minlength=1)
    if not times.any():
        return WORDS, "no label is decided"
    if _are_fields(read.tags, labels, sample.offsets):
        return RECORDS, "labels are fields: each stands once in a sentence"
    if read.tags.scheme != "plain":
        return WORDS, f"labels are spans of words, {scheme_name(read.tags.scheme)}"
    share, most = times.max() / times.sum(), read.sets.labels[int(times.argmax())]
    if share >= DOMINANT:
        return WORDS, f"{share:.0%} of the labels are {most}"
    told = _told_by_endings([word.lower() for word in words], codes, labels)
    if told >= TOLD:
        return MORPHOLOGY, "every word has a label, and endings tell it"
    return WORDS, "every word has a label, and endings do not tell it"


def _are_fields(tags: Tagset, labels: Ints, offsets: Longs) -> bool:
    """Whether nearly all tokens are in pieces of a type, and a sentence has one piece of each of its types."""
    inside, kinds, (begins, _) = tags.inside[labels], tags.type[labels], chunk_bounds(tags, labels, offsets)
    if inside[labels != UNDECIDED].mean() < INSIDE:
        return False
    sentence = row_of_each(offsets)
    tokens, pieces = int(inside.sum()), int((begins & inside).sum())
    types = len(np.unique((sentence * (int(kinds.max()) + 1) + kinds)[inside]))
    return pieces <= PIECES * types and pieces - types <= max((tokens - types) / 2, 1)


def _told_by_endings(words: Sequence[str], codes: Ints, labels: Ints) -> float:
    """The share of distinct words that other words with the same ending tell the label of, beyond the most frequent."""
    known = labels != UNDECIDED
    of_word: dict[str, Counter[int]] = defaultdict(Counter)
    for code, label in zip(codes[known].tolist(), labels[known].tolist(), strict=True):
        of_word[words[code]][label] += 1
    of_ending: dict[str, Counter[int]] = defaultdict(Counter)
    every: Counter[int] = Counter()
    for word, times in of_word.items():
        of_ending[word[-ENDING:]] += times
        every += times
    long = [word for word in of_word if len(word) >= LETTERS and word.isalpha()]
    by_ending = sum(_best(of_ending[word[-ENDING:]] - of_word[word], every) in _mostly(of_word[word]) for word in long)
    by_all = sum(_best(every - of_word[word], every) in _mostly(of_word[word]) for word in long)
    return (by_ending - by_all) / max(len(long) - by_all, 1)


def _best(times: "Counter[int]", otherwise: "Counter[int]") -> int:
    """The most frequent label, the first of equals; where nothing is known that of other counts."""
    return min(times or otherwise, key=lambda label: (-(times or otherwise)[label], label))


def _mostly(times: "Counter[int]") -> set[int]:
    """The labels that a word has most often."""
    return {label for label, count in times.items() if count == max(times.values())}


def _columns_of_few_values(sample: Corpus, label: str | None) -> Iterator[str]:
    """The names of columns besides words and label that have few values, so that their labels can be learned."""
    for place, name in enumerate(sample.columns):
        values = len(sample.values[place])
        few = 1 < values <= VALUES and values * TOKENS_EACH <= sample.tokens
        if place != sample.word_column and name != label and few:
            yield name
