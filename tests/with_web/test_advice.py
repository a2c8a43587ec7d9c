"""Advice of the commands that serve, and of what they answer: each is provoked and followed, as in other tests."""

import json
import re
import shutil

import click
import pytest

from bench.workbench import working
from sstag.interfaces.web import listening
from tests.advised import folder, served
from tests.advised.following import follow, provoked
from tests.with_web.benches import Annotator
from tests.with_web.servers import requested, serving

CASES = {f"{place}: {case.told[:40]}": case for place, case in enumerate(served.CASES)}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of which each case has a copy."""
    return folder.filled(tmp_path_factory.mktemp("advised"))


@pytest.mark.parametrize("name", CASES)
def test_the_advice_of_a_command_that_serves_works(made, name, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listening, "run", lambda app, socket, ready, *more: ready())  # and nobody comes
    monkeypatch.setattr(click, "launch", lambda page: "no browser" in CASES[name].told)
    follow(CASES[name], provoked(CASES[name], monkeypatch))


CONFIG = (
    "<View><Labels name='who' toName='prose'><Label value='PER'/></Labels><Text name='prose' value='$words'/></View>"
)
SPAN = {"first": 0, "stop": 1, "labels": ["PER"]}


@pytest.fixture(scope="module")
def bench(made, tmp_path_factory):
    """The folder, the address and the token of a workbench at which nothing is trained yet."""
    place = tmp_path_factory.mktemp("bench")
    shutil.copytree(made, place, dirs_exist_ok=True)
    with working(place, "--project", "work") as (_, base, token):
        yield place, base, token


def said(answer):
    """The status of an answer, and the error that it tells, if it tells one."""
    status, headers, body = answer
    return status, json.loads(body).get("error", "") if "json" in headers.get("content-type", "") else ""


def of_answer(text, *labels):
    answer = {"key": f"k{len(labels)}", "kind": "sentence", "text": text, "spans": [{**SPAN, "labels": labels}]}
    return {"session": 1, "answers": [answer]}


def test_the_page_says_how_to_be_let_in(bench):
    _, base, token = bench
    known = {"Authorization": f"Bearer {token}"}
    assert said(requested(f"{base}/api/project")) == (401, "the token is missing: open the address that sstag prints")
    assert said(requested(f"{base}/login?token=x"))[1] == "this is not the token: take the address that sstag prints"
    status, headers, _ = requested(f"{base}/login?token={token}")  # the address that sstag printed
    assert status == 303
    assert requested(f"{base}{headers['location']}", headers={"Cookie": headers["set-cookie"].split(";")[0]})[0] == 200
    error = "there is no session 77: begin one (POST /api/sessions)"
    assert said(requested(f"{base}/api/next?session=77", headers=known))[1] == error
    refused = said(requested(f"{base}/api/sessions", b"{}", {**known, "Content-Type": "text/plain"}))
    assert refused == (415, "a body of type application/json is wanted")
    status, _, body = requested(f"{base}/api/sessions", {"annotator": "eve"}, known)
    assert status == 201
    session = json.loads(body)["session"]
    assert requested(f"{base}/api/next?session={session}", headers=known)[0] == 200


def test_the_page_says_what_a_request_lacks(bench):
    place, base, token = bench
    ann = Annotator(base, token)
    status, answer = ann.asked(f"spans?session={ann.session}&term=Kim")
    assert (status, answer["error"]) == (422, "there is no model yet that knows labels: say which one ('label')")
    (place_of_kim,) = ann.get("spans", term="Kim", label="PER")["spans"]
    text = place_of_kim["text"]
    body = of_answer(text) | {"session": ann.session}
    assert "'labels': at least one label is wanted, and none twice" in ann.asked("answers", body)[1]["error"]
    assert ann.asked("answers", of_answer(text, "PER") | {"session": ann.session})[0] == 201
    (place / "work" / "suspects.json").write_text("nothing")
    status, answer = ann.asked(f"suspects?session={ann.session}")
    assert re.search(r"is damaged \(.*\): remove it, and search again", answer["error"])
    (place / "work" / "suspects.json").unlink()
    assert ann.get("suspects")["suspects"] == []


def test_serve_says_what_a_server_must_be_told(made):
    text = {"text": "Kim met Ann . " * 9}
    with serving(made, "serve", "m", "--port", "0", "--max-tokens", "20", lines=3) as (_, lines):
        studio, base = lines[1].split()[-1], lines[2].split()[-1].rstrip("/")
        error = "more than 20 tokens in a request: send fewer at a time (sstag serve --max-tokens)"
        assert said(requested(f"{base}/tag", text)) == (413, error)
        assert requested(f"{base}/tag", {"text": "Kim met Ann ."})[0] == 200
        learns = said(requested(f"{studio}/train", {"project": {"id": 3, "label_config": CONFIG}}))
        assert learns == (501, "this server does not learn (sstag serve --learned FILE)")
        error = "a <Labels> control over one <Text> is wanted"
        assert error in said(requested(f"{studio}/setup", {"schema": "<View></View>", "project": "3.1"}))[1]
        assert requested(f"{studio}/setup", {"schema": CONFIG, "project": "3.1"})[0] == 200
    options = ("--port", "0", "--max-tokens", "50", "--learned", "new")
    with serving(made, "serve", "m", *options, lines=3) as (_, lines):
        studio, base = lines[1].split()[-1], lines[2].split()[-1].rstrip("/")
        assert requested(f"{base}/tag", text)[0] == 200
        assert requested(f"{studio}/webhook", {"action": "PROJECT_CREATED"})[0] == 200
