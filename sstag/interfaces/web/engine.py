"""A model at work, which another one takes the place of when it is trained."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock

from sstag.corpus.text.documents import Document
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.model.legality import tags_of
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.questions import Question
from sstag.model.tagged_documents import prose_layout, tagged_prose


class Engine:
    """The model that answers. Whoever asks while it is replaced gets the old one or the new one, whole."""

    def __init__(self, path: str) -> None:
        self._busy = Lock()  # one question at a time: a second one would only make both slow
        self.path = path
        self.model, self.version = _loaded(path)
        self.labels = labels_of(self.model)

    def take(self, path: str) -> None:
        """Puts the model in a file to work."""
        model, version = _loaded(path)
        with self._busy:
            self.path, self.model, self.version, self.labels = path, model, version, labels_of(model)

    def tagged(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with the spans that the model finds, each with its probability."""
        with self._busy:
            return list(tagged_prose(self.model, Question(), documents))


def labels_of(model: Model) -> tuple[str, ...]:
    """The types of the chunks that a model knows."""
    return (tags_of(model) or tolerant_tagset(model.labels, "plain")).types


def _loaded(path: str) -> tuple[Model, str]:
    """The model in a file, and a name for this version of it."""
    model = load(path)
    prose_layout(model)  # a template that reads more than words is an error here
    return model, sha256(Path(path).read_bytes()).hexdigest()[:12]
