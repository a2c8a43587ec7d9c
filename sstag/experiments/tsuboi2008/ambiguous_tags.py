"""Parts of speech where annotators left some tags open (T08 §5.2): one draw of the data, and every system on it.

Sentences with an open tag are trained on. Of the other sentences that have one of the words with open tags, 1/10
(exercise 1) or 1/5 (exercise 2) are trained on too, and 4/5 are the test.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.evaluation.alignment import word_precisions
from sstag.evaluation.scoring import Evaluation
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.samples.ads import ads
from sstag.experiments.trials import Row
from sstag.experiments.tsuboi2008.brown_tags import SYMBOL, penn_tag

Sentence = Sequence[tuple[str, str]]  # words and their tags

BROWN = "Brown corpus"
FILES = {
    "GENIA": ("genia_pos/train.txt.gz", "genia_pos/test.txt"),
    "Penn Treebank": ("ptb_sample/wsj_mrg.txt",),
    "English Web Treebank": ("ewt/train.txt", "ewt/dev.txt", "ewt/test.txt"),
    BROWN: ("brown/brown.txt.gz",),
}
COLUMNS = {"English Web Treebank": ("word", "upos", "tag")}
ADS = "generated ads"
SEED = 2008
EITHER = "|"
OFTEN, SECOND = 10, 0.1  # how often a confusable word occurs, and the least share of its second tag
FOLDS = {1: 10, 2: 5}  # one in so many sentences is trained on
TEST = 0.8
LEAST = (1, 10)  # occurrences in the test without which a word does not count in the average precision
OURS = "marginalised"
GOLD_FIRST = "first (gold first)"  # where whoever left a tag open wrote the right one first
OTHERS = {  # how tags are decided, and whether the right one is written first
    "random": ("random", False),
    "first": ("first", False),
    GOLD_FIRST: ("first", True),
    "frequent": ("frequent", False),
    "discarded": ("discard", False),
    "argmax": ("argmax", False),
}


@dataclass(frozen=True)
class _Case:
    """Sentences with open tags, the words that have them, and the other sentences of these words."""

    words: frozenset[str]
    ambiguous: list[Sentence]
    gold_first: list[Sentence] | None  # the same, the right tag written first; None if nobody knows it
    others: list[Sentence]


def tagged(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: int,
    opened: tuple[int, int] | None,
    exercise: int,
    draw: int,
    sizes: tuple[int, int] | None = None,
) -> list[Row]:
    """P and APA of each system, on a corpus or, if it is ADS, on so many of them.

    `opened` says of how many words tags are opened, and in how many sentences; None: those that are open in the corpus.
    `sizes` are how many other sentences are trained on and tested on; None: shares of all that have the words.
    """
    case, train, tested = _drawn(corpora, corpus, made, opened, exercise, draw, sizes)
    test = _corpus(tested)
    template = shipped_template("tsuboi2008/pos")
    found = {OURS: judged(tagger(template, _corpus([*case.ambiguous, *train]), "partial"), test)}
    for system, (preparation, gold_first) in OTHERS.items():
        ambiguous = case.gold_first if gold_first else case.ambiguous
        if ambiguous is not None:
            model = tagger(template, _corpus([*ambiguous, *train]), "crf", preparation, seed=draw)
            found[system] = judged(model, test)
    rows = [_row(system, one, test, case.words) for system, one in found.items()]
    if sizes:
        rows[0] |= _sizes(case, train, tested)
        if draw == 1:
            rows[0]["over test"] = gain_of(found[OURS], found["random"], "accuracy")
    return rows


def sized(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: int,
    opened: tuple[int, int] | None,
    draws: int,
) -> list[Row]:
    """How many sentences with open tags, and others, each draw of each exercise trains on, and tests on."""
    rows: list[Row] = []
    for exercise in FOLDS:
        for draw in range(1, draws + 1):
            case, train, test = _drawn(corpora, corpus, made, opened, exercise, draw)
            rows.append({"exercise": exercise, "draw": draw, **_sizes(case, train, test)})
    return rows


def _sizes(case: _Case, train: Sequence[Sentence], test: Sequence[Sentence]) -> Row:
    return {"open": len(case.ambiguous), "others": len(train), "tested": len(test)}


def _drawn(
    corpora: Corpora,
    corpus: str,
    made: int,
    opened: tuple[int, int] | None,
    exercise: int,
    draw: int,
    sizes: tuple[int, int] | None = None,
) -> tuple[_Case, list[Sentence], list[Sentence]]:
    """The sentences of a draw: those with open tags, others to train on, and those of the test."""
    rng = np.random.default_rng([SEED, draw])
    sentences: list[Sentence] = list(ads(made, rng)) if corpus == ADS else _read(corpora, corpus)
    case = _with_opened(sentences, *opened, rng, by_tokens=sizes is not None) if opened else _as_it_is(sentences)
    order = rng.permutation(len(case.others)).tolist()
    few, bound = sizes or (len(order) // FOLDS[exercise], int(TEST * len(order)))
    test = [case.others[i] for i in order[:bound]]
    return case, [case.others[i] for i in order[bound : bound + few]], test


def _row(system: str, found: Evaluation, test: Corpus, words: frozenset[str]) -> Row:
    row: Row = {"system": system, "p": percent(found.figures["accuracy"])}
    for least in LEAST:
        shares = word_precisions(test, words, ~found.wrong, found.scored, least)
        row |= {f"apa {least}": percent(shares.mean()) if len(shares) else None, f"words {least}": len(shares)}
    return row


def _read(corpora: Corpora, corpus: str) -> list[Sentence]:
    """The sentences of a corpus without a split, its symbols one tag."""
    sentences: list[Sentence] = []
    for name in FILES[corpus]:
        data = corpora.read(name, COLUMNS.get(corpus, ("word", "tag")))
        as_one = penn_tag if corpus == BROWN else _merged
        merged = {text: EITHER.join(map(as_one, text.split(EITHER))) for text in data.values[data.column("tag")]}
        for number in range(data.sentences):
            tags = [merged[text] for text in data.words("tag", number)]
            sentences.append(list(zip(data.words("word", number), tags, strict=True)))
    return sentences


def _merged(tag: str) -> str:
    return tag if tag[:1].isalpha() else SYMBOL


def _corpus(sentences: Sequence[Sentence]) -> Corpus:
    return corpus_of(sentences, ("word", "tag"))


def _as_it_is(sentences: Sequence[Sentence]) -> _Case:
    """The tags that are open in the corpus."""
    words = frozenset(word for sentence in sentences for word, tag in sentence if EITHER in tag)
    ambiguous = [sentence for sentence in sentences if any(EITHER in tag for _, tag in sentence)]
    decided = [sentence for sentence in sentences if not any(EITHER in tag for _, tag in sentence)]
    return _Case(words, ambiguous, None, [one for one in decided if _has(one, words)])


def _with_opened(
    sentences: Sequence[Sentence], words: int, count: int, rng: np.random.Generator, by_tokens: bool
) -> _Case:
    """Tags opened between the right one and another one that the word has elsewhere, drawn as often as it has it.

    The words are drawn one like another, or as often as they occur.
    """
    tags: Mapping[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in sentence:
            tags[word][tag] += 1
    confusable = sorted(word for word in tags if _is_confusable(tags[word]))
    shares = None
    if by_tokens:
        often = np.array([tags[word].total() for word in confusable], np.float64)
        shares = often / often.sum()
    places = (
        rng.permutation(len(confusable))[:words]
        if shares is None
        else rng.choice(len(confusable), min(words, len(confusable)), replace=False, p=shares)
    ).tolist()
    chosen = frozenset(confusable[place] for place in places)
    having = [number for number, sentence in enumerate(sentences) if _has(sentence, chosen)]
    order = [having[place] for place in rng.permutation(len(having)).tolist()]
    first = {next(n for n in order if _has(sentences[n], {confusable[place]})): None for place in places}
    ambiguous = list(dict.fromkeys([*first, *order]))[:count]  # every word, then at random
    open_: list[Sentence] = []
    gold_first: list[Sentence] = []
    for number in ambiguous:
        sentence = sentences[number]
        pairs = [_pair(tag, tags[word], rng) if word in chosen else (tag,) for word, tag in sentence]
        turned = [pair[::-1] if rng.random() < 0.5 else pair for pair in pairs]
        for result, written in ((open_, turned), (gold_first, pairs)):
            result.append([(word, EITHER.join(pair)) for (word, _), pair in zip(sentence, written, strict=True)])
    others = [sentences[number] for number in sorted(set(having).difference(ambiguous))]
    return _Case(chosen, open_, gold_first, others)


def _has(sentence: Sentence, words: frozenset[str] | set[str]) -> bool:
    return any(word in words for word, _ in sentence)


def _is_confusable(tags: Counter[str]) -> bool:
    total = tags.total()
    return total >= OFTEN and len(tags) > 1 and tags.most_common(2)[1][1] >= SECOND * total


def _pair(tag: str, tags: Counter[str], rng: np.random.Generator) -> tuple[str, ...]:
    others = sorted(set(tags) - {tag})
    weights = np.array([tags[other] for other in others], np.float64)
    return tag, str(rng.choice(others, p=weights / weights.sum()))
