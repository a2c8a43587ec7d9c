"""Raw text in volumes: which trainings can look at it, and where it is kept."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from sstag.corpus import volumes
from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import LargeText, Text, Volume, read_in_volumes, whole
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import GZIP_MAGIC, STANDARD
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import OnDisk, Shelf
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Climbing, Composed
from sstag.training.objectives import OBJECTIVES, UNLABELED
from sstag.training.objectives.listing import Chosen
from sstag.training.parameter_specs import Parameters

IN_MEMORY = 30  # bytes for each byte of a column file of raw text; with eleven features 7 were measured
PACKED = 5  # bytes of a text for each byte of a gzip file, about
NOT_IN_PARTS = "looks at raw text that is whole in memory: leave out --on-disk, or the cluster"
FREE = 0.5  # of the memory that is there, which a text may take


def refuse_volumes(method: str, parameters: Parameters, template: Template) -> None:
    """An error that names whatever looks at raw text that is whole in memory."""
    if template.predicted and not METHODS[method].unlabelled:  # only a first model reads it, to count its labels
        if template.first_look.dense:
            raise ConfigError(f"a feature with vectors {NOT_IN_PARTS}")
        return
    names = METHODS[method].objectives
    if isinstance(parameters, Composed):
        names = tuple(one.name for one in parameters.objectives if one.data == UNLABELED)
    whole_texts = [name for name in names if name != "likelihood" and not OBJECTIVES[name].volumes]
    if not names:
        whole_texts = [method]
    if isinstance(parameters, Climbing) and parameters.sample:
        whole_texts.append("a sample")
    if template.dense:
        whole_texts.append("a feature with vectors")
    if whole_texts:
        raise ConfigError(f"{whole_texts[0]} {NOT_IN_PARTS}")


def can_be_in_volumes(template: Template, asked: Sequence[Chosen]) -> bool:
    """Whether raw text need not be whole in memory for these objectives and this template."""
    return not template.dense and all(one.entry.volumes for one in asked if one.data == UNLABELED)


def read_raw(
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    label: str,
    over: Over,
    folder: str | None,
    tell: Callable[[str], None],
) -> Text:
    """Raw text in some files; in a folder, if one is named, unless a single volume has all of it."""
    if folder is None:
        return read_files(paths, layout_of, label)
    shelved: Callable[[Iterable[Volume]], Shelf[Volume]] = partial(OnDisk, over=over, beside=folder)
    text = read_in_volumes(paths, layout_of, label, shelved, volumes.VOLUME)
    if text.tokens <= volumes.VOLUME:
        return _in_one(text)
    tell(f"{text.head.path}: {text.tokens:,} tokens in {text.volumes.where}")
    return text


def _in_one(text: LargeText) -> Corpus:
    """The corpus of a text that has one volume."""
    (corpus,) = text.volumes.each(_corpus, text.head)
    return replace(corpus, digest=text.head.digest)


def _corpus(volume: Volume, over: Over, head: Corpus) -> Corpus:
    return whole(volume, head)


def fits(paths: Sequence[str]) -> bool:
    """Whether a training on raw text in these files fits into the memory that is there, as far as their sizes tell."""
    need = sum(IN_MEMORY * _size(path) for path in paths)
    return need <= FREE * _available()


def _size(path: str) -> int:
    """The bytes of the text in a file; 0 where nobody can know."""
    if path == STANDARD or not os.path.isfile(path):
        return 0
    with open(path, "rb") as file:
        packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return os.path.getsize(path) * (PACKED if packed else 1)


def _available() -> int:
    """The bytes of memory that can be had without putting anything else out of it."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            said = dict(line.split(":", 1) for line in file)
        return int(said["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**62
