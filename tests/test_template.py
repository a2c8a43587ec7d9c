"""Templates: every line of the language, every mistake with its place, and no text that does harm."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sstag.corpus.formats import columns
from sstag.corpus.formats.conllu import CONLLU
from sstag.corpus.layout import Layout
from sstag.features.grammar import features
from sstag.features.reading import load_template, template
from sstag.features.template import BY_SHARE, END, Edge, Edges, Feature, Listed, Number, Source, Term, Text
from sstag.features.term_values import NUMBER
from sstag.foundation.errors import ConfigError, DataError, SstagError

COLUMNS = ("word", "pos", "length", "ner")
HEAD = "columns: [word, pos, length, ner]\n"
FEATURES = HEAD + "features:\n  - word[0]\n"  # three lines
WORD, POS, LOWER = Source(0), Source(1), Source(0, (("lower", None),))
FUZZ = settings(max_examples=300, deadline=None)

DESIGN = """\
columns: [word, pos, chunk, length, ner]      # by position; the label column is named by `label`
label: ner
features:
  - word[0]                           # relative position
  - lower(word[-1..1])                # three features
  - word[-1] | word[0]                # conjunction
  - prefix(word[0], 1..4)
  - suffix(word[0], 1..4)
  - shape(word[0])
  - "matches(word[0], '^[A-Z][a-z]+$')"
  - lexicon(word[0..1], lists/places.txt)      # multi-token entries too; paths are relative to this file
  - first()                           # sentence edges
  - last()
  - word[end]                         # the sentence's last word (T08)
  - value(length)                     # a real-valued attribute from a numeric column
edges: [labels, begin, end, word[0]]  # (y', y); begin and end scores; (y', y, word) as in S11
edge_pairs: all                       # or observed
minimum_count: 1
pairs: observed
vocabulary: labelled
"""


def line(text: str) -> list[Feature]:
    return features(text, COLUMNS, "ner")


def lower(offset: int) -> Feature:
    return Feature((f"lower(word[{offset}])=", ""), (Text(LOWER, offset),))


def affix(name: str, length: int) -> Feature:
    return Feature((f"{name}(word[0], {length})=", ""), (Text(Source(0, ((name, length),)), 0),))


def test_the_example_of_the_design(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "places.txt").write_text("# places\nNew York\n\nParis\r\nNew\tYork\n")
    (tmp_path / "t.yaml").write_text(DESIGN)
    made = load_template(str(tmp_path / "t.yaml"))
    assert made.columns == ("word", "pos", "chunk", "length", "ner")
    assert made.layout("t.txt") == Layout(made.columns, "ner")
    capital = Source(0, (("matches", "^[A-Z][a-z]+$"),))
    places = "lists/places.txt"
    assert made.features == (
        Feature(("word[0]=", ""), (Text(WORD, 0),)),
        *map(lower, (-1, 0, 1)),
        Feature(("word[-1] | word[0]=", "|", ""), (Text(WORD, -1), Text(WORD, 0))),
        *(affix("prefix", length) for length in (1, 2, 3, 4)),
        *(affix("suffix", length) for length in (1, 2, 3, 4)),
        Feature(("shape(word[0])=", ""), (Text(Source(0, (("shape", None),)), 0),)),
        Feature(("matches(word[0], '^[A-Z][a-z]+$')", ""), (Text(capital, 0),)),
        Feature((f"lexicon(word[0], {places})=", ""), (Listed(WORD, 0, places),)),
        Feature((f"lexicon(word[1], {places})=", ""), (Listed(WORD, 1, places),)),
        Feature(("first()", ""), (Edge(last=False),)),
        Feature(("last()", ""), (Edge(last=True),)),
        Feature(("word[end]=", ""), (Text(WORD, END),)),
        Feature(("value(length)", ""), (Number(3, 0),)),
    )
    assert made.edges == Edges(True, True, True, (Feature(("word[0]=", ""), (Text(WORD, 0),)),))
    assert (made.edge_pairs, made.minimum_count, made.pairs, made.vocabulary) == ("all", 1, "observed", "labelled")
    assert made.lexica == {places: (("New", "York"), ("Paris",))}


def test_a_minimum_count_may_be_left_to_the_labelled_text() -> None:
    assert template(FEATURES + "minimum_count: auto\n", "t.yaml").minimum_count == BY_SHARE


def test_what_is_not_said() -> None:
    made = template(FEATURES, "t.yaml")
    assert made.label == "ner"
    assert made.edges == Edges(labels=True, begin=True, end=True)
    assert (made.edge_pairs, made.minimum_count, made.pairs, made.vocabulary) == ("all", 1, None, None)


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("edges: []", Edges(labels=False, begin=False, end=False)),
        ("edges: [labels]", Edges(labels=True, begin=False, end=False)),
        ("edges: [end, begin]", Edges(labels=False, begin=True, end=True)),
        ("edges: [pos[0]]", Edges(False, False, False, (Feature(("pos[0]=", ""), (Text(POS, 0),)),))),
    ],
)
def test_edges(text: str, edges: Edges) -> None:
    assert template(FEATURES + text, "t.yaml").edges == edges


def test_a_template_without_a_feature_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"^t\.yaml:2: no feature in it$"):
        template(HEAD + "features: []", "t.yaml")


@pytest.mark.parametrize(
    ("text", "literals", "terms"),
    [
        ("pos[-100]", ("pos[-100]=", ""), [Text(POS, -100)]),
        ("pos[+1]", ("pos[1]=", ""), [Text(POS, 1)]),
        (" pos [ 0 ] ", ("pos[0]=", ""), [Text(POS, 0)]),
        ("first()|last()", ("first() | last()", "", ""), [Edge(last=False), Edge(last=True)]),
        ("first() | pos[0]", ("first() | pos[0]", "=", ""), [Edge(last=False), Text(POS, 0)]),
        (
            "pos[0] | first() | word[0]",
            ("pos[0] | first() | word[0]=", "", "|", ""),
            [Text(POS, 0), Edge(last=False), Text(WORD, 0)],
        ),
        ("value(length[-2])", ("value(length[-2])", ""), [Number(2, -2)]),
        ("value(length[end]) | pos[0]", ("value(length[end]) | pos[0]", "=", ""), [Number(2, END), Text(POS, 0)]),
        (
            "shape(lower(word[end]))",
            ("shape(lower(word[end]))=", ""),
            [Text(Source(0, (("lower", None), ("shape", None))), END)],
        ),
        ('lexicon(word[-1], "a, b")', ('lexicon(word[-1], "a, b")=', ""), [Listed(WORD, -1, "a, b")]),
        ("lexicon(lower(word[0]), a)", ("lexicon(lower(word[0]), a)=", ""), [Listed(LOWER, 0, "a")]),
        ("matches(word[0], '[|(]')", ("matches(word[0], '[|(]')", ""), [Text(Source(0, (("matches", "[|(]"),)), 0)]),
    ],
)
def test_lines(text: str, literals: tuple[str, ...], terms: list[Term]) -> None:
    assert line(text) == [Feature(literals, tuple(terms))]


def test_a_default_is_named_after_its_feature() -> None:
    (one,) = line("word[0] | pos[0] else unknown")
    assert one.default == "word[0] | pos[0] else unknown"


def test_ranges_multiply() -> None:
    made = line("word[-1..0] | prefix(suffix(word[0], 2..3), 1..2)")
    assert [one.literals[0] for one in made] == [
        f"word[{offset}] | prefix(suffix(word[0], {long}), {short})="
        for offset in (-1, 0)
        for short in (1, 2)
        for long in (2, 3)
    ]
    assert len(line("word[-50..50]")) == 101


LINE_ERRORS = [
    ("wrd[0]", "there is no column 'wrd'; did you mean 'word'?"),
    ("xyz[0]", "there is no column 'xyz' (known: word, pos, length, ner)"),
    ("ner[0]", "'ner' is the label"),
    ("lower(ner[0])", "'ner' is the label"),
    ("value(ner)", "'ner' is the label"),
    ("sufix(word[0], 2)", "there is no function 'sufix'; did you mean 'suffix'?"),
    ("word", "'[' is missing"),
    ("word[", "an offset is missing"),
    ("word[]", "an offset is missing"),
    ("word[0", "']' is missing"),
    ("word[x]", "'x' is no number"),
    ("word[0.5]", "'0.5' is no number"),
    ("word[1..-1]", "goes down: write -1..1"),
    ("word[0..101]", "is not within -100..100"),
    ("word[-101]", "is not within -100..100"),
    ("word[1234567]", "is not within -100..100"),
    ("prefix(word[0])", "write prefix(word[0], 1..4)"),
    ("prefix(word[0], 0)", "within 1..100"),
    ("prefix(word[0], 3..2)", "goes down: write 2..3"),
    ("prefix(word[0], 30..33)", "1 to 32 characters, not 33"),
    ("prefix(word[0], x)", "'x' is no number"),
    ("prefix(word[0], '1')", "a number is missing"),
    ("matches(word[0], ^[0-9]+$)", "')' is missing (after the arguments of matches; a pattern stands in quotation"),
    ("matches(word[0], '^a'", "')' is missing (after the arguments of matches)"),
    ("lower(word[0], 1)", "')' is missing"),
    ("lower()", "a column or a function is missing"),
    ("lower(first())", "takes a column or a function of one, not first()"),
    ("lower(matches(word[0], a))", "takes a column or a function of one"),
    ("lower(value(length))", "takes a column or a function of one"),
    ("lower(lexicon(word[0], a))", "takes a column or a function of one"),
    ("value(lower(word[0]))", "takes a column, not lower(word[0])"),
    ("first(word[0])", "first() takes nothing"),
    ("lexicon(word[0])", "write lexicon(word[0], list.txt)"),
    ("matches(word[0])", "write matches(word[0], '^[A-Z]')"),
    ("matches(word[0], )", "a text is missing"),
    ("matches(word[0], '(')", "is no regular expression"),
    ("matches(word[0], '(a+)+')", "can run away"),
    ("matches(word[0], '(a|aa)*b')", "can run away"),
    ("matches(word[0], 'a*a*b')", "can run away"),
    (r"matches(word[0], '(a)\1')", "can run away"),
    ("matches(word[0], '(?i)a')", "flags are not read"),
    ("matches(word[0], 'a", "a quotation that does not end"),
    ("word[0] word[1]", "'word' is not expected"),
    ("word[0])", "')' is not expected"),
    ("word[0] |", "a column or a function is missing"),
    ("| word[0]", "a column or a function is missing"),
    ("", "a column or a function is missing"),
    ("word[0] else", "a name for the default attribute is missing"),
    ("word[0] else a b", "'b' is not expected"),
    ("word[-50..50] | word[0..20]", "stands for 2121 features (at most 2000)"),
    ("prefix(prefix(word[-50..50], 1..32), 1..32)", "stands for 3232 features (at most 2000)"),
    ("word[0]" + " " * 1000, "longer than 1000 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), LINE_ERRORS)
@pytest.mark.parametrize("key", ["features", "edges"])
def test_mistakes_in_a_line_are_named_with_path_and_line(text: str, message: str, key: str) -> None:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    before = HEAD if key == "features" else FEATURES
    with pytest.raises(ConfigError) as raised:
        template(f"{before}{key}:\n  - pos[0]\n  - {quoted}\n", "dir/t.yaml")
    assert message in raised.value.message
    assert raised.value.message.startswith(("'" + text[:50], text[:50]))
    assert (raised.value.path, raised.value.line) == ("dir/t.yaml", before.count("\n") + 3)


@pytest.mark.parametrize(
    ("text", "number", "message"),
    [
        ("", None, "no settings here"),
        ("# nothing\n", None, "no settings here"),
        ("[]", 1, "no settings here"),
        ("word[0]", 1, "no settings here"),
        (HEAD, 1, "'features' must be a list"),
        (HEAD + "features:\n", 2, "'features' must be a list"),
        (HEAD + "features: word[0]\n", 2, "'features' must be a list"),
        (HEAD + "features:\n  - 12\n", 3, "quote this line"),
        (HEAD + "features:\n  - word[0]\n  -\n", 4, "quote this line"),
        (HEAD + "features:\n  - word[0]\n  - [word]\n", 4, "quote this line"),
        (HEAD + "features:\n  - matches(word[0], a: b)\n", 3, "quote this line"),
        (FEATURES + "edges:\n", 4, "'edges' must be a list"),
        (FEATURES + "edges: labels\n", 4, "'edges' must be a list"),
        (FEATURES + "edges: [lables]\n", 4, "lables: no such edges; did you mean 'labels'?"),
        (FEATURES + "edges:\n  - labels\n  - word[0]\n  - true\n", 7, "quote this line"),
        (FEATURES + "  - pos[0]\n  - word[-1..1]\n", 5, "word[-1..1]: 'word[0]' stands here twice"),
        (FEATURES + "edges:\n  - word[0]\n  - word[+0]\n", 6, "'word[0]' stands here twice"),
        ("features: []\n", 1, "'columns' must be a list"),
        ("columns: word\nfeatures: []\n", 1, "'columns' must be a list"),
        ("features: []\ncolumns: []\n", 2, "a template needs the names of the columns"),
        ("features: []\ncolumns:\n  - a\n  - 5\n", 4, "quote this line"),
        ("features: []\ncolumns: [a, b, a]\n", 2, "a column name stands twice"),
        (FEATURES + "label: net\n", 4, "label: there is no column 'net'; did you mean 'ner'?"),
        (FEATURES + "label: 5\n", 4, "'label' must be text"),
        (FEATURES + "\nfeature: [word[1]]\n", 5, "unknown key 'feature'; did you mean 'features'?"),
        (FEATURES + "zzz: 1\n", 4, "unknown key 'zzz' (known: columns, label, features"),
        (FEATURES + "features: []\n", 4, "'features' is given twice"),
        (FEATURES + "edge_pairs: some\n", 4, "'edge_pairs' is observed or all, not 'some'"),
        (FEATURES + "edge_pairs: true\n", 4, "'edge_pairs' must be text"),
        (FEATURES + "pairs: observd\n", 4, "did you mean 'observed'?"),
        (FEATURES + "vocabulary: labeled\n", 4, "did you mean 'labelled'?"),
        (FEATURES + "minimum_count: 0\n", 4, "'minimum_count' must be a whole number from 1 up"),
        (FEATURES + "minimum_count: -1\n", 4, "'minimum_count' must be a whole number from 1 up"),
        (FEATURES + "minimum_count: 1.5\n", 4, "'minimum_count' must be a whole number from 1 up"),
        (FEATURES + "minimum_count: true\n", 4, "'minimum_count' must be a whole number from 1 up"),
        (FEATURES + "minimum_count: two\n", 4, "'minimum_count' must be a whole number from 1 up or auto"),
        (FEATURES + "label: &a ner\n", 4, "anchors and aliases"),
        (FEATURES + "label: *a\n", 4, "anchors and aliases"),
        (FEATURES + "label: !!str ner\n", 4, "tags (!) are not read"),
        (FEATURES + "---\nlabel: ner\n", 5, "a second document begins here"),
        (FEATURES + "\tlabel: ner\n", 4, "not YAML"),
        (FEATURES + " - word[1]\n", 4, "not YAML"),
        (FEATURES + "label: \"ner\n", 5, "not YAML"),
        (FEATURES + 'label: "\\UFFFFFFFF"\n', None, "not YAML"),
        (FEATURES + 'label: "\\U00110000"\n', None, "not YAML"),
        (FEATURES + 'label: "\\ud800"\n', 4, "half of a surrogate pair is no character"),
        ("%YAML " + "1" * 5000 + ".1\n---\n" + FEATURES, None, "not YAML"),
        (FEATURES + "\0", None, "not YAML"),
        (" U00:%x[0,0]\n", 1, "no settings here"),
    ],
)  # fmt: skip
def test_mistakes_in_a_template_are_named_with_path_and_line(text: str, number: int | None, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        template(text, "dir/t.yaml")
    assert message in raised.value.message
    assert (raised.value.path, raised.value.line) == ("dir/t.yaml", number)


def test_too_many_features_are_noticed_while_they_are_made() -> None:
    many = "".join(f"  - word[-90..90] | pos[0..9] | word[{i}]\n" for i in range(100))
    with pytest.raises(ConfigError, match=r"^t\.yaml:8: more than 10000 features$"):
        template(HEAD + "features:\n" + many, "t.yaml")
    half = "".join(f"  - word[-90..90] | pos[0..9] | word[{i}]\n" for i in range(3))
    with pytest.raises(ConfigError, match=r"^t\.yaml: more than 10000 features$"):
        template(HEAD + "features:\n" + half + "edges:\n" + half, "t.yaml")


def test_ranges_within_ranges_are_counted_before_they_are_made() -> None:
    with pytest.raises(ConfigError, match=r"stands for 3232 features"):
        line("prefix(" * 6 + "word[-50..50]" + ", 1..32)" * 6)


class TestLexica:
    def test_a_missing_list_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"nowhere\.txt: no such file"):
            template(HEAD + "features: ['lexicon(word[0], nowhere.txt)']", str(tmp_path / "t.yaml"))

    @pytest.mark.parametrize("name", [".", "''", "-", "'a\0b'"])
    def test_what_is_no_file_is_refused(self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ConfigError):
            template(HEAD + f'features: ["lexicon(word[0], {name})"]'.replace("\0", "\\0"), "t.yaml")

    def test_a_list_is_looked_for_beside_its_template(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "-").write_text("a b\n")
        monkeypatch.chdir(tmp_path)
        assert template(HEAD + "features: ['lexicon(word[0], -)']", "t.yaml").lexica == {"-": (("a", "b"),)}

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "no entry in it"),
            (b"# only\n\n", "no entry in it"),
            (b"a\n\xff\n", "not UTF-8"),
            (b"a\n" + b"b " * 65, "list.txt:2: an entry of more than 64 words"),
        ],
    )
    def test_bad_lists(self, content: bytes, message: str, tmp_path: Path) -> None:
        (tmp_path / "list.txt").write_bytes(content)
        with pytest.raises(ConfigError) as raised:
            template(HEAD + "features: ['lexicon(word[0], list.txt)']", str(tmp_path / "t.yaml"))
        assert message in str(raised.value)


class TestCrfpp:
    def test_a_template(self) -> None:
        made = template("# Unigram\n\nU00:%x[-2,0]\r\nU05:%x[-1,0]/%x[0,1]x\nU\n# Bigram\nB\nB1:%x[1,0]\n", "t")
        assert made.columns is None
        assert made.label == "label"
        assert made.features == (
            Feature(("U00:", ""), (Text(WORD, -2),)),
            Feature(("U05:", "/", "x"), (Text(WORD, -1), Text(POS, 0))),
            Feature(("U",), ()),
        )
        assert made.edges == Edges(True, False, False, (Feature(("B1:", ""), (Text(WORD, 1),)),))

    def test_without_a_plain_bigram_the_pair_has_no_score(self) -> None:
        assert template("U:%x[0,0]\n", "t").edges == Edges(False, False, False)
        assert not template("U:%x[0,0]\nB:%x[0,0]\n", "t").edges.labels

    @pytest.mark.parametrize("text", ["U00:%x[0,0]\n", "B\n", "#\n#c\n\n  \nU\n", "\r\nB\r\n"])
    def test_its_first_line_tells(self, text: str) -> None:
        assert template(text, "t").columns is None

    @pytest.mark.parametrize("text", [FEATURES, "# U00:%x[0,0]\n" + FEATURES, "\n\n" + FEATURES, "---\n" + FEATURES])
    def test_yaml_is_no_crfpp_template(self, text: str) -> None:
        assert template(text, "t").columns == COLUMNS

    def test_blanks_are_part_of_a_line(self) -> None:
        assert template("U :%x[0,0] \r\n", "t").features == (Feature(("U :", " "), (Text(WORD, 0),)),)

    def test_repeated_lines_stay(self) -> None:
        assert len(template("U:%x[0,0]\nU:%x[0,0]\n", "t").features) == 2

    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            ("X00:%x[0,0]", "a CRF++ template line begins with U or B"),
            (" U00:%x[0,0]", "a CRF++ template line begins with U or B"),
            ("u00:%x[0,0]", "a CRF++ template line begins with U or B"),
            ("U00:%y[0,0]", "% begins a macro"),
            ("U00:%x[0]", "% begins a macro"),
            ("U00:%x[0,0", "% begins a macro"),
            ("U00:%x[0,-1]", "% begins a macro"),
            ("U00:%x[a,0]", "% begins a macro"),
            ("U00:%X[0,0]", "% begins a macro"),
            ("U00:%x[0,0]%", "% begins a macro"),
            ("U00:%x[101,0]", "%x[101,0] looks too far"),
            ("U00:%x[-101,0]", "%x[-101,0] looks too far"),
            ("U00:%x[0,1000]", "%x[0,1000] looks too far"),
        ],
    )
    def test_mistakes_are_named_with_path_and_line(self, bad: str, message: str) -> None:
        with pytest.raises(ConfigError) as raised:
            template(f"# one\nU01:%x[0,0]\r\n\n{bad}\n", "crfpp.txt")
        assert message in raised.value.message
        assert (raised.value.path, raised.value.line) == ("crfpp.txt", 4)

    def test_too_many_lines(self) -> None:
        with pytest.raises(ConfigError, match="more than 10000 features"):
            template("U\n" * 10_001, "t")


class TestFiles:
    def test_a_byte_order_mark_is_no_part_of_the_text(self, tmp_path: Path) -> None:
        (tmp_path / "t").write_bytes(b"\xef\xbb\xbfU00:%x[0,0]\n")
        assert load_template(str(tmp_path / "t")).features[0].literals == ("U00:", "")

    def test_line_ends_of_windows(self, tmp_path: Path) -> None:
        (tmp_path / "t").write_bytes(FEATURES.replace("\n", "\r\n").encode())
        assert load_template(str(tmp_path / "t")) == template(FEATURES, "t")

    @pytest.mark.parametrize("content", [b"\xff\xfe", b"\x1f\x8b not gzip"])
    def test_bytes_that_are_no_text(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "t").write_bytes(content)
        with pytest.raises(DataError):
            load_template(str(tmp_path / "t"))

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no such file"):
            load_template(str(tmp_path / "t"))


def harmless(made: Callable[[], object]) -> None:
    """It works, or a user is told what is wrong; whatever else is raised fails the test."""
    with suppress(SstagError):
        made()


PIECES = st.sampled_from(
    """word pos ner length lower prefix matches lexicon value first last else end [ ] ( ) , | ' " -1 0 0..2 -100..100
    1..32 2..1 é (a+)+ %x[0,0] %x[ U B U00: columns features: edges: - : # & * ! ? { } %YAML \\""".split()  # noqa: SIM905
) | st.sampled_from(["\n", "\x85", "\u2028", "\n  - "])
MIXED = st.lists(PIECES | st.text(max_size=3), max_size=30)
SPACED = MIXED.map(" ".join) | MIXED.map("".join)


@FUZZ
@given(st.text() | SPACED)
@example("lower(" * 166)
@example("prefix(" * 100 + "word[-100..100]" + ",1..9)" * 100)
@example("(" * 1000)
@example("|" * 1000)
@example("matches(word[-100..100], '" + "a?" * 6 + "[^X]+X" * 80 + "')")
def test_any_text_as_a_feature_is_harmless(text: str) -> None:
    harmless(lambda: features(text, COLUMNS, "ner"))


@FUZZ
@given(st.text() | SPACED)
@example("[" * 10_000)
@example("{a: " * 10_000)
@example("? " * 10_000)
@example("- " * 10_000)
@example('"\\UFFFFFFFF"')
@example("%YAML " + "1" * 5000 + ".1\n---\n")
@example("1" * 100_000 + "x")
@example("a: *a")
@example("\r")
def test_any_text_as_a_template_is_harmless(text: str) -> None:
    harmless(lambda: template(text, "nowhere/t"))


@FUZZ
@given(st.text() | SPACED)
@example("%x[" * 1000)
@example("%x[0,0]" * 1000)
@example("%x[" + " " * 10_000)
def test_any_text_as_a_crfpp_template_is_harmless(text: str) -> None:
    harmless(lambda: template("U" + text, "nowhere/t"))


@FUZZ
@given(st.text() | SPACED, st.sampled_from(["columns", "label", "features", "edges", "edge_pairs", "minimum_count"]))
def test_any_text_as_a_setting_is_harmless(text: str, key: str) -> None:
    harmless(lambda: template(f"{key}: {text}\n" + FEATURES, "nowhere/t"))
    harmless(lambda: template(FEATURES + f"{key}:\n  - {text}\n", "nowhere/t"))


def test_a_long_row_of_digits_is_read_in_linear_time() -> None:
    assert not NUMBER.fullmatch("1" * 1_000_000 + "x")
    harmless(lambda: template("1" * 1_000_000 + "x", "t"))


def test_a_long_row_of_brackets_is_read_in_linear_time() -> None:
    harmless(lambda: template("a: [b" + "()" * 200_000 + "'']", "t"))


def test_conllu_is_read_by_the_names_of_the_template() -> None:
    made = template("columns: [word, pos, ner]\nfeatures: ['word[0]']", "t")
    layout = made.layout("a.conllu")
    assert layout.format == CONLLU
    assert layout.label is None  # CoNLL-U has no column for it
    assert layout.names == ("id", "word", "lemma", "upos", "pos", "feats", "head", "deprel", "deps", "misc")
    assert made.layout("-", "conllu") == layout
    assert made.layout("a.conllu", "columns").format == columns.COLUMNS
    upos = template("columns: [form, upos]\nfeatures: ['form[0]']", "t")
    assert upos.layout("a.conllu.gz").label == "upos"
    with pytest.raises(ConfigError, match="CoNLL-U has no column 'wrod'; did you mean 'word'"):
        template("columns: [wrod, ner]\nfeatures: ['wrod[0]']", "t").layout("a.conllu")
    with pytest.raises(ConfigError, match="'word' and 'form' are one column in CoNLL-U"):
        template("columns: [word, form, upos]\nfeatures: ['word[0]']", "t").layout("a.conllu")


def test_columns_without_names_are_called_as_in_the_first_file() -> None:
    crfpp = template("U00:%x[0,0]", "t")
    assert crfpp.named(("word", "column2", "label")).columns == ("word", "column2", "label")
    assert crfpp.named(("word",)).columns == ("word", "label")
    named = template("columns: [a, b]\nfeatures: ['a[0]']", "t")
    assert named.named(("x", "y")) is named
