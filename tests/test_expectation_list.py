"""Lists of expectations: what a line says, MALLET's lists, and what is wrong with either."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.knowledge.expectation_list import Target, target_of
from sstag.knowledge.expectations import placed, placed_everywhere, placed_with_steps
from sstag.knowledge.target_shares import MAJORITY, counted_shares, heuristic, shares_text, standard_errors
from tests.compare import assert_close
from tests.datasets import corpus

WORDS = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
TWO = template("columns: [word, pos, label]\nfeatures: [word[0]]\n", "made.yaml")
TEXT = corpus([[("The",), ("rent",), ("is",), ("$",)], [("No",), ("rent",), ("The",)]], ("word",), "raw.txt")
TAGGED = corpus([[("The", "DT"), ("rent", "NN"), ("NN", "is")]], ("word", "pos"), "raw.txt")
LABELS = ("A", "B", "C")


def made(tmp_path, text, how=WORDS, raw=TEXT, read=placed):
    (tmp_path / "f.tsv").write_text(text, encoding="utf-8")
    return read(str(tmp_path / "f.tsv"), how, raw)


def tokens(expectations):
    """The tokens of each line."""
    owner = np.repeat(np.arange(expectations.active.rows), np.diff(expectations.active.indptr))
    return [owner[expectations.active.indices == line].tolist() for line in range(len(expectations.counts))]


@pytest.mark.parametrize(
    ("said", "target", "strength"),
    [
        ("A", [0.99, 0.005, 0.005], 1),
        ("A C", [0.495, 0.01, 0.495], 1),
        ("C B A", [1 / 3, 1 / 3, 1 / 3], 1),
        ("A:0.8 B:0.2", [0.8, 0.2, 0], 1),
        ("A=0.8 B=0.2", [0.8, 0.2, 0], 1),
        ("C:1", [0, 0, 1], 1),
        ("B:.25  A:75e-2\t2.5", [0.75, 0.25, 0], 2.5),
        ("A:0.33 B:0.33 C:0.33", [1 / 3, 1 / 3, 1 / 3], 1),
        ("A\t1e-3", [0.99, 0.005, 0.005], 1e-3),
    ],
)
def test_a_line_says_which_labels_and_how_often(tmp_path, said, target, strength):
    expectations = made(tmp_path, f"# made\n\nword[0]=rent\t{said}\n")
    assert_close(expectations.distributions(LABELS), [target])
    assert expectations.strengths.tolist() == [strength]
    assert expectations.labels <= set(LABELS)
    assert expectations.names == (f"{tmp_path}/f.tsv:3: 'word[0]=rent'",)


def test_labels_may_have_marks_of_shares_in_them(tmp_path):
    expectations = made(tmp_path, "word[0]=rent\t:\nword[0]=The\t::0.9 a:b:0.1\nword[0]=is\ta=b\nword[0]=No\tx:y\n")
    assert [target.labels for target in expectations.targets] == [(":",), (":", "a:b"), ("a=b",), ("x:y",)]
    assert [target.shares for target in expectations.targets] == [None, (0.9, 0.1), None, None]


def test_blanks_that_are_no_separators_are_part_of_words_and_labels(tmp_path):
    raw = corpus([[("\u3000",), ("a\u00a0",), ("b",)]], ("word",), "raw.txt")
    expectations = made(tmp_path, "word[0]=\u3000\tA\u3000B\nword[0]=a\u00a0\tC:0.5 D\u00a0:0.5\n", raw=raw)
    assert tokens(expectations) == [[0], [1]]
    assert [target.labels for target in expectations.targets] == [("A\u3000B",), ("C", "D\u00a0")]


def test_shares_that_differ_by_rounding_are_equally_likely():
    assert Target(("A", "B", "C"), (0.1 + 0.2, 0.3, 0.4 - 0.1)).likeliest == ("A", "B", "C")
    assert Target(("A", "B"), (0.5001, 0.4999)).likeliest == ("A",)


def test_features_may_have_the_names_that_crfpp_templates_give_them(tmp_path):
    how = template("U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,0]/%x[1,0]\nB\n", "made").named(("word", "label"))
    expectations = made(tmp_path, "U01:rent\tA\nU02:The/rent\tB\nword[0]=$\tC\nU00:The\tA\n", how)
    assert tokens(expectations) == [[1, 5], [0], [3], [1]]


def test_many_labels_take_no_longer_each_than_few(tmp_path):
    count = 30_000  # minutes, if each were compared with all before it
    said = " ".join(f"l{number}:{1 / count:g}" for number in range(count))
    expectations = made(tmp_path, f"word[0]=rent\t{said}\n")
    assert len(expectations.labels) == count
    text = "".join(f"word[0]=x{n}\tl{n % 9000}\n" for n in range(14_000))  # 5,000 twice, 4,000 once
    assert len(made(tmp_path, f"{text}word[0]=rent\tl1\n").odd(())) == 11


def test_features_of_any_number_are_found_one_by_one(tmp_path):
    lines = [f"\"matches(word[0], '^.{{{n}}}$')\"".strip('"') for n in range(1, 30)]
    expectations = made(tmp_path, "".join(f"{line}\tA\n" for line in lines) + "word[0]=is\tB\n")
    assert expectations.counts.tolist() == [1, 2, 2, 2, *[0] * 25, 1]


def test_features_are_those_of_templates_and_all_tokens(tmp_path, monkeypatch):
    text = "word[0]=rent\tA\n*\tB:0.5 C:0.5\nlower(word[1])=rent\tA\nfirst()\tC\nword[0]=xyzzy\tA\n"
    expectations = made(tmp_path, text)
    assert tokens(expectations) == [[1, 5], list(range(7)), [0, 4], [0, 4], []]
    assert expectations.counts.tolist() == [2, 7, 2, 2, 0]
    assert list(expectations.about.values()) == [5, 1, 2, 7, 7, 7]
    monkeypatch.setattr("sstag.knowledge.expectations.MOST", 1000)
    with pytest.raises(ConfigError, match=r"^5 features with 5,000 labels are 25,000: at most 1,000$"):
        expectations.distributions(("A", "B", "C", *map(str, range(4997))))


def test_what_is_odd_is_a_warning(tmp_path):
    expectations = made(tmp_path, "word[0]=xyzzy\tA\nword[0]=rent\tA:0.33 B:0.33 D:0.33\n")
    assert [text.removeprefix(f"{tmp_path}/") for text in expectations.odd(LABELS)] == [
        "f.tsv:2: the shares add up to 0.99, and are taken in proportion",
        "f.tsv:1: 'word[0]=xyzzy' never occurs in raw.txt",
        "f.tsv:2: no labelled sentence has the label 'D' (known: A, B, C)",
    ]
    assert len(expectations.odd(())) == 2  # without labelled sentences any label is one


def test_what_is_odd_about_many_lines_is_said_once(tmp_path):
    text = "".join(f"word[0]=x{number}\tA:0.9 D:0.1\n" for number in range(30))
    expectations = made(tmp_path, text + "word[0]=rent\tD\n")
    told = [text.removeprefix(f"{tmp_path}/") for text in expectations.odd(LABELS)]
    assert told[9:] == [
        "f.tsv:10: 'word[0]=x9' never occurs in raw.txt",
        "f.tsv: and 20 more features that never occur in raw.txt",
        "f.tsv:1: no labelled sentence has the label 'D', named in 30 more lines (known: A, B, C)",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word[0]=rent\tA:0.8", ":1: the shares add up to 0.8, not to 1"),
        ("word[0]=rent\tA, B", ":1: 'A,' is no label: between labels stand blanks alone"),
        ("word[0]=a\tX\n\nword[0]=rent\tA:0.8 B:0.3", ":3: the shares add up to 1.1, not to 1"),
        ("word[0]=rent\tA:0.8 B", ":1: 'B' has no share: write B:0.1, or give none a share"),
        ("word[0]=rent\tA:1.5 B:-0.5", ":1: the share '1.5' of A is not from 0 to 1"),
        ("word[0]=rent\tA:nan B:0.5", ":1: the share 'nan' of A is not from 0 to 1"),
        ("word[0]=rent\tA:0.5 A:0.5", ":1: the label 'A' stands here twice"),
        ("word[0]=rent\tA:0,5 B:0.5", ":1: '0,5' has a comma for a point: write 0.8, or a range, 0.6-0.9"),
        ("word[0]=rent\tA:0.7-0.5", ":1: '0.7-0.5' is not from 0 to 1, the smaller number first"),
        ("word[0]=rent\tA:0.6-0.7 B:0.6", ":1: the shares add up to at least 1.2, more than 1"),
        ("word[0]=rent\tA\t0", ":1: the strength '0' is no number above 0"),
        ("word[0]=rent\tA\tinf", ":1: the strength 'inf' is no number above 0"),
        ("word[0]=rent\tA\t1e999", ":1: the strength '1e999' is no number above 0"),
        ("word[0]=rent\tA\t1\t1", ":1: a line is a feature, a tab, LABEL or LABEL:0.8 OTHER:0.2"),
        ("word[0]=rent\tA\nword[0]=a A", ":2: a line is a feature, a tab, LABEL"),
        ("word[0]=rent\tA\nword[0]=The\tA\n word[ 0 ]=rent\tB", ":3: 'word[0]=rent' stands in line 1 already"),
        ("*\tA\n*\tB", ":2: '*' stands in line 1 already"),
        ("word[0]=rent\t?", ":1: 'word[0]=rent' has no label yet: write one for ?"),
        ("wrd[0]=rent\tA", ":1: wrd[0]=rent: there is no column 'wrd'; did you mean 'word'?"),
        ("word[0]=rent A", ":1: no tab between a feature and its label, nor is this a line of MALLET's"),
        ("rent A:0.5 B:0.5\nis A:0.7 B", ":2: no tab between a feature and its label, nor is this a line of MALLET's"),
        ("rent A:0.5 B:0.5\nrent A:1", ":2: 'word[0]=rent' stands in line 1 already"),
        (
            "rent\tA:0.5 B:0.5",
            ":1: rent: a feature is written as in a template, such as word[0]=rent; a list of",
        ),
        ("$\tA:0.5\tB:0.5", ":1: $: there is no column '$' (known: word, label); a list of MALLET's has blanks, not"),
        ("word[0]=rent\tA 1.0", ":1: '1.0' is no label: a share is written LABEL:0.8"),
        ("word[0]=rent\tA:90% B:10%", ":1: 'A:90%' is no label: a share is written LABEL:0.8"),
        ("word[0]=rent\tA\t1e7", ":1: the strength '1e7' is no number above 0, and at most 1,000,000"),
        ("word[0]=none\tA\nword[0]=neither\tB", ": none of the features in it occurs in"),
        ("rent A:0.5", ":1: the shares add up to 0.5, not to 1"),
        ("rent A:0.5,0.7 B:0.6", ":1: the shares add up to at least 1.1, more than 1"),
        ("# nothing\n", ": nothing in it"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path, text, message):
    with pytest.raises(DataError, match=re.escape(f"f.tsv{message}")):
        made(tmp_path, text)


def test_rules_in_the_place_of_a_list_are_told_what_they_are_for(tmp_path):
    (tmp_path / "r.yaml").write_text("rules:\n  - once: all\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"r.yaml:1: no tab .* \(rules are for --rules\)"):
        placed(str(tmp_path / "r.yaml"), WORDS, TEXT)


def test_lists_of_mallet_are_read(tmp_path):
    text = "rent A:0.8 B:0.2\n\n$  B=0.4 A=0.6\n# A:0.3 B:0.7\nword[0]=The A:1\n"
    expectations = made(tmp_path, text)
    assert tokens(expectations) == [[1, 5], [3], [], [0, 6]]
    assert_close(expectations.distributions(LABELS), [[0.8, 0.2, 0], [0.6, 0.4, 0], [0.3, 0.7, 0], [1, 0, 0]])
    assert [line.attribute for line in expectations.listed.lines] == [
        "word[0]=rent",
        "word[0]=$",
        "word[0]=#",
        "word[0]=The",
    ]


def test_a_name_of_mallet_is_looked_for_in_all_columns(tmp_path):
    expectations = made(tmp_path, "rent A:1\nDT B:1\nxyzzy A:1\n", TWO, TAGGED)
    assert [line.attribute for line in expectations.listed.lines] == ["word[0]=rent", "pos[0]=DT", "word[0]=xyzzy"]
    with pytest.raises(DataError, match=r"1: 'NN' stands in several columns: write word\[0\]=NN or pos\[0\]=NN, a tab"):
        made(tmp_path, "NN A:1\n", TWO, TAGGED)


def test_label_regularisation_is_of_all_tokens(tmp_path):
    assert placed_everywhere("", WORDS, TEXT) is None
    assert made(tmp_path, "*\tA:0.2 B:0.8\n", read=placed_everywhere).counts.tolist() == [7]
    with pytest.raises(DataError, match=r"f.tsv:2: 'word\[0\]=rent': label regularisation is of all tokens, \*"):
        made(tmp_path, "*\tA:0.2 B:0.8\nword[0]=rent\tA\n", read=placed_everywhere)
    with pytest.raises(ConfigError, match="needs a list"):
        placed("", WORDS, TEXT)


CELLS = st.sampled_from(
    ["word[0]=rent", "word[0]", "*", "rent", "#", "A", "A:0.5", "B:0.5", "B=0.5", "A:1", "?", "", "2"]
)
LINES = st.lists(CELLS, max_size=4).flatmap(lambda cells: st.sampled_from(["\t", " "]).map(lambda by: by.join(cells)))


@given(st.lists(LINES).map("\n".join) | st.text())
def test_any_text_is_a_list_or_an_error(saved, text):
    try:
        expectations = placed(saved(text.encode("utf-8", "surrogatepass")), WORDS, TEXT)
    except SstagError:
        return
    targets = expectations.distributions(sorted(expectations.labels | set(LABELS)))
    assert_close(targets.sum(axis=1), np.ones(len(targets)))
    assert (targets >= 0).all()
    assert expectations.active.indptr[-1] == expectations.counts.sum()


# ------------------------------------------------------------------ steps


def test_lines_may_be_about_steps(tmp_path):
    text = "word[0]=rent\tA>B:0.3 same:0.2-0.4\t2\nword[0]=rent\tB\n*\tsame:0.9\nword[0]=is\tA:0.5 B:0.5\n"
    both = made(tmp_path, text, read=placed_with_steps)
    assert [line.attribute for line in both.listed.lines] == ["word[0]=rent", "word[0]=is"]
    assert [line.attribute for line in both.steps.listed.lines] == ["word[0]=rent", "*"]
    assert both.steps.counts.tolist() == [2, 7]
    assert tokens(both.steps) == [[1, 5], list(range(7))]
    assert both.steps.strengths.tolist() == [2, 1]
    assert both.labels == {"A", "B"}
    assert both.about["features"] == 4
    assert both.about["of them about steps"] == 2
    rent, every = both.steps.classes(LABELS)
    np.testing.assert_array_equal(rent.cells, [[1, 0, 2], [2, 1, 2], [2, 2, 1]])
    np.testing.assert_array_equal(every.cells, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert_close([rent.low, rent.high], [[0.3, 0.2, 0.3], [0.3, 0.4, 0.5]])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word[0]=rent\tA>B:0.3 C:0.1", "f.tsv:1: 'C': after \\* write pairs, A>B:0.02"),
        ("word[0]=rent\tA>B:1.3", "f.tsv:1: '1.3' is not from 0 to 1"),
        ("word[0]=rent\tA>B:0.3\tmuch", "f.tsv:1: the strength 'much'"),
        ("word[0]=rent\tA>B:0.3\nword[0]=rent\tsame:0.3", "f.tsv:2: .* stands in line 1 already"),
    ],
)
def test_errors_of_steps_say_the_line(tmp_path, line, message):
    with pytest.raises(DataError, match=message):
        made(tmp_path, line, read=placed_with_steps)


def test_steps_are_refused_where_labels_are_wanted(tmp_path):
    with pytest.raises(DataError, match=r"f.tsv:2: shares of steps between labels are for the objective expectation"):
        made(tmp_path, "word[0]=The\tA\nword[0]=rent\tsame:0.3\n")


def test_a_label_that_is_called_as_a_step_is_an_error(tmp_path):
    both = made(tmp_path, "word[0]=rent\tsame:0.3\n", read=placed_with_steps)
    with pytest.raises(DataError, match=r"f.tsv:1: 'same' is a label, and the name of a step"):
        both.steps.classes(("A", "same"))


# ------------------------------------------------------------------ targets


@given(st.integers(1, 8), st.data())
def test_a_majority_shares_what_is_nearly_all(count, draw):
    named = draw.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=count, unique=True))
    target = heuristic(named, count)
    assert_close(target.sum(), 1.0)
    if len(named) < count:
        assert_close(target[named], np.full(len(named), MAJORITY / len(named)))
        rest = np.delete(target, named)
        assert_close(rest, np.full(len(rest), (1 - MAJORITY) / len(rest)))


def test_counts_are_smoothed():
    assert_close(
        counted_shares(np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]]), 0.5),
        [[3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5], [1 / 3] * 3],
    )
    assert_close(counted_shares(np.array([3.0, 1.0]), 0.0), [0.75, 0.25])


def test_a_standard_error_is_how_far_shares_spread():
    rng, target = np.random.default_rng(1), np.array([0.7, 0.2, 0.1])
    drawn = rng.multinomial(25, target, size=20_000) / 25
    assert_close(standard_errors(target, 25), drawn.std(axis=0), tolerance=2e-3)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any))
def test_what_is_written_is_read_as_it_was(tmp_path_factory, counts):
    labels = tuple("ABCDEF"[: len(counts)])
    target = counted_shares(np.array(counts, float), 0.1)
    path = tmp_path_factory.mktemp("f")
    expectations = made(path, f"word[0]=rent\t{shares_text(labels, target)}\n")
    assert_close(expectations.distributions(labels), [target], tolerance=1e-5)
    assert expectations.odd(()) == []


def test_shares_within_bounds():
    target = target_of("A:0.6-0.9 B:0.1", "2")
    assert target.ranges == ((0.6, 0.9), (0.1, 0.1))
    assert target.said == "A:0.6-0.9 B:0.1"
    assert target.likeliest == ("A",)
    assert target_of("A:0.6,0.9 B:0.1", "2") == target  # as MALLET writes them
    assert target_of("A:1e-2 B:0.99").ranges == ()
    assert target_of("A:0.8 B:0.2").said == "A:0.8 B:0.2"
