"""`sstag expectations --ask`: what a person answers, and how asking goes on where it was ended."""

import pytest

from sstag.foundation.errors import DataError
from sstag.foundation.files import only_here
from sstag.interfaces.cli import asking
from sstag.knowledge.expectation_list import target_of
from sstag.knowledge.expectations import placed
from tests.corpora import corpus
from tests.proposals import HOW, RAW, run, write_files


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def ask(*more, answers, count=3):
    chosen = () if "--list" in more else ("--count", str(count), "--least", "1")
    how = ("--unlabeled", "raw.txt", "--ask", "-o", "f.tsv", *chosen)
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
    assert said.count("labels: rent, rooms, size\n") == 2
    assert "nothing to take back\n" in said
    assert "no such label: 'size,rent'; several have blanks between them; --labels A,B,… names others" in said
    assert "    → size\n" in said
    assert answered(files) == ["a\tsize"]
    assert "nothing to take back: answers from before stand in f.tsv" in ask(answers="-\n")


def test_lines_that_a_person_adds_meanwhile_stay(files, monkeypatch):
    before, times = asking.label_meant, []

    def edited(said, *more):
        times.append(said)
        if len(times) == 2:
            with open("f.tsv", "a", encoding="utf-8") as file:
                file.write("# by hand\nlower(word[0])=zzz\tsize\n")
        return before(said, *more)

    monkeypatch.setattr(asking, "label_meant", edited)
    ask("--labels", "rent,rooms,size", answers="rent\nsize\nrooms\n")
    assert answered(files) == ["a\trent", "zzz\tsize", "b\tsize", "c\trooms"]
    assert "# by hand\n" in (files / "f.tsv").read_text(encoding="utf-8")


def test_two_do_not_answer_in_one_file(files):
    with only_here("f.tsv"), pytest.raises(DataError, match="another sstag is at work on it"):
        run("--unlabeled", "raw.txt", "--ask", "-o", "f.tsv", "--least", "1", answers="X\n")
    assert not (files / "f.tsv").exists()


def test_what_a_list_says_is_shown(files):
    (files / "list").write_text("lower(word[0])=b\tsize:0.9 rent:0.1\t5\nlower(word[0])=a\t?\n", encoding="utf-8")
    said = ask("--list", "list", "--labels", "rent,size", answers="size\nrent\n")
    assert said.count("the list says") == 1
    assert "    the list says size:0.9 rent:0.1\n" in said
    assert answered(files) == ["b\tsize\t5", "a\trent"]


def test_the_whole_sentence_is_shown_if_asked_for(files):
    (files / "raw.txt").write_text("".join(f"w{number}\n" for number in range(30)), encoding="utf-8")
    (files / "list").write_text("lower(word[0])=w15\t?\n", encoding="utf-8")
    said = ask("--list", "list", "--targets", "sampled", answers="+\nsize\n")
    assert "    … w9 w10 w11 w12 w13 w14 [w15] w16 w17 w18 w19 w20 w21 …\n" in said
    assert f"    {' '.join(f'w{n}' if n != 15 else '[w15]' for n in range(30))}\n" in said
    assert answered(files) == ["w15\tsize:1"]


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
    with pytest.raises(DataError, match=r"^f.tsv:1: not UTF-8 \(byte 0xff\): save it as UTF-8$"):
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
    said = before.replace("=a\t?", "=a\tX").replace("=b\t?", "=b\tY")
    assert after.startswith(said.replace("# 3", "# answered; 3").replace("# 2", "# answered; 2"))
    assert answered(files) == ["a\tX", "b\tY", "c\tX"]


def test_an_open_line_may_be_left_out_or_taken_back(files):
    lines = "# mine\n\nlower(word[0])=a\t?\t5\n# left out: lower(word[0])=b\nMALLET 1\n# end\n"
    (files / "f.tsv").write_text(lines, encoding="utf-8")
    ask("--labels", "X,Y", answers="X\n-\n")
    assert (files / "f.tsv").read_text(encoding="utf-8") == lines
    ask("--labels", "X,Y", answers="Y\n\n")
    assert (files / "f.tsv").read_text(encoding="utf-8") == (
        "# mine\n\n# answered; 3 occurrences\nlower(word[0])=a\tY\t5\n# left out: lower(word[0])=b\nMALLET 1\n# end\n"
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
        b"# mine\n# answered; 3 occurrences\nlower(word[0])=a\tY\nlower(word[0])=b\tX\n# left out: lower(word[0])=c\n"
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
    said = ask(answers="si\ny\n")
    assert answered(files) == ["a\trent", "b\tsize", "c\tsize"]
    assert "a new label" not in said
    said = ask(count=4, answers="roms\nn\nrooms\ny\n")
    assert "a new label, 'roms'?" in said
    assert "labels so far: rent, size" in said


def test_labels_of_occurrences_are_known_too(files):
    how = ("--targets", "sampled", "--samples", "3")
    ask(*how, answers="rent\nsize\ny\n")
    said = ask(*how, answers="si\ny\n")
    assert "a new label" not in said
    assert answered(files) == ["a\tsize:0.65625 rent:0.34375"]


def test_a_label_may_begin_as_another_does(files):
    said = ask(answers="VBD\nVB\nn\ny\nVB\n")
    assert "VBD? [Y/n]" in said
    assert answered(files) == ["a\tVBD", "b\tVB", "c\tVB"]


def test_a_label_that_is_a_key_is_one(files):
    said = ask("--labels=-,+,x", answers="-\n--\n+\n-\nx\n")
    assert "; ++: show more; --: back; ?: help;" in said
    assert answered(files) == ["a\t+", "b\t-", "c\tx"]


def test_what_is_no_label_for_a_list_has_a_share_there(files):
    (files / "train.txt").write_text("a X:1\nb 0.5\n", encoding="utf-8")
    said = ask("--train", "train.txt", answers="0.5\nX:1\n")
    assert "labels: 0.5, X:1" in said
    assert answered(files) == ["b\t0.5:0.99 X:1:0.01", "a\tX:1:0.99 0.5:0.01"]
    shares = placed("f.tsv", HOW, RAW).distributions(("0.5", "X:1"))
    assert shares.tolist() == [[0.99, 0.01], [0.01, 0.99]]


@pytest.mark.parametrize("answer", ["caf\ufffd", "a\x1b[2Jb"])
def test_what_is_no_text_is_asked_again(files, answer):
    assert "that is no text in UTF-8" in ask(answers=f"{answer}\nX\u3000Y\n", count=1)
    assert answered(files) == ["a\tX\u3000Y"]


def test_a_terminal_does_not_obey_a_text(files):
    (files / "raw.txt").write_text("a\x1b[2J\x9b2J\n" * 2, encoding="utf-8")
    said = ask("--labels", "X,Y", answers="X\n", count=1)
    assert "lower(word[0])=a\ufffd[2j\ufffd2j   (1 of 1" in said
    assert not {"\x1b", "\x9b"} & set(said)
    assert placed("f.tsv", HOW, corpus([[("a\x1b[2J\x9b2J",)]], ("word",))).counts.tolist() == [1]


@pytest.mark.parametrize("labels", ["a b", "c:0.5", "?", "x\ty", "\udcff"])
def test_labels_are_checked(files, labels):
    made = run("--unlabeled", "raw.txt", "--ask", "-o", "f.tsv", "--labels", f"ok,{labels}")
    assert made.exit_code == 2
    assert ("is no text in UTF-8" if labels == "\udcff" else "is not one label") in made.output


@pytest.mark.parametrize("way", [(), ("--train", "train.txt"), ("--train", "train.txt", "--targets", "estimated")])
def test_answers_are_not_written_over(files, way):
    ask("--labels", "X,Y", answers="X\n")
    before = (files / "f.tsv").read_bytes()
    made = run("--unlabeled", "raw.txt", *way, "-o", "f.tsv")
    assert made.exit_code == 2
    assert "f.tsv has answers already" in made.output
    assert (files / "f.tsv").read_bytes() == before


def test_answers_do_not_go_into_a_list_of_mallets(files):
    (files / "f.tsv").write_text("# mine\na X:0.8 Y:0.2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"^f.tsv:2: no tab in it"):
        ask("--labels", "X,Y", answers="X\n")


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
