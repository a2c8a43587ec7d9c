"""Probabilities from Python: those of `sstag tag`, and of all labellings written down."""

import json
from itertools import product
from pathlib import Path

import pytest

import sstag
from sstag.foundation.errors import ConfigError
from tests.commands import sstag as command
from tests.models import tiny

SENTENCES = [["a", "b"], ["c"], ["b", "a", "c"], ["z"]]


@pytest.mark.parametrize("name", ["iob2", "iob1", "bioes", "plain"])
@pytest.mark.parametrize("legal", [False, True])
def test_they_are_those_of_the_command(name: str, legal: bool, tmp_path: Path) -> None:
    model = tiny(name)
    if legal and name == "plain":
        with pytest.raises(ConfigError, match="have no scheme"):
            sstag.tag(model, SENTENCES, legal=True)
        return
    sstag.save(model, tmp_path / "m")
    text = "".join("\n".join(sentence) + "\n\n" for sentence in SENTENCES)
    options = ["--format", "jsonl", "--confidence", "--marginals", "--nbest", "3", *(["--legal"] if legal else [])]
    told = [json.loads(line) for line in command("tag", "-m", tmp_path / "m", *options, stdin=text).stdout.splitlines()]
    found = sstag.tag(tmp_path / "m", SENTENCES, confidence=True, marginals=True, nbest=3, legal=legal)
    assert [one.labels for one in found] == sstag.tag(model, SENTENCES, legal=legal)
    for one, line in zip(found, told, strict=True):
        assert one.labels == line["predicted"]
        assert one.confidence == line["confidence"]
        assert one.token_confidence == line["token_confidence"]
        assert [chunk._asdict() for chunk in one.chunks] == line.get("chunks", [])
        assert [{y: p for y, p in share.items() if p >= 0.0001} for share in one.marginals] == line["marginals"]
        assert [{"labels": labels, "probability": p} for labels, p in one.best] == line["nbest"]


def test_the_best_labellings_of_few_are_all_of_them() -> None:
    model = tiny("plain")
    for words, one in zip(SENTENCES, sstag.tag(model, SENTENCES, marginals=True, nbest=1000, threads=2), strict=True):
        every = {tuple(labels): p for labels, p in one.best}
        assert set(every) == set(product(model.labels, repeat=len(words)))
        assert sum(every.values()) == pytest.approx(1)
        assert one.best[0] == (one.labels, one.confidence)
        for place, share in enumerate(one.marginals):
            assert list(share.values()) == sorted(share.values(), reverse=True)
            for label in model.labels:
                having = sum(p for labels, p in every.items() if labels[place] == label)
                assert share[label] == pytest.approx(having)


@pytest.mark.parametrize("asked", list(product([False, True], [False, True], [None, 2])))
def test_what_is_not_asked_for_is_empty(asked: tuple[bool, bool, int | None]) -> None:
    confidence, marginals, nbest = asked
    given = [[], *SENTENCES, []]
    found = sstag.tag(tiny(), given, confidence=confidence, marginals=marginals, nbest=nbest)
    if not any(asked):
        assert found == [[], *sstag.tag(tiny(), SENTENCES), []]
        return
    assert [one.labels for one in found] == sstag.tag(tiny(), given)
    assert found[0] == found[-1] == sstag.Tagged([], 1.0, [], [], [], [([], 1.0)] if nbest else [])
    for one in found[1:-1]:
        assert 0 < one.confidence <= 1
        assert (len(one.token_confidence), len(one.marginals)) == (
            confidence * len(one.labels),
            marginals * len(one.labels),
        )
        assert len(one.best) == (nbest or 0)
        assert bool(one.chunks) == (confidence and any(label != "O" for label in one.labels))


def test_a_corpus_and_a_file_are_tagged_like_lists(tmp_path: Path) -> None:
    model = tiny()
    (tmp_path / "text").write_text("".join("\n".join(words) + "\n\n" for words in SENTENCES), encoding="utf-8")
    corpus = sstag.read(tmp_path / "text", model.template)
    expected = sstag.tag(model, SENTENCES, confidence=True)
    assert sstag.tag(model, corpus, confidence=True) == sstag.tag(model, tmp_path / "text", confidence=True) == expected


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
def test_a_number_of_labellings_that_is_none_is_an_error(wrong) -> None:
    with pytest.raises(ConfigError, match="nbest is a whole number from 1 up"):
        sstag.tag(tiny(), SENTENCES, nbest=wrong)
