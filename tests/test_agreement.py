"""Agreement: published worked examples, definitions written out, and the command with its sheet."""

import json
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.corpus import corpus_of
from sstag.corpus.reading import read
from sstag.features.reading import template
from sstag.interfaces.cli.agree import command
from sstag.knowledge.annotators.agreement import ALPHA, CHUNK_F, FLEISS, KAPPA, UNITS, agreement
from sstag.knowledge.annotators.coefficients import Patterns, cohen, fleiss, krippendorff, patterns
from sstag.knowledge.annotators.unitising import alpha, disagreements, units
from sstag.knowledge.annotators.votes import Source, votes_of
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import Chunks


def of_votes(rows) -> Patterns:
    """The patterns of votes, a row for each source, of sentences of one token."""
    votes = np.array(rows, np.int32)
    return patterns(votes, max(int(votes.max()) + 1, 1), np.arange(votes.shape[1] + 1))


# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", data C; -1: no value
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, -1, -1, -1],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, -1, 3],
    [-1, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, -1],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, -1],
]
# The example of Fleiss's κ in textbooks and encyclopaedias: 14 raters put 10 subjects into 5 categories
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def test_krippendorffs_alpha_of_his_example():
    found = of_votes(KRIPPENDORFF)
    assert krippendorff(found, found.total) == pytest.approx(0.743, abs=5e-4)


def test_fleiss_kappa_of_the_textbook():
    votes = np.array([[label for label, n in enumerate(row) for _ in range(n)] for row in FLEISS_COUNTS]).T
    found = of_votes(votes)
    assert fleiss(found, found.total) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "kappa"), [([[20, 5], [10, 15]], 0.4), ([[45, 15], [25, 15]], 0.1304), ([[25, 35], [5, 35]], 0.2593)]
)
def test_cohens_kappa_of_the_textbook(table, kappa):
    pairs = [(i, j) for i in range(2) for j in range(2) for _ in range(table[i][j])]
    found = of_votes(np.array(pairs).T)
    assert cohen(found, 0, 1, found.total) == pytest.approx(kappa, abs=5e-5)


@given(st.integers(2, 4).flatmap(lambda k: st.lists(st.lists(st.integers(-1, 2), min_size=k, max_size=k), min_size=2)))
def test_alpha_is_the_disagreement_of_pairs_beside_that_of_chance(tokens):
    """By definition: pairs of values within tokens, each token weighed by its values, against pairs of all values."""
    paired = [[y for y in token if y >= 0] for token in tokens]
    paired = [token for token in paired if len(token) > 1]
    values = [y for token in paired for y in token]
    chance = sum(a != b for a, b in permutations(values, 2))
    found = of_votes(np.array(tokens).T)
    if not chance:
        assert not np.isfinite(krippendorff(found, found.total))
        return
    observed = sum(sum(a != b for a, b in permutations(token, 2)) / (len(token) - 1) for token in paired)
    expected = 1 - (observed / len(values)) / (chance / (len(values) * (len(values) - 1)))
    assert krippendorff(found, found.total) == pytest.approx(expected)


def spans(*some) -> Chunks:
    return Chunks(*np.array(some, np.int64).reshape(-1, 3).T)


def test_unitising_alpha_of_krippendorffs_example():
    """Krippendorff (2004, p. 254): tokens 150 to 450 of a text, types c (0) and k (1)."""
    one = spans((30, 90, 1), (75, 145, 0), (150, 200, 1), (220, 250, 0))
    two = spans((30, 90, 1), (70, 150, 0), (150, 200, 1), (205, 225, 0), (250, 270, 0))
    offsets = np.array([0, 300])
    c, k = (units([one, two], kind, offsets) for kind in (0, 1))
    observed, expected = disagreements(c, c.rows.sum(axis=0))
    assert (observed, expected) == (pytest.approx(0.0144, abs=5e-5), pytest.approx(0.0532, abs=5e-5))
    assert alpha(observed, expected) == pytest.approx(0.7286, abs=5e-5)
    more, chance = disagreements(k, k.rows.sum(axis=0))
    assert (more, chance) == (0, pytest.approx(0.0490, abs=5e-5))
    assert alpha(observed + more, expected + chance) == pytest.approx(0.8591, abs=5e-4)


@st.composite
def some_spans(draw, ends):
    """Chunks of sentences that end at these tokens."""
    found, begin = [], 0
    for end in ends:
        place = begin
        while place < end:
            length = draw(st.integers(0, 3))
            if length and place + length <= end:
                found.append((place, place + length))
            place += max(length, 1)
        begin = end
    return found


@given(st.data())
def test_the_sums_of_unitising_are_those_of_the_definition(data):
    ends = [3, 4, 9][: data.draw(st.integers(1, 3))]
    every = [data.draw(some_spans(ends)) for _ in range(data.draw(st.integers(2, 3)))]
    offsets = np.array([0, *ends])
    found = units([spans(*((a, b, 0) for a, b in one)) for one in every], 0, offsets)
    observed, expected = disagreements(found, found.rows.sum(axis=0))

    def difference(mine, theirs):
        total = 0
        for a, b in mine:
            touching = [(c, d) for c, d in theirs if c < b and a < d]
            total += sum((a - c) ** 2 + (b - d) ** 2 for c, d in touching) / 2 if touching else (b - a) ** 2
        return total

    m, size = len(every), ends[-1]
    both = sum(difference(one, two) + difference(two, one) for one, two in combinations(every, 2))
    assert observed == pytest.approx(2 * both / (m * (m - 1) * size**2))
    lengths = [b - a for one in every for a, b in one]
    gaps = []
    for one in every:
        for begin, end in pairwise(offsets):
            free = "".join("." if not any(a <= t < b for a, b in one) else "|" for t in range(begin, end))
            edges = {a - begin for a, _ in one}  # two chunks may touch, with no gap between
            gaps += [len(run) for run in "".join("|" + c if t in edges else c for t, c in enumerate(free)).split("|")]
    chance = sum(
        (len(lengths) - 1) / 3 * (2 * v**3 - 3 * v**2 + v) + v**2 * sum(max(gap - v + 1, 0) for gap in gaps if gap)
        for v in lengths
    )
    assert expected == pytest.approx(
        2 / size * chance / (m * size * (m * size - 1) - sum(v * (v - 1) for v in lengths))
    )


def of_columns(*columns, lengths):
    cut = np.cumsum([0, *lengths])
    made = []
    for number, column in enumerate(columns):
        labels = column.split()
        text = [[(f"w{t}", labels[t]) for t in range(a, b)] for a, b in pairwise(cut)]
        made.append(Source(f"{number}", corpus_of(text, ("word", "label")), "label"))
    return votes_of(made, Marks(), "iob2")


def test_who_agrees_in_everything_has_1_and_who_does_not_has_less():
    same, other = "B-A I-A O B-B O O", "B-A O O B-A O O"
    found = agreement(of_columns(same, same, lengths=[3, 3]), 50, 1, lambda text: None)
    figures = [*found.every.values(), *found.pairs["0", "1"].values(), *found.by_kind["A"].values()]
    assert [one.value for one in figures] == [1] * len(figures)
    assert not found.disagreeing.any()
    found = agreement(of_columns(same, same, other, lengths=[3, 3]), 50, 1, lambda text: None)
    assert found.pairs["0", "1"][KAPPA].value == 1
    assert found.pairs["0", "2"][CHUNK_F].value == 0
    assert all(one.value < 1 for one in (found.every[FLEISS], found.every[ALPHA], found.every[UNITS]))
    assert np.flatnonzero(found.disagreeing).tolist() == [1, 3]
    assert found.by_kind["A"][CHUNK_F].low <= found.by_kind["A"][CHUNK_F].value <= found.by_kind["A"][CHUNK_F].high


def test_chunks_are_not_compared_where_somebody_left_them_open():
    found = agreement(of_columns("B-A I-A O B-B O O", "B-A ? O B-B O O", lengths=[3, 3]), 0, 1, lambda text: None)
    assert found.pairs["0", "1"][CHUNK_F].value == 1
    assert found.compared == 5


def agree(tmp_path, *arguments):
    run = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert run.exit_code == 0, run.output
    return run.stdout


def test_the_command_and_its_sheet_which_a_training_reads_as_it_is(tmp_path):
    (tmp_path / "ann.txt").write_text("New NN B-A\nYork NN I-A\nand CC O\n\nit PR O\n\nKim NN B-B\n")
    (tmp_path / "bob.txt").write_text("New NN O\nYork NN B-A\nand CC O\n\nit PR O\n\nKim NN ?\n")
    files = tmp_path / "ann.txt", tmp_path / "bob.txt"
    text = agree(tmp_path, *files, "--columns", "word,pos,ner", "--sheet", tmp_path / "decide.txt")
    assert text.startswith("IOB2; 4 tokens with two labels or more, 2 of them different")
    assert (tmp_path / "decide.txt").read_text().split("\n")[:6] == [
        "# global.columns = word pos ner ann bob", "# global.label = ner", "# sentence = 1",
        "New\tNN\t?\tB-A\tO", "York\tNN\t?\tI-A\tB-A", "and\tCC\tO\tO\tO",
    ]  # fmt: skip
    how = template("columns: [word, pos, ner]\nlabel: ner\nfeatures: [word[0]]\n", "made.yaml")
    decided = read(str(tmp_path / "decide.txt"), how.layout(str(tmp_path / "decide.txt")))
    assert decided.columns == ("word", "pos", "ner")
    assert decided.words("ner", 0) == ["?", "?", "O"]
    told = json.loads(agree(tmp_path, *files, "--columns", "word,pos,ner", "--format", "json", "--resamples", "0"))
    assert told["pairs"][0]["chunk F"] == {"value": 0.0, "low": None, "high": None}
    assert told["different"] == 2


def test_sentences_of_the_sheet_keep_the_names_of_the_first_file(tmp_path):
    for name, label in (("ann", "PER"), ("bob", "LOC")):
        records = [{"id": f"d{n}", "text": "Ann left. Bob met Kim.", "label": [[10, 13, label]]} for n in range(2)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    agree(tmp_path, tmp_path / "ann.jsonl", tmp_path / "bob.jsonl", "--resamples", "0", "--sheet", tmp_path / "s.txt")
    lines = (tmp_path / "s.txt").read_text().splitlines()
    assert [line for line in lines if line.startswith(("# document", "# text"))] == [
        "# document = d0:10", '# text = "Bob met Kim."', "# document = d1:10", '# text = "Bob met Kim."',
    ]  # fmt: skip
