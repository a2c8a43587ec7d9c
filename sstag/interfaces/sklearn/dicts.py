"""Tokens as CRFsuite has them, dictionaries of attributes, as columns and the template that reads them.

Each key is a column. A text is the attribute `key=text`; a number, true or false is the weight of the attribute
`key`; a list or set of texts, and a dictionary in a dictionary, are keys of their own, `key:item`. A key that is not
there has no attribute. Keys with weights, or that some tokens lack, have a second column with the weight, which is 0
where they are not, so that the score is CRFsuite's.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sstag.features.reading import template as template_in
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError

MOST_KEYS = 490
LABEL = "label"
TEXT, WEIGHT, NOTHING = "=", "+", "-"  # what a cell begins with, or is


@dataclass(frozen=True)
class Keys:
    """The keys that tokens have, and which of them have weights."""

    names: tuple[str, ...]
    weighed: tuple[bool, ...]

    @property
    def template(self) -> Template:
        """The template that reads the columns of these keys."""
        columns, features = [], []
        for place, weighed in enumerate(self.weighed):
            columns.append(f"c{place}")
            features.append(f"c{place}[0] | value(v{place})" if weighed else f"c{place}[0]")
        columns += [f"v{place}" for place, weighed in enumerate(self.weighed) if weighed]
        lines = "".join(f"  - {one}\n" for one in features)
        text = f"columns: [{', '.join([*columns, LABEL])}]\nlabel: {LABEL}\nfeatures:\n{lines}edges: [labels]\n"
        return template_in(text, "attributes")

    def cells(self, token: Mapping[str, object], sentence: int) -> tuple[str, ...]:
        """The columns of a token, without its label; keys that are not among these are left out."""
        found = dict(_attributes(token, sentence))
        texts, weights = [], []
        for name, weighed in zip(self.names, self.weighed, strict=True):
            value = found.get(name)
            texts.append(NOTHING if value is None else WEIGHT if isinstance(value, float) else TEXT + value)
            if weighed:
                weights.append("0" if value is None else repr(value) if isinstance(value, float) else "1")
        return (*texts, *weights)

    def attribute(self, text: str) -> str:
        """An attribute of the template as CRFsuite names it: `key=text`, or `key` if it has a weight."""
        column, _, cell = text.partition("[0]")
        name = self.names[int(column[1:])]
        value = cell.partition("=")[2]
        return f"{name}={value[1:]}" if value.startswith(TEXT) else name


def keys_of(sentences: Sequence[Sequence[Mapping[str, object]]]) -> Keys:
    """The keys of some sentences, in the order of their first use."""
    times: dict[str, int] = {}
    numbers = set[str]()
    tokens = 0
    for number, sentence in enumerate(sentences, 1):
        for token in sentence:
            tokens += 1
            for name, value in _attributes(token, number):
                times[name] = times.get(name, 0) + 1
                if isinstance(value, float):
                    numbers.add(name)
    if not times:
        raise DataError("tokens without any attribute: there is nothing to learn from", "sentence", 1)
    if len(times) > MOST_KEYS:
        raise ConfigError(f"{len(times):,} different keys (at most {MOST_KEYS}): give tokens and a template instead")
    return Keys(tuple(times), tuple(name in numbers or count < tokens for name, count in times.items()))


def _attributes(token: Mapping[str, object], sentence: int, before: str = "") -> Iterator[tuple[str, str | float]]:
    """The attributes of a token: keys with texts, or with weights."""
    for key, value in token.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _attributes(value, sentence, f"{name}:")
        elif isinstance(value, list | set | frozenset | tuple):
            for item in sorted(map(str, value)):
                yield f"{name}:{item}", 1.0
        elif isinstance(value, str):
            yield name, value
        elif isinstance(value, bytes) or value is None:
            raise DataError(f"{name}: {value!r:.50} is no text and no number", "sentence", sentence)
        else:
            yield name, _number(name, value, sentence)


def _number(name: str, value: object, sentence: int) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever numbers there are, NumPy's too
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: {value!r:.50} is no text and no number", "sentence", sentence) from error
    if not math.isfinite(number):
        raise DataError(f"{name}: {number} is no finite number", "sentence", sentence)
    return number
