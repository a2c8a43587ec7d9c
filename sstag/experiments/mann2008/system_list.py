"""The systems that M08 compares, as data: how each learns, and by which system its parameters are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sstag.experiments.mann2008.texts import ADS, CITATIONS, SEMINARS
from sstag.foundation.json_values import Json


@dataclass(frozen=True)
class System:
    """How a system learns: from raw text or not, from words with labels or not, and with which parameters.

    Parameters that are chosen on the development set are named with what chose them (`TUNED`).
    """

    method: str
    raw: bool = False
    words: bool = False  # a list of them is its `expectations`
    listed: bool = True  # unless words are only what other words are similar to
    own: bool = False  # which is made of the labelled sentences that it learns from
    instances: bool = True  # from labelled sentences, if there are any
    rules: bool = False  # rules for whole labellings are its `rules`, or such that its model keeps
    freed: str = ""  # what it is called if it learns under its rules, and labels without them
    parameters: Mapping[str, Json] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=lambda: {"l2": "l2"})
    template: str = "fields"
    similar: bool = False  # to which of the words a word is similar, is a feature
    kinds: bool = False  # the kind of a token is a feature, and kinds are among the words
    few: bool = False  # learned only from as many raw sentences as the paper has
    seconds: float = 5.0  # with 1,000 citations as raw text


GE = "CRF + GE"
HK06 = "prototypes (HK06)"
STRONG = f"{GE}, λ = 100"  # as strong as it is by itself if nothing is said
OWN = f"{GE}, words of these sentences"
GE_SIMILAR = f"{GE}, similar words"
SUPERVISED = "supervised CRF"
SIMILAR = f"{SUPERVISED}, similar words"
RUNS = f"{GE}, fields are runs"  # nine of ten steps keep their label
KINDS = f"{GE}, kinds"
KINDS_RUNS = f"{GE}, kinds, fields are runs"
STRONG_RUNS, STRONG_KINDS_RUNS = f"{STRONG}, fields are runs", f"{STRONG}, kinds, fields are runs"
BESIDE_SIMILAR = ", similar words"
ENTROPY_CHOSEN, REGULARISED = "CRF + entropy, γ chosen", "CRF + label regularisation"
GRADIENT, CRR07 = "expected gradient", "CRR07"
UNDER_RULES = f"{CRR07}, rules in labelling too"
L2_OF_HK06 = "l2 of HK06"
PROTOTYPES = System(
    "prototype",
    raw=True,
    words=True,
    instances=False,
    chosen={"l2": L2_OF_HK06},
    template="prototypes",
    seconds=8.0,
)
SYSTEMS = {
    "supervised HMM": System("hmm", chosen={}),
    SUPERVISED: System("crf"),
    SIMILAR: System("crf", words=True, listed=False, similar=True, seconds=0.0),
    f"{SUPERVISED}, under rules": System("crf", rules=True),
    "CRF + entropy, γ = 0.001": System("entropy", raw=True, parameters={"gamma": 0.001}),
    ENTROPY_CHOSEN: System("entropy", raw=True, chosen={"l2": "l2", "gamma": "γ"}),
    REGULARISED: System("label-regularization", raw=True, parameters={"errors": 0.0}),
    HK06: PROTOTYPES,
    f"{HK06}, similar words": replace(PROTOTYPES, similar=True, seconds=10.0),
    GRADIENT: System("expected-gradient", raw=True, words=True),
    UNDER_RULES: System("constraint-driven", raw=True, rules=True, freed=CRR07, chosen={}),
    GE: System("expectation", raw=True, words=True, chosen={"l2": "l2", "strength": "λ"}),
    OWN: System("expectation", raw=True, words=True, own=True, chosen={"l2": "l2", "strength": "λ"}),
    STRONG: System("expectation", raw=True, words=True, instances=False, parameters={"strength": 100.0}, seconds=15.0),
    GE_SIMILAR: System("expectation", raw=True, words=True, chosen={"l2": "l2", "strength": "λ"}, similar=True),
}
_GE = replace(SYSTEMS[GE], few=True)
_WITHOUT = (ENTROPY_CHOSEN, REGULARISED, GRADIENT)
SYSTEMS |= {
    f"{name}{BESIDE_SIMILAR}": replace(one, words=True, listed=one.words, similar=True, few=True)
    for name, one in SYSTEMS.items()
    if name in _WITHOUT
} | {
    f"{SUPERVISED}, kinds": System("crf", kinds=True),
    KINDS: replace(_GE, kinds=True),
    RUNS: replace(_GE, parameters={"stay": 0.9}),
    KINDS_RUNS: replace(_GE, kinds=True, parameters={"stay": 0.9}, seconds=10.0),
    STRONG_RUNS: replace(SYSTEMS[STRONG], few=True, parameters={"strength": 100.0, "stay": 0.9}),
    STRONG_KINDS_RUNS: replace(SYSTEMS[STRONG], few=True, kinds=True, parameters={"strength": 100.0, "stay": 0.9}),
    f"{KINDS_RUNS}{BESIDE_SIMILAR}": replace(_GE, kinds=True, parameters={"stay": 0.9}, similar=True, seconds=10.0),
}
RULES = {CITATIONS: "citations", SEMINARS: "seminars", ADS: "ads"}  # of configs/rules
TUNED = {  # what is chosen: by which system, and which of its parameters
    "l2": (SUPERVISED, "l2"),
    "λ": (GE, "strength"),
    L2_OF_HK06: (HK06, "l2"),
    "γ": (ENTROPY_CHOSEN, "gamma"),
}
