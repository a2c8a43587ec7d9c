"""The costs of labellings that violate rules, and how often labelled sentences violate them (CRR07 §4).

    score(y) − Σ_c ρ_c · violations_c(y)          ρ_c = −log ((violations of c + 1) / (violations that could be + 2))

A rule is violated at tokens (`if`: with the feature and none of the labels; `between`: between the marks; `first`: the
first one), at steps (`change`: to another label without the feature), at blocks (`once`: the second, third, … of a
label; `order`: after one that should come later; `length`: of too few or too many tokens), or in sentences (`contains`:
none of the labels). The costs of tokens and of steps add to the scores. The others depend on the labels that the
sentence had so far, which a labelling keeps as the bits of one number, and on the length of the block.
"""

from collections.abc import Sequence

import numpy as np

from sstag.chain.functions import log
from sstag.chain.penalty_arrays import Penalties
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.knowledge.rules import LONGEST, Rule, Rules

WIDEST_BEAM = 1000  # labellings
BITS = 62  # labels that one number can keep


def penalties(rules: Rules, labels: Sequence[str], cues: Bools, offsets: Longs) -> Penalties:
    """The costs of labelling sentences whose tokens have the features (T, R) of rules."""
    has = _has(rules, labels)
    nodes, steps = np.zeros((len(cues), len(labels))), np.zeros(len(cues))
    kept, again, wanted, missing = np.zeros(len(labels), bool), np.zeros(len(labels)), [], []
    columns = 2 + max((max(rule.least, rule.most % LONGEST) for rule in rules.rules), default=0)
    shorter, longer = np.zeros((2, len(labels), columns))
    for place, rule in enumerate(rules.rules):
        cost = rule.penalty or 0.0
        match rule.kind:
            case "if" | "between":
                nodes[cues[:, place]] += cost * ~has[place]
            case "first":
                nodes[offsets[:-1]] += cost * ~has[place]
            case "change":
                steps[~cues[:, place]] += cost
            case "once":
                again += cost * has[place]
                kept |= has[place]
            case "contains":
                wanted.append(has[place])
                missing.append(cost)
                kept |= has[place]
            case "order":
                kept |= has[place]
            case "length":
                shorter[has[place], : rule.least] += cost
                longer[has[place], min(rule.most + 1, columns - 1)] += cost * (rule.most < LONGEST)
    bits = np.zeros(len(labels), np.int64)
    bits[kept] = 1 << np.arange(kept.sum())
    masks = np.array([bits[one].sum() for one in wanted], np.int64)
    later, early = _orders(rules, labels, bits)
    return Penalties(nodes, steps, bits, again, masks, np.array(missing, np.float64), later, early, shorter, longer)


def _orders(rules: Rules, labels: Sequence[str], bits: Longs) -> tuple[Longs, Floats]:
    """For each rule of order and each label the bits of those that come later, and the cost of coming after one."""
    number = {label: place for place, label in enumerate(labels)}
    ordered = [rule for rule in rules.rules if rule.kind == "order"]
    later, early = np.zeros((len(ordered), len(labels)), np.int64), np.zeros((len(ordered), len(labels)))
    for row, rule in enumerate(ordered):
        places = [number[label] for label in rule.labels if label in number]
        for rank, place in enumerate(places):
            later[row, place] = bits[places[rank + 1 :]].sum()
            early[row, place] = rule.penalty or 0.0
    return later, early


def refuse_many(rules: Rules, labels: Sequence[str]) -> None:
    """Raises an error if rules depend on more labels that a sentence had than one number can keep."""
    kept = np.zeros(len(labels), bool)
    for rule, has in zip(rules.rules, _has(rules, labels), strict=True):
        kept |= has & (rule.kind in ("once", "contains", "order"))
        if kept.sum() > BITS:
            raise rules.error(
                rule, f"with this rule, once, contains and order have more than {BITS} labels: name fewer"
            )


def estimated(
    rules: Rules, labels: Sequence[str], cues: Bools, offsets: Longs, found: Ints | Longs, omega: Floats
) -> tuple[Rules, Floats]:
    """The rules, of which those without a penalty get one from labels (T,), and the counts it comes from, (R, 2)."""
    counts = violations(rules, labels, cues, offsets, found, omega)  # (R, 2)
    rates = (counts[:, 0] + 1) / (counts[:, 1] + 2)
    given = [rule.penalty for rule in rules.rules]
    chosen = [-log(float(rate)) if one is None else one for rate, one in zip(rates, given, strict=True)]
    return rules.with_penalties(chosen), counts


def violations(
    rules: Rules, labels: Sequence[str], cues: Bools, offsets: Longs, found: Ints | Longs, omega: Floats
) -> Floats:
    """How often labels (T,) violate each rule, and how often they could, (R, 2), in sums of the sentence weights."""
    has, counts = _has(rules, labels), np.zeros((len(rules.rules), 2))
    first = np.zeros(len(found), bool)
    first[offsets[:-1]] = True
    sentence = np.cumsum(first) - 1
    other = ~first & (found != np.roll(found, 1))
    block = first | other
    _, original = np.unique(sentence[block] * len(labels) + found[block], return_index=True)
    repeated = np.ones(len(found), bool)
    repeated[np.flatnonzero(block)[original]] = False
    weight = omega[sentence]
    for place, rule in enumerate(rules.rules):
        right, cue = has[place][found], cues[:, place]
        match rule.kind:
            case "if" | "between":
                violated, possible = cue & ~right, cue
            case "first":
                violated, possible = first & ~right, first
            case "change":
                violated, possible = other & ~cue, ~first & ~cue
            case "once":
                violated, possible = block & right & repeated, block & right
            case "contains":
                held = np.bincount(sentence, right, len(offsets) - 1) > 0
                violated, possible = first & ~held[sentence], first
            case "order":
                violated, possible = block & right & _early(rule, labels, found, sentence), block & right
            case "length":
                starts = np.flatnonzero(block)
                lengths = np.diff(np.append(starts, len(found)))
                wrong = np.zeros(len(found), bool)
                wrong[starts] = (lengths < rule.least) | (lengths > rule.most)
                violated, possible = block & right & wrong, block & right
        counts[place] = weight[violated].sum(), weight[possible].sum()
    return counts


def _early(rule: Rule, labels: Sequence[str], found: Ints | Longs, sentence: Longs) -> Bools:
    """The tokens whose label comes, by the order of a rule, before one that the sentence had earlier."""  # (T,)
    number = {label: place for place, label in enumerate(labels)}
    rank = np.full(len(labels), -1)
    rank[[number[label] for label in rule.labels if label in number]] = np.arange(sum(x in number for x in rule.labels))
    of_token = rank[found]
    highest = np.maximum.accumulate(of_token + sentence * (len(labels) + 1)) - sentence * (len(labels) + 1)
    result: Bools = (of_token >= 0) & (highest > of_token)
    return result


def _has(rules: Rules, labels: Sequence[str]) -> Bools:
    """True for the labels of each rule; a rule that names none is about all."""  # (R, L)

    def of(rule: Rule) -> Bools:
        return np.array([not rule.labels or label in rule.labels for label in labels], bool)

    return np.array([of(rule) for rule in rules.rules])
