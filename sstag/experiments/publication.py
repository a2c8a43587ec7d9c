"""An experiment from its name to its folder, in which its page with tables and plots is written."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sstag import __version__
from sstag.experiments import EXPERIMENTS
from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import MakesCrew
from sstag.experiments.log import Log
from sstag.experiments.page import Excerpt, Page, Picture, as_json, as_markdown, differing, file_of
from sstag.experiments.plots import draw
from sstag.experiments.provenance import told
from sstag.experiments.runner import Progress, results
from sstag.experiments.trials import Experiment
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.files import output, translated_errors
from sstag.foundation.json_values import Json
from sstag.foundation.registry import registered

NOTES = "notes.md"  # in the folder of an experiment: what a person says of it, which goes into its page


def experiment(name: str, scale: str, corpora: Corpora) -> Experiment:
    """An experiment by its name."""
    if name not in EXPERIMENTS:
        raise ConfigError(f"there is no experiment '{name}'{nearest(name, EXPERIMENTS)}")
    return registered(EXPERIMENTS[name].where)(scale, corpora)


def folder_of(name: str, scale: str, made: Experiment, out: str) -> str:
    """The folder of a page. Results on generated text never take the place of those on the corpora."""
    other = "smoke" if scale == "smoke" else "generated" if made.absent else ""
    return os.path.join(out, f"{name}-{other}" if other else name)


def found(
    name: str,
    scale: str,
    made: Experiment,
    corpora: Corpora,
    log: Log,
    crew: MakesCrew,
    tell: Callable[[Progress], None],
) -> Page:
    """The page of an experiment, after the trials have run that were not run before."""
    entry = EXPERIMENTS[name]
    about = {"experiment": name, "scale": scale, "command": f"sstag experiment {name} --scale {scale}"}
    return page_of(made, about, entry.version, corpora, log, crew, tell)


def page_of(
    made: Experiment,
    about: Mapping[str, Json],
    version: int,
    corpora: Corpora,
    log: Log,
    crew: MakesCrew,
    tell: Callable[[Progress], None],
) -> Page:
    """The page of any experiment, with the command and the versions that repeat it."""
    trials = [trial for section in made.sections for trial in section.trials]
    rows = iter(results(trials, corpora, version, log, crew, tell))
    blocks = [
        block
        for section in made.sections
        for block in section.report([row for _ in section.trials for row in next(rows)])
    ]
    if made.deviations:
        blocks.append(differing(made.deviations))
    files = sorted({file for trial in trials for one in (trial, *trial.needs) for file in one.data})
    known: dict[str, Json] = {"sstag": __version__, "version": version}
    data = {file: corpora.digest(file) for file in files}
    return Page(made.title, blocks, {**about, **known}, data, told([*log.found()], log.made()))


def published(page: Page, folder: str, plots: bool) -> list[str]:
    """Writes a page, and its plots if they are wanted; the names of the files."""
    names = ["README.md", "page.json"]
    notes = Path(folder, NOTES)
    with translated_errors(str(notes)):
        said = notes.read_text(encoding="utf-8") if notes.exists() else ""
    for name, text in zip(names, (as_markdown(page, plots, said), as_json(page)), strict=True):
        with output(os.path.join(folder, name)) as file:
            file.write(text.encode())
    for block in page.blocks:
        if isinstance(block, Excerpt):
            with output(os.path.join(folder, file_of(block))) as file:
                file.write("".join(f"{line}\n" for line in block.lines).encode())
            names.append(file_of(block))
        if isinstance(block, Picture) and plots:
            draw(block, os.path.join(folder, block.name))
            names += [f"{block.name}.png", f"{block.name}.svg"]
    return names
