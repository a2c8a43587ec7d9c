"""The dialect of settings: text, integers, floats, true, false, null; anything else is an error with its line."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.documents import LARGEST, Document, load_text
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.foundation.strict_yaml import DEEPEST, parsed, parsed_value

Alarm = Callable[[int], AbstractContextManager[None]]
Saved = Callable[[bytes], str]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("# nothing but a comment", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-12", -12),
        ("+5", 5),
        ("007", 7),
        ("999999999999999999", 10**18 - 1),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e+3", -500.0),
        ("1e-3", 0.001),
        ("1E5", 1e5),
        ("1e-9999", 0.0),
        # Text, whatever YAML 1.1 thinks of it.
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("True", "True"),
        ("NULL", "NULL"),
        ("12:30", "12:30"),
        ("2001-01-01", "2001-01-01"),
        ("0x10", "0x10"),
        ("0o7", "0o7"),
        ("1_000", "1_000"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("inf", "inf"),
        ("1e9999", "1e9999"),
        ("1e", "1e"),
        (".", "."),
        ("--1", "--1"),
        ("٣", "٣"),
        ("<<", "<<"),
        ("=", "="),
        ("word[0] | word[1]", "word[0] | word[1]"),
        ("a  # comment", "a"),
        ("a#b", "a#b"),
        # Quoted is text.
        ("'1'", "1"),
        ('"true"', "true"),
        ("''", ""),
        ("'it''s'", "it's"),
        ('"a\\tb\\u00e9"', "a\tbé"),
        ("|\n  1\n  2\n", "1\n2\n"),
        (">-\n  1\n  2\n", "1 2"),
        # Lists and mappings.
        ("[]", []),
        ("{}", {}),
        ("[1, a, [~]]", [1, "a", [None]]),
        ("- 1\n- a: 2\n  b:\n- - x", [1, {"a": 2, "b": None}, ["x"]]),
        ("a: {b: 1e3, c: NO}", {"a": {"b": 1000.0, "c": "NO"}}),
        ("1: x\ntrue: y\n~: z", {"1": "x", "true": "y", "~": "z"}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
        ("---\na: 1\n...\n", {"a": 1}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
    ],
)
def test_dialect(text: str, value: Json) -> None:
    found = parsed(text, "file").data
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: &x 2", 2, "anchors and aliases"),
        ("a: 1\nb: *x", 2, "anchors and aliases"),
        ("*x", 1, "anchors and aliases"),
        ("&x [1]", 1, "anchors and aliases"),
        ("a: 1\nb: !!str 2", 2, "tags"),
        ("- !x", 1, "tags"),
        ("! x", 1, "tags"),
        ("!!python/object/apply:os.system [ls]", 1, "tags"),
        ("a: 1\nb: 2\na: 3", 3, "'a' is given twice"),
        ("x:\n  - {a: 1, a: 1}", 2, "'a' is given twice"),
        ("1: x\n'1': y", 2, "'1' is given twice"),
        ("? [a]\n: b", 1, "a key must be text"),
        ("? {a: b}\n: b", 1, "a key must be text"),
        ("&x a: b", 1, "a key must be text"),
        ("!!str a: b", 1, "a key must be text"),
        ("? *x\n: b", 1, "a key must be text"),
        ("a: 1\n---\nb: 2", 3, "a second document"),
        ("---\n---\nb: 2", None, "a second document"),
        ("a: 1\n  b: 2", 2, "not YAML"),
        ("a: 1\n\tb: 2", 2, "not YAML"),
        ("a: [1,\n\n", 3, "not YAML"),
        ("a: 'x", 1, "not YAML"),
        ("a: @x", 1, "not YAML"),
        ("a: `x`", 1, "not YAML"),
        ("a: %x", 1, "not YAML"),
        ("%YAML 9.9\n---\na", 1, "not YAML"),
        ('"\\q"', 1, "not YAML"),
        ("a\0b", None, "not YAML"),
        ("\x07", None, "not YAML"),
        ("\ud800", None, "not YAML"),
        ('"\\UFFFFFFFF"', None, "not YAML"),
        ('"\\U00110000"', None, "not YAML"),
        ('a: "\\ud800"', None, "no character"),
        ('"\\udfff": a', None, "no character"),
    ],
)
def test_everything_else_is_an_error_of_one_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        parsed(text, "file")
    assert error.value.path == "file"
    assert line is None or error.value.line == line
    assert "\n" not in str(error.value)


ODD = """ -_: _:_|_>_[_]_{_}_'_"_\\_\\U_\\x_\\u00_FFFF_&x _*x _!_!!str _? _,_@_%_#_ #_~_1_a_<<: """
BREAKS = ["\n", "\n  ", "\r\n", "\u2028", "\x85", "---\n", "...\n", "%YAML 1.1\n", "|\n", ">\n", "\t", "\0", "\ufeff"]
pieces = st.sampled_from([*ODD.split("_"), *BREAKS]) | st.text(max_size=3)


@given(st.lists(pieces, max_size=20).map("".join))
def test_any_text_is_settings_or_a_config_error(text: str) -> None:
    try:
        document = parsed(text, "file")
    except ConfigError as error:
        assert error.path == "file"  # noqa: PT017 - not every example is one
        return
    assert not document.lines or min(document.lines.values()) >= 1


@given(st.recursive(st.integers(-99, 99) | st.text("ab", max_size=3), lambda inner: st.lists(inner, max_size=3)))
def test_lists_written_in_brackets_are_read(value: Json) -> None:
    def text(one: Json) -> str:
        return f"[{', '.join(map(text, one))}]" if isinstance(one, list) else f"'{one}'" if one == "" else str(one)

    assert parsed_value(text(value)) == value


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", ""), ("[{a: ", "}]")])
def test_depth_ends(opening: str, closing: str) -> None:
    fits = DEEPEST // (2 if len(opening) > 4 else 1)
    parsed(opening * fits + "1" + closing * fits, "file")
    for times in (fits + 1, 100_000):
        with pytest.raises(ConfigError, match=f"nested more than {DEEPEST} deep"):
            parsed(opening * times + "1" + closing * times, "file")


def test_billions_of_laughs_are_one_error() -> None:
    lines = ["a0: &a0 [lol, lol]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    with pytest.raises(ConfigError, match="anchors and aliases"):
        parsed("\n".join(lines), "file")


@pytest.mark.parametrize("text", ["1" * 10**6 + "x", "0" * 10**6 + ".", "1" * 10**6, "." * 10**6, "-" * 10**6 + "1"])
def test_long_runs_of_digits_end(alarm: Alarm, text: str) -> None:
    """In linear time: a quadratic number pattern would take hours here."""
    with alarm(30):
        value = parsed_value(text)
    assert value == (0.0 if text[0] == "0" else text)


def test_long_numbers_stay_numbers() -> None:
    assert parsed_value("12345678901234567890") == 12345678901234567890.0
    assert math.isclose(float(parsed_value("0." + "3" * 1000)), 1 / 3)  # type: ignore[arg-type]


TEXT = """\
# a comment
name: x
list:
  - a

  - b: 1
    c:
      - d
last: {e: f,
  g: h}
"""


def test_every_value_has_its_line() -> None:
    assert parsed(TEXT, "file").lines == {
        (): 2,
        ("name",): 2,
        ("list",): 3,
        ("list", 0): 4,
        ("list", 1): 6,
        ("list", 1, "b"): 6,
        ("list", 1, "c"): 7,
        ("list", 1, "c", 0): 8,
        ("last",): 9,
        ("last", "e"): 9,
        ("last", "g"): 10,
    }


def test_errors_stand_at_their_place_or_the_nearest_around_it() -> None:
    document = parsed(TEXT, "file")
    assert str(document.error("wrong", "list", 1, "c")) == "file:7: wrong"
    assert str(document.error("wrong", "list", 1, "nowhere", 5)) == "file:6: wrong"
    assert str(document.error("wrong", "nowhere")) == "file:2: wrong"
    assert str(parsed("", "file").error("wrong", "x")) == "file: wrong"


def document(text: str) -> Document:
    return parsed(text, "file")


@pytest.mark.parametrize(
    ("text", "ask", "value"),
    [
        ("a: [x, y]", lambda d: d.texts("a"), ["x", "y"]),
        ("a: []", lambda d: d.texts("a"), []),
        ("a: x", lambda d: d.text("a"), "x"),
        ("a: ''", lambda d: d.text("a"), ""),
        ("b: 1", lambda d: d.text("a"), None),
        ("a: x", lambda d: d.choice("a", ["x", "y"]), "x"),
        ("b: 1", lambda d: d.choice("a", ["x", "y"]), None),
        ("a: 3", lambda d: d.count("a", 7), 3),
        ("a:", lambda d: d.count("a", 7), 7),
        ("[1]", lambda d: d.get("a"), None),
        ("a: 1\nb: 2", lambda d: d.mapping(["a", "b", "c"]), {"a": 1, "b": 2}),
    ],
)
def test_values_of_a_kind(text: str, ask: Callable[[Document], object], value: object) -> None:
    assert ask(document(text)) == value


@pytest.mark.parametrize(
    ("text", "ask", "line", "message"),
    [
        ("\na: x", lambda d: d.texts("a"), 2, "'a' must be a list"),
        ("\na:", lambda d: d.texts("a"), 2, "'a' must be a list"),
        ("a:\n- x\n- 1", lambda d: d.texts("a"), 3, "quote this line"),
        ("\na: 1", lambda d: d.text("a"), 2, "'a' must be text"),
        ("\na: true", lambda d: d.choice("a", ["x"]), 2, "'a' must be text"),
        ("\na: xx", lambda d: d.choice("a", ["xxx", "y"]), 2, "'a' is not 'xx'; did you mean 'xxx'?"),
        ("\na: zz", lambda d: d.choice("a", ["xxx", "y"]), 2, "'a' is xxx or y, not 'zz'"),
        ("\na: 0", lambda d: d.count("a", 1), 2, "a whole number from 1 up"),
        ("\na: true", lambda d: d.count("a", 1), 2, "a whole number from 1 up"),
        ("\na: 1.0", lambda d: d.count("a", 1), 2, "a whole number from 1 up"),
        ("\na: '1'", lambda d: d.count("a", 1), 2, "a whole number from 1 up"),
        ("a: 1\nfeaturs: 2", lambda d: d.mapping(["a", "features"]), 2, "'featurs'; did you mean 'features'"),
        ("\n[1]", lambda d: d.mapping(["a", "b"]), 2, "no settings here: it should say a: …, b: …"),
        ("", lambda d: d.mapping(["a"]), None, "no settings here"),
    ],
)
def test_values_of_another_kind_are_an_error_at_their_line(
    text: str, ask: Callable[[Document], object], line: int | None, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        ask(document(text))
    assert (error.value.path, error.value.line) == ("file", line)


def test_files(saved: Saved) -> None:
    assert load_text(saved("\ufeffa: é\r\n".encode())) == "a: é\r\n"
    for data, message in ((b"a\xff", "not UTF-8"), (b"#" * (LARGEST + 1), "larger than 512 KiB")):
        path = saved(data)
        with pytest.raises(DataError, match=message) as error:
            load_text(path)
        assert error.value.path == path
