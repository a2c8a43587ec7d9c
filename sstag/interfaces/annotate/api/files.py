"""Files: all answers in a format, and files of others."""

import asyncio
import os
import shutil
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from sstag.corpus.formats import Asked, input_names, output_names
from sstag.corpus.text.json_keys import Object, a_text
from sstag.foundation.errors import DataError, nearest
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.api.requests import posting
from sstag.interfaces.annotate.endpoints import Endpoint, Parameter
from sstag.interfaces.annotate.exporting import answers_of, export
from sstag.interfaces.annotate.importing import KINDS, POOL, File, imported
from sstag.interfaces.annotate.records import Session
from sstag.interfaces.annotate.workbench import Workbench
from sstag.interfaces.web.answers import mannerly, said

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

FORMAT = Parameter("string")
LONGEST_NAME = 200
FOLDERS = ("brat", "webanno", "xmi")  # files for each text, which a browser gets as one archive
ENDINGS = {"columns": "txt", "text": "txt", "conllu": "conllu", "csv": "csv", "html": "html", "inline": "txt",
    "label-studio": "json", "conll2012": "conll", **dict.fromkeys(FOLDERS, "zip"),
}  # fmt: skip


def endpoints(bench: Workbench) -> list[Endpoint]:
    """The requests about files."""
    project, store = bench.project, bench.project.store
    read = [name for name in input_names() if name not in FOLDERS]

    @mannerly
    async def formats(request: "Request") -> "Response":
        return said({"export": output_names(), "import": read})

    @mannerly
    async def download(request: "Request") -> "Response":
        from starlette.responses import Response

        form = request.query_params.get("format", "columns")
        if form not in output_names():
            raise DataError(f"no format '{form:.40}' can be exported{nearest(form, output_names())}")
        content = await asyncio.to_thread(_exported, project.folder, form)
        name = f"answers.{ENDINGS.get(form, 'jsonl')}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    def take(session: Session, body: Object) -> object:
        name, content = a_text(body.get("name"), "'name'").strip(), a_text(body.get("content"), "'content'")
        kind = a_text(body.get("as"), "'as'")
        form = body.get("format")
        if form is not None and form not in read:
            raise DataError(f"no format '{form:.40}' can be imported{nearest(str(form), read)}")
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise DataError(f"'name' has 1 to {LONGEST_NAME} characters that can be printed")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")  # never a name that a client has given
            Path(path).write_text(content, encoding="utf-8", newline="")
            try:
                asked = Asked(None if form is None else str(form))
                found = imported(project, File(path, name, asked, kind), session.name)
            except DataError as error:
                raise DataError(error.message, name, error.line) from error
        bench.grown(kind == POOL)
        return {"texts": found.texts, "new": found.new}

    body: Json = {
        "session": 4,
        "name": "old.jsonl",
        "format": "doccano",
        "as": KINDS[0],
        "content": '{"text": "Ann met Bob.", "label": [[0, 3, "PER"]]}',
    }
    return [
        Endpoint(
            "GET", "/formats", formats, "The formats of files",
            {"export": ["columns"], "import": ["columns", "doccano"]},
        ),
        Endpoint(
            "GET", "/export", download, "All answered texts as a file", "…", query={"format": FORMAT},
            type="application/octet-stream",
        ),
        Endpoint(
            "POST", "/import", posting(store, take), "Take a file in", {"texts": 100, "new": 90}, body,
            status=HTTPStatus.CREATED,
        ),
    ]  # fmt: skip


def _exported(folder: str, form: str) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "answers")
        export(answers_of(folder), form, path + os.sep if form in FOLDERS else path)
        return Path(shutil.make_archive(path, "zip", path) if form in FOLDERS else path).read_bytes()
