"""The functions and types of the Python interface, with their signatures, members and docstrings."""

import inspect
import re
from dataclasses import is_dataclass
from textwrap import dedent

import sstag
from sstag.foundation.json_values import Json

EXAMPLE = re.compile(r"^Example:\n((?: {4}.*\n?)+)", flags=re.MULTILINE)
MEMBERS = {  # of types that users get, but do not make: the members that stay, and what they are
    "Corpus": {
        "columns": "the names of its columns",
        "sentences": "how many",
        "tokens": "how many",
        "words": "the texts of a column in one sentence, which is given by its number from 0",
    },
    "Evaluation": {
        "figures": "accuracy of tokens and of sentences; of chunks also precision, recall and F₁, from 0 to 1",
        "totals": "the counts that the figures are made of",
        "by_kind": "for each type of chunk, or plain label, the numbers in gold, found, and right",
        "confusions": "gold and predicted label of wrong tokens, how often, and the first such token",
    },
    "FoundChunk": {
        "first": "the place of its first token in the sentence, from 0",
        "stop": "the place after its last token",
        "type": "its type, such as LOC",
        "confidence": "the probability that exactly this chunk is there",
    },
    "FoundSpan": {
        "start": "the place of its first character in the text, from 0, as Python counts characters",
        "end": "the place after its last character",
        "label": "its label, such as LOC",
        "text": "its characters",
        "probability": "the probability that exactly this span is there, with `confidence=True`; else None",
    },
    "Model": {
        "labels": "its labels",
        "scheme": "the scheme of its labels, such as iob2; plain if they have none",
        "template": "its template",
        "about": "a report of its training, as JSON values",
    },
    "Progress": {
        "iteration": "its number",
        "objective": "its value",
        "gradient_norm": "the length of the gradient; None after a pass of stochastic gradient",
        "seconds": "since training began",
        "score": "on development data: F₁ of chunks, or accuracy of plain labels",
        "phase": "what is trained, if a training has several parts",
    },
    "Tagged": {
        "labels": "the best labels",
        "confidence": "the probability that all of them are right",
        "token_confidence": "the probability of each label",
        "chunks": "the chunks, a `FoundChunk` each",
        "marginals": "for each token the probability of every label, the most probable first",
        "best": "the best labellings of the sentence, each with its probability",
    },
    "Template": {
        "columns": "the names of its columns; None for templates of CRF++",
        "label": "the column of the labels",
        "text": "the text that it was read from",
    },
    "Tried": {
        "values": "the values that were tried",
        "score": "F₁ of chunks, or accuracy of plain labels, on the development data or on all held-out sentences",
        "folds": "the score on each fold",
        "deviation": "the standard deviation over the folds",
        "iterations": "how many it took",
        "seconds": "how many it took",
    },
    "Tuned": {
        "model": "the best model",
        "best": "the values that it was trained with",
        "tried": "all that was tried, a `Tried` each",
        "by": "how the values were judged",
    },
}


def text() -> str:
    """A heading, a signature and a docstring for each function, then for each type its docstring and members."""
    members = [(name, getattr(sstag, name)) for name in sstag.__all__]
    functions = [_function(name, member) for name, member in members if not inspect.isclass(member)]
    types = [_type(name, member) for name, member in members if inspect.isclass(member)]
    return "\n\n".join(["## Functions", *functions, "## Types", *types])


def _function(name: str, member: object) -> str:
    said = EXAMPLE.sub(lambda found: f"```python\n{dedent(found[1]).rstrip()}\n```\n", inspect.getdoc(member) or "")
    return f"### sstag.{name}\n\n```\n{_signature(name, member)}\n```\n\n{said.strip()}"


def _type(name: str, kind: type) -> str:
    """The docstring of a type; a signature if users make such objects, else its members."""
    parts = [f"### sstag.{name}", inspect.getdoc(kind) or ""]
    if name in MEMBERS:
        parts[1] = parts[1].partition("\n\n")[0]  # what follows is for readers of the code
        parts += ["\n".join(f"- `{_member(kind, one)}`: {said}" for one, said in MEMBERS[name].items())]
    elif is_dataclass(kind):
        parts.insert(1, f"```\n{_signature(name, kind)}\n```")
    return "\n\n".join(parts)


def _member(kind: type, name: str) -> str:
    """A member with its type, or with the parameters that it has as a method."""
    member = inspect.getattr_static(kind, name, None)
    if inspect.isfunction(member):
        return f"{name}({', '.join(list(inspect.signature(member).parameters)[1:])})"
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    annotation = inspect.get_annotations(function)["return"] if function else inspect.get_annotations(kind)[name]
    said = re.sub(r"(\w+\.)+", "", inspect.formatannotation(annotation))
    return f"{name}: {said.replace(repr(Json), 'Json')}"


def _signature(name: str, member: object) -> str:
    """The signature, with a parameter on each line if it is long."""
    signature = inspect.signature(member)  # type: ignore[arg-type]
    shown = []
    star = False
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        prefix = "**" if one.kind is one.VAR_KEYWORD else ""
        shown.append(f"{prefix}{one.name}{default}")
    short = f"sstag.{name}({', '.join(shown)})"
    return short if len(short) <= 100 else f"sstag.{name}(\n" + "".join(f"    {one},\n" for one in shown) + ")"


def _default(value: object) -> str:
    return "…" if callable(value) else repr(value)
