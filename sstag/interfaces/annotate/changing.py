"""Changes of a project that is running: labels that are added, renamed or removed, and how many see each text."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sstag.corpus.text.json_keys import a_list
from sstag.foundation.errors import ConfigError, counted
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.keeping import Conflict
from sstag.interfaces.annotate.knowledge import Knowledge, knowledge
from sstag.interfaces.annotate.label_changes import OPEN, LabelChange
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.saying import Said
from sstag.interfaces.annotate.settings import MOST_OVERLAP, check_labels, overlaps_in

NAMING = ("--rules", "--labeled-features", "--expectations")  # options whose files may name labels


@dataclass(frozen=True)
class Uses:
    """How many answers have a label: about texts, about single spans, and about words and features."""

    texts: int
    spans: int
    features: int

    @property
    def json(self) -> dict[str, Json]:
        """The numbers as the API has them."""
        return {"texts": self.texts, "spans": self.spans, "features": self.features}

    def __str__(self) -> str:
        parts = ((self.texts, "text"), (self.spans, "single span"), (self.features, "word"))
        return ", ".join(counted(number, what) for number, what in parts if number)


def label_uses(known: Knowledge, labels: Sequence[str]) -> dict[str, Uses]:
    """The answers that count and have each label."""
    texts, spans, features = (dict.fromkeys(labels, 0) for _ in range(3))
    for one in known.texts.values():
        for said in [*(said for _, said in one.said.values()), *([one.decided] if one.decided else [])]:
            for label in _labels_in(said) & texts.keys():
                texts[label] += 1
        for verdict in one.verdicts:
            for label in {*verdict.span.labels} & spans.keys():
                spans[label] += 1
    for line in known.lines.values():
        shares = line.said.get("shares")
        named = shares if isinstance(shares, Mapping) else a_list(line.said.get("labels", []), "labels")
        for label in {*map(str, named)} & features.keys():
            features[label] += 1
    return {label: Uses(texts[label], spans[label], features[label]) for label in labels}


def uses_in(project: Project, labels: Sequence[str]) -> dict[str, Uses]:
    """The answers of a project that have each label."""
    if not labels:
        return {}
    with project.store.reading() as file:
        return label_uses(knowledge(file), labels)


def _labels_in(said: Said) -> set[str]:
    return {label for spans in (said.spans, said.forbidden) for span in spans for label in span.labels}


def change_labels(project: Project, session: Session, key: str, change: LabelChange) -> None:
    """Adds, renames and removes labels; a removed one that answers have needs to be told what their tokens become."""
    undecided = [label for label, becomes in change.removed.items() if not becomes]
    if undecided:
        uses = uses_in(project, undecided)
        if used := next((label for label in undecided if any(uses[label].json.values())), None):
            raise Conflict(f"'{used}' is in answers about {uses[used]}: say what their tokens become")
        change = replace(change, removed={label: becomes or OPEN for label, becomes in change.removed.items()})
    naming = next((option for option in project.settings.train if option.partition("=")[0] in NAMING), None)
    if naming and (change.renamed or change.removed):
        message = f"the trainings of this project read a file that may name labels ({naming}): begin a new project"
        raise ConfigError(f"{message}, and take the answers of this one in (sstag export, --import)")
    settings = project.settings
    labels = project.store.change_labels(
        session, key, change, lambda changed: check_labels(replace(settings, labels=tuple(changed)))
    )
    project.settings = replace(settings, labels=tuple(labels))


def change_overlap(project: Project, overlap: int) -> None:
    """Asks so many annotators about each text from now on; texts that somebody was asked about keep their number."""
    if not 0 < overlap <= MOST_OVERLAP:
        raise ConfigError(f"overlap is a number of annotators from 1 to {MOST_OVERLAP:,}, not {overlap}")
    if overlap == project.settings.overlap:
        return
    before = overlaps_in(project.store.settings()) or [(0.0, project.settings.overlap)]
    every: list[Json] = [[since, number] for since, number in [*before, (time.time(), overlap)]]
    project.store.set({"overlap": overlap, "overlaps": every})
    project.settings = replace(project.settings, overlap=overlap)
