"""The same optimum as CRFsuite's: objective, chunk F and agreement of tags, on CoNLL-2000 or generated ads.

The same attributes, label pairs seen in training only, no begin and end scores; CRFsuite's c2 is half of l2.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pycrfsuite
from peers import RESULTS, TEMPLATE, chunking_corpus, crfsuite_sentences

from sstag.conll import read
from sstag.corpus import Corpus
from sstag.methods import METHODS
from sstag.methods.crf import train
from sstag.model import Model
from sstag.scores import f_score
from sstag.shards import shards
from sstag.tags import guessed_scheme, tagset
from sstag.template_file import template
from sstag.training import Inputs, Run

L2 = 1.0
SETTINGS = "\nedges: [labels]\nedge_pairs: observed\n"


def main() -> None:
    made = template(TEMPLATE.read_text(encoding="utf-8") + SETTINGS, str(TEMPLATE))
    with tempfile.TemporaryDirectory() as scratch:
        name, path = chunking_corpus(Path(scratch))
        held_out = path.with_name("test.txt") if path.with_name("test.txt").exists() else path
        data, test = read(str(path), made.layout(str(path))), read(str(held_out), made.layout(str(held_out)))
        start = time.perf_counter()
        with shards(2) as over:
            defaults = {key: default for key, (default, _) in METHODS["crf"].parameters.items()}
            run = Run(over, tell=lambda progress: say(f"sstag, iteration {progress.iteration}"))
            model = train(Inputs(made, data), defaults | {"l2": L2, "tolerance": 1e-6}, np.random.default_rng(1), run)
            ours = model.tagged(model.dataset(test), over)
        seconds = time.perf_counter() - start

        say("crfsuite")
        start = time.perf_counter()
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c2": L2 / 2, "max_iterations": 1000, "delta": 1e-6, "epsilon": 1e-6})
        for attributes, labels in crfsuite_sentences(str(path)):
            trainer.append(attributes, labels)
        trainer.train(str(Path(scratch) / "model"))
        peer_seconds = time.perf_counter() - start
        tagger = pycrfsuite.Tagger()
        tagger.open(str(Path(scratch) / "model"))
        number = {label: index for index, label in enumerate(model.labels)}
        tagged = [number[tag] for attributes, _ in crfsuite_sentences(str(held_out)) for tag in tagger.tag(attributes)]
    theirs = np.array(tagged, np.int32)
    loss, objective = float(trainer.logparser.last_iteration["loss"]), -float(model.about["objective"])
    result = {
        "corpus": name,
        "sstag": {"objective": objective, "F": score(model, test, ours), "seconds": seconds},
        "crfsuite": {"objective": loss, "F": score(model, test, theirs), "seconds": peer_seconds},
        "relative difference": abs(objective - loss) / loss,
        "tags that agree": float((ours == theirs).mean()),
    }
    say("")
    print(f"{name}, l2 = {L2}")
    for side in ("sstag", "crfsuite"):
        one = result[side]
        print(f"  {side:<9} objective {one['objective']:.2f}   F {100 * one['F']:.2f}   {one['seconds']:.1f} s")
    print(f"  relative difference of the objectives {result['relative difference']:.1e}")
    print(f"  tags that agree {100 * result['tags that agree']:.2f} %")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "optimum.json").write_text(json.dumps(result, indent=1) + "\n")


def score(model: Model, test: Corpus, predicted: np.ndarray) -> float:
    """F of the chunks; a label that only the test has cannot be right."""
    column = test.column(model.template.label)
    labels = (*model.labels, *(label for label in test.values[column] if label not in model.labels))
    number = {label: index for index, label in enumerate(labels)}
    gold = np.array([number[value] for value in test.values[column]], np.int32)[test.codes[column]]
    return f_score(tagset(labels, guessed_scheme(labels, gold, test.offsets)), gold, predicted, test.offsets)


def say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<40}", end="\r", file=sys.stderr)


if __name__ == "__main__":
    main()
