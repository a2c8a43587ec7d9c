"""The `conlleval` script's rules, one token at a time: what our whole-column counts are compared with."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# Generated sentences, many ill-formed, and what the script printed for them.
VECTORS = [json.loads(line) for line in (Path(__file__).parent / "data/conlleval.jsonl").read_text().splitlines()]


def _parts(label: str) -> tuple[str, str]:
    role, hyphen, kind = label.partition("-")
    return (role, kind) if hyphen else (label, "")


def _ends(before: tuple[str, str], here: tuple[str, str]) -> bool:
    by_role = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O"), ("E", "E"), ("E", "I"), ("E", "O")}
    return (before[0], here[0]) in by_role or (before[0] != "O" and before[1] != here[1])


def _starts(before: tuple[str, str], here: tuple[str, str]) -> bool:
    by_role = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"), ("E", "E"), ("E", "I"), ("O", "E")}
    return (before[0], here[0]) in by_role or (here[0] != "O" and before[1] != here[1])


def conlleval(sentences: Sequence[tuple[Sequence[str], Sequence[str]]]) -> str:
    """The text that the script prints for pairs of gold and predicted labels."""
    correct, gold, found = Counter[str](), Counter[str](), Counter[str]()
    tokens = right = 0
    last, last_guess = ("O", ""), ("O", "")
    inside = False
    for labels, guesses in sentences:
        for label, guess in [*zip(map(_parts, labels), map(_parts, guesses), strict=True), (("O", ""), ("O", ""))]:
            ends, guess_ends = _ends(last, label), _ends(last_guess, guess)
            if inside and ends and guess_ends and last[1] == last_guess[1]:
                correct[last[1]] += 1
                inside = False
            elif inside and (ends != guess_ends or label[1] != guess[1]):
                inside = False
            starts, guess_starts = _starts(last, label), _starts(last_guess, guess)
            inside |= starts and guess_starts and label[1] == guess[1]
            gold[label[1]] += starts
            found[guess[1]] += guess_starts
            last, last_guess = label, guess
        tokens += len(labels)
        right += sum(a == b for a, b in zip(labels, guesses, strict=True))

    def shares(gold: int, found: int, correct: int) -> str:
        precision, recall = (100 * correct / n if n else 0.0 for n in (found, gold))
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"

    total, all_found, all_correct = gold.total(), found.total(), correct.total()
    printed = f"processed {tokens} tokens with {total} phrases; found: {all_found} phrases; correct: {all_correct}.\n"
    printed += f"accuracy: {100 * right / tokens:6.2f}%; {shares(total, all_found, all_correct)}\n"
    for kind in sorted({*+gold, *+found}):
        # `if (not($lastType) or $lastType ne $i)`: what Perl takes for false is listed for gold and for found
        times = (gold[kind] > 0) + (found[kind] > 0) if kind in ("", "0") else 1
        printed += f"{kind:>17}: {shares(gold[kind], found[kind], correct[kind])}  {found[kind]}\n" * times
    return printed
