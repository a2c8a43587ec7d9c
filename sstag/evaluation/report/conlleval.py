"""The text that the `conlleval` script of the CoNLL-2000 shared task (version of 2004) prints, to the byte."""

from sstag.evaluation.scoring import Evaluation


def conlleval_text(one: Evaluation) -> bytes:
    """The output of the script for these labels, which must be read under the scheme `CONLLEVAL`."""
    totals = one.totals
    tokens, gold, found, right = (totals[name] for name in ("tokens", "gold", "found", "right"))
    lines = [f"processed {tokens} tokens with {gold} phrases; found: {found} phrases; correct: {right}."]
    lines.append(f"accuracy: {100 * totals['tokens right'] / tokens:6.2f}%; {_shares(gold, found, right)}")
    result = "".join(f"{line}\n" for line in lines).encode()
    for kind, counts in sorted(one.by_kind.items()):
        # The script pads bytes, and lists a name that Perl takes for false once for each side that has it.
        times = sum(count > 0 for count in counts[:2]) if kind in ("", "0") else 1
        result += (kind.encode().rjust(17) + f": {_shares(*counts)}  {counts[1]}\n".encode()) * times
    return result


def _shares(gold: int, found: int, right: int) -> str:
    precision = 100 * right / found if found else 0.0
    recall = 100 * right / gold if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
