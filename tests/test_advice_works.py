"""Advice in messages: each message that names an option or a command is provoked, its advice followed, and it works."""

import ast
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import sstag
from sstag.corpus.formats import FORMATS, prose
from sstag.corpus.text import document_blocks
from sstag.foundation.errors import SstagError
from sstag.interfaces import cli

PACKAGE = Path(sstag.__file__).parent
ADVICE = re.compile(r"--[a-z][a-z-]+|`sstag [a-z]+|\(sstag [a-z]+|pip install|did you mean")
HELP = {  # modules whose texts are lines of help, or are written into files
    "corpus/formats/html_page.py", "features/proposals.py", "selection/strategies/__init__.py",
    "training/methods/__init__.py", "training/methods/parameters.py", "training/objectives/__init__.py",
}  # fmt: skip
LABELLED = "Kim B-PER\nmet O\nAnn B-PER\n. O\n\nBob B-PER\nleft O\n. O\n\n" * 3
SHORT = {"t.txt": LABELLED, "t.yaml": "columns: [word, label]\nfeatures: ['word[-1..1]']\n"}
TRAIN = ("train", "-t", "t.yaml", "--train", "t.txt", "-m", "m")
TWO = json.dumps({"text": "Kim met", "label": [{"start": 0, "end": 3, "label": "P", "user": u} for u in ("a", "b")]})
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b.X|value\n#T_SP=a.b.Y|value\n\n\n#Text=Kim met\n"
    "1-1\t0-3\tKim\tP\tQ\t\n1-2\t4-7\tmet\t_\t_\t\n"
)
VECTORS = "Kim 1 0\nmet 0 1\nAnn 1 1\nBob 1 0.5\nleft 0 0.9\n. 0.1 0.1\n"


def read(name: str, *more: str) -> tuple[str, ...]:
    return ("convert", name, "--to-format", "columns", *more)


def spans(*labels: object, **more: object) -> str:
    return json.dumps({"text": "Kim met Ann", "label": labels, **more}) + "\n"


@dataclass(frozen=True)
class Case:
    """A command that fails with advice, or succeeds with it, and the commands that follow the advice, the last last."""

    files: Mapping[str, str | bytes]
    words: Sequence[str]
    told: str  # what stands in the message
    then: Sequence[Sequence[str]] = ()  # whole commands; or else the words are said again with
    added: Sequence[Sequence[str]] = field(default=())  # one of these at a time
    stdin: str = ""


CASES = {
    "a name of sentences": Case(
        {"a.csv": "word,n,label\nKim,1,O\n"}, read("a.csv", "--key", "sentence=x"), "(--key sentence=NAME)",
        then=[read("a.csv", "--key", "sentence=n")],
    ),
    "the text of doccano": Case(
        {"a.jsonl": '{"body": "Kim met", "label": []}\n'}, read("a.jsonl", "--from-format", "doccano"),
        "(--key text=NAME names it)", added=[["--key", "text=body"]],
    ),
    "the spans of doccano": Case(
        {"a.jsonl": '{"text": "Kim met", "own": []}\n'}, read("a.jsonl", "--key", "spans=x"), "(--key spans=NAME)",
        then=[read("a.jsonl", "--key", "spans=own")],
    ),
    "units of offsets": Case(
        {"a.jsonl": json.dumps({"text": "😀 Kim met", "label": [{"start": 3, "end": 6, "label": "P", "text": "Kim"}]})},
        read("a.jsonl"), "(--offsets utf16?)", added=[["--offsets", "utf16"]],
    ),
    "JSON is no columns": Case(
        {"a b.txt": spans([0, 3, "P"])}, read("a b.txt", "--from-format", "columns"), "this is JSON, not columns: ",
    ),
    "a pair is no columns": Case(
        {"a.txt": '["Kim met", {"entities": [[0, 3, "P"]]}]\n'}, read("a.txt", "--from-format", "columns"),
        "this is JSON, not columns: ",
    ),
    "WebAnno is no columns": Case(
        {"a.txt": WEBANNO.replace("#T_SP=a.b.Y|value\n", "").replace("\tQ\t", "\t").replace("_\t_", "_")},
        read("a.txt", "--from-format", "columns"), "this is no column file: ",
    ),
    "CSV is no columns": Case(
        {"a.txt": "word,label\nKim,P\nmet,O\n"}, read("a.txt", "--from-format", "columns"),
        "this is CSV, not columns: ",
    ),
    "JSON in a stream": Case(
        {}, read("-", "--from-format", "columns"), "this is JSON, not columns: ", stdin=spans([0, 3, "P"]),
        then=[read("-", "--from-format", "doccano")],
    ),
    "perhaps prose": Case(
        {"a.txt": "Rise of machines\nFall of empires and\n"}, read("a.txt", "--from-format", "columns"),
        "is this prose? ",
    ),
    "perhaps prose of one length": Case(
        {**SHORT, "r.txt": "Rise of machines\nFall of empires\n"},
        (*TRAIN, "--method", "self-training", "--unlabeled", "r.txt"), "is this prose? ",
    ),
    "an option of prose": Case(
        {"a.txt": "Rise of machines\nFall of empires\n"}, read("a.txt", "--documents", "line"), "is this prose? ",
    ),
    "the text of Label Studio": Case(
        {"a.json": '[{"data": {"body": "Kim met"}}]'}, read("a.json", "--key", "text=x"), "(--key text=NAME names it)",
        then=[read("a.json", "--key", "text=body")],
    ),
    "the text of Prodigy": Case(
        {"a.jsonl": '{"body": "Kim met", "answer": "accept"}\n'}, read("a.jsonl", "--from-format", "prodigy"),
        "(--key text=NAME names it)", added=[["--key", "text=body"]],
    ),
    "a long document": Case(
        {"a.txt": "They met and left. \n" * 40}, read("a.txt"), "(--documents blank or line)",
        added=[["--documents", "line"]],
    ),
    "a long sentence": Case(
        {"a.txt": "They met and left and met and left and met\nand left and met and left and met and left.\n"},
        read("a.txt"), "are the most (--sentences line or blank)", added=[["--sentences", "line"]],
    ),
    "layers of WebAnno": Case(
        {"a.tsv": WEBANNO}, read("a.tsv"), "--key layer=NAME names one of", added=[["--key", "layer=a.b.X"]],
    ),
    "columns that are too many": Case(
        {**SHORT, "t.txt": "Kim N B-PER\nmet V O\n\n"}, TRAIN, "or drop some (sstag convert --keep)",
        then=[("convert", "t.txt", "--keep", "word,label", "-o", "u.txt"),
              ("train", "-t", "t.yaml", "--train", "u.txt", "-m", "m")],
    ),
    "a column without a name": Case(
        SHORT, ("check", "t.txt", "--label", "ner"), "(--columns names them)", added=[["--columns", "word,ner"]],
    ),
    "annotators": Case({"a.jsonl": TWO}, read("a.jsonl"), "(--annotators a,b makes a column of each)",
                       added=[["--annotators", "a,b"]]),
    "room for one annotator": Case(
        {"a.jsonl": TWO}, ("convert", "a.jsonl", "--to-format", "webanno"), "room for one (--annotators)",
        added=[["--annotators", "a"]],
    ),
    "an encoding": Case({"a.txt": "Größe O\n".encode("latin-1")}, read("a.txt"), "if it is latin-1, ",
                        added=[["--encoding", "latin-1"]]),
    "a mark of another encoding": Case(
        {"a.txt": "Größe O\n".encode("utf-16")}, read("a.txt", "--encoding", "latin-1"), "--encoding utf-16 reads it",
        then=[read("a.txt", "--encoding", "utf-16")],
    ),
    "words of tokens": Case(
        {"a.jsonl": '{"toks": "Kim", "own": ["Kim", "met"]}\n'}, read("a.jsonl", "--from-format", "tokens"),
        "(--key tokens=NAME names it)", added=[["--key", "tokens=own"]],
    ),
    "numbers as tags": Case(
        {"a.jsonl": '{"tokens": ["Kim", "met"], "tags": [1, 0]}\n'}, read("a.jsonl"),
        "--tag-names A,B,… says what numbers stand for", added=[["--tag-names", "O,B-P"]],
    ),
    "too few names of tags": Case(
        {"a.jsonl": '{"tokens": ["Kim", "met"], "tags": [1, 0]}\n'}, read("a.jsonl", "--tag-names", "O"),
        "but --tag-names has", then=[read("a.jsonl", "--tag-names", "O,B-P")],
    ),
    "a folder to write": Case(
        {"a.jsonl": spans([0, 3, "P"])}, ("convert", "a.jsonl", "--to-format", "brat"), "--output names it",
        added=[["--output", "folder"]],
    ),
    "a cut token": Case({"a.jsonl": spans([0, 2, "P"])}, read("a.jsonl"), "(--cut expand, shrink or split)",
                        added=[["--cut", way] for way in ("expand", "shrink", "split")]),
    "spans that overlap": Case(
        {"a.jsonl": spans([0, 7, "P"], [4, 11, "Q"])}, read("a.jsonl"), "(--overlaps outermost or innermost)",
        added=[["--overlaps", way] for way in ("outermost", "innermost")],
    ),
    "pieces of a span": Case(
        {"a.txt": "Kim met Ann", "a.ann": "T1\tP 0 3;8 11\tKim Ann\n"}, read("a.ann"),
        "(--discontinuous join makes one span of them)", added=[["--discontinuous", "join"]],
    ),
    "one document in WebAnno": Case(
        {"a.jsonl": spans([0, 3, "P"]) * 2}, ("convert", "a.jsonl", "--to-format", "webanno", "--output", "o"),
        "end the name of --output with /",
        then=[("convert", "a.jsonl", "--to-format", "webanno", "--output", "o/")],
    ),
    "comments": Case({"a.txt": "# one two three\nKim O\nmet O\n"}, read("a.txt"), "--comments '#' reads them so",
                     added=[["--comments", "#"]]),
    "numbers as labels": Case(
        {"a.txt": "Kim P P 0.9\nmet O O 0.8\n"}, ("eval", "a.txt"), "(--gold and --predicted name columns)",
        added=[["--predicted", "3", "--gold", "2"]],
    ),
    "one column for both": Case(
        {"a.txt": "Kim P P\nmet O O\n"}, ("eval", "a.txt", "--gold", "3"), "(--gold, --predicted)",
        then=[("eval", "a.txt", "--gold", "2", "--predicted", "3")],
    ),
    "other predictions": Case(
        {**SHORT, "p.jsonl": '{"word": 3}\n'}, ("eval", "t.txt", "p.jsonl"),
        "is this what `sstag tag --format jsonl` writes?",
        then=[TRAIN, ("tag", "-m", "m", "t.txt", "--format", "jsonl", "-o", "p.jsonl"), ("eval", "t.txt", "p.jsonl")],
    ),
    "a guessed scheme": Case({"a.txt": "Kim B-P B-P\nmet O O\n"}, ("eval", "a.txt"), "--scheme names another",
                             added=[["--scheme", "iob1"]]),
    "a file called as a template": Case(
        {"ner": "Kim O\n", "t.txt": LABELLED}, ("train", "-t", "ner", "--train", "t.txt", "-m", "m"),
        "`sstag template ner -o ner.yaml`",
        then=[("template", "ner", "-o", "ner.yaml"), ("features", "-t", "ner.yaml", "four.txt")],
    ),
    "the meaning of sentences": Case(
        {**SHORT, "v.txt": VECTORS},
        ("select", "--pool", "t.txt", "--label", "label", "--strategy", "random", "--spread", "k-means++",
         "--count", "2"),
        "a file of vectors (--meaning)", added=[["--meaning", "v.txt"]],
    ),
    "a pool with another last column": Case(
        {"p.txt": "Kim N\nmet V\n\n"}, ("select", "--pool", "p.txt", "--strategy", "random", "--count", "1"),
        "--columns names all columns", added=[["--label", "label"], ["--no-label"], ["--columns", "word,pos,label"]],
    ),
    "one source": Case(SHORT, ("agree", "t.txt"), "name two files or more", added=[["t.txt"]]),
    "no tag of a scheme": Case(
        {"a.txt": "Kim X-P\nmet O\n"}, ("agree", "a.txt", "a.txt", "--scheme", "iob2"), "(--scheme)",
        then=[("agree", "a.txt", "a.txt", "--scheme", "plain")],
    ),
    "a tag of another scheme": Case(
        {"a.txt": "Kim S-P\nmet O\n"}, ("convert", "a.txt", "--from-scheme", "iob2", "--to-scheme", "io"),
        "(--from-scheme names the scheme)",
        then=[("convert", "a.txt", "--from-scheme", "bioes", "--to-scheme", "io")],
    ),
    "ill-formed tags": Case(
        {"a.txt": "Kim O\nmet I-P\nAnn B-P\n"}, ("convert", "a.txt", "--from-scheme", "iob2", "--to-scheme", "bioes"),
        "(--repair mends them)", added=[["--repair"]],
    ),
    "undecided labels": Case(
        {**SHORT, "t.txt": LABELLED + "Eve B-PER|O\n"}, TRAIN, "--method partial|", added=[["--method", "partial"]],
    ),
    "undecided labels, decided": Case(
        {**SHORT, "t.txt": LABELLED + "Eve B-PER|O\n"}, TRAIN, "; --no-marks, if it is one",
        added=[["--no-marks"], ["--ambiguous", "argmax"]],
    ),
    "a mark in a label": Case({"a.txt": "Kim A|B\nmet O\n"}, ("check", "a.txt"), "if it is one label, --no-marks",
                              added=[["--no-marks"]]),
    "raw text": Case({**SHORT, "r.txt": "Ann met Kim.\nThey left.\n"},
                     (*TRAIN, "--method", "self-training"), "(--unlabeled FILE)", added=[["--unlabeled", "r.txt"]]),
    "labelled sentences": Case(
        {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n"},
        ("train", "-t", "t.yaml", "-m", "m", "--method", "self-training", "--unlabeled", "r.txt"),
        "(--train FILE)", added=[["--train", "t.txt"]],
    ),
    **{
        f"a list for {method}": Case(
            {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n", "l.tsv": "word[0]=Kim\tB-PER\n"},
            (*TRAIN, "--method", method, "--unlabeled", "r.txt"), "(--expectations FILE)",
            added=[["--expectations", "l.tsv"]],
        )
        for method in ("expectation", "expected-gradient")
    },
    "weights of sentences": Case(
        {**SHORT, "w": "1\n" * 6}, (*TRAIN, "--method", "weighted"), "(--sentence-weights FILE)",
        added=[["--sentence-weights", "w"]],
    ),
    "rules": Case(
        {**SHORT, "r.txt": "Ann met Kim.\nThey left.\n", "r.yaml": "penalty: 1\nrules:\n  - once: [B-PER]\n"},
        (*TRAIN, "--method", "constraint-driven", "--unlabeled", "r.txt"), "(--rules FILE)",
        added=[["--rules", "r.yaml"]],
    ),
    "a number of sentences": Case(
        {"p.txt": "Kim\nmet\n\n"}, ("select", "--pool", "p.txt", "--strategy", "random", "--sentences", "1"),
        "did you mean '--count 1'?",
        then=[("select", "--pool", "p.txt", "--strategy", "random", "--count", "1")],
    ),
    "a parameter": Case(SHORT, (*TRAIN, "--l2", "2"), "write --set l2=…", then=[(*TRAIN, "--set", "l2=2")]),
    "a mistyped format": Case(SHORT, read("t.txt", "--from-format", "colums"), "did you mean 'columns'?",
                              then=[read("t.txt", "--from-format", "columns")]),
    "a mistyped method": Case(SHORT, (*TRAIN, "--method", "partiall"), "did you mean 'partial'?",
                              then=[(*TRAIN, "--method", "partial")]),
    "a mistyped encoding": Case(SHORT, read("t.txt", "--encoding", "latn-1"), "did you mean 'latin-1'?",
                                then=[read("t.txt", "--encoding", "latin-1")]),
    "a mistyped key": Case(
        {**SHORT, "r.yaml": "template: t.yaml\ntrain: t.txt\nmodel: m\nmethd: crf\n",
         "s.yaml": "template: t.yaml\ntrain: t.txt\nmodel: m\nmethod: crf\n"},
        ("train", "-c", "r.yaml"), "did you mean 'method'?", then=[("train", "-c", "s.yaml")],
    ),
    "ill-formed labels in training": Case(
        {**SHORT, "t.txt": LABELLED + "Kim O\nmet I-PER\n"}, TRAIN, "`sstag convert --repair` mends ill-formed ones",
        then=[("convert", "--repair", "t.txt", "-o", "u.txt"), ("check", "u.txt", "--scheme", "iob2")],
    ),
}  # fmt: skip
ELSEWHERE = {  # advice that is followed by other tests, or that is none
    "there is no layer '{}' (--key layer=TYPE.FEATURE names another)": "needs an extra: tests/with_tools",
    "on a cluster raw text is read from columns and Parquet (sstag convert makes columns)": "tests/with_cluster",
    "{} is told of the file's own tokens: not with --tokenize or --cut split": "says what contradicts",
    "{}; --threads 1 needs no more of them": "tests/attack",
    "fitted to tokens (--cut {})": "counts what an option did",
    "left out, without a whole token (--cut {})": "counts what an option did",
    "of several pieces (--discontinuous join)": "counts what an option did",
    "left out for another one (--overlaps {})": "counts what an option did",
    "a binary file, or UTF-16 (--encoding)": "test_encodings",
    "read as {}, its labels make other chunks than those whose probability is known (--scheme says how to read them)": (
        "test_calibration"
    ),
    "the cache is full: some vectors are not kept (sstag cache shows what is there)": "test_encode_command",
    "no vectors of tokens (sstag encode makes them)": "test_encode_command",
    "no feature is vector(…) or encoded(…), so nothing says what sentences mean: name a template that has one, or a "
    "file of vectors (--meaning)": "as the meaning of sentences",
    " (sstag vectors --lower)": "test_vector_files",
    "a file of word vectors (sstag vectors makes them)": "test_vector_files",
    "made by `sstag vectors`": "no advice",
    "pip install {}": "test_release",
    "pip install '.[{}]' in its sources": "test_release",
    "without a mark for it, an open label cannot be written (--mark unknown=…)": "test_relabelling",
    " (rules are for --rules)": "test_expectation_list",
    "{}:{}: no other line has the label '{}'; did you mean '{}'?": "test_expectation_list",
    "no such label: '{}'{}; --labels A,B,… names others": "test_asking",
    "{}; a list of features and their labels is for --expectations": "test_rules",
    "{} is where the model has its label, but holds none of its: `sstag convert --keep {}` drops it": "test_select",
    "rejected spans are those of sentences of raw text: unlabeled (--unlabeled FILE)": "as raw text",
    "{}:{}: {} in the label column tell nothing to --ambiguous {}, which looks at single tokens": "says what is lost",
    "'{}' is not one label: it contains a mark (--mark NAME=TEXT changes marks)": "test_labels",
    "{}   ({}…, as in `sstag cache`)": "no advice",
    "have lists of their own (--set {}.expectations=FILE)": "test_composed",
    "{} needs a list of features and their labels: expectations (--expectations FILE)": "as a list for a method",
    "prototype needs a list of words and their labels: expectations (--expectations FILE)": "as a list for a method",
    "expectation needs a list of features and their labels: expectations (--expectations FILE)": "as a list",
    "distill needs a teacher: a model that labels the raw text (--set teacher=MODEL)": "test_distill",
    "'{}' has no penalty: say one, or train --rules with labelled sentences, which learns it": "test_rules_on_models",
    "every sentence has the weight 0: there is nothing to learn from (sstag density --smoothing?)": "test_weights",
    "'{}' is not {}; did you mean '{}'?": "as a mistyped method",
}
STARTS = (
    "self-training takes every label",
    "the entropy alone makes",
    "label regularisation gains little",
    "{} learns",
)


def ran(words: Sequence[str], stdin: str = "") -> tuple[int, str]:
    """The exit code of a command in this process, and what it says."""
    result = CliRunner().invoke(cli.sstag, list(words), input=stdin)
    if isinstance(result.exception, SstagError):
        return 1, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def bounds_are_low(patch: pytest.MonkeyPatch, name: str) -> None:
    """Lowers a bound that a small file would not reach."""
    if name == "a long document":
        patch.setattr(prose, "LONGEST", 100)
    if name == "a long sentence":
        patch.setattr(document_blocks, "MOST_TOKENS", 15)


def followed(case: Case, message: str) -> Iterator[Sequence[str]]:
    """The commands that follow the advice of a message; a format that it names is copied from it."""
    if case.then or case.added:
        yield from case.then
        yield from ((*case.words, *more) for more in case.added)
        return
    found = re.search(r"(--from-format \S.*?) reads it", message)
    assert found, message
    yield (*case.words, *shlex.split(found[1]))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("four.txt").write_text("Kim N O O\nmet V O O\n", encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_advice_of_a_message_works(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    bounds_are_low(monkeypatch, name)
    for file, text in case.files.items():
        Path(file).write_bytes(text if isinstance(text, bytes) else text.encode())
    code, message = ran(case.words, case.stdin)
    assert case.told in message
    for words in followed(case, message):
        for option in {*words} - {*case.words}:
            command = words[0] if words[0] != case.words[0] else None
            assert not option.startswith("--") or command or option in message, (option, message)
        code, said = ran(words, case.stdin)
        assert code == 0, f"{shlex.join(words)}: {said}"
        assert case.told not in said or not message.startswith(said[:20])


def literals(path: Path) -> Iterator[str]:
    """The texts in a module with holes for what is put in, but for docstrings and decorators."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            left |= {id(part) for one in node.decorator_list for part in ast.walk(one)}
        if isinstance(node, ast.JoinedStr):
            left |= {id(part) for part in ast.walk(node)} - {id(node)}
    for node in ast.walk(tree):
        if id(node) in left:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def pattern_of(text: str) -> re.Pattern[str]:
    return re.compile(".*?".join(map(re.escape, text.split("{}"))), re.DOTALL)


def test_no_advice_goes_untried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of the library with advice is that of a case, or stands in the list of messages tested elsewhere."""
    messages = []
    for number, (name, case) in enumerate(CASES.items()):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        for file, text in case.files.items():
            Path(file).write_bytes(text if isinstance(text, bytes) else text.encode())
        with monkeypatch.context() as patch:
            bounds_are_low(patch, name)
            messages.append(ran(case.words, case.stdin)[1])
    helpful = {entry.help for entry in FORMATS.values()}
    found = {
        text
        for path in PACKAGE.rglob("*.py")
        if not {"interfaces", "experiments"} & {*path.relative_to(PACKAGE).parts}
        and path.relative_to(PACKAGE).as_posix() not in HELP
        for text in literals(path)
        if ADVICE.search(text) and " " in text and text not in helpful
    }
    tried = {text for text in found if any(map(pattern_of(text).search, messages))}
    assert {text for text in found - tried if text not in ELSEWHERE and not text.startswith(STARTS)} == set()
    assert {*ELSEWHERE} <= found


def options() -> set[str]:
    """All options of all commands."""

    def below(command: click.Command, context: click.Context) -> Iterator[str]:
        for one in command.params:
            yield from (*one.opts, *one.secondary_opts)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                if inner:
                    yield from below(inner, click.Context(inner, parent=context))

    return set(below(cli.sstag, click.Context(cli.sstag)))


def test_every_option_that_a_message_names_exists() -> None:
    known = options() | {"--help"}
    for path in PACKAGE.rglob("*.py"):
        if "experiments" in path.parts or path.name == "html_page.py":
            continue
        for text in literals(path):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+\b(?!-)", text):
                assert option in known, f"{path}: {option}"
