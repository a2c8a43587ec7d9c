"""`sstag serve`: both protocols, as their tools speak them, and what a server on this machine must refuse."""

import json
import re
import time

import pytest
from cassis import Cas, TypeSystem, load_cas_from_xmi

from sstag.corpus.text.documents import Span
from sstag.corpus.text.span_tokens import Run
from sstag.foundation.errors import DataError
from sstag.interfaces import python as sstag
from sstag.interfaces.web.addresses import Bound
from sstag.interfaces.web.labelling_setup import labelling_setup
from sstag.interfaces.web.learning import LABEL_STUDIO
from sstag.interfaces.web.lessons import labels_of_runs
from sstag.interfaces.web.told import Told
from tests.commands import sstag as command
from tests.with_web.servers import model_in, requested, serving

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
CONFIG = (
    "<View><Labels name='who' toName='prose'><Label value='PER'/><Label value='LOC'/></Labels>"
    "<Text name='prose' value='$words'/></View>"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    model_in(folder)
    return folder


@pytest.fixture(scope="module")
def server(place):
    learns = ("--learned", "learned.model", "--train", "names.txt")
    with serving(place, "serve", "-m", "names.model", "--port", "0", *learns) as (_, lines):
        yield {line.split()[0]: line.split()[-1] for line in lines}


@pytest.fixture
def inception(server):
    return server["INCEpTION"]


@pytest.fixture
def studio(server):
    return server["Label"]


def types() -> TypeSystem:
    """The types as INCEpTION sends them: the layer has features for suggestions."""
    made = TypeSystem()
    for name in ("Token", "Sentence"):
        made.create_type(name=SEGMENT + name, supertypeName="uima.tcas.Annotation")
    layer = made.create_type(name=LAYER, supertypeName="uima.tcas.Annotation")
    made.create_feature(domainType=layer, name="value", rangeType="uima.cas.String")
    made.create_feature(domainType=layer, name="value_score", rangeType="uima.cas.Double")
    made.create_feature(domainType=layer, name="inception_internal_predicted", rangeType="uima.cas.Boolean")
    return made


def document(text: str, entities=(), user: str = "ann") -> dict:
    cas = Cas(types())
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    for start, stop, value in entities:
        cas.add(cas.typesystem.get_type(LAYER)(begin=start, end=stop, value=value))
    return {"xmi": cas.to_xmi(), "documentId": 42, "userId": user}


def asking(**more) -> dict:
    metadata = {"layer": LAYER, "feature": "value", "projectId": 7, "anchoringMode": "tokens", "crossSentence": False}
    return {"metadata": metadata, "typeSystem": types().to_xml(), **more}


def suggestions(answer: bytes) -> list[tuple[int, int, str, float]]:
    cas = load_cas_from_xmi(json.loads(answer)["document"], typesystem=types())
    return [
        (one.begin, one.end, one.value, one.value_score)
        for one in cas.select(LAYER)
        if one.inception_internal_predicted
    ]


def until(found, seconds: float = 60.0):
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.05)
    return value


def test_inception_gets_suggestions_where_python_finds_chunks(inception, place):
    text = "Ann 😀 Lee met Bob in Rome ."
    status, _, answer = requested(f"{inception}/predict", asking(document=document(text, [(0, 3, "LOC")])))
    assert status == 200
    words = text.split()
    (tagged,) = sstag.tag(sstag.load(place / "names.model"), [words], confidence=True)
    places = [text.index(word) for word in words]
    expected = [(places[one.first], one.type, one.confidence) for one in tagged.chunks]
    assert [(start, value, pytest.approx(score)) for start, _, value, score in suggestions(answer)] == expected
    assert expected


def test_single_tokens_get_a_suggestion_each(inception):
    body = asking(document=document("Ann Lee met Bob."))
    body["metadata"]["anchoringMode"] = "singleToken"
    found = suggestions(requested(f"{inception}/predict", body)[2])
    assert [(start, stop) for start, stop, _, _ in found][:2] == [(0, 3), (4, 7)]


@pytest.mark.parametrize(
    ("body", "status", "part"),
    [
        (b"{", 400, "no JSON"),
        (b"[]", 400, "a list, not an object"),
        (b'"\\ud800"', 400, "surrogate"),
        (b"[" * 100_000, 400, "too deep"),
        ({}, 422, "'metadata'"),
        (asking(document={"xmi": "<a"}), 422, "cannot be read"),
        (asking(document={"xmi": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}), 422, "document type"),
        (asking(document=document("Ann")) | {"typeSystem": "<a"}, 422, "'typeSystem' cannot be read"),
        (asking(document=document("Ann")) | {"metadata": {"layer": "Other", "feature": "value"}}, 422, "no layer"),
    ],
)
def test_faulty_requests_are_refused_with_a_message(inception, body, status, part):
    found, _, answer = requested(f"{inception}/predict", body)
    assert (found, part in json.loads(answer)["error"]) == (status, True), answer


def test_label_studio_gets_predictions_in_the_names_of_its_project(studio):
    tasks = [{"id": 1, "data": {"words": "😀 Bob lives in Rome."}}, {"id": 2, "data": {"words": ""}}]
    body = {"tasks": tasks, "label_config": CONFIG, "project": "3.1700000000"}
    status, _, answer = requested(f"{studio}/predict", body)
    first, second = json.loads(answer)["results"]
    assert status == 200
    (bob,) = [one for one in first["result"] if one["value"]["text"] == "Bob"]
    assert (bob["from_name"], bob["to_name"]) == ("who", "prose")
    assert (bob["value"]["start"], bob["value"]["end"]) == (3, 6)  # the face is two units of UTF-16
    assert first["score"] == min(one["score"] for one in first["result"])
    assert second["result"] == []


BOXES = "<RectangleLabels name='b' toName='c'><Label value='LOC'/></RectangleLabels>"


@pytest.mark.parametrize(
    ("config", "offered"),
    [
        (CONFIG, ["PER", "LOC"]),
        (CONFIG.replace("<Label value='LOC'/>", ""), ["PER"]),
        (CONFIG.replace("<Label value='LOC'/>", "").replace("</View>", f"{BOXES}</View>"), ["PER"]),
        (CONFIG.replace("value='LOC'", "value='a place' alias='LOC'"), ["PER", "LOC"]),
        (CONFIG.replace("<Label value='PER'/><Label value='LOC'/>", ""), ["PER", "LOC"]),
    ],
)
def test_a_project_gets_the_labels_that_it_has(studio, config, offered):
    body = {"tasks": [{"id": 1, "data": {"words": "Bob lives in Rome."}}], "label_config": config, "project": "3.1"}
    (result,) = json.loads(requested(f"{studio}/predict", body)[2])["results"]
    assert [label for one in result["result"] for label in one["value"]["labels"]] == offered
    assert result["score"] == min(one["score"] for one in result["result"])


def test_a_project_with_other_labels_is_told_so(studio):
    other = CONFIG.replace("PER", "GENE").replace("LOC", "CELL")
    status, _, answer = requested(f"{studio}/setup", {"schema": other, "project": "3.1"})
    assert (status, "GENE, CELL, but the model finds LOC, PER" in json.loads(answer)["error"]) == (422, True)
    assert requested(f"{studio}/setup", {"schema": CONFIG, "project": "3.1"})[0] == 200


def annotated(action: str, annotation: dict) -> dict:
    task = {"id": 5, "data": {"words": "Zorblax met Quuxin ."}}
    return {"action": action, "task": task, "annotation": annotation, "project": {"id": 3, "label_config": CONFIG}}


def zorblax(label: str) -> dict:
    value = {"start": 0, "end": 7, "text": "Zorblax", "labels": [label]}
    return {"id": 9, "result": [{"from_name": "who", "to_name": "prose", "type": "labels", "value": value}]}


def test_label_studio_teaches_and_unteaches(studio, place):
    def label() -> str | None:
        body = {"tasks": [{"data": {"words": "Zorblax met Quuxin ."}}], "label_config": CONFIG}
        (result,) = json.loads(requested(f"{studio}/predict", body)[2])["results"]
        return next((one["value"]["labels"][0] for one in result["result"] if one["value"]["text"] == "Zorblax"), None)

    assert requested(f"{studio}/webhook", annotated("ANNOTATION_CREATED", zorblax("LOC")))[0] == 201
    until(lambda: label() == "LOC")
    assert requested(f"{studio}/webhook", annotated("ANNOTATION_UPDATED", zorblax("PER")))[0] == 201
    until(lambda: label() == "PER")
    assert (place / "learned.model").exists()
    gone = {"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 9}], "project": {"id": 3, "label_config": CONFIG}}
    assert requested(f"{studio}/webhook", gone)[0] == 201
    assert requested(f"{studio}/webhook", {"action": "PROJECT_CREATED"})[0] == 200


def test_annotations_that_were_made_of_predictions_are_learned_together(studio, place):
    """As Label Studio sends them: one event, with a list of annotations and a list of their tasks."""
    texts = {5: "Zorblax met Quuxin .", 6: "Zorblax left ."}
    body = annotated("ANNOTATIONS_CREATED", {}) | {
        "task": [{"id": number, "data": {"words": text}} for number, text in texts.items()],
        "annotation": [zorblax("LOC") | {"id": number + 10, "task": number} for number in texts],
    }
    assert requested(f"{studio}/webhook", body)[0] == 201
    file = Told(str(place / "learned.model.told"))
    assert {(one.id, one.text) for one in file.documents(LABEL_STUDIO)} >= {("15", texts[5]), ("16", texts[6])}
    file.close()
    body["task"].pop()
    status, _, said = requested(f"{studio}/webhook", body)
    assert status == 422
    assert "annotation 16 is of a task that the event does not have" in json.loads(said)["error"]


def test_what_is_refused_is_logged_with_time_and_address_but_without_the_secret(tmp_path):
    model_in(tmp_path)
    with serving(tmp_path, "serve", "-m", "names.model", "--port", "0", "--secret", "secret.txt") as (_, lines):
        studio = lines[1].split()[-1]
        other = {"schema": CONFIG.replace("PER", "GENE").replace("LOC", "CELL"), "project": "3.1"}
        assert requested(f"{studio}/setup", other)[0] == 422
        log = (tmp_path / "log.txt").read_text()
    assert (tmp_path / "secret.txt").read_text().strip() not in log
    line = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d{4} WARNING 127\.0\.0\.1:\d+ POST /label-studio/setup 422: .*GENE, CELL"
    assert re.search(line, log), log


def test_inception_teaches_sentence_by_sentence(inception, place):
    text = "Grault saw London . Bob lives in Rome ."
    lesson = asking(documents=[document(text, [(0, 6, "LOC")])])
    until(lambda: requested(f"{inception}/train", lesson)[0] == 204)

    def first() -> tuple:
        body = asking(document=document("Grault saw London ."))
        return suggestions(requested(f"{inception}/predict", body)[2])[0][:3]

    until(lambda: first() == (0, 6, "LOC"))


def test_learning_goes_on_after_a_restart(tmp_path):
    model_in(tmp_path)
    options = ("serve", "-m", "names.model", "--port", "0", "--learned", "learned.model", "--train", "names.txt")
    with serving(tmp_path, *options) as (_, lines):
        studio = lines[1].split()[-1]
        assert requested(f"{studio}/webhook", annotated("ANNOTATION_CREATED", zorblax("LOC")))[0] == 201
    # killed at once; a restart has not forgotten what it was told
    with serving(tmp_path, *options) as (_, lines):
        studio = lines[1].split()[-1]
        before = json.loads(requested(f"{studio}/health")[2])["model_version"]
        assert requested(f"{studio}/webhook", {"action": "START_TRAINING", "project": {"id": 3}})[0] == 201
        until(lambda: json.loads(requested(f"{studio}/health")[2])["model_version"] != before)
    model = sstag.load(tmp_path / "learned.model")
    assert sstag.tag(model, [["Zorblax", "met", "Bob", "."]])[0][0] == "B-LOC"
    assert not (tmp_path / "learned.model.learning").exists()


def test_without_learned_nothing_is_learned(tmp_path):
    model_in(tmp_path)
    with serving(tmp_path, "serve", "-m", "names.model", "--port", "0") as (_, lines):
        inception, studio = (line.split()[-1] for line in lines)
        assert requested(f"{studio}/webhook", annotated("ANNOTATION_CREATED", zorblax("LOC")))[0] == 501
        assert requested(f"{inception}/train", asking(documents=[document("Ann")]))[0] == 501


@pytest.mark.parametrize(
    ("headers", "method", "path", "status"),
    [
        ({"Host": "evil.example"}, "GET", "/health", 403),
        ({"Host": "127.0.0.1"}, "GET", "/health", 403),
        ({"Host": "127.0.0.1:1"}, "GET", "/health", 403),
        ({"Host": ""}, "GET", "/health", 403),
        ({"Origin": "http://evil.example"}, "POST", "/predict", 403),
        ({"Origin": "null"}, "POST", "/predict", 403),
        ({"Sec-Fetch-Site": "cross-site"}, "POST", "/predict", 403),
        ({"Sec-Fetch-Site": "same-site"}, "POST", "/predict", 403),
        ({"Content-Type": "text/plain"}, "POST", "/predict", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "POST", "/predict", 415),
        ({}, "DELETE", "/predict", 405),
        ({}, "OPTIONS", "/predict", 405),
        ({}, "GET", "/../../etc/passwd", 404),
        ({}, "GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
    ],
)
def test_attacks_are_refused(studio, headers, method, path, status):
    found, sent, answer = requested(f"{studio}{path}", b"{}" if method == "POST" else None, headers, method)
    assert found == status
    assert b"Traceback" not in answer
    assert "access-control-allow-origin" not in sent
    assert sent["x-content-type-options"] == "nosniff"
    assert sent["content-security-policy"].startswith("default-src 'none'")


def test_a_body_that_is_too_large_is_refused(studio):
    headers = {"Content-Length": str(2**40)}
    assert requested(f"{studio}/predict", b"{}", headers)[0] == 413
    assert requested(f"{studio}/predict", b"x" * (64 * 2**20 + 1))[0] == 413


@pytest.mark.parametrize(
    ("host", "address", "names", "named"),
    [
        ("localhost:9090", "127.0.0.1", (), True),
        ("LOCALHOST.:9090", "127.0.0.1", (), True),
        ("[::1]:9090", "::1", (), True),
        ("[0:0:0:0:0:0:0:1]:9090", "::1", (), True),
        ("127.0.0.1:9090", "::1", (), False),
        ("localhost:9090", "10.0.0.1", (), False),
        ("10.0.0.1:9090", "0.0.0.0", (), True),
        ("evil.example:9090", "0.0.0.0", (), False),
        ("box:9090", "10.0.0.1", ("box",), True),
        ("127.0.0.1:9090@evil.example", "127.0.0.1", (), False),
        ("127.0.0.1:9090\x00", "127.0.0.1", (), False),
    ],
)
def test_hosts(host, address, names, named):
    assert Bound(address, 9090, names).is_named_by(host) == named
    assert Bound(address, 9090, names).is_origin(f"http://{host}") == named
    assert not Bound(address, 9090, names).is_origin(f"https://{host}")


def test_other_machines_need_the_secret(tmp_path):
    model_in(tmp_path)
    refused = command("serve", "-m", "names.model", "--port", "0", "--listen", "0.0.0.0", cwd=tmp_path)
    assert (refused.returncode, "--secret FILE" in refused.stderr) == (2, True)
    options = ("--port", "0", "--listen", "0.0.0.0", "--secret", "secret.txt")
    with serving(tmp_path, "serve", "-m", "names.model", *options) as (_, lines):
        secret = (tmp_path / "secret.txt").read_text().strip()
        port = lines[0].partition("0.0.0.0:")[2].partition("/")[0]
        assert requested(f"http://127.0.0.1:{port}/{secret}/label-studio/health")[0] == 200
        assert requested(f"http://127.0.0.1:{port}/label-studio/health")[0] == 404
        assert (tmp_path / "secret.txt").stat().st_mode & 0o077 == 0


def test_a_model_that_reads_more_than_words_is_refused(tmp_path):
    template = 'columns: [word, pos, label]\nfeatures: ["word[0]", "pos[0]"]\n'
    model_in(tmp_path, "Ann\tNNP\tB-PER\nmet\tVBD\tO\n\n", template)
    found = command("serve", "-m", "names.model", "--port", "0", cwd=tmp_path)
    assert (found.returncode, "pos" in found.stderr) == (1, True)


@pytest.mark.parametrize(
    "xml", ["", "<View>", "<!DOCTYPE a><View/>", "<View/>", CONFIG.replace("who", "a").replace("Text", "Image")]
)
def test_setups_without_spans_of_text_are_errors(xml):
    with pytest.raises(DataError):
        labelling_setup(xml)


@pytest.mark.parametrize(
    ("scheme", "labels"),
    [
        ("iob2", "B-A I-A B-A O B-A|B-B"),
        ("iob1", "I-A I-A B-A O I-A|I-B"),
        ("bioes", "B-A E-A S-A O S-A|S-B"),
        ("ioe1", "I-A E-A I-A O I-A|I-B"),
        ("plain", "A A A O A|B"),
    ],
)
def test_spans_are_written_in_the_scheme_of_the_model(scheme, labels):
    spans = [(0, 2, ("A",)), (2, 3, ("A",)), (4, 5, ("A", "B"))]
    runs = [Run(first, stop, Span(first, stop, kinds)) for first, stop, kinds in spans]
    assert labels_of_runs(runs, 5, scheme, "O") == labels.split()
