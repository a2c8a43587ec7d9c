"""`sstag constraints`: which features are proposed, what is said of them, and what a person answers."""

from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.cli.constraints import TARGETS, WAYS, command
from sstag.constraint_list import target_of
from sstag.constraints import placed
from sstag.errors import ConfigError, DataError
from sstag.labels import Marks
from sstag.proposal_text import in_context
from sstag.proposals import candidates, proposed, with_features
from sstag.targets import counted
from sstag.template_file import template
from tests.datasets import corpus
from tests.test_training import made_ads

HOW = template("columns: [word, label]\nfeatures: ['word[-1]', 'lower(word[0])', 'suffix(word[0], 2)']\n", "made.yaml")
TRAIN = [
    [("a", "X"), ("b", "Y"), ("a", "X"), ("c", "Y"), ("c", "X")],
    [("d", "Y"), ("b", "Y"), ("a", "Y"), ("e", "X"), ("f", "?"), ("f", "X|Y")],
]
LABELLED = corpus(TRAIN, path="train.txt")
RAW = corpus([[("a",), ("b",)], [("c",)]], ("word",))


def of(labelled=LABELLED, text=None, how=HOW, features=()):
    return candidates(with_features(how, features), labelled, text, Marks())


def names(candidates_, chosen):
    return [text.removeprefix("lower(word[0])=") for text in candidates_.texts(chosen)]


def test_the_feature_is_the_first_that_looks_at_the_token():
    assert names(of(), proposed(of(), "coverage", 2, 1, 0.1)) == ["a", "b"]
    other = template("columns: [word, label]\nfeatures: ['word[-1]', first()]\n", "made.yaml")
    with pytest.raises(ConfigError, match=r"no feature of the template looks at the token alone: say which"):
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
    assert names(found, proposed(found, "prototypes", count, least, 0.1)) == list(expected)


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
    assert names(found, proposed(found, "prototypes", 3, 2, 0.1)) == expected


def _in_order(ads):
    return dict.fromkeys(word.lower() for s in range(ads.sentences) for word in ads.words("word", s))


def test_the_surest_come_first():
    found = of()
    chosen = proposed(found, "entropy", 10, 1, 0.1)
    shares = [counted(found.counts[one].astype(float), 0.1) for one in chosen]
    entropies = [-(share * np.log(share)).sum() for share in shares]
    assert entropies == sorted(entropies)
    assert names(found, chosen) == ["b", "d", "e", "a", "c"]
    assert names(found, proposed(found, "entropy", 2, 2, 0.1)) == ["b", "a"]


def test_coverage_looks_for_tokens_that_have_none_yet():
    text = corpus([[("ab",), ("cb",), ("db",), ("xy",), ("xz",), ("ab",)]], ("word",))
    how = template("columns: [word, label]\nfeatures: ['prefix(word[0], 1)']\n", "made.yaml")
    both = template("columns: [word, label]\nfeatures: ['suffix(word[0], 1)', 'prefix(word[0], 1)']\n", "made.yaml")
    found = candidates(both, None, text, Marks())
    chosen = proposed(found, "coverage", 9, 1, 0.1)
    assert found.texts(chosen) == ["suffix(word[0], 1)=b", "prefix(word[0], 1)=x"]  # which have all tokens
    assert [len(found.tokens(one)) for one in chosen] == [4, 2]
    alone = candidates(how, None, text, Marks())
    assert alone.texts(proposed(alone, "coverage", 2, 1, 0.1)) == ["prefix(word[0], 1)=a", "prefix(word[0], 1)=x"]
    with pytest.raises(ConfigError, match="prototypes needs labelled sentences; without any there is coverage"):
        proposed(alone, "prototypes", 2, 1, 0.1)


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
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1], lower(word[0])]\n", encoding="utf-8")
    lines = "\n".join("".join(f"{word} {label}\n" for word, label in sentence) for sentence in TRAIN)
    (tmp_path / "train.txt").write_text(lines, encoding="utf-8")
    (tmp_path / "raw.txt").write_text("a\nb\nA\n\nb\nc\ng\na\n", encoding="utf-8")
    return tmp_path


def run(*arguments, answers=""):
    return CliRunner().invoke(command, ["-t", "t.yaml", *arguments], input=answers, catch_exceptions=False)


def test_it_writes_a_list_that_can_be_learned_from(files):
    made = run("--train", "train.txt", "--unlabeled", "raw.txt", "-o", "f.tsv")
    assert made.exit_code == 0, made.output
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        "# 3 occurrences; labelled 3: X 66.7 %, Y 33.3 %\nlower(word[0])=a\tX\n"
        "# 2 occurrences; labelled 2: Y 100.0 %\nlower(word[0])=b\tY\n"
    )
    assert made.stderr == "2 features, 5 occurrences in raw.txt\n"
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
        (["--unlabeled", "raw.txt", "--ask", "-o", "o", "--targets", "open"], "--ask is for --targets majority and"),
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
    assert "[default: given (--list), majority (--train or --ask), or open]" in " ".join(shown.split())


# ------------------------------------------------------------------ asking


def ask(*more, answers, count=3):
    how = ("--unlabeled", "raw.txt", "--ask", "-o", "f.tsv", "--count", str(count), "--least", "1")
    made = run(*how, *more, answers=answers)
    assert made.exit_code == 0, made.output
    return made.output


def answered(files):
    lines = (files / "f.tsv").read_text(encoding="utf-8").split("\n")
    return [line.removeprefix("lower(word[0])=") for line in lines if line and not line.startswith("# ")]


def test_a_person_labels_features(files):
    said = ask("--labels", "rent,rooms,size", answers="rent\nsi\nro:0.8 re:0.2\n")
    assert answered(files) == ["a\trent", "b\tsize", "c\trooms:0.8 rent:0.2"]
    assert "lower(word[0])=a   (1 of 3; 3 occurrences)" in said
    assert "    a b [A]\n" in said
    assert said.endswith("f.tsv: 3 answers, 0 left\n")
    assert placed("f.tsv", HOW, RAW).labels == {"rent", "rooms", "size"}


def test_mistyped_answers_are_asked_again(files):
    said = ask("--labels", "rent,rooms,size", answers="r\nsise\nsize:0.3\nrent re\nre si\n\n\n")
    assert "rent or rooms?" in said
    assert "no such label: 'sise'; did you mean 'size'?" in said
    assert "the shares add up to 0.3, not to 1" in said
    assert "a label stands there twice" in said
    assert answered(files) == ["a\trent size"]
    assert "# left out: lower(word[0])=b\n" in (files / "f.tsv").read_text(encoding="utf-8")


def test_what_can_be_answered_is_told_again_and_what_a_beginning_stands_for(files):
    said = ask("--labels", "rent,rooms,size", answers="-\n?\nsize,rent\nsi\n")
    assert said.count("beginnings are enough") == 2
    assert "nothing to take back: answers from before stand in f.tsv" in said
    assert "no such label: 'size,rent'; several have blanks between them" in said
    assert "    → size\n" in said
    assert answered(files) == ["a\tsize"]


def test_questions_are_not_written_over_answers(files):
    asking = ("--unlabeled", "raw.txt", "-o", "f.tsv")
    assert run(*asking).exit_code == run(*asking).exit_code == 0
    ask("--labels", "X,Y", answers="X\n")
    before = (files / "f.tsv").read_bytes()
    made = run(*asking)
    assert made.exit_code == 2
    assert "f.tsv has answers already: --ask goes on with it" in made.output
    assert (files / "f.tsv").read_bytes() == before


def test_an_answer_can_be_taken_back_and_more_be_shown(files):
    said = ask("--labels", "X,Y", "--show", "1", answers="X\n-\nY\n+\nX\nY\n")
    assert answered(files) == ["a\tY", "b\tX", "c\tY"]
    assert said.count("lower(word[0])=a   (1 of 3") == 2
    after = said.split("lower(word[0])=b")[-1].split("lower(word[0])=c")[0]
    assert after.count("[b]") == 2


def test_an_answer_that_is_taken_back_is_gone(files):
    ask("--labels", "X,Y", answers="X\nY\n-\n")
    assert answered(files) == ["a\tX"]


def test_it_goes_on_where_it_was_ended(files):
    assert ask("--labels", "X,Y", answers="X\n\n").endswith("f.tsv: 2 answers, 1 left\n")
    before = (files / "f.tsv").read_text(encoding="utf-8")
    said = ask("--labels", "X,Y", answers="Y\n")
    assert "lower(word[0])=c   (1 of 1" in said
    assert (files / "f.tsv").read_text(encoding="utf-8").startswith(before)
    assert answered(files) == ["a\tX", "c\tY"]


def test_answers_are_added_to_what_a_person_wrote(files):
    (files / "f.tsv").write_text("lower(word[0])=b\tX:0.5 Y:0.5", encoding="utf-8")
    ask("--labels", "X,Y", answers="X\n\n")
    assert answered(files) == ["b\tX:0.5 Y:0.5", "a\tX"]
    (files / "f.tsv").write_bytes(b"\xff\n")
    with pytest.raises(DataError, match=r"^f.tsv: not UTF-8 \(byte 0\)$"):
        ask("--labels", "X,Y", answers="X\n")


def test_without_labels_any_is_one_that_is_confirmed(files):
    said = ask(answers="X\nZ\nn\nY\ny\nX\n")
    assert "a new label, 'Z'?" in said
    assert "labels so far: X" in said
    assert answered(files) == ["a\tX", "b\tY", "c\tX"]


def test_occurrences_are_labelled_one_by_one(files):
    said = ask(
        "--labels", "X,Y", "--targets", "sampled", "--samples", "3", "--smoothing", "0", answers="X\nZ\nX\nY\nY\n\n"
    )
    assert "label 3 of 3" in said
    assert answered(files) == ["a\tX:0.666667 Y:0.333333", "b\tY:1"]
    text = (files / "f.tsv").read_text(encoding="utf-8")
    assert "# 3 occurrences looked at: X 66.7 ± 27.2 %, Y 33.3 ± 27.2 %\n" in text
    assert "# 1 occurrence looked at: Y 100.0 ± 0.0 %\n" in text


def test_of_labelled_sentences_the_labels_are_known(files):
    said = run("--train", "train.txt", "--ask", "-o", "f.tsv", "--count", "1", answers="Z\nX\nY\n").output
    assert "no such label: 'Z'" in said
    assert "labelled 3: X 66.7 %" in said
    assert answered(files) == ["a\tX", "b\tY"]


# ------------------------------------------------------------------ going on


def test_open_lines_are_asked_where_they_stand(files):
    run("--unlabeled", "raw.txt", "--count", "2", "--least", "1", "--show", "1", "-o", "f.tsv")
    before = (files / "f.tsv").read_text(encoding="utf-8")
    assert ask("--labels", "X,Y", answers="X\nY\nX\n").endswith("f.tsv: 3 answers, 0 left\n")
    after = (files / "f.tsv").read_text(encoding="utf-8")
    assert after.startswith(before.replace("=a\t?", "=a\tX").replace("=b\t?", "=b\tY"))
    assert answered(files) == ["a\tX", "b\tY", "c\tX"]


def test_an_open_line_may_be_left_out_or_taken_back(files):
    lines = "# mine\n\nlower(word[0])=a\t?\t5\n# left out: lower(word[0])=b\nMALLET 1\n# end\n"
    (files / "f.tsv").write_text(lines, encoding="utf-8")
    ask("--labels", "X,Y", answers="X\n-\n")
    assert (files / "f.tsv").read_text(encoding="utf-8") == lines
    ask("--labels", "X,Y", answers="Y\n\n")
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        "# mine\n\n# 3 occurrences\nlower(word[0])=a\tY\t5\n# left out: lower(word[0])=b\nMALLET 1\n# end\n"
        "# left out: lower(word[0])=c\n"
    )


def test_open_lines_that_are_not_chosen_are_asked_too(files):
    (files / "f.tsv").write_text("lower(word[0])=g\t?\nword[1]=b\t?\n", encoding="utf-8")
    said = ask("--labels", "X,Y", answers="X\nY\n", count=1)
    assert "lower(word[0])=g   (2 of 2" in said
    assert "f.tsv: 'word[1]=b' is none of the features, or never occurs: stays open\n" in said
    assert answered(files) == ["g\tY", "word[1]=b\t?", "a\tX"]


def test_a_file_of_another_system_is_gone_on_with(files):
    lines = "# mine\r\nlower(word[0])=a\t?\r\nlower(word[0])=b\tX\r\n# left out: lower(word[0])=c\r\n"
    (files / "f.tsv").write_bytes(b"\xef\xbb\xbf" + lines.encode())
    said = ask("--labels", "X,Y", answers="Y\n")
    assert "lower(word[0])=a   (1 of 1" in said
    assert (files / "f.tsv").read_bytes() == (
        b"# mine\n# 3 occurrences\nlower(word[0])=a\tY\nlower(word[0])=b\tX\n# left out: lower(word[0])=c\n"
    )
    (files / "f.tsv").write_bytes(b"\xef\xbb\xbflower(word[0])=a\t?\r\n")  # the feature in the first line is read
    assert "lower(word[0])=a   (1 of 3" in ask("--labels", "X,Y", answers="Y\n")


def test_what_cannot_be_read_is_told_before_anything_is_asked(files):
    (files / "f.tsv").write_text("# mine\nlower(word[0])=a\tX:0.3\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"^f.tsv:2: the shares add up to 0.3, not to 1$"):
        ask("--labels", "X,Y", answers="Y\n")


def test_answers_keep_the_weights_of_a_list(files):
    (files / "l.tsv").write_text("lower(word[0])=a\tX\t2\nlower(word[0])=b\tX\n", encoding="utf-8")
    made = run("--unlabeled", "raw.txt", "--list", "l.tsv", "--ask", "-o", "f.tsv", answers="Y\nY\n")
    assert made.exit_code == 0, made.output
    assert answered(files) == ["a\tY\t2", "b\tY"]


ONE_BY_ONE = ("--targets", "sampled", "--samples", "3", "--smoothing", "0")


def contexts(said):
    return [line for line in said.split("\n") if line.startswith("    ") and "[" in line]


@pytest.fixture
def begun(files):
    """Two occurrences of a feature are answered, one of them with a label."""
    said = ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="X\n\n")
    assert said.endswith("f.tsv: 0 answers, 1 left, 1 of them begun\n")
    return contexts(said)


def test_answers_about_occurrences_are_kept_at_once(files, begun):
    first, second, third = (context.strip() for context in begun)
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        f"# 3 occurrences\n# answer X: {first}\n# answer ?: {second}\nlower(word[0])=a\t?\n"
    )
    said = ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="Y\n")
    assert contexts(said) == [begun[2]]
    assert "label 3 of 3" in said
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        f"# 3 occurrences\n# answer X: {first}\n# answer ?: {second}\n# answer Y: {third}\n"
        "# 2 occurrences looked at: X 50.0 ± 35.4 %, Y 50.0 ± 35.4 %\nlower(word[0])=a\tX:0.5 Y:0.5\n"
    )


@pytest.mark.parametrize("seed", ["1", "2", "3", "4"])
def test_answers_are_found_again_with_another_seed_and_more_text(files, begun, seed):
    (files / "raw.txt").write_text("f\ne\na\n\nb\na\n\na\nb\nA\n\nb\nc\ng\na\n", encoding="utf-8")
    said = ask("--labels", "X,Y", *ONE_BY_ONE, "--seed", seed, count=1, answers="Y\n")
    assert len(contexts(said)) == 1
    assert contexts(said)[0] not in begun[:2]
    assert answered(files) == ["a\tX:0.5 Y:0.5"]


def test_answers_may_be_changed_by_hand(files, begun):
    path = files / "f.tsv"
    text = path.read_text(encoding="utf-8")
    mixed, sure = "X:0.333333 Y:0.666667", "Y:1"
    for changed, left, target in [
        (text.replace("answer X", "answer Y").replace("answer ?", "answer Y"), 1, sure),
        (text.replace("# answer ?: ", "# answer ?"), 2, mixed),  # says nothing any more
        (text.replace("answer X", "answer Z"), 2, sure),
        (text.replace("\n# answer ?", "\n# and\n#\r\n# answer ?").replace("\t?", "\t"), 1, "X:0.5 Y:0.5"),
        ("".join(line + "\n" for line in text.split("\n") if line and "answer" not in line), 3, sure),
        (text.replace("lower(word[0])=a\t?", "lower(word[0])=b\tX"), 3, sure),  # now about another
    ]:
        path.write_text(changed, encoding="utf-8")
        assert len(contexts(ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="Y\n" * left))) == left
        written = dict(line.split("\t") for line in answered(files) if line != "#")
        assert sorted(written["a"].split()) == target.split()
    path.write_text(text.replace("\t?", "\tY"), encoding="utf-8")
    assert "0 answers, 0 left" in ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="")


def test_answers_without_their_occurrence_are_told(files, begun):
    (files / "f.tsv").write_text("# answer X: no [a] here\nlower(word[0])=a\t?\n", encoding="utf-8")
    said = ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="Y\n")
    assert "    1 answer from before without such an occurrence or label: left out\n" in said
    assert "answer X" not in (files / "f.tsv").read_text(encoding="utf-8")


def test_answers_from_before_can_be_taken_back(files, begun):
    said = ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="-\n-\n-\n")
    assert contexts(said) == [begun[2], begun[1], begun[0], begun[0]]
    assert "answer" not in (files / "f.tsv").read_text(encoding="utf-8")
    ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="X\n\n\n")
    assert answered(files) == ["a\tX:1"]


def test_what_is_taken_back_before_anything_is_said_leaves_nothing(files):
    ask("--labels", "X,Y", *ONE_BY_ONE, count=1, answers="X\n-\n")
    assert (files / "f.tsv").read_text(encoding="utf-8") == ""


def test_labels_of_a_file_are_known(files):
    ask(answers="rent\nsize\ny\n")
    said = ask(answers="si\n")
    assert answered(files) == ["a\trent", "b\tsize", "c\tsize"]
    assert "a new label" not in said
    said = ask(count=4, answers="roms\nn\nrooms\ny\n")
    assert "a new label, 'roms'?" in said
    assert "labels so far: rent, size" in said


def test_labels_of_occurrences_are_known_too(files):
    how = ("--targets", "sampled", "--samples", "3")
    ask(*how, answers="rent\nsize\ny\n")
    said = ask(*how, answers="si\n")
    assert "a new label" not in said
    assert answered(files) == ["a\tsize:0.65625 rent:0.34375"]


def test_a_label_that_is_taken_back_is_none(files):
    said = ask("--targets", "sampled", "--samples", "3", answers="rnt\n-\nrent\nrent\nrent\nsize\ny\n")
    assert said.count("a new label") == 1
    assert answered(files)[0] == "a\trent:0.96875 size:0.03125"


@pytest.mark.parametrize("sessions", [["r\n" * 3 + "s\ny\ns\n" + "t\ny\n"], ["r\n" * 3, "s\ny\ns\n", "t\ny\n"]])
def test_all_labels_there_are_have_a_share(files, sessions):
    how = ("--targets", "sampled", "--samples", "3", "--smoothing", "1")
    for answers in sessions:
        ask(*how, answers=answers)
    assert answered(files) == ["a\tr:0.666667 s:0.166667 t:0.166667", "b\ts:0.6 r:0.2 t:0.2", "c\tt:0.5 r:0.25 s:0.25"]
    text = (files / "f.tsv").read_text(encoding="utf-8")
    assert text.count(" looked at: ") == 3
    assert "# 3 occurrences looked at: r 66.7 ± 27.2 %\nlower(word[0])=a\tr" in text
    for written in answered(files):
        assert sum(target_of(written.split("\t")[1]).shares) == pytest.approx(1, abs=1e-5)


def test_shares_that_a_person_changed_stay(files):
    how = ("--targets", "sampled", "--samples", "3", "--smoothing", "0")
    path = files / "f.tsv"
    for target in ["r:0.9 z:0.1", "z", "r"]:
        path.unlink(missing_ok=True)
        ask(*how, answers="r\nr\nr\n")
        path.write_text(path.read_text(encoding="utf-8").replace("r:1", target), encoding="utf-8")
        ask(*how, answers="s\ny\ns\n")
        assert answered(files) == [f"a\t{target}", "b\ts:1"]


@pytest.mark.parametrize("said", ["two words", "?", "rent:0.8", "rent:1"])
def test_what_is_no_label_is_no_new_one(files, said):
    ask("--targets", "sampled", "--samples", "1", "--smoothing", "0", count=2, answers=f"X\n-\n{said}\n{said}\nY\n")
    assert answered(files) == ["a\tY:1"]
