"""Small trained models whose every labelling can be written down."""

from dataclasses import replace
from functools import cache

import numpy as np

from sstag.features.reading import template
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.crf import train
from sstag.training.methods.parameters import Training
from tests.datasets import corpus

PLAIN = Marks(None, None, None)
EDGES = "edges: [labels, begin, end, word[0]]"

TEXTS = {  # words and labels, sentences divided by /
    "iob2": "a B-X b I-X c O / c O a B-X a B-X b I-X / b O d B-Y b I-Y",
    "iob1": "a I-X b I-X c O / c O a I-X a B-X b I-X / b O",
    "bioes": "a B-X b E-X c O / c O a S-X a B-X c I-X b E-X / b O",
    "plain": "a N b V c N / c V a N a N b V / b N",
    "pairs": "a B-X b E-X / c B-X d E-X a B-X b E-X",
}


@cache
def tiny(name: str = "iob2", scheme: str | None = None, columns: str = "word, label", label: str = "label") -> Model:
    """A model of the sentences in TEXTS; the columns besides word and label say the same as the word, in capitals."""
    names = [column.strip() for column in columns.split(",")]
    others = [column for column in names if column not in ("word", "form", label)]
    features = ["word[-1..1]" if "word" in names else "form[-1..1]", *(f"{other}[0]" for other in others)]
    edges = EDGES if "word" in names else EDGES.replace("word", "form")
    made = template(f"columns: [{columns}]\nlabel: {label}\nfeatures: [{', '.join(features)}]\n{edges}\n", "made.yaml")
    sentences = []
    for sentence in TEXTS[name].split("/"):
        cells = sentence.split()
        pairs = zip(cells[::2], cells[1::2], strict=True)
        sentences.append(
            [
                tuple({label: tag}.get(name, word.upper() if name in others else word) for name in names)
                for word, tag in pairs
            ]
        )
    inputs = Inputs(made, corpus(sentences, names), marks=PLAIN)
    model = train(inputs, Training(l2=0.1), np.random.default_rng(1), Run())
    return replace(model, scheme=scheme or name)
