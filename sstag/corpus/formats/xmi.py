"""UIMA CAS XMI, through dkpro-cassis (the extra `xmi`): a document a file, with TypeSystem.xml beside.

Read are the layers of DKPro: tokens, sentences, and named entities with their `value`, or another layer and feature by
`--key layer=TYPE.FEATURE`. Offsets are units of UTF-16 in the file.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import Document, Span, Spans
from sstag.corpus.text.folders import LONGEST, file_stem, folder_documents, plain_inside, write_folder
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.foundation.errors import ConfigError, DataError, installing
from sstag.foundation.files import contents

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
TOKEN, SENTENCE = SEGMENT + "Token", SEGMENT + "Sentence"
ENTITY, VALUE = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", "value"
ANNOTATION = "uima.tcas.Annotation"
OF_DOCUMENTS = (  # annotations of a document as a whole, which tools write into every file
    "uima.tcas.DocumentAnnotation", "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
)  # fmt: skip
TYPES = "TypeSystem.xml"
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def documents(source: Source) -> Iterator[Document]:
    """The document of a file, or those of a folder."""
    check_cassis()
    if os.path.isdir(source.path):
        for name, files, _ in folder_documents(source.path, source.pieces, source.faults):
            if isinstance(text := files.get(".xmi"), str):
                yield from _document(source, name, text.encode(), os.path.join(source.path, f"{name}.xmi"))
        return
    name = os.path.splitext(os.path.basename(source.path))[0]
    yield from _document(source, name, b"".join(source.pieces), source.path)


def check_cassis() -> None:
    """An error that says how to install what reads these files, if it is not there."""
    try:
        import cassis  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"XMI is read and written by dkpro-cassis: {installing('xmi')}") from error


def _document(source: Source, name: str, data: bytes, path: str) -> Iterator[Document]:
    from cassis import load_cas_from_xmi

    folder = os.path.dirname(path)
    try:
        beside = os.path.exists(os.path.join(folder, TYPES)) or not os.path.isdir(source.path)
        types = _types(folder if beside else source.path)
        try:
            cas = load_cas_from_xmi(BytesIO(data), typesystem=types, lenient=True)
        except Exception as error:  # whatever lxml and cassis raise of a file that is none
            raise DataError(f"cannot be read as XMI: {error}", path) from error
        made = document_of_cas(cas, name, source.options.keys.get("layer"), path)
    except DataError as error:
        source.faults.found(error, path.encode())
    else:
        yield made


def _types(folder: str) -> "TypeSystem":
    from cassis import load_typesystem

    path = os.path.join(folder, TYPES)
    data = contents(plain_inside(path, folder or os.curdir), LONGEST)
    try:
        return load_typesystem(BytesIO(data))
    except Exception as error:
        raise DataError(f"cannot be read as types of UIMA: {error}", path) from error


def document_of_cas(cas: "Cas", name: str, layer: str | None, path: str) -> Document:
    """The document of a CAS: its text, tokens, sentences, and the spans of a layer."""
    layer_name, _, feature = layer.rpartition(".") if layer else (ENTITY, "", VALUE)
    text = cas.sofa_string or ""
    known = {kind.name for kind in cas.typesystem.get_types()}
    if layer_name not in known:
        raise DataError(f"there is no layer '{layer_name}' (--key layer=TYPE.FEATURE names another)", path)
    spans = []
    for one in cas.select(layer_name):
        if not 0 <= one.begin < one.end <= len(text):
            raise DataError(f"{layer_name} at {one.begin}–{one.end} is no span of the text", path)
        spans.append(Span(one.begin, one.end, (str(getattr(one, feature, None) or ""),)))
    tokens = [(one.begin, one.end) for one in cas.select(TOKEN)] if TOKEN in known else []
    starts = [one.begin for one in cas.select(SENTENCE)] if SENTENCE in known else []
    spans.sort(key=lambda span: (span.start, span.stop))
    known_layers = (layer_name, TOKEN, SENTENCE, *OF_DOCUMENTS)
    others = (one.type.name for one in cas.select(ANNOTATION) if one.type.name not in known_layers)
    unread = Counter(f"annotations of the layer {name.rpartition('.')[2]}" for name in others)
    bounds = sorted(tokens) or None, sorted(starts) or None
    return Document(name, text, (Spans(tuple(spans)),), 1, *bounds, unread=unread)


def to_folder(documents: Iterable[Document], target: str, lost: Lost) -> None:
    """Writes a file for each document, and the types of all."""
    check_cassis()
    taken = set[str]()

    def files() -> Iterator[Mapping[str, bytes]]:
        types = _made_types()
        yield {TYPES: types.to_xml().encode()}
        for document in documents:
            yield {f"{file_stem(document.id, taken, lost)}.xmi": _xmi(document, types, lost)}

    write_folder(target, files())


def _made_types() -> "TypeSystem":
    from cassis import TypeSystem

    types = TypeSystem()
    types.create_type(name=TOKEN, supertypeName=ANNOTATION)
    types.create_type(name=SENTENCE, supertypeName=ANNOTATION)
    entity = types.create_type(name=ENTITY, supertypeName=ANNOTATION)
    types.create_feature(domainType=entity, name=VALUE, rangeType="uima.cas.String")
    return types


def _xmi(document: Document, types: "TypeSystem", lost: Lost) -> bytes:
    from cassis import Cas

    spans = plain_spans(document, lost)
    for text in (document.text, *(span.labels[0] for span in spans)):
        if found := NO_XML.search(text):
            raise DataError(f"document '{document.id}' has the character U+{ord(found[0]):04X}, which XML cannot hold")
    whole = tokenized(document, TextOptions())
    assert whole.tokens is not None
    assert whole.starts is not None
    cas = Cas(types)
    cas.sofa_string, cas.sofa_mime = document.text, "text/plain"
    token, sentence, entity = (types.get_type(name) for name in (TOKEN, SENTENCE, ENTITY))
    cas.add_all([token(begin=start, end=stop) for start, stop in whole.tokens])
    bounds = [*whole.starts, len(document.text)]
    cas.add_all([sentence(begin=a, end=b) for a, b in pairwise(bounds) if a < b])
    cas.add_all([entity(begin=span.start, end=span.stop, value=span.labels[0]) for span in spans])
    return str(cas.to_xmi()).encode()


XMI = SpanFormat("UIMA CAS XMI", documents, folder=to_folder, only_folders=True)
