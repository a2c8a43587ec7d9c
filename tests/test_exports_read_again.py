"""Everything that `sstag export` writes of a project is read again with the same words, in every format and way."""

import os
import random
import re
import shlex
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.formats import FORMATS
from sstag.corpus.layout import layout_for
from sstag.corpus.text.options import names_list
from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate.answers import Answer, answer_in
from sstag.interfaces.annotate.project import begun, opened
from sstag.interfaces.annotate.saying import Said, Span
from sstag.interfaces.annotate.settings import Settings
from sstag.interfaces.annotate.workbench import Workbench
from tests.annotators import ran
from tests.hostile_texts import LABELS as MORE_LABELS

FORMS = [name for name, entry in FORMATS.items() if entry.writes and entry.reads and name not in ("xmi", "text")]
WORDS = [
    "Ann", "#", "|", "\\", '"', ",", "a,b", "née", "😀", "_", "1-2", "x=y", "[", "{", '{"a":1}', "\u00a0", "\u3000",
    "\u200b", "\u2028", "\x85", "?", "O", "<xmi:XMI", "-x-", "文です。文",
]  # fmt: skip
LABELS = ["PER", "a-b", "ü", "x.y", "#", "B-PER", "I", "_", "a=b", "\\p", "*"]
ANNOTATORS = ["ann", "bob", "é", "a b", "x.y", 'q"t', "label", "#", "😀", "a,b", "a\\b", "word", "."]


def answered(
    folder: Path,
    texts: list[list[str]],
    labels: list[str],
    names: list[str],
    chance: random.Random,
    scheme: str = "iob2",
) -> Path:
    """A project on some texts, of which each annotator has labelled the first words, or has seen no span."""
    lines = "".join("".join(f"{word}\n" for word in one) + "\n" for one in texts)
    raw, work = folder / "raw.txt", folder / "work"
    raw.write_text(f"# global.columns = word\n# global.label = predicted\n{lines}", encoding="utf-8")
    begun(str(work), str(raw), layout_for(str(raw)), Settings(tuple(labels), scheme, "ner", (), (), "random", 1))
    project = opened(str(work))
    for person, annotator in enumerate(names):
        session = project.store.begin(annotator)
        for number in range(project.pool.texts):
            text = project.pool.find(project.pool.hash(number))
            project.store.keep_texts([text])
            label = chance.choice([None, *labels])
            said = Said((Span(0, chance.randint(1, len(text.tokens)), (label,)),) if label else ())
            answer = Answer(f"answer-{person}-{number}", "sentence", f"text:{text.hash}", said.json, text.hash)
            project.store.keep(session, [answer])
    project.close()
    return work


MEANT = [
    "word[0]=#", "word[0]=Ann", "#", "#a=b", "# a", "word[0]=a,b", "lower(word[0])=née", "word[0]=?", "word[0]=,", '"',
    "word[-1]|word[0]=Ann|,", "word[0]=\u2028", "word[0]=\u3000", "word[0]==", "word[0]=", "word[0]=x=y", "first()",
]  # fmt: skip


@settings(max_examples=15)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=4),
    labels=st.lists(st.sampled_from([*LABELS, *MORE_LABELS]), min_size=2, max_size=4, unique=True),
    features=st.lists(st.sampled_from(MEANT), min_size=1, max_size=3, unique=True),
    answers=st.lists(st.sampled_from(["yes", "no", "open", "skip"]), min_size=4, max_size=4),
    scheme=st.sampled_from(["iob2", "bioes", "plain"]),
    chance=st.randoms(use_true_random=False),
)
def test_lists_of_spans_and_features_are_trained_with(
    words: list[str], labels: list[str], features: list[str], answers: list[str], scheme: str, chance: random.Random
) -> None:
    """Answers of the workbench about spans and features, as its page may send them, are lists for trainings."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
        folder = Path(name)
        try:
            work = answered(folder, [words, words[:1]], labels, ["ann"], chance, scheme)
        except SstagError:  # labels that a project cannot have
            return
        with closing(opened(str(work))) as project:
            bench = Workbench(project)
            text = project.pool.find(project.pool.hash(0))
            session = project.store.begin("bob")
            sent = [
                {"kind": "span", "text": text.hash, "first": 0, "stop": chance.randint(1, len(words)), "answer": answer}
                | {"labels": [chance.choice(labels)]}
                for answer in answers
            ]
            sent += [{"kind": "feature", "feature": one, "labels": [chance.choice(labels)]} for one in features]
            sent += [{"kind": "feature", "feature": features[0], "shares": {labels[0]: 0.25, labels[1]: 0.75}}]
            for number, body in enumerate(sent):
                with suppress(SstagError):  # a feature that is none
                    project.store.keep(session, [answer_in({"key": f"more-{number}", **body}, bench.ground)])
        out, spans, lines = folder / "out.txt", folder / "spans.tsv", folder / "lines.tsv"
        run = ran("export", work, "--rejected", spans, "--expectations", lines, "-o", out)
        if run.returncode:
            assert not any(path.exists() for path in (out, spans, lines)), run.stderr
            return
        own = ["-t", "ner", "--unlabeled", out, "--set", "max_iterations=1", "-m", folder / "m"]
        if spans.read_text():
            trained = ran("train", "--train", out, "--method", "partial", "--rejected", spans, *own)
            assert trained.returncode == 0, trained.stderr
        if lines.read_text():
            trained = ran("train", "--method", "expectation", "--train", out, "--expectations", lines, *own)
            assert trained.returncode == 0 or "none of the features in it occurs" in trained.stderr, trained.stderr


@settings(max_examples=8)
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), min_size=1, max_size=4, unique_by=tuple),
    labels=st.lists(st.sampled_from(LABELS), min_size=1, max_size=3, unique=True),
    names=st.lists(st.sampled_from(ANNOTATORS), min_size=1, max_size=3, unique=True),
    chance=st.randoms(use_true_random=False),
)
def test_exports_are_read_again(
    texts: list[list[str]], labels: list[str], names: list[str], chance: random.Random
) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
        work = answered(Path(name), texts, labels, names, chance)
        for form in FORMS:
            way = chance.choice([[], ["--together"], ["--annotators", names_list(names[:1])]])
            out = f"{name}/{form}{'/' if form in ('brat', 'webanno') else ''}"
            run = ran("export", work, "--to-format", form, *way, "-o", out)
            if run.returncode:  # of a label that the format has no room for
                assert not Path(out).exists()
                continue
            read = ["convert", out, "--from-format", form, "--to-format", "jsonl"]
            again = ran(*read)
            if advice := re.search(r"--annotators (.+) makes", again.stderr):  # several annotators: a column of each
                again = ran(*read, "--annotators", *shlex.split(advice[1]))
            assert again.returncode == 0, (form, again.stderr)
            if not FORMATS[form].documents:
                assert again.stdout.count("\n") == len(texts), form
                checked = ran("check", out, "--from-format", form, "--scheme", "plain", "--no-marks")
                assert checked.returncode == 0, checked.stdout + checked.stderr
