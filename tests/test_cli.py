"""The commands as a user meets them: output, exit codes, and one line for what goes wrong."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sstag.features.reading import load_template
from sstag.interfaces import cli
from sstag.interfaces.cli import COMMANDS
from sstag.training.methods import METHODS
from sstag.training.objectives import OBJECTIVES
from tests.commands import SSTAG, sstag
from tests.systems import posix

TEMPLATES = Path(__file__).parent.parent / "configs/templates"


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("Ann NNP B-PER\nLee NNP I-PER\nmet VBD O\n\nin IN O\nOslo NNP B-LOC\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(command: str) -> None:
    run = sstag(command, "--help")
    assert run.returncode == 0
    assert re.search(rf"Example:\n +sstag {command}\b", run.stdout)


@pytest.mark.parametrize("command", ["", "train", "tag", "inspect", "experiment"])
def test_help_imports_nothing_heavy(command: str) -> None:
    asked = ["sstag", *command.split(), "--help"]
    code = (
        f"import sys; from sstag.interfaces.cli import main; sys.argv = {asked}\ntry: main()\nexcept SystemExit: pass"
    )
    code += "\nprint([name for name in ('numpy', 'scipy', 'matplotlib') if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("[]\n")
    assert command or all(name in run.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "there is no command 'chek'; did you mean 'check'?"),
        (["constraints"], "there is no command 'constraints' (known: train, "),
        (["sample", "adds", "x"], "there is no sample 'adds'; did you mean 'ads'?"),
        (["features", "--template", "t.yaml", "names.txt"], "t.yaml:3: wrod[0]: there is no column 'wrod'; did you"),
        (["features", "--template", "none.yaml", "names.txt"], "none.yaml: no such file or directory"),
        (
            ["convert", "--to-scheme", "iob2", "--label", "nre", "--columns", "word,pos,ner", "names.txt"],
            "did you mean 'ner'?",
        ),
        (
            ["convert", "--mark", "ether=/", "--to-scheme", "iob2", "names.txt"],
            "there is no mark 'ether'; did you mean 'either'?",
        ),
        (["convert", "names.txt", "-o", "no/such/folder"], "no/such: there is no such folder"),
        (
            ["convert", "--keep", "word,tag", "names.txt"],
            "names.txt: there is no column 'tag' (known: word, column2, lab",
        ),
        (["convert", "--to-scheme", "bioes", "ill.txt"], "ill.txt:2: ill-formed in IOB2, the first of 1 such tokens"),
        (
            ["features", "-t", "good.yaml", "--sentence", "3", "names.txt"],
            "names.txt: there is no sentence 3: the file has 2",
        ),
    ],
)
def test_mistakes_are_one_line_without_a_traceback(names: Path, arguments: list[str], message: str) -> None:
    folder = names.parent
    (folder / "t.yaml").write_text("columns: [word, pos, ner]\nfeatures:\n  - wrod[0]\n", encoding="utf-8")
    (folder / "good.yaml").write_text("columns: [word, pos, ner]\nfeatures:\n  - word[0]\n", encoding="utf-8")
    (folder / "ill.txt").write_text("Ann B-PER\nLee I-LOC\n", encoding="utf-8")
    run = sstag(*arguments, cwd=folder)
    assert run.returncode in (1, 2)
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    if run.returncode == 1:
        assert run.stderr.splitlines()[-1].find(message) >= 0


@pytest.mark.parametrize("arguments", [("--smoothing", "1" * 5000), ("--smoothing", "x" * 5000), ("--" + "x" * 5000,)])
def test_a_message_about_a_long_option_is_short(arguments: tuple[str, ...]) -> None:
    run = sstag("expectations", *arguments)
    assert run.returncode == 2
    assert 1000 < max(map(len, run.stderr.splitlines())) < 2500


def test_check_counts_and_is_content(names: Path) -> None:
    run = sstag("check", "names.txt", cwd=names.parent)
    assert run.returncode == 0
    assert run.stdout.splitlines() == [
        "names.txt",
        "  sentences  2",
        "  tokens     5   (2 to 3 in a sentence, median 2)",
        "  columns    word, column2, label",
        "  labels     4   O 2   B-LOC 1   B-PER 1   I-PER 1",
        "  scheme     IOB2 (guessed; --scheme names another)",
    ]


def test_check_finds_what_is_wrong_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a B-X\nb\n\nc I-Y\n\nd B-X\ne I-X\n", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"a \xff\n")
    (tmp_path / "c.txt").write_text("a A|B\nb A\n\nb ?\na !\n\nb A\n", encoding="utf-8")
    run = sstag("check", "a.txt", "b.txt", "none.txt", "c.txt", cwd=tmp_path)
    assert run.returncode == 1
    assert "error: a.txt:2: 1 column where the lines before have 2" in run.stdout
    assert "error: a.txt:4: I-Y between the beginning and the end is ill-formed in IOB2" in run.stdout
    assert "error: b.txt:1: not UTF-8 (byte 0xff)" in run.stdout
    assert "error: none.txt: no such file or directory" in run.stdout
    assert "  undecided  1 (20.00 %) ambiguous, 1 (20.00 %) unknown" in run.stdout
    assert "warning: c.txt:5: the label '!' contains a mark, and was read as it is" in run.stdout


def test_check_finds_the_same_text_labelled_differently(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("in O\nNew B-L\nYork I-L\n\n" * 3 + "in O\nNew O\nYork B-L\n", encoding="utf-8")
    report = json.loads(sstag("check", "--format", "json", "a.txt", cwd=tmp_path).stdout)
    messages = [(finding["line"], finding["message"]) for finding in report["findings"]]
    assert messages == [
        (14, "'New' in 'in New York' is O here, elsewhere B-L ×3 (line 2)"),
        (15, "'York' in 'in New York' is B-L here, elsewhere I-L ×3 (line 3)"),
    ]


def test_check_names_extreme_lengths(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a X\n\n" * 5 + "b X\n" * 120, encoding="utf-8")
    run = sstag("check", "a.txt", cwd=tmp_path)
    assert "warning: a.txt:11: a sentence of 120 tokens (the median is 1)" in run.stdout


def test_convert_leaves_what_it_is_not_asked_to_change(tmp_path: Path) -> None:
    original = b"\xef\xbb\xbf-DOCSTART- -X-\r\n\r\n# id = 7\r\nAnn\tB-PER  \r\nLee\t I-PER\r\n\r\n\r\nOslo O"
    (tmp_path / "a.txt").write_bytes(original)
    run = sstag("convert", "a.txt", "-o", "same.txt", cwd=tmp_path)
    assert run.returncode == 0
    assert (tmp_path / "same.txt").read_bytes() == original
    sstag("convert", "--to-scheme", "bioes", "a.txt", "-o", "same.txt", cwd=tmp_path)
    assert (tmp_path / "same.txt").read_bytes() == original.replace(b"I-PER", b"E-PER")


def test_convert_reads_and_writes_gzip_and_standard_streams(tmp_path: Path) -> None:
    text = "Ann B-PER\nLee I-PER\n\n"
    run = sstag("convert", "--to-scheme", "ioe2", "-", "-o", tmp_path / "a.gz", stdin=gzip.compress(text.encode()))
    assert run.returncode == 0
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()).decode() == "Ann I-PER\nLee E-PER\n\n"
    assert sstag("convert", "--from-scheme", "ioe2", "--to-scheme", "iob2", tmp_path / "a.gz").stdout == text


def test_convert_selects_columns_and_formats(names: Path) -> None:
    run = sstag("convert", "--keep", "label,word", "--separator", "tab", names)
    assert run.stdout.startswith("B-PER\tAnn\nI-PER\tLee\nO\tmet\n\n")
    run = sstag("convert", "--to-format", "jsonl", "--columns", "word,pos,ner", names)
    assert json.loads(run.stdout.splitlines()[1]) == {
        "word": ["in", "Oslo"],
        "pos": ["IN", "NNP"],
        "ner": ["O", "B-LOC"],
    }
    run = sstag("convert", "--to-format", "conllu", "--columns", "word,pos,ner", names)
    assert run.stdout.splitlines()[:2] == ["# global.label = ner", "1\tAnn\t_\t_\tNNP\t_\t_\t_\t_\tner=B-PER"]
    (names.parent / "a.conllu").write_text(run.stdout, encoding="utf-8")
    for called in ("form,xpos", "word,pos"):
        run = sstag("convert", "--to-format", "columns", "--keep", called, names.parent / "a.conllu")
        assert run.stdout == "Ann\tNNP\nLee\tNNP\nmet\tVBD\n\nin\tIN\nOslo\tNNP\n\n"


def test_convert_repairs_only_when_asked_and_says_what_it_lost(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a I-X\nb I-X\n\na B-X\nb B-X\n", encoding="utf-8")
    assert sstag("convert", "--from-scheme", "iob2", "--to-scheme", "iob2", tmp_path / "a.txt").returncode == 1
    run = sstag("convert", "--from-scheme", "iob2", "--to-scheme", "iob2", "--repair", tmp_path / "a.txt")
    assert run.stdout == "a B-X\nb I-X\n\na B-X\nb B-X\n"
    run = sstag("convert", "--from-scheme", "iob2", "--to-scheme", "io", "--repair", tmp_path / "a.txt")
    assert run.stdout == "a I-X\nb I-X\n\na I-X\nb I-X\n"
    assert run.stderr == f"{tmp_path / 'a.txt'}: 1 chunk touches another of the same type, and became one with it\n"
    run = sstag("convert", "--repair", tmp_path / "a.txt")
    assert run.stdout == "a B-X\nb I-X\n\na B-X\nb B-X\n"


@pytest.mark.parametrize(
    ("text", "bioes"),
    [
        ("a ?\nb ?\n", "a ?\nb ?\n"),
        ("a B-X\nb !I-X\nc O\n", "a S-X\nb !E-X\nc O\n"),
        ("a B-X\nb !B-X|I-Z\nc O\n", "a B-X|S-X\nb !S-X\nc O\n"),
        ("", ""),
    ],
)
def test_convert_keeps_the_meaning_of_undecided_labels(tmp_path: Path, text: str, bioes: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    run = sstag("convert", "--from-scheme", "iob2", "--to-scheme", "bioes", "a.txt", cwd=tmp_path)
    assert (run.stdout, run.stderr) == (bioes, "")
    assert sstag("convert", "--from-scheme", "iob2", "--to-scheme", "iob2", "a.txt", cwd=tmp_path).stdout == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a B-X\nb I-X\nc o\nd O\n", "a.txt:3: 'o' is no IOB2 tag (--from-scheme names the scheme)"),
        ("a B-X|\nb ?\nc O\n\nd B-X|\ne I-X|\n", "a.txt:1: a set of B-X|, S-X| cannot be written with these marks"),
    ],
)
def test_convert_refuses_labels_that_are_not_of_the_scheme(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    run = sstag("convert", "--from-scheme", "iob2", "--to-scheme", "bioes", "a.txt", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith(message)


@posix
def test_convert_reads_a_pipe_that_is_named(names: Path) -> None:
    run = subprocess.run(
        f"cat {names} | {sys.executable} -m sstag convert --from-scheme iob2 --to-scheme bioes /dev/stdin", shell=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.stdout == "Ann NNP B-PER\nLee NNP E-PER\nmet VBD O\n\nin IN O\nOslo NNP S-LOC\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_traceback(names: Path, closed: str) -> None:
    for command in ("check", "convert"):
        file = "-" if closed == "<&-" else names
        line = f"{sys.executable} -m sstag {command} {file} {closed}"
        run = subprocess.run(line, shell=True, capture_output=True, text=True)
        assert "Traceback" not in run.stderr


def test_check_finds_impossible_sets_and_foreign_tags(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a O\nb I-X|I-Y\nc B-X|I-X\n\nd B-Y\ne i-Y\nf O\n", encoding="utf-8")
    run = sstag("check", "--scheme", "iob2", "a.txt", cwd=tmp_path)
    assert run.returncode == 1
    assert "error: a.txt:2: I-X|I-Y between O and B-X|I-X is ill-formed in IOB2" in run.stdout
    assert "error: a.txt:6: 'i-Y' is no IOB2 tag" in run.stdout
    assert run.stdout.count("error") == 2


def test_sample_is_seeded_and_does_not_overwrite(tmp_path: Path) -> None:
    sizes = ["--train", "5", "--dev", "0", "--test", "3", "--unlabeled", "4"]
    assert sstag("sample", "ads", tmp_path / "a", *sizes).returncode == 0
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["test.txt", "train.txt", "unlabeled.txt"]
    longer = ["--train", "9", "--dev", "0", "--test", "3", "--unlabeled", "0"]
    assert sstag("sample", "ads", tmp_path / "b", *longer).returncode == 0
    read = {name: (tmp_path / name).read_text(encoding="utf-8") for name in ("a/train.txt", "b/train.txt")}
    assert read["b/train.txt"].startswith(read["a/train.txt"])
    assert all(len(line.split()) == 1 for line in (tmp_path / "a/unlabeled.txt").read_text().split("\n") if line)
    again = sstag("sample", "ads", tmp_path / "a", *sizes, "--seed", "2")
    assert again.returncode == 1
    assert "exists already" in again.stderr
    assert sstag("sample", "ads", tmp_path / "a", *sizes, "--seed", "2", "--force").returncode == 0
    assert (tmp_path / "a/train.txt").read_text(encoding="utf-8") != read["a/train.txt"]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a X\n" * 200_000, encoding="utf-8")
    run = subprocess.run(
        f"{sys.executable} -m sstag convert a.txt | head -n 1", shell=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == ("a X\n", "")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--help", 141),
        ("check --help", 141),
        ("check a.txt", 141),
        ("convert a.txt", 141),
        ("eval --scheme plain --errors 99 both.txt 2> none", 141),
        ("convert none.txt", 1),  # nothing was written
        ("convert none.txt 2>&1", 141),
    ],
)
def test_what_nobody_reads_ends_as_other_tools_do(tmp_path: Path, line: str, code: int) -> None:
    (tmp_path / "a.txt").write_text("a X\n", encoding="utf-8")
    (tmp_path / "both.txt").write_text("a X Y\n\n" * 99, encoding="utf-8")
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    script = f"{sys.executable} -m sstag {line} | true; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=buffered, capture_output=True, text=True)
    assert run.stdout == f"{code}\n"
    assert run.stderr == ("" if code == 141 else "none.txt: no such file or directory\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_line(names: Path) -> None:
    for command in (["check"], ["convert"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([*SSTAG, *command, names], stdout=full, stderr=subprocess.PIPE, text=True)
        assert run.returncode == 1
        assert run.stderr == "<stdout>: no space left on device\n"


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_template_is_read_and_says_what_it_is_good_for(path: Path) -> None:
    assert "# Good for: " in path.read_text(encoding="utf-8")
    assert load_template(str(path)).features


def _commands() -> list[tuple[str, ...]]:
    return [(name,) for name in COMMANDS] + [("experiment", "curve"), ("experiment", "tsuboi2008")]


@pytest.mark.parametrize("command", _commands(), ids=" ".join)
@pytest.mark.parametrize("width", [80, 60])
def test_help_fits_a_terminal_and_says_where_more_is_written(command: tuple[str, ...], width: int) -> None:
    shown = CliRunner(env={"COLUMNS": str(width)}).invoke(cli.sstag, [*command, "--help"], terminal_width=width).output
    examples = shown.split("Example:")[1].split("\n\n")[0]  # a command is not cut
    assert max(map(len, examples.split("\n"))) <= 80
    assert max(map(len, shown.replace(examples, "").split("\n"))) <= width
    page = re.findall(r"^More: (docs/reference/\w+\.md)$", shown, re.MULTILINE)
    assert len(page) == 1
    assert (TEMPLATES.parent.parent / page[0]).is_file()


def test_help_of_train_is_short() -> None:
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(cli.sstag, ["train", "--help"], terminal_width=80).output
    assert shown.count("\n") <= 85
    listed = CliRunner().invoke(cli.sstag, ["train", "--methods"]).output
    assert all(f"\n  {name} " in listed for name in (*METHODS, *OBJECTIVES, "l2", "minimum_count"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--method", "partal"], "there is no method 'partal'; did you mean 'partial'?"),
        (["train", "--ambiguous", "frist"], "there is no way 'frist'; did you mean 'first'?"),
        (["select", "--pool", "a", "--strategy", "entropie"], "no strategy 'entropie'; did you mean 'entropy'?"),
        (["density", "--kind", "ngrams", "a"], "there is no kind 'ngrams'; did you mean 'ngram'?"),
        (["convert", "--to-scheme", "biose", "a"], "there is no scheme 'biose'; did you mean 'bioes'?"),
        (["convert", "--to-format", "json", "a"], "there is no format 'json'; did you mean 'jsonl'?"),
        (["eval", "--format", "md", "a"], "there is no format 'md' (known: text, json, conlleval, markdown)"),
        (["experiment", "tsuboi"], "there is no experiment 'tsuboi'; did you mean 'tsuboi2008'?"),
        (["sample", "hm", "x"], "there is no sample 'hm'; did you mean 'hmm'?"),
        (["template", "ners"], "there is no template 'ners'; did you mean 'ner'?"),
    ],
)
def test_a_name_that_is_none_has_a_nearest_one(arguments: list[str], message: str) -> None:
    run = CliRunner().invoke(cli.sstag, arguments)
    assert message in f"{run.output}{run.exception}"


def test_an_option_means_one_thing_in_every_command() -> None:
    names: dict[str, set[tuple[str, ...]]] = {}
    metavars: dict[str, set[str]] = {}
    for name in COMMANDS:
        of = cli.sstag.get_command(click.Context(cli.sstag), name)
        assert of is not None
        for option in of.params:
            if isinstance(option, click.Option):
                metavar = "" if option.is_flag else option.make_metavar(click.Context(of))
                for one in option.opts:
                    names.setdefault(one, set()).add(tuple(option.opts))
                    metavars.setdefault(one, set()).add(metavar)
    assert {name for name, ways in names.items() if len(ways) > 1} == set()
    several = {name for name, ways in metavars.items() if len(ways) > 1}
    # Files of a training, sizes of a sample; columns that may be numbers; formats and reports; a sheet's strategy;
    # how many places, or which file, to show; words, or sentences, that others are near to; contexts.
    assert several <= {
        "--train", "--dev", "--test", "--unlabeled", "--label", "--labels", "--format", "--by", "--spans",
        "--confidence", "--show", "--text", "--near", "--context",
    }  # fmt: skip


def _completions(line: str) -> list[str]:
    words = line.split(" ")
    asked = {"_SSTAG_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    run = subprocess.run(SSTAG, env={**os.environ, **asked}, capture_output=True, text=True)
    return run.stdout.splitlines()


def test_a_shell_completes_commands_options_choices_and_files() -> None:
    script = subprocess.run(
        SSTAG, env={**os.environ, "_SSTAG_COMPLETE": "bash_source"}, capture_output=True, text=True, check=True
    ).stdout
    assert "complete -o nosort -F _sstag_completion sstag" in script
    assert _completions("sstag tr") == ["plain,train"]
    assert _completions("sstag train --labeled") == ["plain,--labeled-features"]
    assert _completions("sstag train --method part") == ["plain,partial"]
    assert _completions("sstag train --train a") == ["file,a"]
    assert _completions("sstag check a") == ["file,a"]
    assert _completions("sstag experiment curve --out r") == ["dir,r"]


def test_the_help_says_exit_codes_and_completion() -> None:
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(cli.sstag, ["--help"], terminal_width=80).output
    assert all(f"\n  {code} " in shown for code in (0, 1, 2, 130, 141))
    assert all(f"_SSTAG_COMPLETE={shell}_source sstag" in shown for shell in ("bash", "zsh", "fish"))
    assert max(map(len, shown.split("\n"))) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train", "-t", "two.yaml", "--train", "names.txt", "-m", "m"],
            "names.txt:1: 3 columns, but 2 are named (word, tag): name all of them where these are named, or drop some "
            "(sstag convert --keep)",
        ),
        (["check", "--columns", "word", "names.txt"], "3 columns, but 1 is named (word): name all of them"),
        (["check", "--columns", "word,tag", "names.txt"], "3 columns, but 2 are named (word, tag): name all of them"),
        (["experiment", "curve", "--help"], "with options as quota:by=length"),
    ],
)
def test_a_hint_names_no_option_that_the_command_lacks(names: Path, arguments: list[str], message: str) -> None:
    (names.parent / "two.yaml").write_text("columns: [word, tag]\nfeatures: ['word[0]']\n", encoding="utf-8")
    run = sstag(*arguments, cwd=names.parent)
    said = run.stdout + run.stderr
    assert message in said
    has = CliRunner().invoke(cli.sstag, [*(one for one in arguments[:2] if "-" not in one[:1]), "--help"]).output
    own = said.replace("sstag convert --keep", "")
    assert all(option in has or option in arguments for option in re.findall(r"(?<![\w-])--[a-z-]+", own))
