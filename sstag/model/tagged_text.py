"""The output of `sstag tag`: the input with labels in a column and probabilities in comments, or JSON lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import PREDICTED
from sstag.corpus.formats.jsonl import lines_saying
from sstag.corpus.reading import joined
from sstag.foundation.arrays import Floats, Ints
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import Over, one_by_one
from sstag.foundation.ranges import sentences_of
from sstag.labels.marks import Marks
from sstag.labels.span_list import NO_TYPE
from sstag.model.model import Model
from sstag.model.questions import Answer, Question
from sstag.model.runs import runs, tokens_together
from sstag.model.tagging import answered

FEW = 2**12  # tokens that are not worth a thread of their own
LEAST = 0.0001  # what a label must have to be among the marginals


class FoundChunk(NamedTuple):
    """A chunk that a model found, by the places of its tokens in the sentence; JSON lines have these fields."""

    first: int
    stop: int
    type: str
    confidence: float


@dataclass(frozen=True)
class Tagger:
    """A model, a question to it, and the form in which the answers are written."""

    model: Model
    question: Question
    as_json: bool

    def texts(self, block: Block, over: Over, threads: int) -> Iterator[bytes]:
        """The text of a tagged block, piece by piece; as many pieces are made at a time as there are threads."""
        if not len(block.rows):
            yield b"" if self.as_json else block.text
            return
        share = max(-(-len(block.rows) // threads), FEW)
        parts = _parts(block, min(share, tokens_together(self.model, self.question)))
        while group := list(islice(parts, threads)):
            yield from over(self._text, group)

    def _text(self, block: Block) -> bytes:
        corpus = joined([_with_columns(block, self.model.columns_read)], block.path)
        answer = answered(self.model, corpus, self.question, one_by_one)
        return self._json(block, answer) if self.as_json else self._columns(block, answer)

    def _columns(self, block: Block, answer: Answer) -> bytes:
        lines = self._lines(block, answer.labels)
        if not (self.question.confidence or self.question.best):
            return block.text_of(lines)
        written: list[bytes] = []
        comments = self._comments(block, answer) if self.question.confidence else None
        done = 0
        for sentence, (first, stop) in enumerate(zip(*block.spans, strict=True)):
            written += lines[done:first]
            done = stop
            end = b"\r" if lines[first].endswith(b"\r") else b""
            written += [line + end for line in comments[sentence]] if comments else []
            if not self.question.best:
                written += lines[first:stop]
                continue
            alone = block.part(slice(sentence, sentence + 1), slice(first, stop))
            for rank, (labels, probability) in enumerate(zip(*answer.best[sentence], strict=True), 1):
                blank = [end] if rank > 1 else []
                comment = b"# nbest = %d %s" % (rank, _rounded(probability)) + end
                written += [*blank, comment, *self._lines(alone, labels)[: stop - first]]
        return block.text_of(written + lines[done:])

    def _comments(self, block: Block, answer: Answer) -> list[list[bytes]]:
        """The comments of each sentence: the probability of its labels, and each of its chunks with its own."""
        told = [[b"# confidence = " + _rounded(p)] for p in answer.confidence.tolist()]
        if self.question.entropy:
            lengths = np.diff(block.offsets).tolist()
            for lines, entropy, length in zip(told, answer.entropy.tolist(), lengths, strict=True):
                lines += [b"# entropy = " + _rounded(entropy), b"# entropy_per_token = " + _rounded(entropy / length)]
        for lines, found in zip(told, self._chunks(block, answer), strict=True):
            for one in found:
                place = f"# chunk = {one.first + 1} {one.stop} {one.type or NO_TYPE} "
                lines.append(place.encode() + _rounded(one.confidence))
        return told

    def _chunks(self, block: Block, answer: Answer) -> list[list[FoundChunk]]:
        """The chunks of each sentence, numbered by its tokens."""
        tags, found = self.question.chunks, answer.chunks
        result: list[list[FoundChunk]] = [[] for _ in block.offsets[1:]]
        if tags is None:
            return result
        sentence = sentences_of(block.offsets, found.first)
        start = block.offsets[sentence]
        columns = sentence, found.first - start, found.stop - start, found.type, answer.chunk_confidence
        for s, first, stop, kind, sure in zip(*(column.tolist() for column in columns), strict=True):
            result[s].append(FoundChunk(first, stop, tags.types[kind], sure))
        return result

    def _lines(self, block: Block, labels: Ints) -> list[bytes]:
        """The lines of a block with these labels in the place where its format has labels."""
        values = list(map(self._names.__getitem__, labels.tolist()))
        return block.format.labelled_lines(block, values, self.model.template.label)

    @cached_property
    def _names(self) -> list[bytes]:
        return [label.encode() for label in self.model.labels]

    def _json(self, block: Block, answer: Answer) -> bytes:
        asked, names = self.question, self.model.labels
        shares, found = self._shares(answer.marginals), self._chunks(block, answer)

        def said(sentence: int, begin: int, end: int) -> dict[str, object]:
            result: dict[str, object] = {PREDICTED: [names[y] for y in answer.labels[begin:end].tolist()]}
            if asked.confidence:
                result["confidence"] = float(answer.confidence[sentence])
            if asked.entropy:
                entropy = float(answer.entropy[sentence])
                result |= {"entropy": entropy, "entropy_per_token": entropy / (end - begin)}
            if asked.token_confidence:
                result["token_confidence"] = answer.token_confidence[begin:end].tolist()
            if asked.entropy:
                result["token_entropy"] = answer.token_entropy[begin:end].tolist()
            if asked.chunks:
                result["chunks"] = [one._asdict() for one in found[sentence]]
            if asked.marginals:
                result["marginals"] = shares[begin:end]
            if asked.best:
                result["nbest"] = [
                    {"labels": [names[y] for y in labels], "probability": probability}
                    for labels, probability in zip(*(array.tolist() for array in answer.best[sentence]), strict=True)
                ]
            return result

        rest = [said(s, begin, end) for s, (begin, end) in enumerate(pairwise(block.offsets.tolist()))]
        for name in block.columns:
            if name in rest[0]:
                raise DataError(f"JSON lines say '{name}' of what is predicted: no column can be called so", block.path)
        return lines_saying(block, block.columns, rest)

    def _shares(self, marginals: Floats) -> list[dict[str, float]]:
        """For each token the labels with a probability worth naming, the most probable first."""
        token, label = np.nonzero(marginals >= LEAST)
        probability = marginals[token, label]
        order = np.lexsort((-probability, token))
        names = [self.model.labels[y] for y in label[order].tolist()]
        numbers = probability[order].tolist()
        bounds = np.cumsum([0, *np.bincount(token, minlength=len(marginals))]).tolist()
        return [dict(zip(names[begin:end], numbers[begin:end], strict=True)) for begin, end in pairwise(bounds)]


def no_label(block: Block, model: Model) -> str | None:
    """A warning if the label column has values, but none that names a label of the model: it may hold words."""
    label, marks = model.template.label, Marks()
    if block.format.fixed or label not in block.columns:
        return None
    column = block.fields[block.column(label)]
    values = [value.decode() for value in dict.fromkeys(column) if value.decode() != marks.unknown]
    named = {
        part for value in values for part in (value, *value.removeprefix(marks.negation or "").split(marks.either))
    }
    if not values or not named.isdisjoint(model.labels):
        return None
    line = block.lines[column.index(values[0].encode())]
    where = "the last column" if label == block.columns[-1] else f"column '{label}'"
    return f"{block.path}:{line}: '{values[0]}' in {where} is no label of this model: one token a line?"


def _parts(block: Block, tokens: int) -> Iterator[Block]:
    """A block in runs of at most so many tokens, or of one sentence."""
    sentences = len(block.offsets) - 1
    begin = 0
    for run in runs(block.offsets, tokens):
        if run == slice(0, sentences):
            yield block
            return
        end = block.spans[1][run.stop - 1] if run.stop < sentences else len(block.line_starts) - 1
        yield block.part(run, slice(begin, end))
        begin = end


def _with_columns(block: Block, names: Sequence[str]) -> Block:
    places = [place for place, name in enumerate(block.columns) if name in names]
    columns = tuple(block.columns[place] for place in places)
    return replace(block, columns=columns, fields=[block.fields[place] for place in places])


def _rounded(probability: float) -> bytes:
    """A probability with four decimals, or with two digits where four decimals would be zeros."""
    return (f"{probability:.4f}" if probability >= LEAST or probability == 0 else f"{probability:.1e}").encode()
