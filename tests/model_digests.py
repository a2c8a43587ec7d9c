"""The digests of a model of every method, as the level of the core that SSTAG_LEVEL names makes them: one a line."""

import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np

from sstag.chain import _core
from sstag.features.reading import template
from sstag.foundation.parallel import shards
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
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
    return found


if __name__ == "__main__":
    print(_core.level, file=sys.stderr)
    print("\n".join(digests(int(sys.argv[1]))))
