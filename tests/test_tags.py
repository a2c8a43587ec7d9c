"""Tag schemes: chunks as `conlleval` cuts them, legality by enumeration, and every scheme rewritten into every one."""

import re
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sstag.foundation.errors import ConfigError, DataError
from sstag.labels.schemes.guess import GUESSED, guessed_scheme
from sstag.labels.schemes.rewrite import rewritten, rewritten_sets
from sstag.labels.schemes.rules import CONLLEVAL, SCHEMES, UNDECIDED
from sstag.labels.schemes.tagset import Tagset, chunks, ill_formed, tagset
from tests.conlleval import VECTORS

Chunk = tuple[int, int, str]  # first token, one after the last, type
Sentence = list[str]  # of tags

LOSSLESS = [scheme for scheme in SCHEMES if scheme not in ("io", "plain")]
LOSSY = ["io", "plain"]
GUESSABLE = [*GUESSED, *LOSSY]
LETTERS = {
    "iob1": "IB",
    "iob2": "BI",
    "ioe1": "IE",
    "ioe2": "IE",
    "bioes": "BIES",
    "bmes": "BMES",
    "io": "I",
    "plain": None,
}


def labels_of(scheme: str, types: Sequence[str]) -> list[str]:
    """Every tag of a scheme."""
    letters = LETTERS[scheme]
    return ["O", *types] if letters is None else ["O", *(f"{letter}-{kind}" for letter in letters for kind in types)]


def written(found: Sequence[Chunk], length: int, scheme: str) -> Sentence:
    """Chunks as tags, chunk by chunk."""
    tags = ["O"] * length
    for first, stop, kind in found:
        inner = "M" if scheme == "bmes" else "I"
        roles = [inner] * (stop - first)
        touches_before = any(end == first and other == kind for _, end, other in found)
        touches_after = any(start == stop and other == kind for start, _, other in found)
        if scheme in ("iob2", "bioes", "bmes") or (scheme == "iob1" and touches_before):
            roles[0] = "B"
        if scheme in ("ioe2", "bioes", "bmes") or (scheme == "ioe1" and touches_after):
            roles[-1] = "E"
        if scheme in ("bioes", "bmes") and stop - first == 1:
            roles = ["S"]
        tags[first:stop] = [kind if scheme == "plain" else f"{role}-{kind}" for role in roles]
    return tags


def merged(found: Sequence[Chunk]) -> list[Chunk]:
    """Touching chunks of one type run together."""
    result: list[Chunk] = []
    for first, stop, kind in found:
        if result and result[-1][1:] == (first, kind):
            result[-1] = (result[-1][0], stop, kind)
        else:
            result.append((first, stop, kind))
    return result


def coded(sentences: Sequence[Sequence[str]], labels: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    number = {label: code for code, label in enumerate(labels)}
    codes = np.array([number[tag] for tags in sentences for tag in tags], np.int32)
    return codes, np.cumsum([0, *map(len, sentences)])


def cut(sentences: Sequence[Sequence[str]], scheme: str, labels: Sequence[str] | None = None) -> list[Chunk]:
    labels = labels or sorted({tag for tags in sentences for tag in tags})
    tags = tagset(labels, scheme)
    found = chunks(tags, *coded(sentences, labels))
    return [
        (first, stop, tags.types[kind])
        for first, stop, kind in zip(found.first.tolist(), found.stop.tolist(), found.type.tolist(), strict=True)
    ]


def changed(
    sentences: Sequence[Sequence[str]], source: str, target: str, labels: Sequence[str] | None = None
) -> tuple[list[Sentence], int]:
    labels = labels or sorted({tag for tags in sentences for tag in tags})
    codes, offsets = coded(sentences, labels)
    names, new, lost = rewritten(tagset(labels, source), target, codes, offsets)
    flat = [names[code] for code in new.tolist()]
    return [flat[begin:end] for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)], lost


def faulty(sentences: Sequence[Sequence[str]], scheme: str, labels: Sequence[str]) -> list[bool]:
    """Which sentences hold an ill-formed token."""
    codes, offsets = coded(sentences, labels)
    at = np.searchsorted(offsets, ill_formed(tagset(labels, scheme), codes, offsets), side="right") - 1
    return np.isin(np.arange(len(sentences)), at).tolist()


@st.composite
def sentences_of_chunks(draw: st.DrawFn) -> tuple[int, list[Chunk]]:
    found: list[Chunk] = []
    end = 0
    for gap, length, kind in draw(
        st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3), st.sampled_from(["X", "Y", "X-Y"])), max_size=5)
    ):
        found.append((end + gap, end + gap + length, kind))
        end += gap + length
    return max(end + draw(st.integers(0, 1)), 1), found


corpora = st.lists(sentences_of_chunks(), min_size=1, max_size=4)


def tags_of(corpus: Iterable[tuple[int, list[Chunk]]], scheme: str) -> list[Sentence]:
    return [written(found, length, scheme) for length, found in corpus]


def all_chunks(corpus: Iterable[tuple[int, list[Chunk]]]) -> list[Chunk]:
    """The chunks of a corpus, counted through it."""
    result: list[Chunk] = []
    start = 0
    for length, found in corpus:
        result += [(start + first, start + stop, kind) for first, stop, kind in found]
        start += length
    return result


# conlleval

AS_OURS = {"iob": "iob2", "ioe": "ioe2", "io": "io", "iobe": CONLLEVAL}


@pytest.mark.parametrize("number", range(len(VECTORS)))
def test_chunks_are_those_of_conlleval(number: int) -> None:
    vector = VECTORS[number]
    scheme = AS_OURS[vector["scheme"]]
    gold, guess = ([pair[side] for pair in vector["sentences"]] for side in (0, 1))
    labels = sorted({tag for tags in [*gold, *guess] for tag in tags})
    true, found = cut(gold, scheme, labels), cut(guess, scheme, labels)
    counts = re.match(
        r"processed (\d+) tokens with (\d+) phrases; found: (\d+) phrases; correct: (\d+)", vector["printed"]
    )
    assert counts is not None
    assert [int(count) for count in counts.groups()] == [
        sum(map(len, gold)),
        len(true),
        len(found),
        len(set(true) & set(found)),
    ]
    by_type = {kind: int(count) for kind, count in re.findall(r"^ +(\S+): .* (\d+)$", vector["printed"], re.MULTILINE)}
    assert {kind: sum(chunk[2] == kind for chunk in found) for kind in by_type} == by_type


def test_all_vectors_are_there() -> None:
    assert len(VECTORS) == 120
    assert {vector["scheme"] for vector in VECTORS} == set(AS_OURS)


# Legality


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sequence_is_well_formed_if_and_only_if_it_is_what_its_chunks_are_written_as(scheme: str) -> None:
    labels = labels_of(scheme, ["X", "Y"])
    sentences = [tags for length in range(1, 5) for tags in product(labels, repeat=length)]
    again, _ = changed(sentences, scheme, scheme, labels)
    same = [list(tags) == other for tags, other in zip(sentences, again, strict=True)]
    assert [not fault for fault in faulty(sentences, scheme, labels)] == same
    assert not any(faulty(again, scheme, labels))  # the repaired ones


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_way_to_cut_four_tokens_is_written_and_read(scheme: str) -> None:
    for cuts in product([False, True], repeat=3):
        bounds = [0, *(i + 1 for i in range(3) if cuts[i]), 4]
        for kinds in product(["", "X", "Y"], repeat=len(bounds) - 1):
            found = [(a, b, kind) for a, b, kind in zip(bounds, bounds[1:], kinds, strict=False) if kind]
            wanted = merged(found) if scheme in LOSSY else found
            assert cut([written(found, 4, scheme)], scheme) == wanted


@pytest.mark.parametrize(
    ("scheme", "starts", "ends"),
    [
        ("iob1", "OI", "OIB"),
        ("iob2", "OB", "OBI"),
        ("ioe1", "OIE", "OI"),
        ("ioe2", "OIE", "OE"),
        ("bioes", "OBS", "OES"),
        ("bmes", "OBS", "OES"),
        ("io", "OI", "OI"),
    ],
)
def test_legal_starts_and_ends(scheme: str, starts: str, ends: str) -> None:
    labels = labels_of(scheme, ["X"])
    legal = tagset(labels, scheme).legal
    edge = len(labels)
    assert {label[0] for i, label in enumerate(labels) if legal[edge, i]} == set(starts)
    assert {label[0] for i, label in enumerate(labels) if legal[i, edge]} == set(ends)


@pytest.mark.parametrize(
    ("scheme", "pairs"),
    [
        ("iob1", "O,I I,O I,I I,B B,O B,I B,B"),
        ("iob2", "O,B B,O B,B B,I I,O I,B I,I"),
        ("ioe1", "O,I O,E I,O I,I I,E E,I E,E"),
        ("ioe2", "O,I O,E I,I I,E E,O E,I E,E"),
        ("bioes", "O,B O,S B,I B,E I,I I,E E,O E,B E,S S,O S,B S,S"),
        ("bmes", "O,B O,S B,M B,E M,M M,E E,O E,B E,S S,O S,B S,S"),
    ],
)
def test_legal_pairs_of_one_type(scheme: str, pairs: str) -> None:
    labels = labels_of(scheme, ["X"])
    legal = tagset(labels, scheme).legal
    found = {f"{a[0]},{b[0]}" for (i, a), (j, b) in product(enumerate(labels), repeat=2) if legal[i, j]}
    assert found == {"O,O", *pairs.split()}


@pytest.mark.parametrize(
    ("scheme", "sentence", "tokens"),
    [
        ("iob2", "O I-X I-X B-Y I-X", [1, 4]),
        ("iob1", "B-X I-X O B-X I-Y B-Y", [0, 3]),
        ("ioe2", "I-X O I-X E-X I-X", [1, 4]),
        ("ioe1", "I-X E-X O E-X I-X", [2]),
        ("bioes", "B-X B-X E-X I-X S-X", [1, 3, 4]),
        ("bmes", "S E B M", [1, 3]),
        ("io", "I-X I-Y O", []),
        ("plain", "X Y O", []),
    ],
)
def test_ill_formed_tokens(scheme: str, sentence: str, tokens: list[int]) -> None:
    tags = sentence.split()
    labels = sorted(set(tags))
    codes, offsets = coded([tags], labels)
    assert ill_formed(tagset(labels, scheme), codes, offsets).tolist() == tokens


def test_sentences_do_not_see_one_another() -> None:
    labels = ["O", "B-X", "I-X"]
    assert faulty([["B-X"], ["I-X"], ["O"]], "iob2", labels) == [False, True, False]
    assert cut([["B-X"], ["I-X"]], "iob2", labels) == [(0, 1, "X"), (1, 2, "X")]


# Chunks


@pytest.mark.parametrize(
    ("scheme", "sentence", "found"),
    [
        ("iob2", "I-X I-X B-X I-Y O I-Y", [(0, 2, "X"), (2, 3, "X"), (3, 4, "Y"), (5, 6, "Y")]),
        ("ioe2", "I-X E-X E-X I-X O I-Y E-X", [(0, 2, "X"), (2, 3, "X"), (3, 4, "X"), (5, 6, "Y"), (6, 7, "X")]),
        ("bioes", "I-X I-X S-X E-X B-X", [(0, 2, "X"), (2, 3, "X"), (3, 4, "X"), (4, 5, "X")]),
        ("bmes", "B M E S S B E", [(0, 3, ""), (3, 4, ""), (4, 5, ""), (5, 7, "")]),
        ("io", "I-X I-X I-Y O I-X", [(0, 2, "X"), (2, 3, "Y"), (4, 5, "X")]),
        ("plain", "price price O B-size size", [(0, 2, "price"), (3, 4, "B-size"), (4, 5, "size")]),
        ("iob2", "B-A-B I-A-B I-A", [(0, 2, "A-B"), (2, 3, "A")]),
        (CONLLEVAL, "B-X I-X E-X I-X B-X E-X O E-X", [(0, 3, "X"), (3, 4, "X"), (4, 6, "X"), (7, 8, "X")]),
    ],
)
def test_chunks_written_out(scheme: str, sentence: str, found: list[Chunk]) -> None:
    assert cut([sentence.split()], scheme) == found


@given(corpora, st.sampled_from(LOSSLESS), st.sampled_from([*LOSSLESS, *LOSSY]))
def test_rewriting_writes_the_same_chunks(corpus: list[tuple[int, list[Chunk]]], source: str, target: str) -> None:
    before, wanted = tags_of(corpus, source), tags_of(corpus, target)
    after, lost = changed(before, source, target)
    assert cut(before, source) == all_chunks(corpus)
    assert after == wanted
    joined = [merged(found) for _, found in corpus]
    assert lost == (sum(map(len, [f for _, f in corpus])) - sum(map(len, joined)) if target in LOSSY else 0)
    again, _ = changed(after, target, source)
    lengths = [length for length, _ in corpus]
    assert again == (tags_of(zip(lengths, joined, strict=True), source) if target in LOSSY else before)


@given(st.data(), st.sampled_from(list(SCHEMES)))
def test_repair_is_well_formed_and_keeps_the_chunks(data: st.DataObject, scheme: str) -> None:
    labels = labels_of(scheme, ["X", "Y"])
    before = data.draw(st.lists(st.lists(st.sampled_from(labels), min_size=1, max_size=6), min_size=1, max_size=4))
    after, _ = changed(before, scheme, scheme, labels)
    assert not any(faulty(after, scheme, labels))
    assert cut(after, scheme) == cut(before, scheme)


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme != "plain"])
def test_tags_without_types_are_rewritten_without(scheme: str) -> None:
    assert changed([["S", "B", "E", "O", "S", "S"]], "bmes", scheme)[0] == [
        [tag.removesuffix("-") for tag in written([(0, 1, ""), (1, 3, ""), (4, 5, ""), (5, 6, "")], 6, scheme)]
    ]


def test_chunks_without_a_type_or_called_outside_are_no_plain_labels() -> None:
    with pytest.raises(DataError, match="without a type"):
        changed([["B", "O"]], "iob2", "plain")
    with pytest.raises(DataError, match="of type O"):
        changed([["B-O", "O"]], "iob2", "plain")


# Tokens whose tag is not known


@pytest.mark.parametrize("target", SCHEMES)
def test_undecided_tokens_stay_and_nothing_is_illegal_beside_them(target: str) -> None:
    labels = ["O", "B-X", "I-X"]
    codes, offsets = np.array([UNDECIDED, 2, UNDECIDED, 1, UNDECIDED, UNDECIDED], np.int32), np.array([0, 5, 6])
    tags = tagset(labels, "iob2")
    assert ill_formed(tags, codes, offsets).tolist() == []
    names, new, lost = rewritten(tags, target, codes, offsets)
    assert (new == UNDECIDED).tolist() == (codes == UNDECIDED).tolist()
    decided = [names[code] for code in new.tolist() if code != UNDECIDED]
    assert decided == [written([(0, 1, "X")], 1, target)[0]] * 2
    assert set(names) == set(decided)
    assert lost == 0


@pytest.mark.parametrize("target", SCHEMES)
@pytest.mark.parametrize("labels", [[], ["O"], ["O", "B"], ["B-X"]])
def test_a_corpus_may_be_undecided_altogether(target: str, labels: list[str]) -> None:
    names, new, lost = rewritten(tagset(labels, "iob2"), target, np.full(3, UNDECIDED, np.int32), np.array([0, 1, 3]))
    assert (names, new.tolist(), lost) == ([], [UNDECIDED] * 3, 0)


# Guessing


RICH = [
    (9, [(0, 1, "X"), (1, 2, "X"), (2, 5, "X"), (5, 8, "Y")]),
    (4, [(0, 3, "Y"), (3, 4, "Y")]),
    (3, [(1, 2, "X")]),
]


@pytest.mark.parametrize("scheme", GUESSABLE)
def test_the_scheme_of_a_rich_corpus_is_guessed(scheme: str) -> None:
    sentences = tags_of(RICH, scheme)
    labels = sorted({tag for tags in sentences for tag in tags})
    assert guessed_scheme(labels, *coded(sentences, labels)) == scheme


@given(corpora, st.sampled_from(GUESSABLE))
def test_a_guess_cuts_the_same_chunks_and_finds_no_fault(corpus: list[tuple[int, list[Chunk]]], scheme: str) -> None:
    sentences = tags_of(corpus, scheme)
    labels = sorted({tag for tags in sentences for tag in tags})
    guess = guessed_scheme(labels, *coded(sentences, labels))
    assert cut(sentences, guess, labels) == cut(sentences, scheme, labels)
    assert not any(faulty(sentences, guess, labels))


@pytest.mark.parametrize(
    ("sentence", "scheme"),
    [
        ("B-X I-X O B-X", "iob2"),
        ("I-X I-X O I-X", "io"),
        ("I-X B-X O", "iob1"),
        ("B-X I-X O I-X B-X I-X", "iob2"),  # one fault beside three
        ("B-X B-X O", "iob2"),
        ("O O", "plain"),
        ("DT NN-X O", "plain"),
        ("B- O", "plain"),
        ("B-X M-X E-X O S-X", "bmes"),
        ("B M E S", "bmes"),
        ("B I E S", "bioes"),
        ("B-X O-X", "plain"),
    ],
)
def test_guesses(sentence: str, scheme: str) -> None:
    tags = sentence.split()
    labels = sorted(set(tags))
    assert guessed_scheme(labels, *coded([tags], labels)) == scheme


# Sets of labels


def by_force(tags: Tagset, target: str, choices: Sequence[Sequence[int]]) -> list[set[str]]:
    """The tags of each token in the well-formed sentences that can be made of these choices."""
    ways = list(product(*choices))
    codes, offsets = np.array(ways, np.int32).ravel(), np.arange(len(ways) + 1) * len(choices)
    faults = np.isin(np.arange(len(ways)), ill_formed(tags, codes, offsets) // len(choices))
    names, new, _ = rewritten(tags, target, codes, offsets)
    return [{names[code] for code in column.tolist()} for column in new.reshape(len(ways), -1)[~faults].T]


@given(st.data(), st.sampled_from(list(SCHEMES)), st.sampled_from(list(SCHEMES)))
def test_sets_hold_all_that_well_formed_choices_become(data: st.DataObject, source: str, target: str) -> None:
    labels = labels_of(source, ["X", "Y"])
    tags = tagset(labels, source)
    some = st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=4, unique=True)
    choices = data.draw(st.lists(some, min_size=1, max_size=4))
    sides = [[len(labels)], *choices, [len(labels)]]
    for forced, three in zip(
        by_force(tags, target, choices), zip(sides, choices, sides[2:], strict=False), strict=True
    ):
        assert forced <= set(rewritten_sets(tags, target, *three))


@given(st.data(), st.sampled_from(list(SCHEMES)), st.sampled_from(list(SCHEMES)))
def test_sets_are_exact_given_both_neighbours(data: st.DataObject, source: str, target: str) -> None:
    labels = labels_of(source, ["X", "Y"])
    tags = tagset(labels, source)
    edge = len(labels)
    some = st.lists(st.integers(0, edge), min_size=1, max_size=4, unique=True)
    before, after = data.draw(some), data.draw(some)
    here = data.draw(st.lists(st.integers(0, edge - 1), min_size=1, max_size=4, unique=True))
    ways = [way for way in product(before, here, after) if tags.legal[way[0], way[1]] and tags.legal[way[1], way[2]]]
    wanted = set()
    for left, label, right in ways or product(before, here, after):
        sentence = [labels[code] for code in (left, label, right) if code != edge]
        wanted.add(changed([sentence], source, target, labels)[0][0][left != edge])
    found = rewritten_sets(tags, target, before, here, after)
    assert set(found) == wanted
    assert len(found) == len(wanted)


@pytest.mark.parametrize(
    ("target", "before", "here", "after", "sets"),
    [
        ("bioes", ["O"], ["B-X"], ["I-X", "O"], {"B-X", "S-X"}),
        ("bioes", ["B-X"], ["I-X"], ["O"], {"E-X"}),
        ("bioes", ["O"], ["B-X", "I-X"], ["O"], {"S-X"}),  # I cannot stand there
        ("bioes", ["O"], ["I-X"], ["O"], {"S-X"}),  # nothing else can
        ("iob1", ["O", "B-X"], ["B-X"], ["O"], {"I-X", "B-X"}),
        ("io", ["O"], ["O", "B-Y"], ["O"], {"O", "I-Y"}),
    ],
)
def test_sets_written_out(target: str, before: list[str], here: list[str], after: list[str], sets: set[str]) -> None:
    labels = labels_of("iob2", ["X", "Y"])
    codes = [[labels.index(label) for label in side] for side in (before, here, after)]
    assert set(rewritten_sets(tagset(labels, "iob2"), target, *codes)) == sets


# Errors


@pytest.mark.parametrize(
    ("label", "scheme"),
    [
        ("S-X", "iob2"),
        ("E-X", "iob1"),
        ("B-X", "ioe2"),
        ("M-X", "bioes"),
        ("I-X", "bmes"),
        ("B-X", "io"),
        ("NN", "iob2"),
        ("-X", "iob2"),
        ("BI-X", "iob2"),
        ("O-X", "iob2"),
        ("b-X", "iob2"),
        ("S-X", CONLLEVAL),
    ],
)
def test_a_label_a_scheme_cannot_have_is_an_error(label: str, scheme: str) -> None:
    with pytest.raises(DataError, match=f"^'{label}' is no {scheme.upper()} tag"):
        tagset(["O", label], scheme)


def test_an_unknown_scheme_is_an_error() -> None:
    with pytest.raises(ConfigError, match="unknown scheme 'bio'"):
        tagset(["O"], "bio")
