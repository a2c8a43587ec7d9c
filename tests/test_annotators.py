"""Labels of several annotators: how they are combined, and what each is worth, against enumeration and simulation."""

from itertools import pairwise, product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.foundation.errors import SstagError
from sstag.interfaces.cli.merge import command
from sstag.knowledge.annotators.combining import as_sets, by_majority, merged
from sstag.knowledge.annotators.label_texts import opened, texts_of
from sstag.knowledge.annotators.regions import mixtures, regions
from sstag.knowledge.annotators.votes import votes_of
from sstag.knowledge.annotators.weighed import by_sequences, weighed
from sstag.knowledge.annotators.worth import worths
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import SCHEMES
from sstag.labels.schemes.tagset import chunks, labels_of_types, tagset
from tests.annotators import simulated, sources


def combined(how, *columns, scheme="iob2", new=None, lengths=None):
    votes = votes_of(sources(*columns, lengths=lengths), Marks(), scheme, new)
    made = merged(votes, how)
    texts, codes = texts_of(made.allowed, votes.labels, Marks(), ~votes.spoken)
    return " ".join(texts[code] for code in codes), made


@pytest.mark.parametrize(
    ("columns", "sets", "mixed", "majority"),
    [
        (("B-A I-A", "B-A I-A"), "B-A I-A", 0, "B-A I-A"),
        (("B-A I-A", "B-A O"), "B-A I-A|O", 0, "B-A I-A|O"),
        (("B-A I-A", "O B-A"), "B-A|O B-A|I-A", 1, "B-A|O B-A|I-A"),
        (("B-A I-A", "B-A I-A", "O B-A"), "B-A|O B-A|I-A", 1, "B-A I-A"),
        (("B-A I-A", "? ?"), "B-A I-A", 0, "B-A I-A"),
        (("? ?", "? B-A"), "? B-A", 0, "? B-A"),
        (("? O", "? O"), "? O", 0, "? O"),
        (("B-A|B-B O", "B-A O"), "B-A|B-B O", 0, "B-A O"),
        (("B-A I-A O", "B-A ? O", "B-A O O"), "B-A I-A|O O", 0, "B-A I-A|O O"),
        (("O B-A O", "B-B I-B O", "O B-A O"), "B-B|O B-A|I-B O", 1, "O B-A O"),
    ],
)
def test_sets_and_majority(columns, sets, mixed, majority):
    found, made = combined(as_sets, *columns)
    assert (found, made.mixed) == (sets, mixed)
    assert combined(by_majority, *columns)[0] == majority


def test_majority_decides_whole_chunks():
    """Token by token, two of three annotators would make B-A O B-A of this, which none of them wrote."""
    columns = ("B-A I-A I-A", "B-A O B-A", "O O B-A")
    assert combined(by_majority, "B-A I-A I-A", "B-A I-A I-A", "O B-B I-B", "B-A O O")[0] == "B-A I-A I-A"
    assert combined(by_majority, *columns)[1].conflicts == 1


def test_in_bioes_boundaries_that_differ_are_no_mixture():
    found, made = combined(as_sets, "B-A I-A", "O B-A", new="bioes")
    assert (found, made.mixed) == ("B-A|O E-A|S-A", 0)


LABELS = {scheme: ["O", *labels_of_types(["A", "B"], scheme)] for scheme in SCHEMES if scheme != "plain"}


@given(st.data())
def test_mixtures_are_the_well_formed_labellings_that_no_answer_has(data):
    scheme = data.draw(st.sampled_from(sorted(LABELS)))
    tags = tagset(sorted(LABELS[scheme]), scheme)
    size, length = len(tags.labels), data.draw(st.integers(1, 3))
    cell = st.lists(st.sampled_from(range(size)), min_size=1, max_size=2)
    drawn = data.draw(st.lists(st.lists(cell, min_size=length, max_size=length), min_size=1, max_size=3))
    answers = [np.array([[y in cell for y in range(size)] for cell in one]) for one in drawn]
    beside = [np.array(data.draw(st.lists(st.booleans(), min_size=size + 1, max_size=size + 1))) for _ in range(2)]
    union = np.logical_or.reduce(answers)
    expected = 0
    for path in product(range(size), repeat=length):
        allowed = all(union[t, y] for t, y in enumerate(path))
        written = any(all(one[t, y] for t, y in enumerate(path)) for one in answers)
        inner = all(tags.legal[a, b] for a, b in pairwise(path))
        left, right = (
            tags.legal[: size + 1][beside[0], path[0]].any(),
            tags.legal[path[-1], : size + 1][beside[1]].any(),
        )
        expected += bool(allowed and not written and inner and left and right)
    assert mixtures(tags, answers, *beside) == expected


@st.composite
def chunked(draw, length):
    """A well-formed sequence of IOB2 labels."""
    labels, before = [], "O"
    for _ in range(length):
        options = ["O", "B-A", "B-B", *([f"I-{before[2:]}"] if before != "O" else [])]
        before = draw(st.sampled_from(options))
        labels.append(before)
    return " ".join(labels)


@given(st.data())
def test_the_sets_allow_every_answer_and_no_smaller_sets_do(data):
    length = data.draw(st.integers(1, 6))
    columns = [data.draw(chunked(length)) for _ in range(data.draw(st.integers(2, 4)))]
    scheme = data.draw(st.sampled_from(["iob2", "bioes", "iob1", "ioe2"]))
    votes = votes_of(sources(*columns), Marks(), "iob2", scheme)
    allowed = merged(votes, as_sets).allowed
    written = [votes.single[row] for row in range(len(columns))]
    assert all(allowed[np.arange(length), one].all() for one in written)
    assert allowed.sum() == sum(len({one[t] for one in written}) for t in range(length))


@given(st.data())
def test_what_majority_decides_is_what_some_source_wrote_in_each_region(data):
    length = data.draw(st.integers(1, 6))
    columns = [data.draw(chunked(length)) for _ in range(3)]
    votes = votes_of(sources(*columns), Marks(), "iob2")
    allowed = merged(votes, by_majority).allowed
    places = regions(votes)
    for first, stop in pairwise(places):
        part = allowed[first:stop]
        if (part.sum(axis=1) == 1).all():
            assert part.argmax(axis=1).tolist() in votes.single[:, first:stop].tolist()


@given(st.data())
def test_regions_cut_no_chunk(data):
    length = data.draw(st.integers(1, 8))
    columns = [data.draw(chunked(length)) for _ in range(2)]
    votes = votes_of(sources(*columns), Marks(), "iob2")
    inner = set(range(length + 1)) - set(regions(votes).tolist())
    held = set()
    for row in votes.single:
        found = chunks(votes.tags, row, votes.offsets)
        for first, stop in zip(found.first.tolist(), found.stop.tolist(), strict=True):
            held |= set(range(first + 1, stop))
    assert inner == held


def test_weighing_finds_who_is_reliable_and_beats_the_majority():
    truth, columns, lengths = simulated([0.95, 0.6, 0.5, 0.5], seed=3)
    votes = votes_of(sources(*columns, lengths=lengths), Marks(), "iob2")
    known = np.array([votes.labels.index(label) for label in truth])

    def right(allowed):
        return float((allowed[np.arange(len(known)), known] / allowed.sum(axis=1)).mean())

    votes_alone, tokens = right(merged(votes, by_majority).allowed), weighed(votes, sequences=False)
    made = merged(votes, by_sequences)
    assert votes_alone < right(tokens.best) < right(made.allowed)
    truly = [float((row == known).mean()) for row in votes.single]
    assert [one.accuracy for one in worths(votes, made)] == pytest.approx(truly, abs=0.03)
    assert np.allclose(tokens.probabilities.sum(axis=1), 1)
    assert np.allclose(tokens.confusions.sum(axis=3), 1)


def test_dawid_skene_is_its_fixed_point():
    """At the end, q is what the counts of q say: written out for one token, without the code under test."""
    from scipy.special import digamma

    _, columns, lengths = simulated([0.9, 0.7, 0.6], seed=5, sentences=50)
    votes = votes_of(sources(*columns, lengths=lengths), Marks(), "iob2")
    q = weighed(votes, sequences=False).probabilities
    size = q.shape[1]
    scores = digamma(q.sum(axis=0) + 1.0 / size)
    for row in votes.single:
        counts = np.full((size, size), 1.0 / (size - 1)) + np.eye(size) * (2.0 - 1.0 / (size - 1))
        for token, label in enumerate(row.tolist()):
            counts[:, label] += q[token]
        scores = scores + (digamma(counts) - digamma(counts.sum(axis=1, keepdims=True)))[:, row[0]]
    expected = np.exp(scores - scores.max())
    assert q[0] == pytest.approx(expected / expected.sum(), abs=1e-3)


def test_sequences_are_well_formed():
    _, columns, lengths = simulated([0.6, 0.6], seed=7, sentences=60)
    votes = votes_of(sources(*columns, lengths=lengths), Marks(), "iob2")
    best = weighed(votes, sequences=True).best.argmax(axis=1)
    steps = np.delete(np.arange(len(best)), votes.offsets[:-1])
    assert votes.tags.legal[best[steps - 1], best[steps]].all()


def test_coverage_overlap_and_conflict_are_shares_of_all_tokens():
    votes = votes_of(sources("A B ? ?", "A C D ?", "? ? D|A ?"), Marks(), "plain")
    found = {one.source: one for one in worths(votes, merged(votes, as_sets))}
    assert [one.coverage for one in found.values()] == [0.5, 0.75, 0.25]
    assert [one.overlap for one in found.values()] == [0.5, 0.75, 0.25]
    assert [one.conflict for one in found.values()] == [0.25, 0.25, 0]
    by_label = {(one.source, one.kind): one.labelled for one in worths(votes, merged(votes, as_sets), by_label=True)}
    assert by_label["source 1", "D"] == 1
    assert by_label["source 2", "D"] == 0


def test_opened_sets_have_the_probability_that_is_asked():
    q = np.array([[0.95, 0.03, 0.01, 0.01], [0.5, 0.45, 0.03, 0.02], [0.3, 0.3, 0.3, 0.1], [0.25, 0.25, 0.25, 0.25]])
    best = np.eye(4, dtype=bool)[[0, 0, 0, 0]]
    best[3] = True
    assert opened(best, q, 0.9).tolist() == [
        [True, False, False, False], [True, True, False, False], [True] * 4, [True] * 4
    ]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(["sets", "majority", "dawid-skene", "sequence"]))
def test_the_command_writes_the_first_file_with_other_labels(tmp_path_factory, by):
    folder = tmp_path_factory.mktemp("merge")
    (folder / "a.txt").write_text("# id = 1\nAnn  x B-PER\r\nLee  y I-PER\n\n\nKim z O\n")
    (folder / "b.txt").write_text("Ann x B-PER\nLee y I-PER\n\nKim z O\n")
    run = CliRunner().invoke(command, [str(folder / "a.txt"), str(folder / "b.txt"), "--by", by])
    assert run.exit_code == 0, run.output
    assert run.stdout_bytes == (folder / "a.txt").read_bytes()
    assert "100.00   100.00      0.00" in run.stderr


def merge(tmp_path, *arguments):
    return CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=True)


def test_lists_and_their_lines_are_sources(tmp_path):
    (tmp_path / "raw.txt").write_text("in\nNew\nYork\n\nYork\n")
    (tmp_path / "names.tsv").write_text("word[0]=York\tB-LOC|I-LOC\nword[-1]=New\tI-LOC\nword[0]=in\tO\n")
    run = merge(tmp_path, tmp_path / "raw.txt", "--raw", "--functions", tmp_path / "names.tsv")
    assert run.exit_code == 0, run.output
    assert run.stdout == "in O\nNew ?\nYork B-LOC|I-LOC\n\nYork B-LOC|I-LOC\n"
    assert [line.split()[0] for line in run.stderr.splitlines()[1:4]] == ["word[0]=York", "word[-1]=New", "word[0]=in"]


def test_a_line_with_a_long_name_is_cut(tmp_path):
    (tmp_path / "raw.txt").write_text("in\n\nYork\n")
    (tmp_path / "names.tsv").write_text(f"word[0]={'x' * 5000}\tO\nword[0]=in\tO\n")
    run = merge(tmp_path, tmp_path / "raw.txt", "--raw", "--functions", tmp_path / "names.tsv")
    assert run.exit_code == 0, run.output
    assert max(map(len, run.stderr.splitlines())) < 2500


@pytest.mark.parametrize(
    ("files", "options", "said"),
    [
        (["Ann A\n"], [], "one source: name two files or more"),
        (["Ann A\n", "Bob A\n"], [], "'Bob' where"),
        (["Ann A\n", "Ann A\n"], ["--open-below", "0.5"], "--open-below is for --by dawid-skene, sequence"),
        (["Ann A\n", "Ann A\n"], ["--raw"], "with --raw there is one FILE"),
        (["Ann B-A\n", "Ann X\n"], ["--scheme", "iob2"], "'X' is no IOB2 tag"),
        (["Ann\n", "Ann\n"], [], "no label column"),
        (["Ann ?\n", "Ann ?\n"], [], "no source says anything"),
    ],
)
def test_what_cannot_be_merged_is_said(tmp_path, files, options, said):
    paths = []
    for number, text in enumerate(files):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(text)
    run = merge(tmp_path, *paths, *options)
    assert run.exit_code
    message = str(run.exception) if isinstance(run.exception, SstagError) else run.stderr
    assert said in message
