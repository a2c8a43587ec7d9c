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
from sstag.experiments.plan import Recorded, kept_told, planned
from sstag.experiments.plots import draw
from sstag.experiments.provenance import told
from sstag.experiments.runner import Progress, Repeats, checked, done, rows_in
from sstag.experiments.trials import Experiment
from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.foundation.files import output, translated_errors
from sstag.foundation.json_values import Json, json_value
from sstag.foundation.registry import registered

PAGE = "page.json"
MOST = 256 * 2**20  # bytes of such a page
FULL = "full"
NOTES = "notes.md"  # in the folder of an experiment: what a person says of it, which goes into its page


def experiment(name: str, scale: str, corpora: Corpora) -> Experiment:
    """An experiment by its name."""
    if name not in EXPERIMENTS:
        raise ConfigError(f"there is no experiment '{name}'{nearest(name, EXPERIMENTS)}")
    return registered(EXPERIMENTS[name].where)(scale, corpora)


def folder_of(name: str, scale: str, made: Experiment, out: str) -> str:
    """The folder of a page. Results on generated text, or without a part, never take the place of the whole."""
    other = "smoke" if scale == "smoke" else "generated" if made.absent else "incomplete" if made.left_out else ""
    return os.path.join(out, f"{name}-{other}" if other else name)


def recorded(folder: str) -> dict[str, str]:
    """The SHA-256 of the files that the page in a folder was made of, by their names; nothing if there is no page."""
    path = Path(folder, PAGE)
    if not path.exists():
        return {}
    with translated_errors(str(path)), path.open("rb") as file:
        text = file.read(MOST)
    try:
        page = json_value(text)
    except ValueError as error:
        raise DataError(f"is no page of an experiment: {error}", str(path)) from error
    digests = page.get("data") if isinstance(page, dict) else None
    if not isinstance(digests, dict):
        raise DataError("is no page of an experiment: 'data' names no files", str(path))
    return {name: str(digest) for name, digest in digests.items()}


def chosen(
    name: str, scale: str, corpora: Corpora, out: str, log_name: str, report_only: bool
) -> tuple[Experiment, Corpora, str]:
    """An experiment, the corpora that its trials are of, and its folder.

    Trials that would be left out, since what they need is absent here, are among them where all of them are recorded;
    if nothing may run, this holds for every file. What is incomplete has a folder of its own.
    """
    here = experiment(name, scale, corpora)
    folder = os.path.join(out, name)
    if scale == FULL and (report_only or (here.left_out and not here.absent)):
        known = Recorded(corpora.folders, recorded(folder), first=report_only)
        whole = experiment(name, scale, known)
        trials = [trial for section in whole.sections for trial in section.trials]
        plan = planned(trials, known, EXPERIMENTS[name].version, Log(os.path.join(folder, log_name)), report_only)
        if not (whole.absent or whole.left_out or plan.impossible) or (report_only and known.digests):
            return whole, known, folder
    return here, corpora, folder_of(name, scale, here, out)


def found(
    name: str,
    scale: str,
    made: Experiment,
    corpora: Corpora,
    log: Log,
    crew: MakesCrew,
    tell: Callable[[Progress], None],
    repeats: Repeats,
) -> Page:
    """The page of an experiment, after the trials have run that were not run before."""
    entry = EXPERIMENTS[name]
    about = {"experiment": name, "scale": scale, "command": f"sstag experiment {name} --scale {scale}"}
    return page_of(made, about, entry.version, corpora, log, crew, tell, repeats)


def page_of(
    made: Experiment,
    about: Mapping[str, Json],
    version: int,
    corpora: Corpora,
    log: Log,
    crew: MakesCrew,
    tell: Callable[[Progress], None],
    repeats: Repeats,
) -> Page:
    """The page of any experiment, with the command and the versions that repeat it."""
    trials = [trial for section in made.sections for trial in section.trials]
    plan = planned(trials, corpora, version, log, repeats.report_only)
    checked(plan, repeats, log)
    kept = plan.kept if repeats.report_only else done(plan, corpora, log, crew, tell)
    rows = iter(rows_in(plan, kept))
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
    origin = " ".join(filter(None, [told([*plan.jobs], log.made()), *kept_told(plan, repeats.report_only)]))
    return Page(made.title, blocks, {**about, **known}, data, origin)


def published(page: Page, folder: str, plots: bool) -> list[str]:
    """Writes a page, and its plots if they are wanted; the names of the files."""
    names = ["README.md", PAGE]
    notes = Path(folder, NOTES)
    with translated_errors(str(notes)):
        said = notes.read_text(encoding="utf-8") if notes.exists() else ""
    for name, text in zip(names, (as_markdown(page, plots, said), as_json(page)), strict=True):
        with output(os.path.join(folder, name)) as file:
            file.write(text.encode())
    for block in page.blocks:
        if isinstance(block, Excerpt) and block.lines is not None:
            with output(os.path.join(folder, file_of(block))) as file:
                file.write("".join(f"{line}\n" for line in block.lines).encode())
            names.append(file_of(block))
        if isinstance(block, Picture) and plots:
            draw(block, os.path.join(folder, block.name))
            names += [f"{block.name}.png", f"{block.name}.svg"]
    return names
