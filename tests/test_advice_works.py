"""Advice in messages: each message that names an option, a command or a next step is provoked, its advice followed,
and it works.
"""

import ast
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from sstag.interfaces import cli
from tests.advised import (
    Case,
    faults,
    files,
    folder,
    knowledge,
    learning,
    lists,
    models,
    others,
    projects,
    python,
    ran,
    templates,
    texts,
)
from tests.advised.elsewhere import OTHER_TESTS, WITH_EXTRAS, reasons
from tests.advised.following import follow, provoked
from tests.advised.messages import PACKAGE, advice, literals, pattern_of

TABLES = (texts, models, lists, templates, knowledge, learning, faults, others, projects, python)
CASES: Mapping[str, Case] = {
    **files.CASES,
    **{
        f"{table.__name__.rpartition('.')[2]} {place}: {case.told[:40]}": case
        for table in TABLES
        for place, case in enumerate(table.CASES)
    },
}
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MESSAGES: dict[str, str] = {}  # of the cases that ran


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of which each case has a copy."""
    return folder.filled(tmp_path_factory.mktemp("advised"))


@pytest.fixture
def in_a_folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.parametrize("name", CASES)
def test_the_advice_of_a_message_works(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MESSAGES[name] = provoked(CASES[name], monkeypatch)
    follow(CASES[name], MESSAGES[name])


def test_no_advice_goes_untried(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message with advice is that of a case, or stands in the list of messages that are tested elsewhere."""
    for number, name in enumerate(CASES.keys() - MESSAGES.keys()):  # none, if all tests of this file ran
        shutil.copytree(made, tmp_path / str(number))
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path / str(number))
            patch.setenv("SSTAG_CACHE", str(tmp_path / str(number) / "cache"))
            MESSAGES[name] = provoked(CASES[name], patch)
    every = advice()
    patterns = {text: pattern_of(text) for text in every}
    tried = {text for text in every if any(map(patterns[text].search, MESSAGES.values()))}
    known = reasons()
    untried = sorted((*every[text], text) for text in every.keys() - tried if not text.startswith((*known,)))
    assert not untried, "\n".join(map(": ".join, untried))
    assert [begin for begin in known if not any(text.startswith(begin) for text in every)] == []


def test_the_tests_of_extras_follow_what_they_are_said_to() -> None:
    paths = [ROOT / "tests" / f"with_{extra}" / "test_advice.py" for extra in ("web", "sklearn")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (*paths, ROOT / "tests/advised/served.py")]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    said = "\n".join(text for text in texts if isinstance(text, str)).replace("\\", "")
    assert [begin for begin in WITH_EXTRAS if not pattern_of(begin).search(said)] == []


@pytest.mark.parametrize("test", sorted({*OTHER_TESTS.values()}))
def test_the_tests_that_follow_advice_elsewhere_are_there(test: str) -> None:
    path, _, name = test.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


# The command that meets a missing package, the extra that has it, and what the packages of the extra are imported as.
MISSING = (
    ("convert a.parquet", "parquet", ("pyarrow",)),
    ("convert a.xmi", "xmi", ("cassis",)),
    ("annotate p.txt --labels PER --template t.yaml --project new", "annotate", ("starlette", "uvicorn")),
    ("serve m", "annotate", ("starlette", "uvicorn")),
    ("eval t.txt -m m --calibration --plot p", "plots", ("matplotlib",)),
    ("tag -m m t.txt --workers 1 -o o.txt", "cluster", ("distributed",)),
    ("convert memory://a.txt", "http", ("fsspec",)),
    ("train -t onnx.yaml --train t.txt -m new", "onnx", ("onnxruntime", "tokenizers")),
    ("train -t transformers.yaml --train t.txt -m new", "transformers", ("torch", "transformers")),
    ("python 'import sstag.sklearn'", "sklearn", ("sklearn",)),
)
CALLED = {"cassis": "dkpro-cassis", "sklearn": "scikit-learn"}  # packages that are imported by another name


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.parametrize(("command", "extra", "modules"), MISSING)
def test_what_an_error_installs_is_what_is_missing(
    command: str, extra: str, modules: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be installed here: the packages are those of the extra, among them the ones that are missing."""
    Path("a.parquet").write_bytes(b"PAR1\x15" + bytes(19) + b"\x14\0\0\0PAR1")
    Path("a.xmi").write_text("<xmi:XMI/>", encoding="utf-8")
    for backend in ("onnx", "transformers"):
        encoders = f"encoders: {{mini: {{model: mini, backend: {backend}}}}}"
        text = f"columns: [word, label]\n{encoders}\nfeatures: ['encoded(mini[0])']\n"
        Path(f"{backend}.yaml").write_text(text, encoding="utf-8")
        Path("mini/model.onnx").write_bytes(b"")
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    code, said = ran(shlex.split(command))
    assert code != 0
    wanted = PROJECT["optional-dependencies"][extra]
    assert f"pip install {' '.join(map(repr, wanted))}" in said
    names = [re.split(r"[<>=~\[]", one)[0] for one in wanted]
    assert {CALLED.get(module, module) for module in modules} <= {*names}


def test_every_extra_that_an_error_installs_is_tried() -> None:
    calls = [
        call
        for path in PACKAGE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "installing"
    ]
    named = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert named | {"onnx"} == {extra for _, extra, _ in MISSING}


def options() -> set[str]:
    """All options of all commands."""

    def below(command: click.Command, context: click.Context) -> Iterator[str]:
        for parameter in command.params:
            yield from (*parameter.opts, *parameter.secondary_opts)
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
        for text in literals(ast.parse(path.read_text(encoding="utf-8"))):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+\b(?!-)", text):
                assert option in known, f"{path}: {option}"
