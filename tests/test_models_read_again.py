"""Templates of models, checkpoints, encoded words and reports that a command writes are read by the next one."""

import tempfile
from hashlib import sha256
from pathlib import Path
from random import Random
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.training.checkpoint import Checkpoint
from tests import encoder_models
from tests.annotators import ran
from tests.hostile_texts import FEATURES, WORDS, Rows, saved, strict_json, texts

FILES = ["made", "a b.txt", "a,b", "a)b", "it's", '"q"', "é", "#x", "a: b", "{x}", "word", "-x", "t.yaml", "a|b"]
COLUMNS = [
    "word",
    "pos",
    "a|b",
    "x,y",
    "#",
    "label.ann",
    "a=b",
    '"q"',
    "ü",
    "id",
    "form",
    "token",
    "ner",
    "-x",
    "a:b",
    "'",
]
TERMS = st.lists(
    st.tuples(
        st.sampled_from(["", " ", "\t"]), st.sampled_from([*WORDS, "a\r", "\ufeff"]), st.sampled_from(["", " ", " b"])
    ),
    min_size=1,
    max_size=4,
).map(lambda some: "".join("".join(one) + "\n" for one in some))


class Killed(Exception):
    """The end of a training, as sudden as a test can make it."""


def quoted(line: str) -> str:
    """A line of YAML that holds a text."""
    return "'" + line.replace("'", "''") + "'"


def template(path: Path, features: list[str], more: str = "") -> Path:
    """A template of these features for columns of words and labels."""
    lines = "".join(f"  - {quoted(feature)}\n" for feature in features)
    path.write_text(f"columns: [word, label]\n{more}features:\n{lines}", encoding="utf-8")
    return path


def parts(model: str, vectors: Path) -> dict[str, bytes]:
    """The parts of a model without the digest of its file of vectors, of which it keeps fewer digits."""
    digest = sha256(vectors.read_bytes()).hexdigest() if vectors.exists() else "none"
    with ZipFile(model) as archive:
        return {name: archive.read(name).replace(digest.encode(), b"") for name in archive.namelist()}


@settings(max_examples=25)
@given(
    rows=texts(),
    terms=TERMS,
    names=st.lists(st.sampled_from(FILES), min_size=3, max_size=3, unique=True),
    target=st.sampled_from(["new.yaml", "t.yaml", "made"]),
    lower=st.booleans(),
    keeps=st.sampled_from(["all", "seen", "file"]),
)
def test_templates_of_models_train_the_same_model(
    rows: Rows, terms: str, names: list[str], target: str, lower: bool, keeps: str
) -> None:
    """Beside the template there are the files that it names: lexica, clusters and vectors."""
    with tempfile.TemporaryDirectory() as name:
        folder, other = Path(name, "a"), Path(name, "b")
        folder.mkdir(), other.mkdir()
        text = saved(Path(name) / "in.txt", rows)
        lexicon, clusters, vectors = names
        (folder / lexicon).write_bytes(terms.encode())
        features = ["word[0]", f"lexicon(word[0], {lexicon})"]
        if not ran("clusters", text, "--least", "1", "--count", "2", "-o", f"{folder}/{clusters}").returncode:
            features.append(f"cluster(word[0], {clusters}, 4)")
        how = ["--lower"] if lower else []
        if not ran("vectors", text, "--least", "1", "--dimensions", "1", *how, "-o", f"{folder}/{vectors}").returncode:
            features.append(f"vector(word[0], {vectors})")
        has_vectors = features[-1].startswith("vector(")
        own = template(folder / "own.yaml", features, f"vectors_kept: {keeps}\n" if has_vectors else "")
        how = ["--train", text, "--set", "max_iterations=2"]
        if ran("train", "-t", own, *how, "-m", f"{name}/m").returncode:
            assert not Path(name, "m").exists()
            return
        shown = ran("inspect", f"{name}/m")
        assert shown.returncode == 0, shown.stderr
        run = ran("inspect", f"{name}/m", "--write-template", other / target)
        if run.returncode:
            assert "give the template another name" in run.stderr
            assert target in names
            assert not list(other.iterdir())
            return
        if has_vectors and keeps == "file":
            assert f"{vectors}: not written" in run.stderr
            (other / vectors).write_bytes((folder / vectors).read_bytes())
        again = ran("train", "-t", other / target, *how, "-m", f"{name}/again")
        assert again.returncode == 0, again.stderr
        assert parts(f"{name}/again", other / vectors) == parts(f"{name}/m", folder / vectors)


@settings(max_examples=15)
@given(
    names=st.lists(st.sampled_from(COLUMNS), min_size=2, max_size=4, unique=True),
    rows=texts(),
    files=st.lists(st.sampled_from(FILES), min_size=2, max_size=2, unique=True),
    shipped=st.sampled_from(["ner", "chunking", "pos", "words", "records"]),
)
def test_templates_written_for_files_are_trained_with(
    names: list[str], rows: Rows, files: list[str], shipped: str
) -> None:
    """Whatever the columns of the file and the files of clusters and vectors are called."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = f"# global.columns = {' '.join(names)}\n# global.label = {names[-1]}\n"
        lines = ("".join("\t".join([word] * (len(names) - 1) + [label]) + "\n" for word, label in row) for row in rows)
        (folder / "in.txt").write_text(head + "".join(f"{sentence}\n" for sentence in lines), encoding="utf-8")
        options: list[str | Path] = []
        for kind, size, file in zip(("clusters", "vectors"), ("--count", "--dimensions"), files, strict=True):
            if not ran(kind, folder / "in.txt", "--least", "1", size, "1", "-o", folder / file).returncode:
                options += [f"--{kind}", folder / file]
        run = ran("template", shipped, "--for", folder / "in.txt", *options, "-o", folder / "new.yaml")
        if run.returncode:
            assert not (folder / "new.yaml").exists()
            return
        how = ["-t", folder / "new.yaml", "--train", folder / "in.txt", "--set", "max_iterations=1"]
        trained = ran("train", *how, "-m", folder / "m")
        assert trained.returncode == 0 or "label" in trained.stderr, trained.stderr


METHODS = {
    "crf": [],
    "partial": [],
    "self-training": ["--set", "rounds=2", "--set", "confidence=0.1"],
    "entropy": ["--set", "steps=2"],
    "label-regularization": [],
}


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=5)
@given(rows=texts(), feature=st.sampled_from(FEATURES), after=st.integers(1, 4), column=st.sampled_from(COLUMNS))
def test_trainings_go_on_from_their_checkpoints(method: str, rows: Rows, feature: str, after: int, column: str) -> None:
    """To the same bytes, whatever labels, words and the column of the labels are called."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        text, raw = saved(folder / "in.txt", rows), saved(folder / "raw.txt", rows, labelled=False)
        template(folder / "t.yaml", [feature])
        own = ["-t", folder / "t.yaml", "--train", text, "--method", method, "--set", "max_iterations=4"]
        own += [*METHODS[method], *([] if method in ("crf", "partial") else ["--unlabeled", raw])]
        if ran("train", *own, "-m", folder / "whole").returncode:
            return
        writes, left = Checkpoint._write, iter(range(after))

        def dies(checkpoint: Checkpoint, *state: object) -> None:
            writes(checkpoint, *state)  # type: ignore[arg-type]
            if next(left, None) is None:
                raise Killed

        kept = ["--checkpoint", folder / "so-far", "--checkpoint-every", "1", "-m", folder / "found"]
        patch.setattr(Checkpoint, "_write", dies)
        try:
            ran("train", *own, *kept)
        except Killed:
            assert (folder / "so-far").exists()
        patch.undo()
        again = ran("train", *own, *kept)
        assert again.returncode == 0, again.stderr
        assert (folder / "found").read_bytes() == (folder / "whole").read_bytes()
        assert not (folder / "so-far").exists()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small encoder with random weights."""
    return encoder_models.model(tmp_path_factory.mktemp("encoder") / "mini")


@settings(max_examples=8)
@given(rows=texts(), file=st.sampled_from(FILES), lower=st.booleans(), own=st.sampled_from(["mini", "a", "é", "x_1"]))
def test_encoded_words_are_read_by_trainings(encoder: Path, rows: Rows, file: str, lower: bool, own: str) -> None:
    """The model that is trained with vectors made ahead tags the file, with the vectors again."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSTAG_CACHE", f"{name}/cache")
        text, made = saved(Path(name) / "in.txt", rows), Path(name, file)
        how = ["--case", "lower"] if lower else []
        run = ran("encode", text, "--encoder", encoder, *how, "-o", made)
        if run.returncode:
            assert not made.exists()
            return
        ran("cache", "--clear")
        named = f"encoders:\n  {own}: {{vectors: {quoted(file)}}}\n"
        template(Path(name) / "own.yaml", [f"encoded({own}[0])"], named)
        how = ["-t", f"{name}/own.yaml", "--train", text, "--set", "max_iterations=1"]
        trained = ran("train", *how, "-m", f"{name}/m")
        assert trained.returncode == 0 or "label" in trained.stderr, trained.stderr


@settings(max_examples=15)
@given(rows=texts(), chance=st.randoms(use_true_random=False), names=st.permutations(["a", "b c", "é", '"q"', "#"]))
def test_merged_labels_and_reports_of_annotators_are_read(rows: Rows, chance: Random, names: list[str]) -> None:
    """Reports are JSON; what was merged is read by a training that takes sets of labels, in every way to combine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels = sorted({label for row in rows for _, label in row})
        files = [
            saved(folder / one, [[(word, chance.choice(labels)) for word, _ in row] for row in rows])
            for one in names[:3]
        ]
        out, report = folder / "out", folder / "report.json"
        run = ran("agree", *files, "--format", "json", "--resamples", "5", "-o", out)
        if not run.returncode:
            strict_json(out.read_text(encoding="utf-8"))
        template(folder / "t.yaml", ["word[0]"])
        for way in ("sets", "majority", "dawid-skene", "sequence"):
            run = ran("merge", *files, "--by", way, "--report", report, "-o", out)
            if run.returncode:
                continue
            strict_json(report.read_text(encoding="utf-8"))
            how = ["-t", folder / "t.yaml", "--train", out, "--set", "max_iterations=1"]
            trained = ran("train", *how, "--method", "partial", "-m", folder / "m")
            assert trained.returncode == 0 or "every label is open" in trained.stderr, trained.stderr
