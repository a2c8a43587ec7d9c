"""Template files, YAML or CRF++, told apart by their first line → `Template`."""

import os
import re
from dataclasses import replace

from sstag import crfpp
from sstag.errors import ConfigError, nearest
from sstag.feature_grammar import features
from sstag.files import display_name
from sstag.lexicon import read_lexicon
from sstag.settings import Document, load_text, parsed
from sstag.template import Edges, Feature, Listed, Template

MOST = 10_000  # features of a template
PAIRS = ("observed", "all")
VOCABULARIES = ("labelled", "all")
KEYS = ("columns", "label", "features", "edges", "edge_pairs", "minimum_count", "pairs", "vocabulary")
EDGE_WORDS = ("labels", "begin", "end")
CRFPP_LINE = re.compile(r"[UB]")


def load_template(path: str) -> Template:
    """The template in a file, with its lexica."""
    return template(load_text(path), path)


def template(text: str, path: str) -> Template:
    """The template in a text; its lexica are looked for beside `path`."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if CRFPP_LINE.match(first):
        result = crfpp.template(text, display_name(path))
    else:
        result = _from_document(parsed(text, display_name(path)))
    if len(result.features) + len(result.edges.features) > MOST:
        raise ConfigError(f"more than {MOST} features", display_name(path))
    return replace(result, lexica=_lexica(result, os.path.dirname(path)))


def _from_document(document: Document) -> Template:
    data = document.mapping(KEYS)
    columns = tuple(document.texts("columns"))
    if not columns:
        raise document.error("a template needs the names of the columns", "columns")
    label = document.text("label") or columns[-1]
    if label not in columns:
        raise document.error(f"label: there is no column '{label}'{nearest(label, columns)}", "label")
    if len(set(columns)) < len(columns):
        raise document.error("a column name stands twice", "columns")

    def lines(key: str) -> list[tuple[str, list[Feature]]]:
        """The entries of a list with the features each stands for."""
        result = []
        for index, line in enumerate(document.texts(key)):
            try:
                plain = key == "edges" and line in EDGE_WORDS
                result.append((line, [] if plain else features(line, columns, label)))
            except ConfigError as error:
                raise document.error(error.message, key, index) from error
        return result

    edges = lines("edges") if "edges" in data else [(word, []) for word in EDGE_WORDS]
    words = [line for line, made in edges if not made]
    return Template(
        columns=columns,
        label=label,
        features=_distinct(document, "features", lines("features")),
        edges=Edges(
            labels="labels" in words,
            begin="begin" in words,
            end="end" in words,
            features=_distinct(document, "edges", edges),
        ),
        edge_pairs=document.choice("edge_pairs", PAIRS) or "all",
        minimum_count=document.count("minimum_count", 1),
        pairs=document.choice("pairs", PAIRS),
        vocabulary=document.choice("vocabulary", VOCABULARIES),
    )


def _distinct(document: Document, key: str, lines: list[tuple[str, list[Feature]]]) -> tuple[Feature, ...]:
    seen: dict[Feature, None] = {}
    for index, (line, made) in enumerate(lines):
        for feature in made:
            if feature in seen:
                raise document.error(f"{line}: '{feature.literals[0].rstrip('=')}' stands here twice", key, index)
            seen[feature] = None
    return tuple(seen)


def _lexica(made: Template, folder: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    names = {
        term.lexicon
        for feature in (*made.features, *made.edges.features)
        for term in feature.terms
        if isinstance(term, Listed)
    }
    return {name: read_lexicon(os.path.join(folder, name)) for name in sorted(names)}
