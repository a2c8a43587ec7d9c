"""The grammar notation: every sign of it does what its docstring says, and mistakes are found when it is read."""

from collections import Counter

import numpy as np
import pytest

from sstag.experiments.samples.grammar import Grammar


def drawn(text: str, count: int = 400) -> Counter[str]:
    grammar, rng = Grammar(text), np.random.default_rng(0)
    return Counter(" ".join(word for word, _ in grammar.expand("top", rng)) for _ in range(count))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("top = a b | c", {"a b", "c"}),
        ("# remark\ntop = a\n    | b\n\n", {"a", "b"}),
        ("top = a [b | c]", {"a", "a b", "a c"}),
        ("top = {a | b} c", {"a c", "b c"}),
        ("top = a~{b | c}~d", {"abd", "acd"}),
        ("top = a~[b] c", {"a c", "ab c"}),
        ("top = x [y]~z", {"x yz", "x z"}),
        ("top = <part> <part>\npart = a", {"a a"}),
        ("top = <10-20/5>", {"10", "15", "20"}),
        ("top = $~<1000-1001,>", {"$1,000", "$1,001"}),
        ("top = a [<top>]", {" ".join("a" * n) for n in range(1, 7)}),
    ],
)
def test_notation(text: str, sentences: set[str]) -> None:
    seen = set(drawn(text))
    assert sentences <= seen
    if "[<top>]" not in text:
        assert seen == sentences


def test_weights() -> None:
    alike, weighted, ranked = (drawn(f"top {rule}", 4000) for rule in ("= a | b", "= a | 3x b", "> a | b"))
    assert alike["a"] / 4000 == pytest.approx(1 / 2, abs=0.03)
    assert weighted["a"] / 4000 == pytest.approx(1 / 4, abs=0.03)
    assert ranked["a"] / 4000 == pytest.approx(1 / (1 + 2**-1.6), abs=0.03)
    assert drawn("top = [a]", 4000)["a"] / 4000 == pytest.approx(1 / 2, abs=0.03)


def test_the_innermost_label_counts() -> None:
    grammar = Grammar("top = <x:outer> d\nouter = a <y:inner> c\ninner = b")
    assert grammar.expand("top", np.random.default_rng(0)) == [("a", "x"), ("b", "y"), ("c", "x"), ("d", "")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top = <missing>", "without a rule: missing"),
        ("top = a\ntop = b", "second one"),
        ("top : a", "not a rule"),
        ("top", "not a rule"),
        ("top = a ]", "not a rule"),
        ("top = [a | b", "do not match"),
        ("top = {a ]", "do not match"),
        ("top = a ~", "ends too early"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grammar(text)
