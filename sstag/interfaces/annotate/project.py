"""A project: a folder with the store, the pool, models, and the secret that its address begins with.

project.db  pool/  models/  template.yaml or template/  files/  token

What a project says of itself is data that somebody may have sent: its files are read inside the folder alone.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType

from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.features.adapted import adapted
from sstag.features.reading import load_template
from sstag.features.shipped import shipped_names, template_path
from sstag.foundation.documents import load_text
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.files import display_name, output, translated_errors
from sstag.foundation.json_values import Json
from sstag.foundation.plain import FOLDER, kind_of
from sstag.foundation.replacing import alone, sync
from sstag.interfaces.annotate import pool as pools
from sstag.interfaces.annotate.again import BEGUN
from sstag.interfaces.annotate.building import added
from sstag.interfaces.annotate.connecting import recover
from sstag.interfaces.annotate.inside import (
    DATABASE,
    FILES,
    MODELS,
    POOL,
    TEMPLATE,
    TEMPLATES,
    TOKEN,
    check_folder,
    copied_template,
    copying,
)
from sstag.interfaces.annotate.pool import Pool
from sstag.interfaces.annotate.provenance import FileName
from sstag.interfaces.annotate.records import Text
from sstag.interfaces.annotate.settings import (
    NOBODY,
    Named,
    Settings,
    check_labels,
    check_named,
    overlaps_in,
    settings_in,
    with_files,
)
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.annotate.train_options import kept_options
from sstag.interfaces.web.secret_files import own_secret

UNFINISHED = ".beginning"  # a folder that is there until a new project is whole


class Project:
    """An open project. Another process cannot open it meanwhile, except to read it."""

    def __init__(self, folder: str, settings: Settings, store: Store, pool: Pool, held: ExitStack) -> None:
        self.folder, self.settings, self.store, self.pool, self._held = folder, settings, store, pool, held

    @property
    def name(self) -> str:
        return os.path.basename(os.path.realpath(self.folder))

    @property
    def word(self) -> str:
        """The column of the words."""
        corpus = self.pool.parts[0].corpus
        return corpus.columns[corpus.word_column]

    def path(self, *names: str) -> str:
        """A path in the project's folder."""
        return os.path.join(self.folder, *names)

    def text(self, hash: str) -> Text:
        """A text of the store or of the pool; from then on it is in the store."""
        found = self.store.text(hash)
        if found is None:
            found = self.pool.find(hash)
            if found is None:
                raise DataError(f"there is no text '{hash:.40}'")
            self.store.keep_texts([found])
        return found

    def token(self) -> str:
        """The secret of the project, which nobody else may read; made if there is none yet."""
        return own_secret(self.path(TOKEN))

    def check_texts(self) -> None:
        """Raises an error if there is no text to ask about."""
        if not self.pool.parts:
            way = f"sstag annotate --project {display_name(self.folder)} --import FILE --import-as pool adds texts"
            raise DataError(f"has no texts: {way}", display_name(self.path(POOL)))

    def add(self, file: FileName, layout: Layout) -> None:
        """Adds the texts of a file to the pool."""
        self.pool = added(self.path(POOL), file, layout)

    def close(self) -> None:
        """Closes the project."""
        self._held.close()


def begun(
    folder: str, file: str, layout: Layout, settings: Settings, choices: Mapping[str, Json] = MappingProxyType({})
) -> None:
    """Makes a new project of a file of texts; `settings.template` may name a template that comes with sstag.

    The template, lists, rules and development data are copied into it. It remembers the choices that it was begun with,
    for the same command again.
    """
    check_labels(settings)
    os.makedirs(folder, exist_ok=True)
    with locked(folder):
        load_template(settings.template)
        _make_room(folder)
        copied = copying(folder)
        train = kept_options(settings.train, copied).kept
        dev = [name for name in map(copied, settings.dev) if name is not None]
        if settings.template in shipped_names():
            template = TEMPLATE
            made = _fitted(settings.template, file, layout)
            with output(os.path.join(folder, template)) as out:
                out.write(made.encode())
        else:
            template = copied_template(folder, settings.template)
        added(os.path.join(folder, POOL), FileName(file), layout)
        os.makedirs(os.path.join(folder, MODELS), exist_ok=True)
        store = Store(os.path.join(folder, UNFINISHED, DATABASE))
        values: dict[str, Json] = {
            "labels": list(settings.labels),
            "scheme": settings.scheme,
            "template": template,
            "train": list(train),
            "dev": dev,
            "strategy": settings.strategy,
            "overlap": settings.overlap,
            BEGUN: dict(choices),
        }
        store.set(values)
        store.close()
        os.replace(os.path.join(folder, UNFINISHED, DATABASE), os.path.join(folder, DATABASE))
        sync(Path(folder))
        shutil.rmtree(os.path.join(folder, UNFINISHED))


def _make_room(folder: str) -> None:
    """Removes what a beginning that was interrupted left, and nothing that is not of it."""
    beginning = os.path.join(folder, UNFINISHED)
    for name in (POOL, MODELS, TEMPLATES, FILES, TEMPLATE):
        path = os.path.join(folder, name)
        kind = kind_of(path)
        if kind and kind_of(beginning) != FOLDER:
            raise DataError("is there, and of no project: begin in another folder", display_name(path))
        if kind == FOLDER:
            shutil.rmtree(path)
        elif kind:
            os.unlink(path)
    if kind_of(beginning):
        shutil.rmtree(beginning)
    os.mkdir(beginning)


def is_project(folder: str) -> bool:
    """Whether a folder has a project in it; one that may not be entered is an error."""
    return kind_of(os.path.join(folder, DATABASE)) is not None


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """A context in which no other process has a project open, except to read it."""
    with ExitStack() as stack:
        with translated_errors(display_name(folder)):
            free = stack.enter_context(alone(Path(folder, DATABASE)))
        if not free:
            way = "end that one first, or change labels and overlap on its page"
            raise DataError(f"is open in another sstag annotate: {way}", display_name(folder))
        yield


def no_project(folder: str) -> DataError:
    """The error of a folder in which there is no project."""
    begin = f"sstag annotate raw.txt --template ner --labels PER,ORG --project {display_name(folder)}"
    return DataError(f"there is no project in it (`{begin}` begins one)", folder)


def opened(folder: str, named: Named = NOBODY) -> Project:
    """The project in a folder; `named` counts as long as it is open."""
    if not is_project(folder):
        raise no_project(folder)
    check_folder(folder)
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        store = Store(os.path.join(folder, DATABASE))
        stack.callback(store.close)
        stored = stored_in(store)
        check_named(named, stored, folder)
        settings = _with_files(stored, store, folder, named)
        pool = pools.opened(os.path.join(folder, POOL))
        return Project(folder, settings, store, pool, stack.pop_all())


def _with_files(stored: Settings, store: Store, folder: str, named: Named) -> Settings:
    """The settings with their files; an error says what a project cannot have, and what can be done."""
    try:
        return with_files(stored, folder, named)
    except SstagError as error:
        raise DataError(
            f"its settings are not those of a project ({error}): {recover(store.path)}", store.path
        ) from error


def stored_in(store: Store) -> Settings:
    """The settings in a store, with the names of their files."""
    try:
        said = store.settings()
        overlaps_in(said)
        return settings_in(said)
    except SstagError as error:
        raise DataError(f"its settings are damaged ({error}): {recover(store.path)}", store.path) from error


def _fitted(name: str, file: str, layout: Layout) -> str:
    """A template that comes with sstag, fitted to a file."""
    columns = next((block.columns for block in read_blocks(file, layout) if block.columns), None)
    if columns is None:
        raise DataError("no sentence in it", file)
    return adapted(load_text(template_path(name)), name, columns, layout).text
