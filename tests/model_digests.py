"""The digests of a model of every method, as the level of the core that SSTAG_LEVEL names makes them: one a line."""

import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np

from sstag.chain import _core
from sstag.features.reading import template
from sstag.features.words.bigrams import Bigrams, counted_bigrams
from sstag.features.words.exchange import paths_of
from sstag.foundation.parallel import shards
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
from sstag.training.parameter_specs import specs
from tests.dense import DENSE, dense_template
from tests.training import OF_WORDS, ads_template, made_ads, trained


def digests(threads: int) -> list[str]:
    labelled, raw = made_ads(25, 1), made_ads(40, 2)
    weighed = replace(labelled, weights=np.linspace(0.5, 2.0, labelled.sentences))
    found = []
    with shards(threads) as over:
        for method, entry in METHODS.items():
            plain = template(OF_WORDS, "words.yaml") if method == "prototype" else ads_template()
            sparse_only = entry.counts or method == "prototype"
            changes = {} if entry.counts else {"max_iterations": 15}
            for how in (plain,) if sparse_only else (plain, dense_template(DENSE)):
                inputs = Inputs(how, weighed if entry.weights else labelled, raw if entry.unlabelled else None)
                model = trained(inputs, Run(over), method, **changes)
                found.append(f"{method} {len(how.dense)} {sha256(model.theta.tobytes()).hexdigest()}")
            if "epochs" in specs(entry.parameters):
                inputs = Inputs(plain, weighed if entry.weights else labelled, raw if entry.unlabelled else None)
                model = trained(inputs, Run(over), method, epochs=2)
                found.append(f"{method} by passes {sha256(model.theta.tobytes()).hexdigest()}")
        found.append(
            f"clusters {sha256(repr(paths_of(text_of_numbers(), 20, over, lambda _: None)).encode()).hexdigest()}"
        )
    return found


def text_of_numbers() -> Bigrams:
    """A text in which small numbers are frequent, and follow numbers like them."""
    rng = np.random.default_rng(1)
    text = np.minimum(rng.geometric(0.01, 20_000) + np.arange(20_000) % 7 * 20, 699).astype(np.int32)
    times = np.bincount(text, minlength=700)
    found = counted_bigrams(text, 702, lambda _: None)
    first, second, counts = (each.astype(np.int32) for each in (*np.divmod(found.numbers, 702), found.times))
    return Bigrams(tuple(map(str, range(700))), times, len(text), first, second, counts)


if __name__ == "__main__":
    print(_core.level, file=sys.stderr)
    print("\n".join(digests(int(sys.argv[1]))))
