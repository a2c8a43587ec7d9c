"""A tagged file: sentences in, a file with what a model says of them out, whole or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from sstag.corpus.blocks import Block
from sstag.corpus.contexts import NO_CONTEXT, OF_FILE, Context
from sstag.corpus.formats import Asked
from sstag.corpus.formats.contract import DocumentFormat
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.foundation.files import display_name, output
from sstag.foundation.parallel import Through
from sstag.foundation.readings import readings
from sstag.model.model import Model
from sstag.model.questions import Question
from sstag.model.tagged_text import Tagger


@dataclass(frozen=True)
class TaggedFiles:
    """A model, a question to it, and the form in which files of answers are written."""

    model: Model
    question: Question
    as_json: bool = False
    documents: DocumentFormat | None = None  # the format of documents, if it is one
    context: Context = NO_CONTEXT

    def layout(self, path: str, read_as: Asked) -> Layout:
        """How a file that is to be tagged is read."""
        return replace(self.model.template.layout(path, read_as), enough=self.model.columns_read)

    def having_read(self, blocks: Iterable[Block], through: Through, threads: int) -> "TaggedFiles":
        """A copy whose model has read a file once, by its first stage, before it tags the file."""
        from sstag.model.second_look import having_read  # most models have one stage

        return replace(self, model=having_read(self.model, blocks, through, threads), context=NO_CONTEXT)

    def tag(
        self,
        source: str,
        target: str,
        read_as: Asked,
        through: Through = map,
        threads: int = 1,
        at_once: bool = False,
        watched: Callable[[Iterator[Block], bool], Iterator[Block]] = lambda blocks, _: blocks,
    ) -> None:
        """Writes a tagged file, of which the blocks of each reading are watched: is it the last one?"""
        layout = self.layout(source, read_as)
        if self.context != OF_FILE:
            self.write(
                watched(read_blocks(source, layout, stream=at_once), True), source, target, through, threads, at_once
            )
            return
        with readings(source, layout.pieces) as reading:
            first = watched(read_blocks(source, layout, data=reading()), False)
            own = self.having_read(first, through, threads)
            second = watched(read_blocks(source, layout, data=reading()), True)
            own.write(second, source, target, through, threads)

    def write(
        self, blocks: Iterable[Block], source: str, target: str, through: Through, threads: int, at_once: bool = False
    ) -> None:
        """Writes the tagged blocks of a file to another one; `at_once` lets each piece reach its reader."""
        if self.documents:  # most files are columns, and start sooner without these
            from sstag.corpus.text.saving import save_documents
            from sstag.model.tagged_documents import tagged_documents

            name, extra = display_name(source), self.documents.extra
            found = tagged_documents(self.model, self.question, blocks, name, through, threads, extra, self.context)
            save_documents(found, self.documents, target)
            return
        with output(target) as out:
            for piece in Tagger(self.model, self.question, self.as_json, self.context).texts(blocks, through, threads):
                out.write(piece)
                if at_once:
                    out.flush()
