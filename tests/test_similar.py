"""Vectors of words, and words that are similar to prototypes: by hand on tiny texts, and beside NumPy's own SVD."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sstag.features.reading import load_template
from sstag.features.template import Likeness, Similar, Source
from sstag.features.term_values import View
from sstag.features.vocabulary import built
from sstag.features.words.context_vectors import Contexts, context_vectors, usual_dimensions
from sstag.features.words.prototypes import near, nearest_words, read_prototypes
from sstag.features.words.singular_vectors import Sparse, reduced
from sstag.features.words.vector_files.own import FORMAT, VERSION, WordVectors, load, save
from sstag.foundation.archive import write_archive
from sstag.foundation.errors import ConfigError, DataError, ModelError
from sstag.foundation.parallel import one_by_one, shards
from sstag.knowledge.labelled_features import read_features
from sstag.model.model_file import load as load_model
from sstag.model.model_file import save as save_model
from sstag.training.inputs import Inputs
from tests.commands import sstag
from tests.datasets import corpus
from tests.training import trained

ALIKE = Contexts(1, 500, together=True)
TEXT = "the cat sleeps / the dog sleeps / a cat eats / a dog eats / the bird sleeps / it eats"
PLANE = WordVectors(
    ("east", "north", "between", "nearly", "opposite", "nowhere", "far"),
    np.array([[2.0, 0.0], [0.0, 0.5], [1.0, 1.0], [3.0, 0.1], [-1.0, 0.0], [0.0, 0.0], [50.0, 0.0]]),
)


def text_of(words: str = TEXT):
    return corpus([[(word,) for word in sentence.split()] for sentence in words.split("/")], ("word",))


def by_hand(words: str, contexts: Contexts) -> dict[str, dict[tuple[bool, str], float]]:
    """The rows of X: of each word the number of a neighbour, which is a side and a word or the edge of the sentence."""
    times = Counter(words.replace("/", " ").split())
    frequent = [word for word, _ in times.most_common(contexts.words)]  # equally frequent ones by first use
    found: dict[str, Counter[tuple[bool, str]]] = {word: Counter() for word in times}
    for sentence in (one.split() for one in words.split("/")):
        for place, word in enumerate(sentence):
            for distance in range(-contexts.window, contexts.window + 1):
                other = sentence[place + distance] if 0 <= place + distance < len(sentence) else "<edge>"
                if distance and other in (*frequent, "<edge>"):
                    found[word][distance > 0 and not contexts.together, other] += 1
    if contexts.together:
        return {word: {key: np.sqrt(n / one.total()) for key, n in one.items()} for word, one in found.items()}
    smoothed = {key: n**0.75 for key, n in sum(found.values(), Counter()).items()}
    every = sum(smoothed.values())
    information = {
        word: {key: np.log(n / one.total()) - np.log(smoothed[key] / every) for key, n in one.items()}
        for word, one in found.items()
    }
    return {word: {key: x for key, x in one.items() if x > 0} for word, one in information.items()}


def cosine(a: dict[tuple[bool, str], float], b: dict[tuple[bool, str], float]) -> float:
    sizes = [np.sqrt(sum(x**2 for x in one.values())) for one in (a, b)]
    return sum(x * b.get(key, 0.0) for key, x in a.items()) / (sizes[0] * sizes[1])


@pytest.mark.parametrize("contexts", [Contexts(1, 100), Contexts(2, 3), Contexts(2, 100, together=True)], ids=str)
def test_all_dimensions_have_the_cosines_of_the_counts(contexts):
    made = context_vectors(text_of(), "word", 1000, contexts, 1)
    hand = by_hand(TEXT, contexts)
    assert list(made.words) == list(hand)
    for word in made.words:
        for other, found in nearest_words(made, word, 100):
            assert found == pytest.approx(cosine(hand[word], hand[other]), abs=1e-8)


def test_little_text_has_few_dimensions():
    found = [usual_dimensions(tokens) for tokens in (0, 1000, 260_000, 270_000, 1_000_000, 3_999_999, 4_000_000, 10**9)]
    assert found == [25, 25, 25, 25, 50, 99, 100, 100]


def test_words_used_alike_are_near_and_rare_ones_have_no_vector():
    made = context_vectors(text_of(), "word", 3, ALIKE, 2)
    assert made.words == ("the", "cat", "sleeps", "dog", "a", "eats")
    assert made.vectors.shape == (6, 3)
    assert nearest_words(made, "cat", 1) == [("dog", pytest.approx(1.0))]
    with pytest.raises(ConfigError, match="'bird' has no vector"):
        nearest_words(made, "bird", 1)


@pytest.mark.parametrize(("size", "rank", "count"), [(4, 4, 4), (40, 40, 5), (60, 7, 10), (1, 1, 1), (100, 80, 6)])
def test_reduced_rows_have_the_products_of_the_largest_singular_values(size, rank, count):
    rng = np.random.default_rng(size)
    x = rng.normal(size=(80, rank)) @ (rng.normal(size=(rank, size)) * 0.8 ** np.arange(size))
    every = np.tile(np.arange(size, dtype=np.int32), 80)
    first = np.arange(0, 80 * size + 1, size)
    rows = reduced(Sparse(first, every, x.ravel(), size), count)
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    expected = (u[:, :count] * s[:count] ** 2) @ u[:, :count].T
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-8 * s[0] ** 2)
    with shards(3) as over:
        assert rows.tobytes() == reduced(Sparse(first, every, x.ravel(), size), count, over).tobytes()


def test_they_are_those_of_a_singular_value_decomposition():
    """NumPy's, of the counts of a text that no few dimensions hold."""
    rng = np.random.default_rng(3)
    words = " / ".join(" ".join(f"w{n}" for n in np.minimum(rng.geometric(0.05, 9), 60)) for _ in range(300))
    for contexts in (Contexts(2, 20), Contexts(2, 20, together=True)):
        hand = by_hand(words, contexts)
        keys = sorted({key for one in hand.values() for key in one})
        x = np.array([[one.get(key, 0.0) for key in keys] for one in hand.values()])
        u, s, _ = np.linalg.svd(x, full_matrices=False)
        made = context_vectors(text_of(words), "word", 6, contexts, 1)
        np.testing.assert_allclose(made.vectors @ made.vectors.T, (u[:, :6] * s[:6] ** 2) @ u[:, :6].T, atol=1e-8)


def test_a_cosine_at_the_threshold_is_enough():
    found = near(PLANE, ("east", "unheard", "north"), np.sqrt(0.5))
    assert found == {
        "east": ("east",),
        "north": ("north",),
        "between": ("east", "north"),  # equally near: in the order of the list
        "nearly": ("east",),
        "far": ("east",),
    }
    assert "between" not in near(PLANE, ("east", "north"), 0.70711)
    assert near(PLANE, ("nowhere",), 0.1) == {}


def test_the_nearest_five_prototypes_count():
    angles = np.linspace(0, 1, 8)
    names = tuple("abcdefgh")
    fan = WordVectors(names, np.stack([np.cos(angles), np.sin(angles)], axis=1))
    assert near(fan, names, 0.1)["a"] == tuple("abcde")
    assert near(fan, names, 0.1)["h"] == tuple("hgfed")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("rent\npets\nrent\n# no\n", ("rent", "pets")),
        ("word[0]=rent\trent\nword[-1]=a\tx\n*\tx:1\nword[0]==\tx\t5\n", ("rent", "=")),
        ("word[0]=rent\tword\nword[0]=#\tx\n", ("rent", "#")),
        ("word[-1] | word[0]=a|b\tx\nword[0]=rent\tx\n", ("rent",)),
    ],
)
def test_prototypes_are_words_or_features(tmp_path, lines, expected):
    (tmp_path / "list").write_text(lines)
    assert read_prototypes(str(tmp_path / "list"), "word[0]") == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(context_vectors(text_of(), "word", 50, ALIKE, 2), str(tmp_path / "text.vectors"))
    (tmp_path / "words.tsv").write_text("# made\nword[0]=cat\tN\nword[0]=the\tD\nword[0]=bird\tN\n")
    (tmp_path / "two words").write_text("cat\nthe dog\n")
    (tmp_path / "none.txt").write_text("bird\n")
    (tmp_path / "other.tsv").write_text("word[-1]=cat\tN\n")
    (tmp_path / "lower.tsv").write_text("lower(word[0])=cat\tN\n")
    (tmp_path / "Cat.tsv").write_text("lower(word[0])=Cat\tN\n")
    save(WordVectors(("cat", "The"), np.eye(2)), str(tmp_path / "capitals.vectors"))
    (tmp_path / "t.yaml").write_text(
        "columns: [word, label]\nfeatures:\n  - word[0]\n  - similar(word[-1..0], words.tsv, text.vectors, 0.35)\n"
    )
    return tmp_path


def test_a_token_has_an_attribute_for_each_prototype(folder):
    template = load_template(str(folder / "t.yaml"))
    known = Likeness("word[0]", "words.tsv", "text.vectors", 0.35)
    assert template.features[1].terms == (Similar(Source(0), -1, known, 0),)
    text = corpus([[("a", "D"), ("dog", "N"), ("bird", "N")]], ("word", "label"))
    vocabulary, (ids,) = built(template.features, [View(text, template)])
    names = vocabulary.texts()
    found = [{names[one] for one in column if one >= 0} for column in ids.T.tolist()]
    before, here = (f"similar(word[{n}], words.tsv, text.vectors, 0.35)=" for n in (-1, 0))
    assert found == [
        {"word[0]=a", f"{here}the"},
        {"word[0]=dog", f"{here}cat", f"{before}the"},
        {"word[0]=bird", f"{before}cat"},  # it has no vector itself
    ]
    assert vocabulary.features[1].name == vocabulary.features[5].name


def test_a_place_among_the_prototypes_is_no_part_of_an_attribute(tmp_path):
    """`b` is nearest to itself and then to a, a the other way round: two attributes, known wherever they stand."""
    save(WordVectors(("a", "b", "c"), np.array([[1.0, 0.0], [1.0, 0.3], [0.9, -0.2]])), str(tmp_path / "v"))
    (tmp_path / "p").write_text("a\nb\n")
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures:\n  - similar(word[0], p, v, 0.5)\n")
    template = load_template(str(tmp_path / "t.yaml"))

    def attributes(words: str) -> View:
        return View(corpus([[(word, "X") for word in words]], ("word", "label")), template)

    vocabulary, (ids,) = built(template.features, [attributes("ac")])
    assert vocabulary.size == 2
    assert [set(column) - {-1} for column in ids.T.tolist()] == [{0, 1}, {0, 1}]
    assert [set(column) - {-1} for column in vocabulary.ids(attributes("bx")).T.tolist()] == [{0, 1}, set()]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("similar(word[0], words.tsv, text.vectors)", "',' is missing (write similar(word[0], prototypes.txt, raw.vec"),
        ("similar(word[0])", "',' is missing (write similar(word[0], prototypes.txt, raw.vectors, 0.35))"),
        ("similar[0]", "'similar' is a function: write similar(word[0], prototypes.txt"),
        ("similar(word[0], words.tsv, text.vectors, 1.5)", "the cosine '1.5' is no number above 0 and up to 1"),
        ("similar(word[0], words.tsv, text.vectors, 0.0)", "the cosine '0.0' is no number"),
        ("similar(word[0], words.tsv, text.vectors, x)", "the cosine 'x' is no number"),
        ("similar(first(), words.tsv, text.vectors, 0.3)", "similar(...) takes a column or a function of one"),
        ("similar(word[0], words.tsv, absent, 0.3)", "absent: no such file"),
        ("similar(word[0], absent, text.vectors, 0.3)", "absent: no such file"),
        ("similar(word[0], words.tsv, words.tsv, 0.3)", "words.tsv: not a file of word vectors"),
        ("similar(word[0], two words, text.vectors, 0.3)", "',' is missing (write similar(word[0], prototypes"),
        ("similar(word[0], 'two words', text.vectors, 0.3)", "two words:2: a prototype is one word"),
        ("similar(word[0], none.txt, text.vectors, 0.3)", "none of 1 prototypes has a vector in"),
        ("similar(word[0], other.tsv, text.vectors, 0.3)", "other.tsv: no prototype in it: of a list of features the"),
        ("similar(word[0], lower.tsv, text.vectors, 0.3)", "; of its lines lower(word[0])=… these are similar(lower("),
        (
            "similar(lower(word[0]), lower.tsv, capitals.vectors, 0.3)",
            "capitals.vectors: 'The' has capitals, and lower(word[0]) has none (sstag vectors --lower)",
        ),
        ("similar(lower(word[0]), Cat.tsv, text.vectors, 0.3)", "Cat.tsv: 'Cat' has capitals, and lower(word[0]) has"),
        ("lower(similar(word[0], words.tsv, text.vectors, 0.3))", "lower(...) takes a column or a function of one"),
    ],
)
def test_faults_in_a_template_have_a_line(folder, line, message):
    (folder / "t.yaml").write_text(f'columns: [word, label]\nfeatures:\n  - word[0]\n  - "{line}"\n')
    with pytest.raises((ConfigError, DataError)) as error:
        load_template(str(folder / "t.yaml"))
    assert str(error.value).startswith(f"{folder / 't.yaml'}:4: ")
    assert message in str(error.value)


def test_a_similar_word_cannot_be_labelled_but_its_prototype_can(folder):
    template = load_template(str(folder / "t.yaml"))
    (folder / "list").write_text("similar(word[0], words.tsv, text.vectors, 0.35)=cat\tN\n")
    with pytest.raises(DataError, match=r"list:1: .* a token may be similar to several"):
        read_features(str(folder / "list"), template)


def test_a_model_keeps_what_is_similar(folder):
    data = corpus([[("the", "D"), ("cat", "N")], [("a", "D"), ("dog", "N")], [("it", "N")]] * 2, ("word", "label"))
    model = trained(Inputs(load_template(str(folder / "t.yaml")), data))
    path = str(folder / "m")
    save_model(model, path)
    first = (folder / "m").read_bytes()
    for name in ("text.vectors", "words.tsv", "t.yaml"):
        (folder / name).unlink()
    back = load_model(path)
    assert back.template.similar == model.template.similar
    test = corpus([[("a", "D"), ("bird", "N")], [("dog", "N"), ("the", "D")]], ("word", "label"))
    ours, theirs = (one.tagged(one.dataset(test), one_by_one) for one in (model, back))
    assert (ours == theirs).all()
    assert back.unary.texts() == model.unary.texts()
    save_model(back, path)
    assert (folder / "m").read_bytes() == first


def test_vectors_come_back_and_are_the_same_bytes_again(tmp_path):
    for name in "ab":
        save(context_vectors(text_of(), "word", 4, Contexts(2), 1), str(tmp_path / name))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    made, back = context_vectors(text_of(), "word", 4, Contexts(2), 1), load(str(tmp_path / "a"))
    assert back.words == made.words
    assert (back.vectors == made.vectors).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "sstag model"}, "not a file of word vectors"),
        ({"version": VERSION + 1}, "this sstag reads format 1"),
        ({"vectors": np.zeros((2, 3))}, "its vectors do not fit together"),
        ({"vectors": np.full((3, 2), np.nan)}, "its vectors do not fit together"),
        ({"vectors": np.zeros((3, 0))}, "its vectors do not fit together"),
        ({"vectors": np.zeros(3)}, "another size or type"),
        ({"vectors": np.zeros((3, 2), np.int32)}, "another size or type"),
        ({"words_lengths": np.array([1, 1, 2], np.int32)}, "its texts 'words' do not fit together"),
        ({"words": np.frombuffer(b"aab", np.uint8)}, "its vectors do not fit together"),
    ],
    ids=str,
)
def test_vectors_are_not_trusted(tmp_path, change, message):
    document = {"format": FORMAT, "version": VERSION}
    arrays = {
        "words": np.frombuffer(b"abc", np.uint8),
        "words_lengths": np.ones(3, np.int32),
        "vectors": np.ones((3, 2)),
    }
    path = str(tmp_path / "v")
    write_archive(path, document, arrays, str)
    assert load(path).words == ("a", "b", "c")
    write_archive(
        path,
        {**document, **{key: value for key, value in change.items() if key in document}},
        {**arrays, **{key: value for key, value in change.items() if key in arrays}},
        str,
    )
    with pytest.raises(ModelError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimensions": 0}, "1 to 4096 dimensions"),
        ({"contexts": Contexts(10, 500)}, "18 contexts are too many"),
        ({"least": 9}, "no word occurs 9 times"),
        ({"column": "wrod"}, "there is no column 'wrod'"),
    ],
)
def test_what_cannot_be_made_is_an_error(arguments, message, monkeypatch):
    monkeypatch.setattr("sstag.features.words.context_vectors.MOST_COLUMNS", 17 if "contexts" in arguments else 100)
    usual = {"column": "word", "dimensions": 5, "contexts": Contexts(), "least": 1}
    with pytest.raises((ConfigError, DataError), match=message):
        context_vectors(text_of(), **usual | arguments)


def test_the_command_makes_vectors_of_words_in_lower_case(tmp_path):
    for name, text in (("lower", TEXT), ("mixed", TEXT.replace("cat", "Cat", 1).replace("the dog", "THE dog"))):
        (tmp_path / name).write_text(text.replace(" / ", "\n\n").replace(" ", "\n") + "\n")
    for arguments in (["lower", "-o", "a"], ["mixed", "--lower", "-o", "b"], ["mixed", "-o", "c"]):
        assert sstag("vectors", "--no-label", "--least", "1", *arguments, cwd=tmp_path).returncode == 0
    lower, mixed, apart = (load(str(tmp_path / name)) for name in "abc")
    assert lower.words == mixed.words
    assert (lower.vectors == mixed.vectors).all()
    assert {"Cat", "THE"} <= set(apart.words)


def test_the_command_makes_vectors_and_shows_neighbours(tmp_path):
    (tmp_path / "raw.txt").write_text(TEXT.replace(" / ", "\n\n").replace(" ", "\n") + "\n")
    how = ("--no-label", "--together", "--window", "1")
    run = sstag("vectors", "raw.txt", *how, "--near", "cat", "-o", "raw.vectors", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr == "raw.vectors: 6 words, 6 dimensions\n"
    assert run.stdout.startswith("cat\tdog:1.00 ")
    again = sstag("vectors", "--load", "raw.vectors", "--near", "cat", cwd=tmp_path)
    assert again.stdout == run.stdout
    first = (tmp_path / "raw.vectors").read_bytes()
    sstag("vectors", "raw.txt", *how, "-o", "raw.vectors", "--threads", "3", cwd=tmp_path)
    assert (tmp_path / "raw.vectors").read_bytes() == first
    usual = sstag("vectors", "--no-label", "raw.txt", "raw.txt", "raw.txt", "-o", "usual.vectors", cwd=tmp_path)
    assert usual.stderr == "usual.vectors: 8 words, 8 dimensions\n"
    wrong = sstag("vectors", "raw.txt", "-o", "raw.txt", cwd=tmp_path)
    assert wrong.returncode == 1
    assert len(wrong.stderr.splitlines()) == 1
    for arguments in (["raw.txt"], ["-o", "x"], ["raw.txt", "--load", "raw.vectors"], ["--load", "raw.vectors"]):
        assert sstag("vectors", *arguments, cwd=tmp_path).returncode == 2
