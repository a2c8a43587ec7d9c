"""Advice of trainings: methods and what they need, configurations, and warnings of raw text that gains little."""

import random

from tests.advised import Case, advised
from tests.advised.files import LABELLED

TRAIN = "train -t t.yaml --train t.txt -m new"
RAW = f"{TRAIN} --unlabeled p.txt"
RUN = "template: t.yaml\ntrain: t.txt\nmodel: new\n"
NEEDS_LIST = "needs a list of {} and their labels: expectations (--expectations FILE)"
OPEN = LABELLED.replace("B-PER", "?").replace(" O", " ?")
UNLABELLED = "Kim\nmet\n\n"


OTHERS = {
    "one.txt": "Kim B-PER\nmet O\nAnn O\n. O\n\n",
    "others.txt": "Eve\nsaw\nLee\nand\nMax\nthere\n!\n\n" * 30,
    "all.tsv": "word[0]=saw\tO\nword[0]=Lee\tO\nword[0]=Eve\tO\nword[0]=Max\tO\n",
}


def drawn(sentences: int, length: int, labels: tuple[str, ...] = ()) -> str:
    """Words at random, with labels if there are any."""
    chance, words = random.Random(1), [f"w{number}" for number in range(16 if not labels else 12)]
    lines = [chance.choice(words) + (f" {chance.choice(labels)}" if labels else "") for _ in range(sentences * length)]
    return "".join("\n".join(lines[place : place + length]) + "\n\n" for place in range(0, len(lines), length))


def configured(told: str, bad: str, *good: str) -> Case:
    """A run as YAML that is wrong; then each in which it is mended."""
    names = {f"good{number}.yaml": RUN + text for number, text in enumerate(good)}
    return advised("train -c bad.yaml", told, *(f"without bad.yaml with {name}" for name in names),
                   files={"bad.yaml": RUN + bad, **names})  # fmt: skip


CASES: tuple[Case, ...] = (
    advised("train -t one.yaml --train t.txt --unlabeled p.txt -m new --method prototype",
        "prototype needs a list of words and their labels: expectations (--expectations FILE)",
        "with --expectations l.tsv", files={"one.yaml": "columns: [word, label]\nfeatures: ['word[0]']\n"}),
    advised(f"{RAW} --method distill",
        "distill needs a teacher: a model that labels the raw text (--set teacher=MODEL)", "with --set teacher=m"),
    advised(f"{RAW} --labeled-features l.tsv",
        "labelled features leave tokens open, and {} learns from none: partial does (--method partial)",
        "with --method partial"),
    advised(RAW,
        "{} learns nothing from raw text: unlabeled is for other methods (--method {}), labelled features "
        "(--labeled-features), rejected spans (--rejected), and templates with predicted(…) (any method gains most "
        "from this, and from clusters and vectors of the text: `sstag template` says how)",
        "with --method self-training", "with --method partial --labeled-features l.tsv", "with --rejected spans.tsv",
        "without t.yaml with look.yaml", "template"),
    advised("train -t t.yaml --train one.txt --unlabeled others.txt -m new --method entropy --set gamma=50 --set l2=1",
        "gamma is too large (lower it, or keep the shares: --method label-regularization)",
        "without gamma=50 with gamma=0.01", "without entropy --set gamma=50 with label-regularization", files=OTHERS),
    advised(
        "train -t t.yaml --train one.txt --unlabeled others.txt -m new --method expectation --expectations all.tsv "
        "--set strength=1000",
        "what is asked of it outweighs what is labelled (lower the strength, or label more sentences)",
        "without strength=1000 with strength=0.1", files=OTHERS),
    advised("train -t t.yaml --train drawn.txt --unlabeled raw.txt -m new --method self-training --set l2=1",
        "what it found itself outweighs what is labelled (--set confidence=0.9, or no raw text)",
        "with --set confidence=0.9", "without --unlabeled raw.txt without --method self-training",
        files={"drawn.txt": drawn(3, 4, ("A", "O", "O")), "raw.txt": drawn(20, 6)}),
    advised(f"{RAW} --method label-regularization",
        "label regularisation gains little here and may cost: the labelled sentences alone find {} % of the raw "
        "tokens not '{}', and by their own shares {} should be ({} of it; up to about {} it pays): known shares "
        "help more (--expectations FILE with a line *, a tab, A:0.7 B:0.3)", "with --expectations every.tsv",
        files={"every.tsv": "*\tO:0.6 B-PER:0.4\n"}),
    advised("train -t t.yaml --train no.txt -m new", "no column '{}': {} needs labels (columns: {})",
        "without no.txt with t.txt", files={"no.txt": UNLABELLED}),
    advised(f"{RAW} --method self-training",
        "self-training takes every label that it finds for true: where that was measured it gained a point at most, "
        "and cost up to three (--set confidence=0.9 leaves open what is less sure)", "with --set confidence=0.9"),
    advised("train -t t.yaml --train open.txt -m new --method partial",
        "every label is open, so there is nothing to learn: label some; or read the file as raw text (--unlabeled "
        "FILE), beside labelled sentences", "without open.txt with t.txt",
        f"{TRAIN} --unlabeled open.txt --method self-training", files={"open.txt": OPEN}),
    advised("train -t t.yaml --train open.txt -m new --ambiguous argmax",
        "no sentence is fully labelled, and {} needs some ({} does not)", "without argmax with random",
        "without argmax with first", "without argmax with frequent",
        files={"open.txt": LABELLED.replace(" O", " O|B-PER")}),
    advised("train -t t.yaml --train open.txt -m new --ambiguous first",
        "'{}' names no label that it allows, so none is first ({} decides it)", "without first with random",
        "without first with frequent", "without first with discard", "without first with argmax",
        files={"open.txt": f"{LABELLED}Ann ?\n"}),
    advised("train -t t.yaml --train open.txt -m new --ambiguous frequent",
        "no label is decided, and frequent counts those that are ({} does not)", "without frequent with random",
        "without frequent with first", files={"open.txt": "Kim A|B\nmet A|B\n"}),
    advised(f"{TRAIN} --sentence-weights none --method weighted",
        "every sentence has the weight 0: there is nothing to learn from (sstag density --smoothing?)",
        "without none with w", files={"none": "0\n" * 6}),
    advised(f"{TRAIN} --sentence-weights large --weight-scale natural --weight-exponent 300",
        "weights beyond what numbers can say: choose the scale mean1, or a smaller exponent",
        "without natural with mean1", "without 300 with 0.01", files={"large": "1e300\n2e300\n" + "1e300\n" * 4}),
    configured("'{}' needs a file, or a list of files", "dev: []\n", "dev: dev.txt\n", "dev: [dev.txt, t.txt]\n"),
    configured("'{}' needs the values to try, [a, b]", "tune: {l2: 1}\n", "tune: {l2: [1, 2]}\n"),
    configured("the mark '{}' must be text: quote it", "marks: {unknown: 1}\n", "marks: {unknown: '1'}\n"),
    configured("say {}, or `{}:` at the top of a configuration",
               "method: expectation\nunlabeled: p.txt\nparameters: {expectations: l.tsv}\n",
               "method: expectation\nunlabeled: p.txt\nexpectations: l.tsv\n"),
    configured("have lists of their own (--set {}.expectations=FILE)",
        "method: composed\nunlabeled: p.txt\nexpectations: l.tsv\nobjectives: [{likelihood: {}}, {expectation: "
        "{expectations: l.tsv}}]\n",
        "method: composed\nunlabeled: p.txt\nobjectives: [{likelihood: {}}, {expectation: {expectations: l.tsv}}]\n"),
    configured("'{}' is of an objective: say {}",
        "method: composed\nobjectives: [{likelihood: {}}, {entropy: {}}]\nunlabeled: p.txt\nparameters: {gamma: 0.1}\n",
        "method: composed\nobjectives: [{likelihood: {}}, {entropy: {}}]\nunlabeled: p.txt\nparameters: "
        "{entropy.gamma: 0.1}\n"),
    configured(
        "the entropy alone makes labels surer without holding their shares, which costs more often than it gains "
        "(beside label-regularization it costs less, and --tune judges gamma)",
        "method: composed\nunlabeled: p.txt\nobjectives: [{likelihood: {}}, {entropy: {gamma: 0.1}}]\n",
        "method: composed\nunlabeled: p.txt\nobjectives: [{likelihood: {}}, {entropy: {gamma: 0.1}}, "
        "{label-regularization: {}}]\n"),
)  # fmt: skip
