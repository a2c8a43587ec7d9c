"""Files that a new model names and would not find where it lies: whoever trained it should hear of them at once."""

from collections.abc import Iterator

from sstag.features.encoders.encoder import FOLDERS as ENCODER_FOLDERS
from sstag.features.encoders.encoder import named_encoder
from sstag.features.encoders.token_vectors import EncoderVectors, FileVectors
from sstag.features.named_files import Named
from sstag.features.template import Template
from sstag.features.words import vector_files
from sstag.features.words.named_vectors import FOLDERS as VECTOR_FOLDERS


def out_of_sight(template: Template, model: str) -> Iterator[str]:
    """A sentence for each file of vectors and each encoder that the model at this path would not find."""
    for one in _named(template, model):
        if not any(one.there):
            yield f"{model} needs {one.name} to tag, and does not find it from where it lies: {one.advice}"


def _named(template: Template, model: str) -> Iterator[Named]:
    """The files and encoders that the model names, without vectors that it keeps."""
    for name, vectors in template.vectors.items():
        if isinstance(vectors, vector_files.FileVectors):
            yield Named(name, model, VECTOR_FOLDERS)
    for encoder in template.encoders.values():
        if isinstance(encoder, EncoderVectors):
            yield named_encoder(encoder.encoder.settings.place, model)
        elif isinstance(encoder, FileVectors):
            yield Named(encoder.settings.place, model, ENCODER_FOLDERS)
