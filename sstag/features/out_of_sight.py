"""Files that a new model names and would not find where it lies: whoever trained it should hear of them at once."""

import os
from collections.abc import Iterator

from sstag.features.encoders.encoder import FOLDERS as ENCODER_FOLDERS
from sstag.features.encoders.encoder import in_hub
from sstag.features.encoders.token_vectors import EncoderVectors, FileVectors
from sstag.features.named_files import places_of
from sstag.features.template import Template
from sstag.features.words import vector_files
from sstag.features.words.named_vectors import FOLDERS as VECTOR_FOLDERS


def out_of_sight(template: Template, model: str) -> Iterator[str]:
    """A sentence for each file of vectors and each encoder that the model at this path would not find."""
    named = {
        name: VECTOR_FOLDERS for name, one in template.vectors.items() if isinstance(one, vector_files.FileVectors)
    }
    for encoder in template.encoders.values():
        if isinstance(encoder, EncoderVectors) and not any(map(os.path.exists, in_hub(encoder.encoder.settings.place))):
            named[encoder.encoder.settings.place] = ENCODER_FOLDERS
        elif isinstance(encoder, FileVectors):
            named[encoder.settings.place] = ENCODER_FOLDERS
    for name, variable in named.items():
        if not any(map(os.path.exists, places_of(name, model, variable))):
            yield (
                f"{model} needs {name} to tag, and does not find it from where it lies: put it beside the model, or "
                f"name the folder that it is in with {variable}"
            )
