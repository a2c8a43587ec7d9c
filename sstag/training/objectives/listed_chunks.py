"""The chunks that a list of spans accepts and rejects, as an objective of a text."""

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.errors import DataError, NoPathError
from sstag.knowledge.chunk_answers import Answers, known_chunks
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.labels.span_list import refuse_types
from sstag.model.batches import in_batches
from sstag.training.objectives import RejectionParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.rejection import Rejection


def rejection(parameters: RejectionParameters, ground: Ground, opened: Answers) -> Rejection:
    """The chunks of a list; those that the labels of the text exclude, or demand, are an error."""
    labels = ground.compiled.labels
    tags = tolerant_tagset(labels, ground.compiled.scheme)
    refuse_types(opened.listed, tags)
    answers = known_chunks(opened.listed, ground.corpus, tags)
    made = Rejection(answers.chunks)
    for batch in in_batches(ground.data, len(labels)):
        unary = np.zeros((len(batch.edge_index), len(labels)))
        edge = np.zeros((len(batch.steps.indptr) - 1, len(labels), len(labels)))
        nothing = Potentials(unary, edge, batch.edge_index, batch.offsets)
        for chain, _ in made.side(ground.data, batch).larger:
            try:
                Lattice(chain.potentials(nothing)).log_z  # noqa: B018 - it is computed here
            except NoPathError as error:
                sentence = batch.sentences.start + int(chain.sentences[error.sentence]) + 1
                raise DataError(
                    f"what it says of sentence {sentence:,} contradicts the labels of that sentence", opened.path
                ) from error
    return made
