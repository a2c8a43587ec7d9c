"""Questions to a person about features, or some of their occurrences, and the meaning of answers (M08 §5.3).

A feature has labels, or shares of labels; an occurrence has one label, and several occurrences make shares. The command
line shows the questions on a terminal (`interfaces/cli/asking.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import ConfigError, nearest
from sstag.knowledge.answers import (
    ANSWERED,
    FeatureEntry,
    answer_comment,
    entries_by_name,
    shares_of_answers,
    with_comments,
)
from sstag.knowledge.expectation_list import OPEN, Target, is_label, target_of
from sstag.knowledge.proposal_text import in_context, labels_text, occurrences_text
from sstag.knowledge.proposals import Proposals


@dataclass(frozen=True)
class Questions:
    """The features that a person is asked about, or `samples` occurrences of each."""

    of: Proposals
    chosen: list[int]
    said: Mapping[int, tuple[str, ...]]  # what a list says of some of them: the target, and perhaps a strength
    text: Corpus  # with the occurrences
    show: int  # occurrences beside a feature
    samples: int  # 0: features
    smoothing: float
    seed: int

    def left(self, entries: Sequence[FeatureEntry]) -> tuple[dict[int, str], list[str]]:
        """The features to ask about, chosen ones and open ones of the file, and open ones that cannot be asked."""
        names = dict(zip(self.chosen, self.of.texts(self.chosen), strict=True))
        before = entries_by_name(entries)
        left = {number: name for number, name in names.items() if name not in before or before[name].target == OPEN}
        others = {name for name, entry in before.items() if entry.target == OPEN} - set(names.values())
        every = {text: number for number, text in enumerate(self.of.vocabulary.texts())} if others else {}
        unknown = list[str]()
        for name in [name for name in before if name in others]:
            if name in every and self.of.occurrences[every[name]]:
                left[every[name]] = name
            else:
                unknown.append(name)
        return left, unknown

    def new_entry(self, attribute: int, name: str) -> FeatureEntry:
        """The entry of a feature about which nothing has been answered."""
        return FeatureEntry((), name, OPEN, self.said.get(attribute, ())[1:])

    def occurrences(self, attribute: int) -> list[int]:
        """The tokens with an attribute, in a random order that its seed decides."""
        rng = np.random.default_rng([self.seed, attribute])
        return [int(token) for token in rng.permutation(self.of.tokens(attribute))]

    def looked_at(self, order: Sequence[int], answers: Sequence[tuple[str, str]]) -> dict[int, str]:
        """The label, or "", of each token that one of these answers is about, found by the words around it."""
        result, waiting = dict[int, str](), list(answers)
        for token in order:
            if not waiting:
                break
            context = in_context(self.text, token).strip()
            if said := next((said for said in waiting if said[1] == context), None):
                waiting.remove(said)
                result[token] = said[0]
        return result

    def with_labels(
        self, entry: FeatureEntry, attribute: int, said: str, labels: Sequence[str], label_of: Callable[[str], str]
    ) -> FeatureEntry:
        """The entry of a feature with the labels, or shares of labels, that a person said."""
        target = Target((said,), None) if said in labels else target_of(said)
        names = [label_of(label) for label in target.labels]
        if len(set(names)) < len(names):
            raise ConfigError("a label stands there twice")
        text = labels_text(labels, names)
        if target.shares:
            text = replace(target, labels=tuple(names)).said
        comment = f"{ANSWERED.removeprefix('# ')}{occurrences_text(self.of, attribute)}"
        return with_comments(replace(entry, target=text), [comment])

    def with_occurrences(
        self, entry: FeatureEntry, attribute: int, tokens: Sequence[int], found: Sequence[str]
    ) -> FeatureEntry:
        """The entry of a feature, still open, with the label, or "", that a person found at the first tokens."""
        return with_comments(replace(entry, target=OPEN), self._answers(attribute, tokens, found))

    def with_shares(
        self, entry: FeatureEntry, attribute: int, tokens: Sequence[int], found: Sequence[str], labels: Sequence[str]
    ) -> FeatureEntry:
        """The entry of a feature with the shares of the labels that a person found; left out if none was found."""
        if not any(found):
            return left_out(entry)
        target, notes = shares_of_answers(labels, found, self.smoothing)
        return with_comments(replace(entry, target=target), [*self._answers(attribute, tokens, found), *notes])

    def _answers(self, attribute: int, tokens: Sequence[int], found: Sequence[str]) -> list[str]:
        pairs = zip(found, tokens, strict=False)
        answers = [answer_comment(label, in_context(self.text, token)) for label, token in pairs]
        return [occurrences_text(self.of, attribute), *answers]


def left_out(entry: FeatureEntry) -> FeatureEntry:
    """The entry of a feature that a person left out."""
    return with_comments(replace(entry, target=None), [])


def label_meant(said: str, labels: Sequence[str], is_open: bool, confirm: Callable[[str, bool], bool]) -> str:
    """The label that an answer means: a known one, of which the beginning is enough, or if labels are open a new one.

    `confirm(question, default)` asks the person. An answer that means no label is a `ConfigError`.
    """
    fitting = [label for label in labels if label.startswith(said)]
    if said in labels:
        return said
    if len(fitting) == 1 and (not is_open or confirm(f"{fitting[0]}?", True)):
        return fitting[0]
    if len(fitting) > 1 and not is_open:
        raise ConfigError(f"{' or '.join(fitting)}?")
    if not is_open:
        several = "; several have blanks between them" if "," in said or "|" in said else nearest(said, labels)
        raise ConfigError(f"no such label: '{said}'{several}; --labels A,B,… names others")
    if not is_label(said):
        raise ConfigError(f"'{said}' is not one label")
    if labels and not confirm(f"a new label, '{said}'?", not fitting):
        raise ConfigError(f"labels so far: {', '.join(labels)}")
    return said
