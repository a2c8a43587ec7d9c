"""Models as files: what a tagger needs and nothing else, in an archive (`archive.py`).

The template is kept as the text it was written in, with what YAML reads there and its lexica beside it, and goes
through the same parser of features as any other; everything that is derived from it and from the arrays is made anew.
There is no time, path or thread count in it: the same training gives the same bytes.
"""

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sstag.features.clusters import Clusters
from sstag.features.dense import Standard, scaled
from sstag.features.dense_sources import Encoder, Vectors
from sstag.features.encoders.settings import Settings
from sstag.features.lexicon import Lexicon, lexicon_bytes, lexicon_entries
from sstag.features.predictions import LabelCounts, counts_in, counts_out, no_counts
from sstag.features.reading import PAIRS, VOCABULARIES, Sources, template
from sstag.features.template import Edges, Likeness, Near, Template
from sstag.features.words.cluster_arrays import clusters_in, clusters_out
from sstag.features.words.named_vectors import vectors_in, vectors_out
from sstag.features.words.vector_files.contract import MOST_DIMENSIONS
from sstag.foundation.archive import Archive, bytes_array, write_archive
from sstag.foundation.arrays import Array, Bytes, Floats
from sstag.foundation.description import Description
from sstag.foundation.errors import DataError, ModelError, SstagError
from sstag.foundation.json_values import Json
from sstag.foundation.replacing import Place
from sstag.labels.label_sets import MOST_LABELS
from sstag.labels.schemes.rules import SCHEMES
from sstag.model.model import KINDS, About, Model
from sstag.model.vocabulary_file import vocabulary_in, vocabulary_out
from sstag.model.weight_map import WeightMap

if TYPE_CHECKING:
    from sstag.knowledge.rules import Rules

FORMAT = "sstag model"
VERSION = 1
NAME = "the template in this model"
RULES = "the rules in this model"

SHA256 = re.compile(r"[0-9a-f]{64}")
ABOUT = {
    "method": str,
    "reason": str,
    "iterations": int,
    "parameters": dict,
    "data": dict,
    "seed": int,
    "template": str,
    "ambiguous": str,
    "init": str,
}
ORIGIN = {"sha256": str, "sentences": int, "tokens": int}
DEEPEST = 6
FIRST = "first_"  # begins the names of the arrays of a first stage


def save(model: Model, path: str, place: Place | None = None) -> None:
    """Writes a model, whole or not at all, to the place kept for it if there is one; the same model, the same bytes."""
    document, arrays = _contents(model)
    if model.first:
        document["first"], own = _contents(model.first)
        arrays |= {f"{FIRST}{name}": array for name, array in own.items()}
    write_archive(path, document, arrays, load, place)


def _contents(model: Model) -> tuple[dict[str, Json], dict[str, Array]]:
    """A model as a document and arrays, without its first stage."""
    how = model.template
    vocabularies: dict[str, Json] = {}
    arrays: dict[str, Array] = {}
    for name, vocabulary, weights in (
        ("unary", model.unary, model.weight_map.unary),
        ("edge", model.edge, model.weight_map.edge),
    ):
        vocabularies[name], own = vocabulary_out(vocabulary, weights)
        arrays |= {f"{name}_{key}": array for key, array in own.items()}
    document: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "labels": list(model.labels),
        "columns": list(how.columns or ()),
        "label": how.label,
        "scheme": model.scheme,
        "kind": model.kind,
        "template": how.text,
        **({} if how.said is None else {"template_says": how.said}),
        "features": list(range(len(how.features)) if how.kept is None else how.kept),
        "label_steps": how.edges.labels,
        "step_features": bool(how.edges.features),
        "minimum_count": how.minimum_count,
        "edge_pairs": how.edge_pairs,
        "pairs": how.pairs,
        "vocabulary": how.vocabulary,
        "lexica": list(how.lexica),
        **({"similar": [of.name for of in how.similar]} if how.similar else {}),
        **_dense_out(how),
        **({"scales": [one.scale for one in model.weight_map.dense]} if how.dense else {}),
        **({"clusters": list(how.clusters)} if how.clusters else {}),
        **({"predicted": list(how.predicted)} if how.predicted else {}),
        "begin": model.weight_map.begin,
        "end": model.weight_map.end,
        "vocabularies": vocabularies,
        "about": model.about,
    }
    if model.rules:
        document["rules"] = {"text": model.rules.text, "penalties": model.rules.penalties, "beam": model.beam}
    arrays |= {f"lexicon_{i}": bytes_array(lexicon_bytes(entries)) for i, entries in enumerate(how.lexica.values())}
    if how.similar:
        from sstag.features.words.prototypes import near_out

        for i, near in enumerate(how.similar.values()):
            arrays |= near_out(f"similar_{i}", near)
    for i, standard in enumerate(model.weight_map.dense):
        arrays |= {f"dense_mean_{i}": standard.mean, f"dense_factor_{i}": standard.factor}
    _, kept = vectors_out(_in_files(how))
    arrays |= kept
    for i, name in enumerate(how.predicted):
        counts = how.vectors[name]
        assert isinstance(counts, LabelCounts)
        arrays |= counts_out(f"predicted_{i}", counts)
    arrays |= {f"trained_{i}": one.trained for i, one in enumerate(how.encoders.values()) if one.trained is not None}
    for i, one in enumerate(how.clusters.values()):
        arrays |= clusters_out(f"clusters_{i}", one)
    if model.biases is not None:
        document["biases"] = True
        arrays["biases"] = model.biases
    arrays |= {"steps": model.weight_map.steps.astype(np.uint8), "theta": model.theta}
    return document, arrays


def load(path: str) -> Model:
    """The model in a file; a file that is none, or not whole, is a `ModelError`."""
    archive = Archive(path, "an sstag model")
    archive.expect(FORMAT, VERSION)
    first = _model(archive.inner("first", FIRST)) if "first" in archive.document else None
    model = _model(archive)
    if bool(model.template.predicted) != (first is not None) or (first and first.labels != model.labels):
        raise archive.damaged("its stages do not fit together")
    return replace(model, first=first)


def _model(archive: Archive) -> Model:
    """A model without its first stage."""
    take = Description(archive)
    labels = tuple(take.texts("labels"))
    if not 1 <= len(labels) <= MOST_LABELS or len(set(labels)) < len(labels):
        raise archive.damaged("its labels cannot be")
    scheme, kind = take.of("scheme", str), take.of("kind", str)
    if scheme not in SCHEMES or kind not in KINDS:
        raise archive.damaged("its scheme or kind cannot be")
    how = _template(take)
    unary, pairs = vocabulary_in(archive, "unary", how.features, len(labels), steps=False)
    edge, edge_pairs = vocabulary_in(archive, "edge", how.edges.features, len(labels) ** 2, steps=True)
    how = replace(how, features=unary.features, edges=replace(how.edges, features=edge.features))
    steps = archive.array("steps", "|u1", 2)
    theta = archive.array("theta", "<f8")
    if steps.shape != (len(labels), len(labels)) or steps.max() > 1:
        raise archive.damaged("its steps between labels cannot be")
    dense = _standards(take, how)
    how = scaled(how, dense)
    weight_map = WeightMap(pairs, steps.astype(bool), how.edges.begin, how.edges.end, edge_pairs, dense)
    if theta.shape != (weight_map.size,) or not np.isfinite(theta).all():
        raise archive.damaged("its weights cannot be")
    rules, beam = _rules(take, how, labels)
    biases = _biases(archive, labels)
    return Model(how, labels, unary, edge, weight_map, theta, scheme, kind, _about(take), rules, beam, biases)


def _biases(archive: Archive, labels: tuple[str, ...]) -> Floats | None:
    """The biases of labels, if the model has any."""
    if "biases" not in archive.document:
        return None
    biases = archive.array("biases", "<f8")
    if biases.shape != (len(labels),) or not np.isfinite(biases).all():
        raise archive.damaged("the biases of its labels cannot be")
    return biases


def _dense_out(how: Template) -> dict[str, Json]:
    """The files of vectors and the encoders that the model needs, by name and content."""
    files, _ = vectors_out(_in_files(how))
    encoders: list[Json] = [
        {
            "name": name,
            "sha256": one.base,
            "dimensions": one.dimensions,
            **({"trained": True} if one.trained is not None else {}),
        }
        for name, one in how.encoders.items()
    ]
    return {**({"vectors": files} if files else {}), **({"encoders": encoders} if encoders else {})}


def _in_files(how: Template) -> dict[str, Vectors]:
    """The vectors that come from files."""
    return {name: one for name, one in how.vectors.items() if not isinstance(one, LabelCounts)}


def _standards(take: Description, how: Template) -> tuple[Standard, ...]:
    """How the numbers of each dense feature are standardised."""
    archive, found = take.archive, []
    scales = take.of("scales", list) if how.dense else []
    if len(scales) != len(how.dense) or any(type(one) is not float or not 0 < one < math.inf for one in scales):
        raise archive.damaged("the scales of its numbers cannot be")
    for i, (feature, scale) in enumerate(zip(how.dense, scales, strict=True)):
        mean, factor = archive.array(f"dense_mean_{i}", "<f8"), archive.array(f"dense_factor_{i}", "<f8")
        of: Vectors | Encoder
        of = how.vectors[feature.table] if feature.source else how.encoders[feature.table]
        if len(mean) != len(factor) or len(mean) != of.dimensions or not np.isfinite([mean, factor]).all():
            raise archive.damaged(f"its numbers for {feature.name} cannot be")
        found.append(Standard(mean, factor, scale))
    return tuple(found)


def _vectors(take: Description) -> dict[str, Vectors]:
    """The vectors of words that the model has, by the name that its template has for them."""
    said = take.of("vectors", list) if "vectors" in take.archive.document else []
    keeps = [type(one) is dict and one.get("kept") is True for one in said]
    needed = enumerate(_needed(take, "vectors").items())
    return {name: vectors_in(take.archive, i, name, *one, keeps[i]) for i, (name, one) in needed}


def _needed(take: Description, what: str) -> dict[str, tuple[str, int]]:
    """The digest and the dimensions of all vectors of a kind that the model needs, by their names."""
    found = {}
    for one in take.of(what, list) if what in take.archive.document else ():
        said = Description(take.archive, one if type(one) is dict else {})
        digest, dimensions = said.of("sha256", str), said.of("dimensions", int)
        if not 1 <= dimensions <= MOST_DIMENSIONS or not SHA256.fullmatch(digest):
            raise take.archive.damaged(f"its {what} cannot be")
        found[said.of("name", str)] = digest, dimensions
    return found


def _trained(take: Description) -> dict[str, Bytes]:
    """The trained weights of encoders, by their names."""
    said = take.of("encoders", list) if "encoders" in take.archive.document else []
    found: dict[str, Bytes] = {}
    for i, one in enumerate(said):
        if type(one) is dict and one.get("trained") is True:
            from sstag.features.encoders.trained_weights import TrainedWeights

            found[str(one.get("name"))] = content = take.archive.array(f"trained_{i}", "|u1")
            try:
                _ = TrainedWeights(content, take.archive.path).changed
            except DataError as error:
                raise take.archive.damaged(error.message) from error
    return found


def _rules(take: Description, how: Template, labels: tuple[str, ...]) -> "tuple[Rules | None, int]":
    """The rules that the model labels by, if it has any, and its beam."""
    archive = take.archive
    if "rules" not in archive.document:
        return None, 1
    from sstag.knowledge.rule_costs import WIDEST_BEAM, refuse_many
    from sstag.knowledge.rules import rules_in

    said = Description(archive, take.of("rules", dict))
    costs, beam = said.of("penalties", list), said.of("beam", int)
    try:
        rules = rules_in(said.of("text", str), RULES, how)
        refuse_many(rules, labels)
    except SstagError as error:
        raise archive.damaged(f"its rules cannot be read: {error}") from error
    known = [type(cost) is float and math.isfinite(cost) and cost >= 0 for cost in costs]
    if len(costs) != len(rules.rules) or not all(known) or not 1 <= beam <= WIDEST_BEAM:
        raise archive.damaged("what its rules cost cannot be")
    return rules.with_penalties(costs), beam


def _about(take: Description) -> About:
    """How the model was trained: whatever a method says, but what others read is of its type."""
    about = take.of("about", dict)
    wrong = [key for key, kind in ABOUT.items() if key in about and type(about[key]) is not kind]
    origins = about.get("data", {})
    if wrong or not _is_shallow(about, DEEPEST):
        raise take.archive.damaged("what it says of its training cannot be")
    for name in origins:
        origin = Description(take.archive, origins[name] if type(origins[name]) is dict else {})
        for key, kind in ORIGIN.items():
            origin.of(key, kind)
    return about


def _is_shallow(value: object, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    return depth > 0 and all(
        _is_shallow(item, depth - 1) for item in (value.values() if type(value) is dict else value)
    )


def _similar(archive: Archive, names: list[str]) -> dict[str, Near]:
    """The prototypes that words are similar to, by the name of the comparison."""
    from sstag.features.words.prototypes import near_in

    return {name: near_in(archive, f"similar_{i}") for i, name in enumerate(names)}


def _template(take: Description) -> Template:
    """The template that the model was trained with."""
    archive = take.archive
    names = take.texts("lexica")
    lists = {name: archive.array(f"lexicon_{i}", "|u1") for i, name in enumerate(names)}

    def entries(name: str) -> Lexicon:
        if name not in lists:
            raise archive.damaged(f"the list '{name}' is missing")
        return lexicon_entries(lists[name].tobytes(), name)

    likenesses = _similar(archive, take.texts("similar")) if "similar" in archive.document else {}

    def near(of: Likeness) -> Near:
        if of.name not in likenesses:
            raise archive.damaged(f"the words similar to those in '{of.prototypes}' are missing")
        return likenesses[of.name]

    files = _vectors(take)

    def vectors(name: str) -> Vectors:
        if name not in files:
            raise archive.damaged(f"the vectors of '{name}' are missing")
        return files[name]

    encoders, trained = _needed(take, "encoders"), _trained(take)

    def encoder(name: str, settings: Settings) -> Encoder:
        if name not in encoders:
            raise archive.damaged(f"the encoder '{name}' is missing")
        from sstag.features.encoders.token_vectors import promised

        return promised(settings, *encoders[name], archive.path, trained.get(name))

    named = take.texts("clusters") if "clusters" in archive.document else []
    trees = {name: clusters_in(archive, f"clusters_{i}") for i, name in enumerate(named)}

    def clusters(name: str) -> Clusters:
        if name not in trees:
            raise archive.damaged(f"the clusters '{name}' are missing")
        return trees[name]

    tables = take.texts("predicted") if "predicted" in archive.document else []

    def predicted(name: str) -> Vectors:
        if name not in tables:  # a first stage knows nothing of what it is asked itself
            return no_counts(0)
        return counts_in(archive, f"predicted_{tables.index(name)}", len(take.texts("labels")))

    try:
        sources = Sources(entries, near, vectors, encoder, clusters, predicted)
        how = template(take.of("template", str), NAME, sources, archive.document.get("template_says"))
        how = how if tables else how.first_look
        if {*tables} != {*how.predicted}:
            raise archive.damaged("what a first model predicted does not fit its template")
    except ModelError:
        raise
    except SstagError as error:
        raise archive.damaged(str(error)) from error
    kept = tuple(take.counts("features"))
    if any(index >= len(how.features) for index in kept) or len(set(kept)) < len(kept):
        raise archive.damaged("its features cannot be")
    edges = Edges(
        labels=take.of("label_steps", bool),
        begin=take.of("begin", bool),
        end=take.of("end", bool),
        features=how.edges.features if take.of("step_features", bool) else (),
    )
    columns, label = tuple(take.texts("columns")), take.of("label", str)
    if label not in columns or len(set(columns)) < len(columns) or how.columns not in (None, columns):
        raise archive.damaged("its columns cannot be")
    return replace(
        how,
        columns=columns,
        label=label,
        features=tuple(how.features[index] for index in kept),
        kept=kept,
        edges=edges,
        minimum_count=take.of("minimum_count", int),
        edge_pairs=take.one_of("edge_pairs", PAIRS),
        pairs=take.one_of("pairs", (None, *PAIRS)),
        vocabulary=take.one_of("vocabulary", (None, *VOCABULARIES)),
    )
