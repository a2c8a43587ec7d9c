"""The output of `sstag tag`: the input with labels in a column and probabilities in comments, or JSON lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import PREDICTED
from sstag.corpus.contexts import NO_CONTEXT, OF_DOCUMENT, Context, begins_document, contexts, undivided
from sstag.corpus.reading import joined
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Through, one_by_one
from sstag.labels.marks import Marks
from sstag.model.in_words import best_of, chunks_of, shares_of
from sstag.model.model import Model
from sstag.model.questions import Answer, Question
from sstag.model.runs import runs, tokens_together
from sstag.model.tagging import answered

FEW = 2**21  # tokens times labels that are not worth a thread: words on both sides of a cut are looked up twice
LEAST = 0.0001  # what a label must have to be among the marginals


@dataclass(frozen=True)
class Tagger:
    """A model, a question to it, and the form in which the answers are written."""

    model: Model
    question: Question
    as_json: bool
    context: Context = NO_CONTEXT  # of those that are held in memory; a file is read before

    def texts(self, blocks: Iterable[Block], through: Through, threads: int) -> Iterator[bytes]:
        """The text of tagged blocks, piece by piece: a piece for each context, or at least one for each thread."""
        if self.as_json:
            from sstag.corpus.text.sentence_heads import with_heads

            blocks = with_heads(blocks)
        if self.context.is_held:
            return through(self._text_of_context, contexts(blocks, self.context))
        return through(self._text, parts_of(blocks, self.model, self.question, threads))

    def _text_of_context(self, blocks: Sequence[Block]) -> bytes:
        from sstag.model.second_look import having_read  # most models have one stage

        own = replace(self, model=having_read(self.model, blocks))
        return b"".join(map(own._text, parts_of(blocks, own.model, self.question, 1)))

    def _text(self, block: Block) -> bytes:
        if not len(block.rows):
            return self._json(block, None) if self.as_json else block.text
        corpus = joined([with_columns(block, self.model.columns_read)], block.path)
        answer = answered(self.model, corpus, self.question, one_by_one)
        return self._json(block, answer) if self.as_json else self._columns(block, answer)

    def _columns(self, block: Block, answer: Answer) -> bytes:
        if not (self.question.confidence or self.question.best):
            return self._labelled(block, answer.labels)
        lines = self._lines(block, answer.labels)
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
        from sstag.labels.span_list import NO_TYPE

        told = [[b"# confidence = " + _rounded(p)] for p in answer.confidence.tolist()]
        if self.question.entropy:
            lengths = np.diff(block.offsets).tolist()
            for lines, entropy, length in zip(told, answer.entropy.tolist(), lengths, strict=True):
                lines += [b"# entropy = " + _rounded(entropy), b"# entropy_per_token = " + _rounded(entropy / length)]
        for lines, found in zip(told, chunks_of(answer, self.question, block.offsets), strict=True):
            for one in found:
                place = f"# chunk = {one.first + 1} {one.stop} {one.type or NO_TYPE} "
                lines.append(place.encode() + _rounded(one.confidence))
        return told

    def _lines(self, block: Block, labels: Ints) -> list[bytes]:
        """The lines of a block, without a byte order mark, with these labels."""
        return replace(block, text=self._labelled(block, labels)).body.split(b"\n")

    def _labelled(self, block: Block, labels: Ints) -> bytes:
        """The bytes of a block with these labels in the place where its format has labels."""
        return block.format.labelled_text(block, labels, self._names, self.model.template.label)

    @cached_property
    def _names(self) -> list[bytes]:
        return [label.encode() for label in self.model.labels]

    def _json(self, block: Block, answer: Answer | None) -> bytes:
        from sstag.corpus.formats.jsonl import lines_saying  # a tagger of columns starts sooner without

        if answer is None:  # nothing was asked, since the block has no token
            return lines_saying(block, block.columns, (), {PREDICTED: []})
        asked, names = self.question, self.model.labels
        shares = shares_of(answer.marginals, names, LEAST)
        chunks = chunks_of(answer, self.question, block.offsets)

        def said(sentence: int, begin: int, end: int) -> dict[str, Json]:
            result: dict[str, Json] = {PREDICTED: [names[y] for y in answer.labels[begin:end].tolist()]}
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
                result["chunks"] = [one._asdict() for one in chunks[sentence]]
            if asked.marginals:
                result["marginals"] = shares[begin:end]
            if asked.best:
                result["nbest"] = [
                    {"labels": labels, "probability": probability}
                    for labels, probability in best_of(answer, sentence, names)
                ]
            return result

        found = [said(s, begin, end) for s, (begin, end) in enumerate(pairwise(block.offsets.tolist()))]
        for name in block.columns:
            if name in found[0]:
                raise DataError(f"JSON lines say '{name}' of what is predicted: no column can be called so", block.path)
        return lines_saying(block, block.columns, found, {PREDICTED: []})


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


def with_warnings(
    blocks: Iterable[Block], model: Model, context: Context, warn: Callable[[str], None]
) -> Iterator[Block]:
    """The blocks of a file; of what is odd about it somebody is warned."""
    tokens, divided = 0, context != OF_DOCUMENT
    for block in blocks:
        if not tokens and (warning := no_label(block, model)):
            warn(warning)
        divided = divided or begins_document(block)
        tokens += len(block.rows)
        yield block
    if tokens and not divided:
        warn(undivided(block.path))


def parts_of(blocks: Iterable[Block], model: Model, question: Question, threads: int) -> Iterator[Block]:
    """Blocks in runs of sentences, for each at least as many as there are threads."""
    most = tokens_together(model, question)
    for block in blocks:
        share = max(-(-len(block.rows) // threads), FEW // len(model.labels), 1)
        yield from _parts(block, min(share, most)) if len(block.rows) else [block]


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


def with_columns(block: Block, names: Sequence[str]) -> Block:
    """The block with these of its columns alone."""
    places = [place for place, name in enumerate(block.columns) if name in names]
    columns = tuple(block.columns[place] for place in places)
    return replace(block, columns=columns, fields=[block.fields[place] for place in places])


def _rounded(probability: float) -> bytes:
    """A probability with four decimals, or with two digits where four decimals would be zeros."""
    return (f"{probability:.4f}" if probability >= LEAST or probability == 0 else f"{probability:.1e}").encode()
