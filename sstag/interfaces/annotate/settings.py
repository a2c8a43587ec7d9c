"""The settings of a project: what it was begun with, and what the command that opens it names besides.

What is stored is data that somebody may have sent. Its files are inside the folder; everything else is named by whoever
opens the project, or does not count.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sstag.corpus.text.json_keys import a_list, a_text, a_whole
from sstag.features.shipped import shipped_names
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.inside import TEMPLATE, copied_file, copies, is_small, is_whole, template_inside
from sstag.interfaces.annotate.saying import OUTSIDE, all_tags, outside_label
from sstag.interfaces.annotate.train_options import checked_options, kept_options
from sstag.knowledge.expectation_list import is_label
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import check_scheme
from sstag.selection.strategies import STRATEGIES

MOST_LABELS, MOST_OVERLAP = 1_000, 1_000
LONGEST = 1_000  # characters of a name


@dataclass(frozen=True)
class Settings:
    """The choices that a project was begun with, and the paths of its files."""

    labels: tuple[str, ...]
    scheme: str
    template: str  # a path
    train: tuple[str, ...]  # further options of `sstag train`
    dev: tuple[str, ...]
    strategy: str
    overlap: int  # how many annotators are asked about each text

    @property
    def tags(self) -> list[str]:
        """Every tag that a model may give."""
        return all_tags(self.scheme, [label for label in self.labels if label != OUTSIDE])

    @property
    def outside(self) -> str:
        """The label of tokens in no span."""
        return outside_label(self.scheme, self.labels)


@dataclass(frozen=True)
class Named:
    """Files and options that the command which opens a project names itself: they count wherever they are."""

    template: str | None = None
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()


NOBODY = Named()


def settings_in(stored: Mapping[str, Json]) -> Settings:
    """The settings that a store has, with the names of their files."""
    labels, train, dev = (
        tuple(a_text(one, key) for one in a_list(stored.get(key), key)) for key in ("labels", "train", "dev")
    )
    scheme, template, strategy = (a_text(stored.get(key), key) for key in ("scheme", "template", "strategy"))
    overlap = a_whole(stored.get("overlap"), "overlap")
    if any(len(text) > LONGEST for text in (*labels, scheme, template, strategy)):
        raise DataError(f"a name has more than {LONGEST:,} characters")
    if strategy not in STRATEGIES:
        raise DataError(f"there is no strategy '{strategy:.40}'")
    if not 0 < overlap <= MOST_OVERLAP:
        raise DataError(f"overlap is {overlap}, not a number from 1 to {MOST_OVERLAP:,}")
    settings = Settings(labels, scheme, template, train, dev, strategy, overlap)
    check_labels(settings)
    return settings


def overlaps_in(stored: Mapping[str, Json]) -> list[tuple[float, int]]:
    """The overlaps that a project has had, and since when each; nothing if it has had one only."""
    result: list[tuple[float, int]] = []
    for pair in a_list(stored.get("overlaps", []), "overlaps"):
        match a_list(pair, "overlaps"):
            case [int() | float() as since, int() as number] if 0 < number <= MOST_OVERLAP:
                result.append((float(since), number))
            case _:
                raise DataError("overlaps are not numbers of annotators, and since when")
    return result


def with_files(settings: Settings, folder: str, named: Named = NOBODY) -> Settings:
    """Settings with the paths of their files, which are inside the folder, and with what counts besides."""
    place = partial(copied_file, folder)
    template = os.path.join(folder, settings.template)
    if named.template and named.template not in shipped_names() and not is_whole(folder, settings.template):
        template = os.path.abspath(named.template)
    else:
        template_inside(folder, settings.template)
    train = checked_options(settings.train, place)
    now = kept_options(named.train, lambda path: path if is_small(path) else None).now
    outside = [os.path.abspath(path) for path in named.dev if not is_small(path)]
    return replace(settings, template=template, train=(*train, *now), dev=(*map(place, settings.dev), *outside))


def check_named(named: Named, stored: Settings, folder: str) -> None:
    """Raises an error if a file or option that a command names is not what the project was begun with."""
    known = copies(folder)
    if named.template and stored.template != TEMPLATE:
        own = Path(folder, stored.template)
        if named.template in shipped_names() or own.read_bytes() != Path(named.template).read_bytes():
            how = "a new project has another one, and takes the export of this one in"
            raise ConfigError(f"is not the template that the project was begun with: {how}", named.template)
    train = kept_options(named.train, known).kept
    dev = tuple(name for name in map(known, named.dev) if name)
    for option, said, now, there in (
        ("--train", named.train, train, stored.train),
        ("--dev", named.dev, dev, stored.dev),
    ):
        if said and now != there:
            values = f"the project has {' '.join(there) or 'none'}, and the command says {' '.join(said)}"
            raise ConfigError(f"{option}: {values}: a new project has others, and takes the export of this one in")


def check_labels(settings: Settings) -> None:
    """Refuses labels that no label column could hold."""
    check_scheme(settings.scheme)
    labels: Sequence[str] = settings.labels
    if not labels or len(set(labels)) < len(labels) or len(labels) > MOST_LABELS:
        raise ConfigError(f"labels are 1 to {MOST_LABELS:,} names, none of them twice (--labels PER,ORG)")
    for label in labels:
        if not is_label_name(label):
            raise ConfigError(f"'{label}' cannot be a label: it has a blank or a mark in it, or reads as a share")
    if settings.scheme != "plain" and OUTSIDE in labels:
        raise ConfigError("O is the label of what is in no span: leave it out of --labels")


def is_label_name(text: str) -> bool:
    """Whether a label column can hold a label of this name."""
    return text.split() == [text] and not Marks().within(text) and is_label(text)
