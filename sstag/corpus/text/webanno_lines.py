"""Documents as lines of WebAnno TSV 3.3: named entities, other features of these, and relations between them.

    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value|origin
    #T_RL=webanno.custom.Relation|value|BT_de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity

A relation stands at the first token of the span where it ends: its value, and the first token of the span where it
begins with the numbers of both, `1-1[1_2]`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import ATTRIBUTES, RELATIONS, Document, Relation, Span
from sstag.corpus.text.folders import file_stem, write_folder
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.offsets import units
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentences import first_tokens
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.errors import DataError

HEAD, TEXT = "#FORMAT=WebAnno TSV 3.3", "#Text="
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LINK, POINTERS = "webanno.custom.Relation", "BT_"
VALUE = "value"
HOLDS = frozenset([RELATIONS, ATTRIBUTES])
FEATURE = re.compile(r"[A-Za-z]\w*", re.ASCII)
SPECIAL = re.compile(r"->|[\\\[\]|_;*\t\n]")


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The one document of a file."""
    for number, document in enumerate(documents):
        if number:
            raise DataError("WebAnno TSV holds one document: end the name of --output with / for a folder of them")
        yield _text(document, options, lost)


def to_folder(documents: Iterable[Document], target: str, lost: Lost) -> None:
    """Writes a file for each document."""
    taken = set[str]()
    files = ({f"{file_stem(one.id, taken, lost)}.tsv": _text(one, TextOptions(), lost)} for one in documents)
    write_folder(target, files)


def _text(document: Document, options: TextOptions, lost: Lost) -> bytes:
    """The file of a document."""
    whole = tokenized(document, options)
    assert whole.tokens is not None
    assert whole.starts is not None
    text, tokens, at = document.text, list(whole.tokens), units(document.text)
    lost["texts without a word"] += bool(text and not tokens)
    spans = plain_spans(document, lost)
    known = {*spans}
    relations = [one for said in document.said for one in said.relations if {one.first, one.second} <= known]
    lost[RELATIONS] += sum(len(said.relations) for said in document.said) - len(relations)
    attributes = _attributes(document, spans, lost)
    features = [*dict.fromkeys(name for _, name in attributes)]
    numbered = {span for one in relations for span in one[:2]}
    rows: list[list[_Cells]] = [[] for _ in tokens]  # of each token, of which the first are its own
    parts: dict[int, list[tuple[Place, _Cells]]] = {}
    numbers, begins = dict[Span, int](), dict[Span, tuple[int, int]]()  # where a span begins: the token, and its part
    for span in spans:
        inside = [n for n, (start, stop) in enumerate(tokens) if start < span.stop and stop > span.start]
        if not inside:
            raise DataError(f"document '{document.id}': a span of characters {span.start}–{span.stop} has no token")
        number = ""
        if len(inside) > 1 or span in numbered:
            numbers[span] = len(numbers) + 1
            number = f"[{numbers[span]}]"
        cells = [_value(span.labels[0]), *(_value(attributes.get((span, name))) for name in features)]
        for n in inside:
            place = max(tokens[n][0], span.start), min(tokens[n][1], span.stop)
            found = [cell + number for cell in cells]
            if place == tokens[n]:
                rows[n].append(found)
            else:
                parts.setdefault(n, []).append((place, found))
            begins.setdefault(span, (n, 0 if place == tokens[n] else len(parts[n])))
    lines = [HEAD, f"#T_SP={'|'.join([ENTITY, VALUE, *features])}"]
    lines += [f"#T_RL={LINK}|{VALUE}|{POINTERS}{ENTITY}"] if relations else []
    lines += [""]
    firsts = [*first_tokens(whole.starts, tokens), len(tokens)]
    names = [f"{sentence}-{n - first + 1}" for sentence, (first, end) in enumerate(pairwise(firsts), 1)
             for n in range(first, end)]  # fmt: skip
    links = _links(relations, names, numbers, begins)
    for first, end in pairwise(firsts):
        stop = tokens[end][0] if end < len(tokens) else len(text)
        lines += ["", f"{TEXT}{_escaped(text[tokens[first][0] : stop])}"]
        for n in range(first, end):
            every = [(names[n], tokens[n], rows[n])]
            every += [(f"{names[n]}.{k}", place, [cells]) for k, (place, cells) in enumerate(parts.get(n, ()), 1)]
            for key, (start, end_of), values in every:
                columns = ["|".join(column) for column in zip(*values, strict=True)] or ["_"] * (1 + len(features))
                if relations:
                    columns += ["|".join(column) for column in zip(*links.get(key, [("_", "_")]), strict=True)]
                line = [key, f"{at[start]}-{at[end_of]}", _escaped(text[start:end_of]), *columns]
                lines.append("\t".join([*line, ""]))
    return ("\n".join(lines) + "\n").encode()


_Cells = list[str]


def _attributes(document: Document, spans: Sequence[Span], lost: Lost) -> Mapping[tuple[Span, str], str]:
    """The attributes of spans by their names; those that no feature can be called by, or second values, are counted."""
    found: dict[tuple[Span, str], str] = {}
    known = {*spans}
    for remark in (one for said in document.said for one in said.remarks if one.kind == ATTRIBUTES):
        span, name = remark.span, remark.name
        fits = span in known and FEATURE.fullmatch(name) and name != VALUE and not name.startswith(POINTERS)
        if span is None or not fits or (span, name) in found:
            lost[ATTRIBUTES] += 1
        else:
            found[span, name] = "true" if remark.value is None else remark.value
    return found


def _links(
    relations: Sequence[Relation],
    names: Sequence[str],
    numbers: Mapping[Span, int],
    begins: Mapping[Span, tuple[int, int]],
) -> Mapping[str, list[tuple[str, str]]]:
    """The values of relations and where they begin, by the names of the tokens where they end."""
    found: dict[str, list[tuple[str, str]]] = {}
    for one in relations:
        first, second = (
            names[token] + (f".{part}" if part else "") for token, part in (begins[one.first], begins[one.second])
        )
        pointer = f"{first}[{numbers[one.first]}_{numbers[one.second]}]"
        found.setdefault(second, []).append((_value(one.label), pointer))
    return found


def _value(text: str | None) -> str:
    """The value of a feature, `*` if there is none."""
    return SPECIAL.sub(r"\\\g<0>", text).replace("\t", "t").replace("\n", "n") if text else "*"


def _escaped(text: str) -> str:
    """A text in one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
