"""How large the file of a model will be, which is known before its weights are."""

from itertools import chain

from sstag.model.compiled import Compiled

OF_WEIGHTS = 8  # bytes of a weight
OF_TEXTS = 4  # bytes of the length of a text
HEADS = 2**20  # bytes for all that is small: names, headers, where the model comes from


def expected_size(made: Compiled) -> int:
    """The bytes of the file of a model with these attributes, or a few more; without its lexica and vectors."""
    size = HEADS + OF_WEIGHTS * made.label_pairs.size
    for vocabulary, pairs in ((made.unary, made.pairs), (made.edge, made.edge_pairs)):
        size += OF_WEIGHTS * len(pairs.labels) + pairs.labels.nbytes + pairs.indptr.nbytes
        size += sum(one.components.nbytes + one.ids.nbytes for one in vocabulary.tables)
        texts = chain.from_iterable(vocabulary.values.values())
        size += sum(len(text.encode()) + OF_TEXTS for text in texts)
    return size + OF_WEIGHTS * sum(len(one.mean) * (2 + len(made.labels)) for one in made.dense)
