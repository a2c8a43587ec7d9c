"""A project: a folder with the store, the pool, models, and the secret that its address begins with.

project.db  pool/  models/  template.yaml or template/  files/  token

What a project says of itself is data that somebody may have sent: its files are read inside the folder alone.
"""

import os
import secrets
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.features.adapted import adapted
from sstag.features.reading import load_template
from sstag.features.shipped import shipped_names, template_path
from sstag.foundation.documents import load_text
from sstag.foundation.errors import DataError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate import pool as pools
from sstag.interfaces.annotate.again import BEGUN
from sstag.interfaces.annotate.building import added
from sstag.interfaces.annotate.inside import (
    DATABASE,
    LOCK,
    MODELS,
    POOL,
    TEMPLATE,
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
    settings_in,
    with_files,
)
from sstag.interfaces.annotate.store import Store
from sstag.interfaces.annotate.train_options import kept_options


class Project:
    """An open project. Another process cannot open it meanwhile, except to read it."""

    def __init__(self, folder: str, settings: Settings, store: Store, pool: Pool, lock: sqlite3.Connection) -> None:
        self.folder, self.settings, self.store, self.pool, self._lock = folder, settings, store, pool, lock

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
        path = self.path(TOKEN)
        if not os.path.exists(path):
            private(path, secrets.token_urlsafe(24))
        return Path(path).read_text(encoding="ascii").strip()

    def add(self, file: FileName, layout: Layout) -> None:
        """Adds the texts of a file to the pool."""
        self.pool = added(self.path(POOL), file, layout)

    def close(self) -> None:
        """Closes the project."""
        self.store.close()
        self._lock.close()


def private(path: str, text: str) -> None:
    """Writes a file that nobody else may read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)


def begun(
    folder: str, file: str, layout: Layout, settings: Settings, choices: Mapping[str, Json] = MappingProxyType({})
) -> None:
    """Makes a new project of a file of texts; `settings.template` may name a template that comes with sstag.

    The template, lists, rules and development data are copied into it. It remembers the choices that it was begun with,
    for the same command again.
    """
    check_labels(settings)
    os.makedirs(folder, exist_ok=True)
    lock = _locked(folder)
    try:
        load_template(settings.template)
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
        shutil.rmtree(os.path.join(folder, POOL), ignore_errors=True)  # of a beginning that was interrupted
        added(os.path.join(folder, POOL), FileName(file), layout)
        os.makedirs(os.path.join(folder, MODELS), exist_ok=True)
        store = Store(os.path.join(folder, DATABASE))
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
    finally:
        lock.close()


def is_project(folder: str) -> bool:
    """Whether a folder has a project in it."""
    return os.path.exists(os.path.join(folder, DATABASE))


def opened(folder: str, named: Named = NOBODY) -> Project:
    """The project in a folder; `named` counts as long as it is open."""
    if not is_project(folder):
        raise DataError("there is no project in it (sstag annotate POOL --project makes one)", folder)
    check_folder(folder)
    with ExitStack() as stack:
        lock = _locked(folder)
        stack.callback(lock.close)
        store = Store(os.path.join(folder, DATABASE))
        stack.callback(store.close)
        stored = settings_in(store.settings())
        check_named(named, stored, folder)
        settings = with_files(stored, folder, named)
        project = Project(folder, settings, store, pools.opened(os.path.join(folder, POOL)), lock)
        stack.pop_all()
    return project


def _fitted(name: str, file: str, layout: Layout) -> str:
    """A template that comes with sstag, fitted to a file."""
    columns = next((block.columns for block in read_blocks(file, layout) if block.columns), None)
    if columns is None:
        raise DataError("no sentence in it", file)
    return adapted(load_text(template_path(name)), name, columns, layout).text


def _locked(folder: str) -> sqlite3.Connection:
    """A lock on a folder that a process holds as long as it lives; SQLite has one on every system."""
    lock = sqlite3.connect(os.path.join(folder, LOCK), 0.0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("begin exclusive")
    except sqlite3.OperationalError as error:
        lock.close()
        way = "end that one first, or change labels and overlap on its page"
        raise DataError(f"is open in another sstag annotate: {way}", folder) from error
    return lock
