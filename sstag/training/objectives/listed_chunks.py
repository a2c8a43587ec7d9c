"""The chunks that a list of spans accepts and rejects, as an objective of a text."""

from sstag.foundation.errors import DataError
from sstag.knowledge.chunk_answers import Answers, known_chunks
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.labels.span_list import refuse_types
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
    wrong = made.contradicted(ground.data, len(labels))
    if wrong is not None:
        raise DataError(f"what it says of sentence {wrong + 1:,} contradicts the labels of that sentence", opened.path)
    return made
