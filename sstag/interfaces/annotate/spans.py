"""Spans in context: the places of a term in the pool, or the spans that the model doubts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.text.json_keys import a_list, an_object
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.annotate.answers import thing_of_span
from sstag.interfaces.annotate.label_changes import relabelled
from sstag.interfaces.annotate.pool import Pool
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.records import Session, Text
from sstag.interfaces.annotate.saying import PLAIN, Span
from sstag.interfaces.annotate.suggester import DIGITS, Work, corpus_of_texts
from sstag.model.runs import asked_in_runs

AROUND = 12  # tokens on each side


@dataclass(frozen=True)
class Place:
    """A span of a text, with the label that is asked about and its probability, if a model says it."""

    text: Text
    span: Span
    probability: float | None


@dataclass(frozen=True)
class Page:
    """Some places out of all, and where the next ones begin."""

    places: Sequence[Place]
    total: int
    next: int | None


def of_term(pool: Pool, term: Sequence[str], label: str | None, work: Work | None, after: int, count: int) -> Page:
    """The places of a term; without a label, each is asked about with the one that the model finds likeliest."""
    if label is None and work is None:
        raise DataError("there is no model yet that knows labels: say which one ('label')")
    texts: list[Text] = []
    firsts: list[int] = []
    total = 0
    for part, sentences, tokens in pool.places(term):
        begin = max(after - total, 0)
        stop = min(after + count - total, len(sentences))
        for place in range(begin, stop):
            texts.append(part.text(int(sentences[place])))
            firsts.append(int(tokens[place]))
        total += len(sentences)
    stops = [first + len(term) for first in firsts]
    following = after + count if after + count < total else None
    if work is None:
        assert label is not None
        spans = [Span(first, stop, (label,)) for first, stop in zip(firsts, stops, strict=True)]
        return Page([Place(text, span, None) for text, span in zip(texts, spans, strict=True)], total, following)
    kinds = [label] if label else [*work.tags.types]
    shares = _probabilities(work, texts, firsts, stops, kinds)
    best = shares.argmax(axis=1) if len(texts) else np.zeros(0, np.int64)
    places = [
        Place(text, Span(first, stop, (kinds[kind],)), round(float(shares[row, kind]), DIGITS))
        for row, (text, first, stop, kind) in enumerate(zip(texts, firsts, stops, best.tolist(), strict=True))
    ]
    return Page(places, total, following)


def doubted(project: Project, session: Session, doubts: Json, label: str | None, after: int, count: int) -> Page:
    """The spans that the model doubts and this annotator has not answered, the most doubtful first."""
    every = [an_object(one, "a doubt") for one in a_list(doubts, "doubts")]
    mine = [one for one in every if label is None or label in a_list(one["labels"], "labels")]
    done = answered(project, session)
    places: list[Place] = []
    at = after
    while at < len(mine) and len(places) < count:
        one = mine[at]
        at += 1
        text = project.pool.find(str(one["text"]))
        labels = tuple(map(str, a_list(one["labels"], "labels")))
        span = Span(int(str(one["first"])), int(str(one["stop"])), labels)
        if (
            text
            and span.stop <= len(text.tokens)
            and thing_of_span(text.hash, span) not in done
            and f"text:{text.hash}" not in done
        ):
            places.append(Place(text, span, float(str(one["probability"]))))
    return Page(places, len(mine), at if at < len(mine) else None)


def answered(project: Project, session: Session) -> Mapping[str, Json]:
    """The answers of an annotator about spans and whole texts, by what they are about, in the labels of now."""
    query = """select c.id, c.kind, c.thing, c.said, t.hash from counting c join text t on t.id = c.text
               where c.annotator = ? and c.kind in ('span', 'sentence') order by c.id"""
    found: dict[str, Json] = {}
    with project.store.reading() as file:
        for row in file.execute(query, [session.annotator]):
            fates = project.store.labels.after(row["id"]) if row["kind"] == "span" else None
            if fates is None:
                found[row["thing"]] = row["said"]
            elif (said := relabelled("span", json.loads(row["said"]), fates)) is not None:
                body = an_object(said, "said")
                labels = tuple(map(str, a_list(body["labels"], "labels")))
                span = Span(int(str(body["first"])), int(str(body["stop"])), labels)
                found[thing_of_span(row["hash"], span)] = json.dumps(said)
    return found


def _probabilities(
    work: Work, texts: Sequence[Text], firsts: Sequence[int], stops: Sequence[int], kinds: Sequence[str]
) -> Floats:
    """The probability that exactly these spans have each of some labels."""  # (N, K)
    if not texts:
        return np.zeros((0, len(kinds)))
    corpus = corpus_of_texts(work.model, texts)
    first, stop = (np.array(ends, np.int64) + corpus.offsets[:-1] for ends in (firsts, stops))
    tags = work.tags
    inner = slice(0, len(tags.labels))

    def asked(begin: int, lattice: Lattice) -> tuple[Longs, Floats]:
        here = np.flatnonzero((first >= begin) & (first < begin + len(lattice.nodes)))
        found = np.zeros((len(here), len(kinds)))
        for place, name in enumerate(kinds):
            if name not in tags.types:
                continue
            kind = np.full(len(here), tags.types.index(name))
            ends = first[here] - begin, stop[here] - begin
            if tags.scheme == PLAIN:  # there are no chunks: each token has its label by itself
                label = tags.labels.index(name)
                found[:, place] = [lattice.nodes[a:b, label].min() for a, b in zip(*ends, strict=True)]
            else:
                found[:, place] = lattice.segment_probabilities(*ends, kind, tags.type[inner], tags.joined)
        return here, np.minimum(found, 1.0)

    result = np.zeros((len(texts), len(kinds)))
    for here, found in asked_in_runs(work.model, corpus, one_by_one, asked):
        result[here] = found
    return result
