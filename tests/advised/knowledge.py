"""Advice about lists of features, rules and other knowledge: a file that is wrong, and one in which it is mended."""

from tests.advised import Case, advised

TRAIN = "train -t t.yaml --train t.txt --unlabeled p.txt -m new"
LEARN = f"{TRAIN} --method expectation --expectations"
RULED = f"{TRAIN} --method constraint-driven --rules"
COMPOSED = (
    "template: {}\ntrain: t.txt\nunlabeled: p.txt\nmodel: new\nmethod: composed\n"
    "objectives:\n  - likelihood: {{}}\n  - {}\n"
)


def listed(told: str, bad: str, *good: str, template: str = "t.yaml") -> Case:
    """A training with a list that is wrong; then with each of those in which it is mended."""
    names = {f"good{number}.tsv": text for number, text in enumerate(good)}
    return advised(f"{LEARN} bad.tsv".replace("t.yaml", template), told,
               *(f"without bad.tsv with {name}" for name in names),
               files={"bad.tsv": bad, **names, "wide.yaml": WIDE, "both.txt": "Kim Kim O\n\n"})  # fmt: skip


def ruled(told: str, bad: str, *good: str) -> Case:
    """A training with rules that are wrong; then with each of those in which they are mended."""
    names = {f"good{number}.yaml": text for number, text in enumerate(good)}
    return advised(f"{RULED} bad.yaml", told, *(f"without bad.yaml with {name}" for name in names),
                   files={"bad.yaml": bad, **names})  # fmt: skip


def composed(told: str, bad: str, *good: str, template: str = "t.yaml", **files: str) -> Case:
    """A training by objectives that are wrong; then by each of those in which they are mended."""
    names = {f"good{number}.yaml": COMPOSED.format(template, text) for number, text in enumerate(good)}
    return advised("train -c bad.yaml", told, *(f"without bad.yaml with {name}" for name in names),
                   files={"bad.yaml": COMPOSED.format(template, bad), **names, **files})  # fmt: skip


WIDE = "columns: [word, label]\nfeatures: ['word[-1..1]', 'lower(word[0])']\n"
PEOPLE = "word[0]=Kim\tB-PER\nword[0]=Ann\tB-PER\nword[0]=Bob\tB-PER\nword[0]=met\tO\nword[0]=left\tO\n"
RULES = "penalty: 1\nrules:\n  - {}\n"
CASES: tuple[Case, ...] = (
    listed("'{}' has a comma for a point: write 0.8, or a range, 0.6-0.9", "word[0]=Kim\tB-PER:0,8 O:0.2\n",
           "word[0]=Kim\tB-PER:0.8 O:0.2\n", "word[0]=Kim\tB-PER:0.6-0.9 O:0.1-0.4\n"),
    listed("'{}' has no label yet: write one for {}", "word[0]=Kim\t?\n", "word[0]=Kim\tB-PER\n"),
    listed("'{}' has no share: write {}:0.1, or give none a share", "word[0]=Kim\tB-PER:0.9 O\n",
           "word[0]=Kim\tB-PER:0.9 O:0.1\n", "word[0]=Kim\tB-PER O\n"),
    advised("train -t t.yaml --unlabeled p.txt -m new --method expectation --expectations bad.tsv",
        "{}:{}: no other line has the label '{}'; did you mean '{}'?", "without bad.tsv with good.tsv",
        files={"bad.tsv": PEOPLE.replace("=Bob\tB-PER", "=Bob\tB-PEER"), "good.tsv": PEOPLE}),
    listed("{}: stands for {} features; write a line for each", "word[-1..0]=Kim\tB-PER\n",
           "word[-1]=Kim\tO\nword[0]=Kim\tB-PER\n"),
    listed("{}: which value? write {}=…", "word[0]=\tB-PER\n", "word[0]=Kim\tB-PER\n"),
    listed(": lower(…) has no capitals", "lower(word[0])=Kim\tB-PER\n", "lower(word[0])=kim\tB-PER\n"),
    advised(f"{TRAIN} --method expected-gradient --expectations bad.tsv",
        "{} is every token, and {} labels those with a feature: leave this line out",
        "without bad.tsv with l.tsv", files={"bad.tsv": "word[0]=Kim\tB-PER\n*\tO\n"}),
    ruled("'{}' stands alone, and only in once: name the labels", RULES.format("once: [all, O]"),
          RULES.format("once: [B-PER, O]"), RULES.format("once: all")),
    ruled("a length needs 'least' or 'most', a number of tokens", RULES.format("length: B-PER"),
          RULES.format("{length: B-PER, least: 1}"), RULES.format("{length: B-PER, most: 3}")),
    ruled("'{}' needs a text or a list of texts", RULES.format("once: []"), RULES.format("once: O"),
          RULES.format("once: [O]")),
    advised(f"{RULED} l.tsv", "{}; a list of features and their labels is for --expectations", f"{LEARN} l.tsv"),
    advised("tag -m m t.txt --rules bare.yaml",
        "'{}' has no penalty: say one, or train --rules with labelled sentences, which learns it",
        "without bare.yaml with rules.yaml",
        f"{RULED} bare.yaml", files={"bare.yaml": "rules:\n  - once: [B-PER]\n"}),
    advised("tag -m ruled.model t.txt --costs costs.tsv",
        "costs are weighed by probabilities, which know nothing of the model's rules: leave these out (--no-rules)",
        "with --no-rules"),
    composed("margin needs a list of labels and what it costs to miss them: `margin: {costs: FILE}`", "margin: {}",
             "margin: {costs: costs.tsv}"),
    composed("rejection needs a list of spans: `rejection: {spans: FILE}`", "rejection: {}",
             "rejection: {spans: spans.tsv}"),
    composed("steps needs a list (`steps: {shares: FILE}`) or the share of steps that keep the label (stay)",
        "steps: {}", "steps: {stay: 0.9}", "steps: {shares: steps.tsv}", **{"steps.tsv": "B-PER\tO:0.8\n"}),
    composed("'{}' is no share: write {}:0.9, LABEL:0.1 or A{}B:0.02", "steps: {shares: bad.tsv}",
             "steps: {shares: good.tsv}", **{"bad.tsv": "word[0]=Kim\tsame\n", "good.tsv": "word[0]=Kim\tsame:0.9\n"}),
    composed("'{}': label regularisation is of all tokens, {}; a list of features is for expectation (`expectation: "
             "{expectations: …}` if objectives are listed)", "label-regularization: {expectations: l.tsv}",
             "expectation: {expectations: l.tsv}", "label-regularization: {expectations: every.tsv}",
             **{"every.tsv": "*\tO:0.6 B-PER:0.4\n"}),
)  # fmt: skip
