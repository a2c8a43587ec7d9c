"""A model at work, which another one takes the place of when it is trained."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Lock

from sstag.corpus.formats import Asked
from sstag.corpus.text.document_blocks import document_blocks
from sstag.corpus.text.documents import Document
from sstag.corpus.text.faults import Faults
from sstag.corpus.text.options import TextOptions
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.model.legality import tags_of
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.questions import Question
from sstag.model.tagged_documents import tagged_documents

TEXT = "the text"  # what messages call a document that came without a file


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
            model = self.model
            layout = replace(model.template.layout(TEXT, Asked("text")), enough=model.columns_read)
            assert layout.names
            with ExitStack() as stack:
                faults = Faults(TEXT, None, False, stack)
                blocks = document_blocks(faults, layout.names, documents, TextOptions(), False, labelled=False)
                return list(tagged_documents(model, Question(), blocks, TEXT, map, 1))


def labels_of(model: Model) -> tuple[str, ...]:
    """The types of the chunks that a model knows."""
    return (tags_of(model) or tolerant_tagset(model.labels, "plain")).types


def _loaded(path: str) -> tuple[Model, str]:
    """The model in a file, and a name for this version of it."""
    model = load(path)
    model.template.layout(TEXT, Asked("text"))  # a template that reads more than words is an error here
    return model, sha256(Path(path).read_bytes()).hexdigest()[:12]
