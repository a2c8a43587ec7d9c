"""Contexts: documents, or so many sentences, are tagged as if each were a file of its own."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from threading import Timer

import numpy as np
import pytest
from click.testing import CliRunner

import sstag
from sstag.corpus import contexts as module
from sstag.corpus import token_lines
from sstag.corpus.contexts import (
    NO_CONTEXT,
    OF_DOCUMENT,
    OF_FILE,
    Context,
    DocumentStarts,
    Read,
    context_called,
    context_runs,
    contexts,
)
from sstag.corpus.corpus import corpus_of
from sstag.corpus.formats import Asked, document_names, document_output
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import joined, read, read_blocks
from sstag.evaluation.scoring import evaluated
from sstag.features import predictions
from sstag.features.predictions import PRIOR, UNIT
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD
from sstag.foundation.parallel import ahead, one_by_one
from sstag.interfaces import cli
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.cli.explain import command as explain
from sstag.interfaces.cli.tag import command as tag
from sstag.model import model_file
from sstag.model.explanation import explained
from sstag.model.inspection import inspected
from sstag.model.model import Model
from sstag.model.questions import Question, of_confidence
from sstag.model.second_look import counts_of_blocks, in_own_context
from sstag.model.tagged_file import TaggedFiles
from sstag.model.tagged_text import Tagger
from sstag.selection.budget import Budget
from sstag.selection.candidates import Pool as Candidates
from sstag.selection.choosing import Wish
from sstag.selection.choosing import chosen as choose
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained
from tests import projects
from tests.commands import SSTAG, ran
from tests.commands import sstag as run_sstag
from tests.datasets import corpus
from tests.training import TWO_LOOKS, made_ads, raw, task

MARKS = {
    "docstart": "-DOCSTART- -X-\n\n",
    "name": "# document = a{0}\n",
    "names of sentences": "# document = a{0}\n# sent_id = {0}\n",
    "text after others": "# source = b\n# document = a{0}\n# more = {{}}\n",
}


def labelled(count: int, seed: int) -> list[list[tuple[str, str]]]:
    """Ads whose fields are chunks."""
    text, found = made_ads(count, seed), []
    for s in range(text.sentences):
        words, kinds = text.words("word", s), text.words("label", s)
        tags = [f"{'I' if here == before else 'B'}-{here}" for before, here in pairwise(["", *kinds])]
        found.append(list(zip(words, tags, strict=True)))
    return found


@pytest.fixture(scope="module")
def two() -> Model:
    return trained(task(Inputs(template(TWO_LOOKS, "two.yaml"), corpus(labelled(20, 1)), raw(60, 2))), Run())


@pytest.fixture(scope="module")
def path(two, tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "m")
    model_file.save(two, path)
    return path


def sentences(count: int, seed: int) -> list[str]:
    """Sentences of a column file, each with its blank line."""
    text = raw(count, seed)
    return ["".join(f"{word}\n" for word in text.words("word", s)) + "\n" for s in range(text.sentences)]


def documents(mark: str, seed: int, count: int = 6) -> list[str]:
    """Documents of one to five sentences, each as a column file with the line that begins it."""
    rng = np.random.default_rng(seed)
    each = iter(sentences(5 * count, seed))
    sizes = rng.integers(1, 6, count).tolist()
    return [MARKS[mark].format(n) + "".join(next(each) for _ in range(size)) for n, size in enumerate(sizes)]


def blocks_of(text: str, cut: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(token_lines, "BLOCK", cut)
    data = text.encode()
    return read_blocks(STANDARD, data=[data[begin : begin + cut] for begin in range(0, len(data), cut)])


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("cut", [1, 50, 333, 10**6])
def test_documents_are_found_wherever_blocks_end(mark, cut, monkeypatch):
    parts = documents(mark, 3)
    found = list(contexts(blocks_of("".join(parts), cut, monkeypatch), OF_DOCUMENT))
    assert b"".join(block.text for own in found for block in own).decode() == "".join(parts)
    words = [[w for block in own for w in (block.fields[0] if len(block.rows) else ())] for own in found]
    lines = [one.split("\n\n", 1)[1] if mark == "docstart" else one for one in parts]
    assert words == [[w.encode() for w in one.splitlines() if w and not w.startswith("# ")] for one in lines]
    noted = DocumentStarts()
    text = joined(noted.noted(blocks_of("".join(parts), cut, monkeypatch)), "text")
    sizes = [one.count("\n\n") for one in lines]
    assert noted.starts == [0, *accumulate(sizes[:-1])]
    runs = [(run.start, run.stop) for run in context_runs(text.offsets, Read(OF_DOCUMENT, noted.starts))]
    assert runs == list(pairwise([*noted.starts, sum(sizes)]))


@pytest.mark.parametrize("cut", [1, 50, 333, 10**6])
@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_a_number_of_sentences_is_counted_through_blocks(cut, size, monkeypatch):
    each = sentences(20, 4)
    found = list(contexts(blocks_of("".join(each), cut, monkeypatch), context_called(size)))
    assert b"".join(block.text for own in found for block in own).decode() == "".join(each)
    assert [sum(len(block.offsets) - 1 for block in own) for own in found] == [
        min(size, 20 - begin) for begin in range(0, 20, size)
    ]


def test_what_is_too_long_to_be_held_is_cut_at_the_same_places(monkeypatch):
    monkeypatch.setattr(module, "MOST_TOKENS", 60)
    text = "".join(sentences(25, 5))
    offsets = joined(read_blocks(STANDARD, data=[text.encode()]), "text").offsets
    runs = list(context_runs(offsets, Read(OF_DOCUMENT)))
    tokens = [int(offsets[run.stop] - offsets[run.start]) for run in runs]
    assert len(runs) > 5
    assert all(some <= 60 or run.stop - run.start == 1 for some, run in zip(tokens, runs, strict=True))
    for before, run in zip(tokens, runs[1:], strict=False):  # as much as there is room for
        assert before + int(offsets[run.start + 1] - offsets[run.start]) > 60
    for cut in (1, 100, 10**6):
        found = contexts(blocks_of(text, cut, monkeypatch), OF_DOCUMENT)
        assert [sum(len(block.rows) for block in own) for own in found] == tokens


def written(text: str, two: Model, context: Context, tmp_path, threads: int, way: str) -> bytes:
    (tmp_path / "in.txt").write_text(text)
    held = document_output("doccano", Asked().options) if way == "documents" else None
    question = of_confidence(two) if way != "documents" else Question()
    tagged = TaggedFiles(two, question, way == "json", held, context)
    with ahead(threads) as through:
        tagged.tag(str(tmp_path / "in.txt"), str(tmp_path / "out"), Asked(), through, threads)
    return (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("way", ["columns", "json"])
@pytest.mark.parametrize("mark", MARKS)
def test_a_document_is_tagged_as_a_file_of_its_own(two, mark, way, tmp_path, monkeypatch):
    parts = documents(mark, 6)
    alone = b"".join(written(one, two, OF_FILE, tmp_path, 1, way) for one in parts)
    assert alone != written("".join(parts), two, OF_FILE, tmp_path, 1, way)
    for block, threads in ((10**6, 1), (200, 1), (200, 3)):
        monkeypatch.setattr(token_lines, "BLOCK", block)
        assert written("".join(parts), two, OF_DOCUMENT, tmp_path, threads, way) == alone


@pytest.mark.parametrize("way", ["columns", "json"])
@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_number_of_sentences_is_tagged_as_a_file_of_its_own(two, size, way, tmp_path, monkeypatch):
    each = sentences(20, 7)
    parts = ["".join(each[begin : begin + size]) for begin in range(0, 20, size)]
    alone = b"".join(written(one, two, OF_FILE, tmp_path, 1, way) for one in parts)
    for block, threads in ((10**6, 1), (200, 1), (200, 3)):
        monkeypatch.setattr(token_lines, "BLOCK", block)
        assert written("".join(each), two, context_called(size), tmp_path, threads, way) == alone


def test_documents_of_spans_have_their_own_context(two, tmp_path):
    texts = [" ".join(one.split()) for one in documents("docstart", 8)]
    texts = [text.removeprefix("-DOCSTART- -X-").strip() for text in texts]
    spans = [sstag.tag(two, text=text) for text in texts]
    assert sstag.tag(two, text=texts, context="document") == spans
    assert sstag.tag(two, text=texts) == sstag.tag(two, text=texts, context="file") != spans
    lines = "".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts))
    (tmp_path / "in.jsonl").write_text(lines)
    tagged = TaggedFiles(two, Question(), False, document_output("doccano", Asked().options), OF_DOCUMENT)
    for threads in (1, 3):
        with ahead(threads) as through:
            tagged.tag(str(tmp_path / "in.jsonl"), str(tmp_path / "out"), Asked("doccano"), through, threads)
        found = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
        assert [[tuple(one[:3]) for one in document["label"]] for document in found] == [
            [(span.start, span.end, span.label) for span in own] for own in spans
        ]


def test_python_reads_documents_of_a_file(two, path, tmp_path):
    parts = documents("name", 9)
    (tmp_path / "all.txt").write_text("".join(parts))
    alone = []
    for one in parts:
        (tmp_path / "one.txt").write_text(one)
        alone += sstag.tag(path, str(tmp_path / "one.txt"))
    assert sstag.tag(path, str(tmp_path / "all.txt"), context="document") == alone
    each = [one.split() for one in sentences(9, 10)]
    of_three = list(chain.from_iterable(sstag.tag(two, each[begin : begin + 3]) for begin in range(0, 9, 3)))
    assert sstag.tag(two, each, context=3) == sstag.tag(two, each, context="3") == of_three != sstag.tag(two, each)


@pytest.mark.parametrize("said", [True, False, 0, -1, 10_001, 2.5, "files", "٣", "1e3", "9" * 5000, ""])
def test_what_is_no_context(two, said):
    with pytest.raises(ConfigError):
        sstag.tag(two, [["a"]], context=said)


def test_contexts_of_python_that_cannot_be(two):
    with pytest.raises(ConfigError, match="do not say where documents begin"):
        sstag.tag(two, [["a"]], context="document")
    with pytest.raises(ConfigError, match="no feature of this one is predicted"):
        sstag.tag(two.first, [["a"]], context="file")


def test_the_command_line_takes_contexts(two, path, tmp_path):
    parts = documents("docstart", 11)
    (tmp_path / "in.txt").write_text("".join(parts))
    expected = written("".join(parts), two, OF_DOCUMENT, tmp_path, 1, "json").decode()
    got = run_sstag(
        "tag", "-m", path, "--context", "document", "--confidence", "--format", "jsonl", tmp_path / "in.txt"
    )
    assert (got.returncode, got.stdout, got.stderr) == (0, expected, "")
    streamed = run_sstag("tag", "-m", path, "--context", "document", "--stream", stdin="".join(parts))
    at_once = run_sstag("tag", "-m", path, "--context", "document", tmp_path / "in.txt")
    assert streamed.stdout == at_once.stdout != ""
    plain = run_sstag("tag", "-m", path, "--context", "document", stdin="a\nb\n")
    assert "no line says where a document begins" in plain.stderr
    for wrong in ("0", "some", "-3"):
        refused = run_sstag("tag", "-m", path, "--context", wrong, tmp_path / "in.txt")
        assert (refused.returncode, "--context" in refused.stderr) == (2, True)
    shares = run_sstag("tag", "-m", path, "--context", "5", "--match-shares", "s.tsv", tmp_path / "in.txt")
    assert (shares.returncode, "--match-shares is about a whole FILE" in shares.stderr) == (2, True)


def test_a_stream_is_answered_when_so_many_sentences_have_come(path):
    each, got = sentences(9, 12), b""
    asked = [*SSTAG, "tag", "-m", path, "--stream", "--context", "3"]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin
        assert run.stdout
        impatient = Timer(60, run.kill)  # an answer that never comes fails the test
        impatient.start()
        for begin in range(0, 9, 3):
            text = "".join(each[begin : begin + 3])
            run.stdin.write(text.encode())
            run.stdin.flush()
            got += b"".join(run.stdout.readline() for _ in range(text.count("\n")))  # which waits for no more
        run.stdin.close()
        got += run.stdout.read()
        impatient.cancel()
    assert got.decode() == run_sstag("tag", "-m", path, "--context", "3", stdin="".join(each)).stdout
    assert got.count(b"\n\n") == 9


@pytest.mark.parametrize("context", ["file", "document", "4", "none"])
@pytest.mark.parametrize("more", [(), ("--legal",), ("--calibration",), ("--curve",)])
def test_eval_judges_what_tag_writes_and_says_what_was_counted(two, path, tmp_path, context, more):
    lines = []
    for number, sentence in enumerate(labelled(24, 13)):
        lines += ["-DOCSTART- O\n\n"] if number % 7 == 0 else []
        lines += [*(f"{word} {tag}\n" for word, tag in sentence), "\n"]
    (tmp_path / "gold.txt").write_text("".join(lines))
    asked = ("-m", path, "--context", context, "--resamples", "0", *more)
    ours = ran(tmp_path / "gold.txt", *asked, "--format", "json")
    assert ours.code == 0, ours.err
    report = json.loads(ours.out)

    def judged(context: str) -> dict:
        legal = ("--legal",) if more == ("--legal",) else ()
        tagged = CliRunner().invoke(tag, ["-m", path, "--context", context, *legal, str(tmp_path / "gold.txt")])
        (tmp_path / "found.txt").write_text(tagged.stdout)
        found = ran(tmp_path / "found.txt", "--format", "json", "--resamples", "0")
        return json.loads(found.out)["predicted"]["figures"]

    assert report["predicted"]["figures"] == judged(context)
    assert report["context"]["read"] == report["signature"]["context"] == context
    assert report["context"]["tested text counted"] == (context != "none")
    if context != "none":
        assert report["context"]["figures without it"] == judged("none")
    if more == ("--curve",):
        assert report["curve"]["points"][6]["f1"] == report["predicted"]["figures"]["f1"]
    shown = ran(tmp_path / "gold.txt", *asked)
    assert f"context    {context}: " in shown.out


def test_in_own_context_of_a_part_is_that_of_a_file_of_it(two):
    text = raw(12, 14)
    found = list(module.context_runs(text.offsets, Read(context_called(5))))
    assert [(run.start, run.stop) for run in found] == [(0, 5), (5, 10), (10, 12)]
    for run in found:
        part = text.part(run)
        own = in_own_context(two, part, one_by_one)
        assert own.tagged(own.dataset(part), one_by_one).shape == (part.tokens,)
    assert str(context_called("7")) == "7"
    assert [str(one) for one in (OF_FILE, OF_DOCUMENT, NO_CONTEXT)] == ["file", "document", "none"]


@pytest.mark.parametrize("context", ["file", "document", "4", "none"])
def test_explain_tells_why_tag_gives_a_label(two, path, tmp_path, context):
    (tmp_path / "in.txt").write_text("".join(documents("name", 15)))
    asked = ["-m", path, "--context", context, str(tmp_path / "in.txt")]
    tagged = CliRunner().invoke(tag, [*asked, "--format", "jsonl", "--marginals"]).stdout.splitlines()
    for number in (1, 2, len(tagged)):
        expected = json.loads(tagged[number - 1])
        got = CliRunner().invoke(explain, [*asked, "--sentence", str(number), "--format", "json"])
        tokens = json.loads(got.stdout)["tokens"]
        assert [one["label"] for one in tokens] == expected["predicted"]
        for one, shares in zip(tokens, expected["marginals"], strict=True):
            assert one["probability"] == pytest.approx(shares[one["label"]], abs=1e-9)
    beyond = CliRunner().invoke(explain, [*asked, "--sentence", "999"])
    assert f"the file has {len(tagged)}" in str(beyond.exception)


def test_predicted_features_are_told_by_labels(two, path):
    """The line of a token has the label that the first stage finds most often; a weight has the label that it is of."""
    counts = two.template.vectors["predicted(lower(word[0]))"]
    word = max(counts.rows, key=lambda one: counts.sums[counts.rows[one]].sum())
    own = counts.sums[counts.rows[word]]
    share = (own / UNIT + PRIOR * counts.totals / counts.totals.sum()) / (own.sum() / UNIT + PRIOR)
    (one,) = explained(two, corpus_of([[word]], ("word",)), 0)
    text = f"predicted(lower(word[0]))={two.labels[int(share.argmax())]} {share.max():.2f}"
    assert text in {reason.text for reason in one.reasons}
    found = [of for of in inspected(two, 50).dense.strongest if of.feature == "predicted(lower(word[0]))"]
    assert [of.label for of in found] == list(two.labels)
    for of in found:
        assert of.dimensions.keys() <= {*two.labels}


def test_select_looks_at_the_pool_before_it_chooses(two, path, tmp_path):
    pool, other = "".join(sentences(30, 16)), "".join(sentences(40, 17))
    (tmp_path / "pool.txt").write_text(pool)
    asked = ["select", "-m", path, "--strategy", "entropy", "--count", "9", "--prefill", "--pool"]

    def chosen(*more: str) -> tuple[str, str]:
        got = CliRunner().invoke(cli.sstag, [*asked, str(tmp_path / "pool.txt"), *more])
        assert got.exit_code == 0, got.output
        return got.stdout, got.stderr.splitlines()[-1]

    text = read_blocks(str(tmp_path / "pool.txt"))
    own = in_own_context(two, joined(text, "pool"), one_by_one)
    for model, context in ((own, "file"), (two, "none")):
        sheet, told = chosen("--context", context)
        assert told.endswith(f"; context {context}")
        corpus = joined(read_blocks(str(tmp_path / "pool.txt")), "pool")
        found = choose(Candidates(corpus, None, one_by_one, model), Wish("entropy", Budget(count=9)))
        words = [[*corpus.words("word", s)] for s in found.candidates.sentence.tolist()]
        rows = [[line.split("\t") for line in part.splitlines() if line[:2] != "# "] for part in sheet.split("\n\n")]
        assert [[row[0] for row in part] for part in rows if part] == words
        tagged = sstag.tag(own if context == "file" else two, words, context="none")
        assert [[row[-1] for row in part] for part in rows if part] == tagged
    assert chosen() == chosen("--context", "file") != chosen("--context", "none")
    (tmp_path / "other.txt").write_text(other)
    assert chosen("--pool", str(tmp_path / "other.txt"))[0] != chosen()[0]
    refused = CliRunner().invoke(cli.sstag, [*asked, str(tmp_path / "pool.txt"), "--context", "document"])
    assert refused.exit_code == 2
    model_file.save(two.first, str(tmp_path / "one"))
    plain = CliRunner().invoke(cli.sstag, [*asked[:2], str(tmp_path / "one"), *asked[3:], str(tmp_path / "pool.txt")])
    assert "context" not in plain.stderr


def test_the_pool_of_a_workbench_is_counted_from_the_first_training_on(tmp_path):
    """Suggestions and the order of questions come from a model whose raw text is the pool; figures count the dev."""
    (tmp_path / "dev.txt").write_text(projects.LABELLED.replace("Ann\tO", "Ann\tB-PER").replace("Eve\tO", "Eve\tB-PER"))
    text = 'columns: [word, label]\nfeatures: ["word[0]", "predicted(lower(word[-1..1]))"]\n'
    folder = projects.project_in(tmp_path, text, dev=(str(tmp_path / "dev.txt"),))
    project = opened(str(folder))
    try:
        projects.answer(project)
        assert projects.trained(project) == (0, "")
    finally:
        project.close()
    model = model_file.load(str(folder / "training" / "new.model"))
    assert model.first
    (counts,) = (model.template.vectors[name] for name in model.template.predicted)
    tokens = sum(len(line.split()) for line in projects.WORDS[4:])  # the others are answered, and have labels
    assert counts.totals.sum() / 2**30 == pytest.approx(tokens)
    dev = read(str(tmp_path / "dev.txt"), model.template.layout(str(tmp_path / "dev.txt")))
    own = in_own_context(model, dev, one_by_one)
    labels = [model.labels[y] for y in own.tagged(own.dataset(dev), one_by_one)]
    gold = [word for s in range(dev.sentences) for word in dev.words("label", s)]
    said = json.loads((folder / "training" / "new.json").read_text())
    expected = evaluated([gold], [labels], "iob2").figures
    assert said["figures"]["accuracy"] == pytest.approx(expected["accuracy"], abs=1e-4)


@dataclass
class Endless:
    """Sentences of ten words, five of which never came before, as a stream that notes how many were taken."""

    taken: int = 0

    def pieces(self, count: int) -> Iterator[bytes]:
        for self.taken in range(1, count + 1):
            yield "".join(f"w{word}\nnew{self.taken}.{word}\n" for word in range(5)).encode() + b"\n"


@pytest.mark.parametrize(("context", "held"), [(context_called(10), 10), (OF_DOCUMENT, 40), (NO_CONTEXT, 1)])
def test_no_more_of_a_stream_is_held_than_a_context(two, monkeypatch, context, held):
    """A text without documents is cut at a number of tokens, so that it is bounded, too."""
    monkeypatch.setattr(module, "MOST_TOKENS", 400)
    stream, written = Endless(), 0
    blocks = read_blocks(STANDARD, Layout(("word",), None), data=stream.pieces(300), stream=True)
    for text in Tagger(two, Question(), False, context).texts(blocks, map, 1):
        assert stream.taken - written <= held + 2  # the end of a sentence is seen in what comes after it
        written += text.count(b"\n\n")
    assert written == stream.taken == 300


def test_of_words_that_never_end_the_first_are_counted(two, monkeypatch):
    """So the counts of a file are bounded; its totals have all tokens, and any threads count the same."""
    monkeypatch.setattr(predictions, "MOST_VALUES", 300)
    found = []
    for threads, block in ((1, 1000), (1, 10**6), (3, 1000)):
        monkeypatch.setattr(token_lines, "BLOCK", block)
        blocks = read_blocks(STANDARD, Layout(("word",), None), data=Endless().pieces(200))
        with ahead(threads) as through:
            found.append(counts_of_blocks(two, blocks, through, threads))
        for of_source, values in zip(found[-1].values(), (300, 10), strict=True):  # words, and their last two letters
            assert len(of_source.rows) == len(of_source.sums) == values
            assert of_source.totals.sum() * UNIT == pytest.approx(2000)
    digests = [[of_source.digest for of_source in counts.values()] for counts in found]
    assert digests[0] == digests[1] == digests[2]
    whole = joined(read_blocks(STANDARD, Layout(("word",), None), data=Endless().pieces(200)), "text")
    own = in_own_context(two, whole, one_by_one).template.vectors
    assert [own[name].digest for name in found[0]] == digests[0]  # as `sstag eval` has it in memory


WRITTEN_ONLY = ("spans", "inline", "html")
OF_DOCUMENTS = [name for name in document_names() if name not in (*WRITTEN_ONLY, "xmi")]  # xmi needs another package


@pytest.mark.parametrize("name", ["columns", "conllu", "jsonl", "csv", *OF_DOCUMENTS])
def test_documents_are_those_that_a_format_has(name, tmp_path):
    """Each record or file of a format is a document, and each sentence of it is no new one."""
    texts = ["Ann met Bob. Then Kim left.", "Kim met Ann.", "Bob saw Oslo. Rome. Bern."]
    if name == "text":
        (tmp_path / "out").mkdir()
        for number, text in enumerate(texts):
            (tmp_path / "out" / f"{number}.txt").write_text(text)
    else:
        rows = [{"id": f"d{number}", "text": text, "label": [[0, 3, "X"]]} for number, text in enumerate(texts)]
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        target = str(tmp_path / "out") + ("/" if name in ("brat", "webanno") else "")
        asked = ["convert", str(tmp_path / "in.jsonl"), "--from-format", "doccano", "--to-format", name, "-o", target]
        assert CliRunner().invoke(cli.sstag, asked).exit_code == 0
    path, noted = str(tmp_path / "out"), DocumentStarts()
    text = read(path, layout_for(path, format=Asked(name)), noted.noted)
    assert (noted.starts, text.sentences) == ([0, 2, 3], 6)
