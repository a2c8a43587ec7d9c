"""Facts about a model in words: its size, and how it was trained."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sstag.features.predictions import LabelCounts
from sstag.foundation.display import first_of
from sstag.foundation.errors import counted
from sstag.labels.schemes.rules import scheme_name

if TYPE_CHECKING:
    from sstag.model.model import About, Model

FEW_LABELS = 12  # that are shown unless all are asked for
PARTS = {
    "unary": "of attributes",
    "steps": "of steps",
    "begin": "of first labels",
    "end": "of last labels",
    "edge": "of attributes of steps",
    "dense": "of numbers",
}
LEARNED_FROM = ("train", "unlabeled")
BEFOREHAND = ("labelled features", "sentence weights")  # what a training of any method can have


def in_a_line(model: "Model") -> str:
    """The method, the labels, the size of a model, and how many sentences it learned from."""
    about = model.about
    scheme = "plain" if model.scheme == "plain" else scheme_name(model.scheme)
    sizes = [
        counted(len(model.labels), f"{scheme} label"),
        counted(model.unary.size + model.edge.size, "attribute"),
        counted(model.weight_map.size, "weight"),
        *(f"{name} {counted(of['sentences'], 'sentence')}" for name, of in _data(model) if name in LEARNED_FROM),
    ]
    return f"<Model {about.get('method', model.kind)}: {', '.join(sizes)}>"


def facts(model: "Model", more: str | None) -> Iterator[tuple[str, str]]:
    """Names and values; of many labels the first, followed by `more`, or all if it is None."""
    about, labels = model.about, model.labels
    weights = ", ".join(f"{count:,} {PARTS[kind]}" for kind, count in model.weight_map.sizes.items() if count)
    yield "columns", ", ".join(model.template.columns or ())
    shown = labels if more is None or len(labels) <= FEW_LABELS else [*labels[:FEW_LABELS], more]
    yield "labels", f"{len(labels):,}   {' '.join(shown)}"
    yield "scheme", scheme_name(model.scheme)
    yield "attributes", f"{model.unary.size + model.edge.size:,}"
    yield "weights", f"{model.weight_map.size:,}   ({weights}; {int((model.theta == 0).sum()):,} are 0)"
    for name, vectors in model.template.vectors.items():
        if isinstance(vectors, LabelCounts):
            counts = vectors.under or vectors
            yield "predicted", f"{name.partition('(')[2].removesuffix(')')}   ({counted(len(counts.rows), 'value')})"
        else:
            yield "vectors", f"{name}   (sha256 {vectors.digest[:12]}…)"
    for name, encoder in model.template.encoders.items():
        yield "encoder", f"{name}   ({encoder.digest[:12]}…, as in `sstag cache`)"
    if isinstance(trained := about.get("encoder training"), dict):
        yield "trained", _said(trained)
    if model.biases is not None:
        biased = [f"{label} {bias:+.2f}" for label, bias in zip(labels, model.biases.tolist(), strict=True) if bias]
        yield "biases", first_of(biased, FEW_LABELS)
    if "method" in about:
        parameters = dict(about.get("parameters", {}))
        objectives = parameters.pop("objectives", None)
        way = [about["method"], *(name for name in BEFOREHAND if name in about)]
        way += [f"ambiguous {about['ambiguous']}"] if "ambiguous" in about else []
        yield "method", f"{', '.join(way)}   ({_said(parameters)}, seed {about.get('seed', 'unknown')})"
        if objectives:
            yield "objectives", _said(objectives)
        for name, stage in (("first look", model.first), ("training", model)):
            if stage:
                iterations = f"{stage.about['iterations']:,} iterations; " if "iterations" in stage.about else ""
                yield name, f"{iterations}{stage.about.get('reason', '')}"
    for name, data in _data(model):
        digest = f"   (sha256 {data['sha256'][:12]}…)" if data["sha256"] else ""  # of files alone
        yield name, f"{counted(data['sentences'], 'sentence')}, {counted(data['tokens'], 'token')}{digest}"
    if "template" in about:
        yield "template", f"sha256 {about['template'][:12]}…"
    if "init" in about:
        yield "init", f"weights of an earlier model (sha256 {about['init'][:12]}…)"


def _data(model: "Model") -> "list[tuple[str, About]]":
    """The texts that it learned from or was judged by: train, labelled by features, dev."""
    return sorted(model.about.get("data", {}).items(), reverse=True)


def _said(value: object) -> str:
    """Settings in one line, whatever they are: `entropy (gamma 0.1, per token)`."""
    if isinstance(value, dict):
        parts = {name: f"({_said(one)})" if isinstance(one, dict) else _said(one) for name, one in value.items()}
        return ", ".join(f"{name} {text}" for name, text in parts.items())
    return " + ".join(map(_said, value)) if isinstance(value, list) else str(value)
