"""`sstag expectations`: which features are proposed, what is said of them, and what the command writes."""

from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces.cli.expectations import TARGETS, WAYS, command
from sstag.knowledge.expectations import placed
from sstag.knowledge.proposal_text import in_context
from sstag.knowledge.proposals import chosen_proposals, every_proposal, with_features
from sstag.knowledge.target_shares import counted_shares
from sstag.labels.marks import Marks
from tests.datasets import corpus
from tests.proposals import HOW, RAW, TRAIN, run, write_files
from tests.training import made_ads

LABELLED = corpus(TRAIN, path="train.txt")


def of(labelled=LABELLED, text=None, how=HOW, features=()):
    return every_proposal(with_features(how, features), labelled, text, Marks())


def names(candidates_, chosen):
    return [text.removeprefix("lower(word[0])=") for text in candidates_.texts(chosen)]


def test_the_feature_is_the_first_that_looks_at_the_token():
    assert names(of(), chosen_proposals(of(), "coverage", 2, 1, 0.1)) == ["a", "b"]
    other = template("columns: [word, label]\nfeatures: ['word[-1]', first()]\n", "made.yaml")
    with pytest.raises(ConfigError, match=r"no feature of the template looks at the token alone: which"):
        with_features(other, ())


def test_only_decided_labels_are_counted():
    found = of()
    counts = dict(zip(names(found, range(6)), found.counts.tolist(), strict=True))
    assert counts == {"a": [2, 1], "b": [0, 2], "c": [1, 1], "d": [0, 1], "e": [1, 0], "f": [0, 0]}
    assert found.labels == ("X", "Y")
    with pytest.raises(DataError, match=r"^train.txt: there is no column 'label'"):
        of(corpus([[("a",)]], ("word",), "train.txt"))


@pytest.mark.parametrize(
    ("count", "least", "expected"),
    [(1, 1, "ab"), (2, 1, "acbd"), (3, 1, "acebd"), (9, 2, "acb"), (1, 3, "a")],
)
def test_prototypes_are_what_a_label_has_most_often(count, least, expected):
    found = of()
    assert names(found, chosen_proposals(found, "prototypes", count, least, 0.1)) == list(expected)


def test_prototypes_agree_with_counting_by_hand():
    ads = made_ads(40, 1)
    found = of(ads)
    by_label: dict[str, Counter[str]] = {}
    for s in range(ads.sentences):
        for word, label in zip(ads.words("word", s), ads.words("label", s), strict=True):
            by_label.setdefault(label, Counter())[word.lower()] += 1
    most = {word: max(times[word] for times in by_label.values()) for times in by_label.values() for word in times}
    expected, taken = [], set()
    for label in sorted(by_label):  # Counter.most_common keeps the order of first use, but that is the label's own
        first = {word: place for place, word in enumerate(_in_order(ads))}
        own = [word for word, times in by_label[label].items() if times == most[word] and word not in taken]
        own = [word for word in own if sum(times[word] for times in by_label.values()) >= 2]
        own.sort(key=lambda word: (-by_label[label][word], first[word]))
        expected += own[:3]
        taken.update(own[:3])
    assert names(found, chosen_proposals(found, "prototypes", 3, 2, 0.1)) == expected


def _in_order(ads):
    return dict.fromkeys(word.lower() for s in range(ads.sentences) for word in ads.words("word", s))


def test_the_surest_come_first():
    found = of()
    chosen = chosen_proposals(found, "entropy", 10, 1, 0.1)
    shares = [counted_shares(found.counts[one].astype(float), 0.1) for one in chosen]
    entropies = [-(share * np.log(share)).sum() for share in shares]
    assert entropies == sorted(entropies)
    assert names(found, chosen) == ["b", "d", "e", "a", "c"]
    assert names(found, chosen_proposals(found, "entropy", 2, 2, 0.1)) == ["b", "a"]


def test_coverage_looks_for_tokens_that_have_none_yet():
    text = corpus([[("ab",), ("cb",), ("db",), ("xy",), ("xz",), ("ab",)]], ("word",))
    how = template("columns: [word, label]\nfeatures: ['prefix(word[0], 1)']\n", "made.yaml")
    both = template("columns: [word, label]\nfeatures: ['suffix(word[0], 1)', 'prefix(word[0], 1)']\n", "made.yaml")
    found = every_proposal(both, None, text, Marks())
    chosen = chosen_proposals(found, "coverage", 9, 1, 0.1)
    assert found.texts(chosen) == ["suffix(word[0], 1)=b", "prefix(word[0], 1)=x"]  # which have all tokens
    assert [len(found.tokens(one)) for one in chosen] == [4, 2]
    alone = every_proposal(how, None, text, Marks())
    assert alone.texts(chosen_proposals(alone, "coverage", 2, 1, 0.1)) == [
        "prefix(word[0], 1)=a",
        "prefix(word[0], 1)=x",
    ]
    with pytest.raises(ConfigError, match=r"prototypes needs labelled sentences \(--train FILE\)"):
        chosen_proposals(alone, "prototypes", 2, 1, 0.1)


def test_a_context_shows_some_words_around():
    text = corpus([[(str(n),) for n in range(20)], [("a",), ("b",)]], ("word",))
    assert in_context(text, 0) == "[0] 1 2 3 4 5 6 …"
    assert in_context(text, 10) == "… 4 5 6 7 8 9 [10] 11 12 13 14 15 16 …"
    assert in_context(text, 19) == "… 13 14 15 16 17 18 [19]"
    assert in_context(text, 21) == "a [b]"


# ------------------------------------------------------------------ the command


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def test_it_writes_a_list_that_can_be_learned_from(files):
    made = run("--train", "train.txt", "--unlabeled", "raw.txt", "-o", "f.tsv")
    assert made.exit_code == 0, made.output
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        "# 3 occurrences; labelled 3: X 66.7 %, Y 33.3 %\nlower(word[0])=a\tX\n"
        "# 2 occurrences; labelled 2: Y 100.0 %\nlower(word[0])=b\tY\n"
    )
    assert made.stderr == "2 features of 6 (no others fit, of those that occur 2 times), 5 occurrences in raw.txt\n"
    assert placed("f.tsv", HOW, RAW).labels == {"X", "Y"}


def test_a_tie_is_a_target_for_both(files):
    made = run("--train", "train.txt", "--least", "1", "--show", "1")
    assert "lower(word[0])=c\tX Y\n" in made.stdout
    assert "# 2 occurrences; labelled 2: X 50.0 %, Y 50.0 %\n#   a b a" in made.stdout


def test_without_labelled_sentences_labels_are_left_to_a_person(files):
    made = run("--unlabeled", "raw.txt", "--count", "2", "--show", "9")
    first, second = made.stdout.split("lower(word[0])=a\t?\n")
    assert sorted(first.split("\n")) == ["", "#   [a] b A", "#   a b [A]", "#   b c g [a]", "# 3 occurrences"]
    assert sorted(second.split("\n")) == [
        "",
        "#   [b] c g a",
        "#   a [b] A",
        "# 2 occurrences",
        "lower(word[0])=b\t?",
    ]


def test_estimated_and_sampled_targets(files):
    made = run("--train", "train.txt", "--count", "1", "--targets", "estimated", "--smoothing", "1")
    assert "lower(word[0])=a\tX:0.6 Y:0.4\n" in made.stdout
    sampled = run("--train", "train.txt", "--count", "1", "--targets", "sampled", "--samples", "2", "--smoothing", "0")
    assert "# 2 occurrences looked at: Y 100.0 ± 0.0 %\nlower(word[0])=b\tY:1\n" in sampled.stdout
    seen = {
        line
        for seed in range(20)
        for line in run(
            "--train", "train.txt", "--targets", "sampled", "--samples", "1", "--smoothing", "0", "--seed", str(seed)
        ).stdout.split("\n")
        if line.startswith("lower(word[0])=a")
    }
    assert seen == {"lower(word[0])=a\tX:1", "lower(word[0])=a\tY:1"}
    same = [run("--train", "train.txt", "--targets", "sampled", "--samples", "1").stdout for _ in range(2)]
    assert same[0] == same[1]


def test_another_list_says_which_features(files):
    (files / "f.tsv").write_text("lower(word[0])=c\tX\t2\nword[1]=b\tY:0.6 X:0.4\nword[0]=zz\tX\n", encoding="utf-8")
    made = run("--unlabeled", "raw.txt", "--list", "f.tsv")
    assert made.stdout == ("# 1 occurrence\nlower(word[0])=c\tX\t2\n# 1 occurrence\nword[1]=b\tY:0.6 X:0.4\n")
    assert "f.tsv:3: 'word[0]=zz' never occurs: left out" in made.stderr
    other = run("--train", "train.txt", "--list", "f.tsv", "--targets", "estimated", "--smoothing", "0")
    assert "lower(word[0])=c\tX:0.5 Y:0.5\t2\n" in other.stdout


@pytest.mark.parametrize("targets", ["majority", "open"])
def test_a_list_keeps_its_weights_whatever_is_said(files, targets):
    (files / "f.tsv").write_text("lower(word[0])=a\tX\t2\nlower(word[0])=g\t?\t3\nword[1]=b\tX\n", encoding="utf-8")
    made = run("--train", "train.txt", "--unlabeled", "raw.txt", "--list", "f.tsv", "--targets", targets)
    lines = [line for line in made.stdout.split("\n") if line and not line.startswith("#")]
    says = {"majority": ["X", "?", "X Y"], "open": ["?"] * 3}[targets]
    a, g, b = says
    assert lines == [f"lower(word[0])=a\t{a}\t2", f"lower(word[0])=g\t{g}\t3", f"word[1]=b\t{b}"]


def test_what_is_open_is_open_with_a_weight_too(files):
    (files / "f.tsv").write_text("lower(word[0])=a\t?\t2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"^f.tsv:1: .* has no label yet"):
        placed("f.tsv", HOW, RAW)


@pytest.mark.parametrize("targets", ["estimated", "sampled"])
@pytest.mark.parametrize("smoothing", ["0", "0.1"])
def test_what_no_labelled_token_has_is_open(files, targets, smoothing):
    (files / "f.tsv").write_text("lower(word[0])=g\tX\nlower(word[0])=b\tX\n", encoding="utf-8")
    how = ("--unlabeled", "raw.txt", "--list", "f.tsv", "--targets", targets, "--smoothing", smoothing)
    made = run("--train", "train.txt", *how)
    note = "# no labelled occurrence\n"
    assert made.stdout.startswith(f"# 1 occurrence\n{note}lower(word[0])=g\t?\n")
    assert "\tY:1\n" in made.stdout if smoothing == "0" else "\tY:0.954545 X:0.0454545\n" in made.stdout


def test_features_may_be_named(files):
    made = run("--unlabeled", "raw.txt", "-f", "prefix(word[0], 1)", "-f", "word[1]", "--count", "1")
    assert made.stdout == "# 2 occurrences\nprefix(word[0], 1)=a\t?\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which text? say --train, --unlabeled, or both"),
        (["--unlabeled", "raw.txt", "--targets", "estimated"], "--targets estimated needs --train"),
        (["--unlabeled", "raw.txt", "--targets", "sampled"], "--targets sampled needs --train"),
        (["--unlabeled", "raw.txt", "--targets", "given"], "--targets given needs --list"),
        (["--unlabeled", "raw.txt", "--list", "f.tsv", "--by", "coverage"], "--by is for choosing features: not"),
        (["--unlabeled", "raw.txt", "--list", "f.tsv", "--count", "3"], "--count is for choosing features: not"),
        (["--unlabeled", "raw.txt", "--list", "f.tsv", "-f", "word[0]"], "--feature is for choosing features: not"),
        (["--unlabeled", "raw.txt", "--list", "f.tsv", "--least", "2"], "--least is for choosing features: not"),
        (["--unlabeled", "raw.txt", "--ask"], "--ask needs a file for the answers"),
        (["--unlabeled", "raw.txt", "--ask", "-o", "o", "--targets", "open"], "--ask is for --targets majority or"),
        (["--unlabeled", "raw.txt", "--labels", "X"], "--labels is for --ask"),
        (["--unlabeled", "raw.txt", "--ask", "-o", "o", "--labels", "X,,Y"], "a label is empty"),
        (["--train", "-", "--unlabeled", "-"], "standard input (-) can be read only once"),
        (["--unlabeled", "-", "--ask", "-o", "o"], "standard input (-) can be read only once"),
    ],
)
def test_what_does_not_fit_is_told(files, arguments, message):
    made = CliRunner().invoke(command, ["-t", "t.yaml", *arguments])
    assert made.exit_code == 2
    assert message in made.output


def test_it_writes_over_none_of_its_inputs(files):
    with pytest.raises(DataError, match="is an input, and would be overwritten"):
        run("--unlabeled", "raw.txt", "-o", "raw.txt")
    with pytest.raises(ConfigError, match="entropy needs labelled sentences"):
        run("--unlabeled", "raw.txt", "--by", "entropy")


def test_ways_and_targets_are_told():
    shown = CliRunner().invoke(command, ["--help"]).output
    assert all(name in shown for name in (*WAYS, *TARGETS))
    assert "[default: given (--list, --like), majority (--train or --ask), or open]" in " ".join(shown.split())
