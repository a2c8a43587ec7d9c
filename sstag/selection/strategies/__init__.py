"""The strategies that say what to annotate next (STRATEGIES): their scores put candidates in an order or in groups."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Strategy:
    """A registered strategy: where its scores are, the largest first; a line of help; whether it needs a model, and
    whether it can ask for spans.
    """

    where: str
    help: str
    model: bool = True
    spans: bool = False
    unsure: bool = False  # of its sentences only what the model is not sure of is asked for


CHANCE, QUOTA = "random", "quota"


STRATEGIES = {
    CHANCE: Strategy("sstag.selection.strategies.scores:chance", "all alike", model=False, spans=True),
    QUOTA: Strategy(
        "sstag.selection.strategies.scores:quota",
        "one from each of equal groups, from frequent to rare, long to short (--by): needs no model",
        model=False,
    ),
    "fusal": Strategy("sstag.selection.strategies.scores:fusal", "the best labels are improbable: 1 − p(ŷ|x)"),
    "sesal": Strategy(
        "sstag.selection.strategies.scores:fusal",
        "the same sentences; asks for what the model is unsure of (--confidence), the rest has its labels",
        unsure=True,
    ),
    "margin": Strategy(
        "sstag.selection.strategies.scores:margin", "the best two labellings are equally probable: p(ŷ|x) − p(ŷ₂|x)"
    ),
    "entropy": Strategy("sstag.selection.strategies.scores:entropy", "the entropy of the sentence, H(Y|x)"),
    "token-entropy": Strategy(
        "sstag.selection.strategies.scores:token_entropy",
        "the mean entropy of its tokens, H(Y_t|x); with --spans single tokens",
        spans=True,
    ),
    "span-entropy": Strategy(
        "sstag.selection.strategies.scores:span_entropy",
        "the highest entropy of one of its spans; with --spans these: terms of a list, or the chunks found",
        spans=True,
    ),
    "density": Strategy(
        "sstag.selection.strategies.scores:density", "the entropy, times the probability of the sentence per token"
    ),
}


CONFIDENCE = 0.99  # of a label, from which on the model may give it itself (Tomanek and Hahn 2009, §4.1)


BY = {  # name → where the numbers are that a quota sorts by, one line of help
    "q": ("sstag.selection.strategies.scores:quota", "log q(x)"),
    "length": ("sstag.selection.strategies.scores:length", "tokens"),
    "q-per-token": ("sstag.selection.strategies.scores:q_per_token", "log q(x) per token"),
}
