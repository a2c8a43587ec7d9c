"""Annotated documents as sentences to learn from: labels in the scheme of a model, written as a column file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from sstag.corpus.sheets import naming_comments
from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import MANUAL, OPEN, Document
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentences import first_tokens
from sstag.corpus.text.span_labels import BLANK, EITHER
from sstag.corpus.text.span_tokens import Run, token_runs
from sstag.labels.schemes.rules import written_role
from sstag.model.model import Model

# A span that cuts a token takes all of it, and of two that overlap the longer one counts: a tool that sends its
# annotations while a person works cannot be told to mend them first.
FITTED = TextOptions(cut="expand", overlaps="outermost", parted="join")


def lesson_file(model: Model, documents: Iterable[Document], only_with_spans: bool) -> tuple[bytes, int]:
    """A column file with the sentences of annotated documents, and their number.

    With `only_with_spans`, sentences without a span are left out: nobody may have looked at them.
    """
    columns = tuple(model.template.columns or ())
    words = next(name for name in model.columns_read or columns)
    outside = MANUAL if model.scheme != "plain" or MANUAL in model.labels else OPEN
    lines = [naming_comments((words, model.template.label), model.template.label)]
    count = 0
    for document in documents:
        whole = tokenized(document, FITTED)
        tokens, starts = whole.tokens or (), whole.starts or ()
        firsts = first_tokens(starts, tokens)
        for said in document.said:
            runs = token_runs(document.text, tokens, said.spans, FITTED, Counter())
            runs = [run for run in runs if run.span.accepted]
            labels = labels_of_runs(runs, len(tokens), model.scheme, outside)
            for first, stop in pairwise([*firsts, len(tokens)]):
                inside = any(run.first < stop and first < run.stop for run in runs)
                if inside or not only_with_spans:
                    texts = (document.text[slice(*tokens[at])].replace(" ", BLANK) for at in range(first, stop))
                    lines += [f"{word}\t{label}\n" for word, label in zip(texts, labels[first:stop], strict=True)]
                    lines.append("\n")
                    count += 1
    return "".join(lines).encode(), count


def labels_of_runs(runs: Sequence[Run], tokens: int, scheme: str, outside: str) -> list[str]:
    """The label of each token in a scheme; a span with several types is one of these, `A|B`."""
    labels = [outside] * tokens
    for place, run in enumerate(runs):
        before = place > 0 and runs[place - 1].stop == run.first and _alike(runs[place - 1], run)
        after = place + 1 < len(runs) and runs[place + 1].first == run.stop and _alike(runs[place + 1], run)
        for token in range(run.first, run.stop):
            starts, ends = token == run.first, token + 1 == run.stop
            role = written_role(scheme, starts, ends, starts and before, ends and after)
            labels[token] = EITHER.join(_tag(scheme, role, kind.replace(" ", BLANK)) for kind in run.span.labels)
    return labels


def _alike(one: Run, other: Run) -> bool:
    return bool(set(one.span.labels) & set(other.span.labels))


def _tag(scheme: str, role: str, kind: str) -> str:
    if scheme == "plain":
        return kind
    return f"{role}-{kind}" if kind else role


def with_known_types(document: Document, types: Sequence[str]) -> Document:
    """The document with every type that is known in the place of a type that nobody chose yet."""
    said = tuple(
        replace(one, spans=tuple(span._replace(labels=_chosen(span.labels) or tuple(types)) for span in one.spans))
        for one in document.said
    )
    return replace(document, said=said)


def _chosen(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if label)
