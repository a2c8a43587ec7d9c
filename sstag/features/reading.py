"""Template files, in YAML or as CRF++ writes them, read as a `Template`; their first line tells which they are."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from sstag.features import crfpp
from sstag.features.clusters import Clusters, read_clusters
from sstag.features.encoders.settings import Settings, encoders_in
from sstag.features.grammar import features_or_dense
from sstag.features.lexicon import Lexicon, read_lexicon
from sstag.features.shipped import shipped_names, template_path
from sstag.features.template import (
    BY_SHARE,
    Clustered,
    Dense,
    Edges,
    Feature,
    Likeness,
    Listed,
    Near,
    Similar,
    Template,
)
from sstag.foundation.documents import Document, load_text
from sstag.foundation.errors import ConfigError, DataError, ModelError, nearest
from sstag.foundation.files import display_name
from sstag.foundation.json_values import Json
from sstag.foundation.registry import Where, registered

if TYPE_CHECKING:  # they need numpy, and most templates are read without
    from sstag.features.dense_sources import Encoder, Vectors

MOST = 10_000  # features of a template
PAIRS = ("observed", "all")
KEEPING = ("all", "seen", "file")
LARGEST_SCALE = 1000.0
AUTO = "auto"
VOCABULARIES = ("labelled", "all")
# They decide which weights there are, how large dense numbers are, and what a model keeps.
CHOICES = ("edge_pairs", "minimum_count", "pairs", "vocabulary", "scale", "vectors_kept")
KEYS = ("columns", "label", "features", "edges", "encoders", *CHOICES)
EDGE_WORDS = ("labels", "begin", "end")
READ_NEAR = Where[Callable[[Likeness, str, str], Near]]("sstag.features.words.prototypes:read_near")
OPEN_ENCODER = Where[Callable[[Settings, str], "Encoder"]]("sstag.features.encoders.token_vectors:opened")
OPEN_VECTORS = Where[Callable[[str], "Vectors"]]("sstag.features.words.vector_files:opened")
NO_PREDICTIONS = Where[Callable[[int], "Vectors"]]("sstag.features.predictions:no_counts")
NO_ENCODERS: Mapping[str, Settings] = MappingProxyType({})
CRFPP_LINE = re.compile(r"[UB]")


def not_predicted_yet(name: str) -> "Vectors":
    """The numbers of `predicted(…)` before a first model has read a text: none."""
    return registered(NO_PREDICTIONS)(0)


@dataclass(frozen=True)
class Sources:
    """Functions that read the files that a template names: lexica, prototypes, vectors and clusters.

    What a first model predicts is no file: a template knows nothing of it until that model is trained.
    """

    lexicon: Callable[[str], Lexicon]
    near: Callable[[Likeness], Near]
    vectors: Callable[[str], "Vectors"]
    encoder: Callable[[str, Settings], "Encoder"]
    clusters: Callable[[str], Clusters]
    predicted: Callable[[str], "Vectors"] = not_predicted_yet

    def added(
        self, features: Iterable[Feature | Dense], to: Template, named: Mapping[str, Settings] = NO_ENCODERS
    ) -> Template:
        """The template with the contents of the files that these features look into."""
        lexica, similar, vectors, encoders = dict(to.lexica), dict(to.similar), dict(to.vectors), dict(to.encoders)
        clusters = dict(to.clusters)
        for feature in features:
            if isinstance(feature, Dense):
                if feature.source is None:
                    if feature.table not in named:
                        hint = nearest(feature.table, named) if named else ": the template names none (encoders: …)"
                        raise ConfigError(f"there is no encoder '{feature.table}'{hint}")
                    if feature.table not in encoders:
                        encoders[feature.table] = self.encoder(feature.table, named[feature.table])
                elif feature.predicted:
                    vectors[feature.table] = vectors.get(feature.table) or self.predicted(feature.table)
                else:
                    vectors[feature.table] = vectors.get(feature.table) or self.vectors(feature.table)
                continue
            for term in feature.terms:
                if isinstance(term, Listed) and term.lexicon not in lexica:
                    lexica[term.lexicon] = self.lexicon(term.lexicon)
                if isinstance(term, Similar) and term.of not in similar:
                    similar[term.of] = self.near(term.of)
                if isinstance(term, Clustered) and term.clusters not in clusters:
                    clusters[term.clusters] = self.clusters(term.clusters)
        return replace(to, lexica=lexica, similar=similar, vectors=vectors, encoders=encoders, clusters=clusters)


def load_template(given: str) -> Template:
    """The template in a file, or the one of sstag that has this name, with the files that it names."""
    path = template_path(given)
    if path != given:
        return replace(template(load_text(path), path), shipped=given)
    try:
        return template(load_text(path), path)
    except (ConfigError, DataError) as error:
        if given not in shipped_names():
            raise
        hint = f"'{given}' is a file here; `sstag template {given} -o {given}.yaml` writes the template of this name"
        raise ConfigError(f"{error.message} ({hint})", error.path, error.line) from error


def template(text: str, path: str, sources: Sources | None = None, said: Json = None) -> Template:
    """The template in a text; the files that it names are looked for beside `path`, unless there are other sources.

    Where it is known what the text says, as models know it, YAML is not needed: to import it takes as long as to tag
    some hundred sentences.
    """
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if said is None and CRFPP_LINE.match(first):
        result = crfpp.template(text, display_name(path))
    else:
        document = Document(said, {}, display_name(path)) if said is not None else _parsed(text, path)
        result = replace(_from_document(document, sources or beside(path)), said=document.data)
    if len(result.features) + len(result.dense) + len(result.edges.features) > MOST:
        raise ConfigError(f"more than {MOST} features", display_name(path))
    return replace(result, text=text)


def _parsed(text: str, path: str) -> Document:
    from sstag.foundation.strict_yaml import parsed

    return parsed(text, display_name(path))


def _from_document(document: Document, sources: Sources) -> Template:
    data = document.mapping(KEYS)
    columns = tuple(document.texts("columns"))
    if not columns:
        raise document.error("a template needs the names of the columns", "columns")
    label = document.text("label")
    label = columns[-1] if label is None else label
    if label not in columns:
        raise document.error(f"label: there is no column '{label}'{nearest(label, columns)}", "label")
    if len(set(columns)) < len(columns):
        raise document.error("a column name stands twice", "columns")

    read, encoders = Template(columns, label, ()), encoders_in(document, columns, label)

    def line_features(line: str) -> list[Feature | Dense]:
        nonlocal read
        here = features_or_dense(line, columns, label)
        read = sources.added(here, read, encoders)
        return here

    def line_steps(line: str) -> list[Feature | Dense]:
        nonlocal read
        here = features_or_dense(line, columns, label)
        if dense := next((one for one in here if isinstance(one, Dense)), None):
            raise ConfigError(f"{dense.name} is numbers: edges have none")
        read = sources.added(here, read)
        return here

    _, unary = _features(document, "features", columns, line_features)
    if not unary:
        raise document.error("no feature in it", "features")
    if unused := [name for name in encoders if name not in read.encoders]:
        raise document.error(f"no feature looks at the encoder '{unused[0]}': encoded({unused[0]}[0])", "encoders")
    words: set[str] = set(EDGE_WORDS)
    steps: list[Feature | Dense] = []
    if "edges" in data:
        words, steps = _features(document, "edges", columns, line_steps, EDGE_WORDS)
    edges = Edges("labels" in words, "begin" in words, "end" in words, _sparse(steps))
    dense = tuple(one for one in unary if isinstance(one, Dense))
    return chosen(replace(read, features=_sparse(unary), dense=dense, edges=edges), document)


def _sparse(features: Iterable[Feature | Dense]) -> tuple[Feature, ...]:
    return tuple(one for one in features if isinstance(one, Feature))


def chosen(template: Template, document: Document) -> Template:
    """The template with the `CHOICES` that a document makes."""
    return replace(
        template,
        edge_pairs=document.choice("edge_pairs", PAIRS) or template.edge_pairs,
        minimum_count=_minimum_count(document, template),
        pairs=document.choice("pairs", PAIRS) or template.pairs,
        vocabulary=document.choice("vocabulary", VOCABULARIES) or template.vocabulary,
        scale=_scale(document, template),
        vectors_kept=_keeping(document, template),
    )


def _minimum_count(document: Document, template: Template) -> int:
    """How often an attribute must occur: a whole number, or `auto`."""
    said = document.get("minimum_count")
    if said is None:
        return template.minimum_count
    return BY_SHARE if said == AUTO else document.count("minimum_count", template.minimum_count, f" or {AUTO}")


def _scale(document: Document, template: Template) -> float | None:
    """The scale of dense features that say none."""
    scale = document.get("scale")
    if scale is None:
        return template.scale
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale <= LARGEST_SCALE:
        raise document.error(f"scale: a number above 0 and up to {LARGEST_SCALE:g}, such as 0.3", "scale")
    if all(one.scale is not None for one in template.dense):
        raise document.error("scale: is for vector(...) and encoded(...) that say none, and there is none", "scale")
    return float(scale)


def _keeping(document: Document, template: Template) -> str:
    """How a model has the vectors of words."""
    keeping = document.choice("vectors_kept", KEEPING)
    if keeping and not template.vectors:
        raise document.error("vectors_kept: is for vector(...), and no feature is one", "vectors_kept")
    composed = next((path for path, one in template.vectors.items() if keeping == KEEPING[0] and one.composes), None)
    if composed:
        raise document.error(
            f"vectors_kept: {composed} makes vectors of any word, and a model cannot keep all of them: seen or file",
            "vectors_kept",
        )
    return keeping or template.vectors_kept


def _features(
    document: Document,
    key: str,
    columns: tuple[str, ...],
    line_features: Callable[[str], list[Feature | Dense]],
    words: tuple[str, ...] = (),
) -> tuple[set[str], list[Feature | Dense]]:
    """The words that a list has, and the features that its other lines stand for; a feature given twice is an error."""
    seen: set[str] = set()
    made: list[Feature | Dense] = []
    for index, line in enumerate(document.texts(key)):
        names = [line]
        if line not in words:
            if words and line.isidentifier() and line not in columns:
                raise document.error(f"{line}: no such edges{nearest(line, words)}", key, index)
            try:
                here = line_features(line)
            except ConfigError as error:
                raise document.error(error.message, key, index) from error
            except (DataError, ModelError) as error:
                raise document.error(f"{line}: {error}", key, index) from error
            names = list(dict.fromkeys(feature.name for feature in here))
            made += here
        for name in names:
            if name in seen:
                raise document.error(f"{line}: '{name}' stands here twice", key, index)
            seen.add(name)
        if len(made) > MOST:
            raise document.error(f"more than {MOST} features", key, index)
    return seen.intersection(words), made


def beside(path: str) -> Sources:
    """Sources that read files from the folder of a file which names them."""
    folder = os.path.dirname(path) or os.curdir

    def near(of: Likeness) -> Near:
        read = registered(READ_NEAR)  # it needs numpy, and most templates are read without
        return read(of, os.path.join(folder, of.prototypes), os.path.join(folder, of.vectors))

    def vectors(name: str) -> "Vectors":
        return registered(OPEN_VECTORS)(os.path.join(folder, name))

    def encoder(name: str, settings: Settings) -> "Encoder":
        return registered(OPEN_ENCODER)(settings, folder)

    def clusters(name: str) -> Clusters:
        return read_clusters(os.path.join(folder, name))

    return Sources(lambda name: read_lexicon(os.path.join(folder, name)), near, vectors, encoder, clusters)
