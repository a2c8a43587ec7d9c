"""Label Studio's back end for machine learning: predictions for tasks, and learning from annotations as they are made.

    GET  health                                    → {"status": "UP"}
    POST setup     {"project", "schema"}           → {"model_version"}
    POST predict   {"tasks", "label_config"}       → {"results": [{"result": […], "score", "model_version"}, …]}
    POST webhook   {"action", "task", "annotation", "project"}
    POST train     {"annotations", "project", "label_config"}      (Label Studio before 1.5)

Offsets of predictions count units of UTF-16, as browsers do; those of annotations fit the texts that regions carry.
"""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from sstag.corpus.formats.label_studio import document_of_task, region
from sstag.corpus.text.documents import Document
from sstag.corpus.text.json_keys import Object, a_list, a_text, an_object
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.offsets import units
from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.web.answers import Refused, asked, mannerly, said
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.labelling_setup import LabellingSetup, labelling_setup
from sstag.interfaces.web.learning import LABEL_STUDIO, Learning

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

MADE = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED")
MADE_OF_PREDICTIONS = "ANNOTATIONS_CREATED"  # for several tasks at once
GONE = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")
ASKED = "START_TRAINING"


def routes(engine: Engine, learning: Learning | None) -> "list[Route]":
    """The requests that Label Studio sends."""
    from starlette.routing import Route

    async def health(request: "Request") -> "Response":
        return said({"status": "UP", "model_version": engine.version})

    @mannerly
    async def setup(request: "Request") -> "Response":
        _fitting(engine, labelling_setup(a_text((await asked(request)).get("schema"), "'schema'")))
        return said({"model_version": engine.version})

    @mannerly
    async def predict(request: "Request") -> "Response":
        body = await asked(request)
        return said({"results": await asyncio.to_thread(_predicted, engine, body), "model_version": engine.version})

    @mannerly
    async def webhook(request: "Request") -> "Response":
        body = await asked(request)
        learns = _learning(learning)
        action = a_text(body.get("action"), "'action'")
        if action in MADE:
            _keep(learns, body)
        elif action == MADE_OF_PREDICTIONS:
            for task, annotation in _pairs(body):
                _keep(learns, {**body, "task": task, "annotation": annotation})
        elif action in GONE:
            for one in a_list(body.get("annotations", [body.get("annotation")]), "'annotations'"):
                learns.told.forget(LABEL_STUDIO, _project(body), _name(an_object(one, "the annotation")))
        elif action != ASKED:
            return said({"status": "unknown event"})
        learns.trainer.start_or_repeat()
        return said({"status": "ok"}, HTTPStatus.CREATED)

    @mannerly
    async def train(request: "Request") -> "Response":
        body = await asked(request)
        learns = _learning(learning)
        setup = labelling_setup(a_text(body.get("label_config"), "'label_config'"))
        documents = [
            one for task in a_list(body.get("annotations"), "'annotations'") for one in _annotations(task, setup)
        ]
        learns.told.keep(LABEL_STUDIO, _project(body), documents, all_of_it=True)
        learns.trainer.start_or_repeat()
        return said({"status": "ok"}, HTTPStatus.CREATED)

    posts = {"/setup": setup, "/predict": predict, "/webhook": webhook, "/train": train}
    return [
        Route("/", health, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
        *(Route(path, handler, methods=["POST"]) for path, handler in posts.items()),
    ]


def _learning(learning: Learning | None) -> Learning:
    if learning is None:
        raise Refused(HTTPStatus.NOT_IMPLEMENTED, "this server does not learn (sstag serve --learned FILE)")
    return learning


def _fitting(engine: Engine, setup: LabellingSetup) -> LabellingSetup:
    """The setup of a project, if it has a label of the model: another project's predictions would show nothing."""
    if setup.labels and not {*setup.labels} & {*engine.labels}:
        theirs, ours = ", ".join(setup.labels[:10]), ", ".join(engine.labels[:10])
        raise DataError(f"the project has the labels {theirs}, but the model finds {ours}")
    return setup


def _predicted(engine: Engine, body: Object) -> list[dict[str, object]]:
    """The predictions for the tasks of a request, in their order."""
    setup = _fitting(engine, labelling_setup(a_text(body.get("label_config"), "'label_config'")))
    documents = []
    for number, value in enumerate(a_list(body.get("tasks"), "'tasks'"), 1):
        data = an_object(an_object(value, f"'tasks'[{number - 1}]").get("data"), f"'tasks'[{number - 1}].'data'")
        text = a_text(data.get(setup.key), f"'tasks'[{number - 1}].'data'.'{setup.key}'")
        documents.append(Document(str(number), text))
    results = []
    for document in engine.tagged(documents):
        places = units(document.text)
        spans = [span for one in document.said for span in one.spans if setup.has(span.labels[0])]
        sure = [1.0 if span.probability is None else span.probability for span in spans]
        regions = [
            region(span, document.text, places, number, setup.control, setup.target)
            for number, span in enumerate(spans, 1)
        ]
        results.append({"result": regions, "score": min(sure, default=1.0), "model_version": engine.version})
    return results


def _keep(learning: Learning, body: Object) -> None:
    """Keeps the annotation of an event in the place of what was known of it."""
    project = an_object(body.get("project"), "'project'")
    setup = labelling_setup(a_text(project.get("label_config"), "'project'.'label_config'"))
    task = {**an_object(body.get("task"), "'task'"), "annotations": [body.get("annotation")]}
    documents = _annotations(task, setup)
    learning.told.keep(LABEL_STUDIO, _project(body), documents)
    if not documents:  # it was skipped, after all
        learning.told.forget(LABEL_STUDIO, _project(body), _name(an_object(body.get("annotation"), "'annotation'")))


def _pairs(body: Object) -> list[tuple[Object, Object]]:
    """The tasks and annotations of an event about several, each annotation with its task."""
    tasks = [an_object(one, "the task") for one in a_list(body.get("task"), "'task'")]
    found = []
    for value in a_list(body.get("annotation"), "'annotation'"):
        annotation = an_object(value, "the annotation")
        task = next((one for one in tasks if one.get("id") == annotation.get("task")), None)
        if task is None:
            raise DataError(f"annotation {_name(annotation)} is of a task that the event does not have")
        found.append((task, annotation))
    return found


def _annotations(task: Json, setup: LabellingSetup) -> list[Document]:
    """The annotations of a task, each a document that goes by the annotation's name."""
    made = an_object(task, "the task")
    options = TextOptions(keys={"text": setup.key})
    found = []
    for value in a_list(made.get("annotations"), "'annotations'"):
        one = an_object(value, "the annotation")
        if not one.get("was_cancelled"):
            read = document_of_task(Record({**made, "annotations": [one]}, 1, b""), options)
            found.append(Document(_name(one), read.text, read.said))
    return found


def _name(annotation: Object) -> str:
    name = annotation.get("id")
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise DataError("an annotation has no 'id'")
    return str(name)


def _project(body: Object) -> str:
    """The project of a request, which old requests name with the time of its making."""
    said = body.get("project")
    name = said.get("id") if isinstance(said, dict) else said
    return str(name).partition(".")[0]
