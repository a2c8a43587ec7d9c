"""`sstag serve` for programs: texts and tokens, streams, several models and new files of them, many clients at once."""

import asyncio
import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sstag.corpus.text.documents import Document
from sstag.features.reading import template
from sstag.interfaces import python as sstag
from sstag.interfaces.web import serving as serving_module
from sstag.interfaces.web import streams
from sstag.interfaces.web.answers import Refused
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.queueing import ClientLeft, Queue
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained
from tests.commands import sstag as command
from tests.training import TWO_LOOKS, made_ads, raw, task
from tests.with_web.servers import NAMES, model_in, requested, serving

TEXT = "Ann 😀 Lee met Bob\nin Rome. \u2028Carla saw \x00 London!"
LINES = {"Content-Type": "application/x-ndjson"}
PLAIN = NAMES.replace("B-", "").replace("I-", "")  # labels without a scheme


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tag")
    model_in(folder, PLAIN)
    shutil.move(folder / "names.model", folder / "plain.model")
    model_in(folder)
    return folder


@pytest.fixture(scope="module")
def base(place) -> Iterator[str]:
    options = ("names.model", "kinds=plain.model", "--port", "0", "--max-tokens", "5000")
    with serving(place, "serve", *options, lines=5) as (_, lines):
        yield lines[-1].split()[-1].rstrip("/")


def told(base: str, body: object, status: int = 200, **headers: str) -> dict:
    found, sent, answer = requested(f"{base}/tag", body, headers)
    assert found == status, answer
    assert sent["content-type"] == "application/json"
    return json.loads(answer)


def expected(model: sstag.Model, text: str) -> list[dict]:
    return [one._asdict() for one in sstag.tag(model, text=text, confidence=True)]


def test_texts_get_the_spans_that_python_finds(base, place):
    model = sstag.load(place / "names.model")
    answer = told(base, {"text": TEXT})
    assert answer["results"] == [{"spans": expected(model, TEXT)}]
    assert expected(model, TEXT)
    version = json.loads(requested(f"{base}/models")[2])["models"][0]["version"]
    assert (answer["model"], answer["version"]) == ("names", version)
    several = [TEXT, "", "Bob", " \t"]
    assert told(base, {"text": several})["results"] == [{"spans": expected(model, one)} for one in several]
    assert told(base, {"text": []})["results"] == []


def test_tokens_get_labels_and_spans(base, place):
    words = ["Ann", "Lee", "met", "Bob", "in", "New York"]
    (tagged,) = sstag.tag(sstag.load(place / "names.model"), [words], confidence=True)
    (result,) = told(base, {"tokens": words})["results"]
    assert result["labels"] == tagged.labels
    assert result["probabilities"] == pytest.approx(tagged.token_confidence)
    for span, chunk in zip(result["spans"], tagged.chunks, strict=True):
        assert (span["first"], span["stop"], span["label"]) == (chunk.first, chunk.stop, chunk.type)
        assert span["probability"] == pytest.approx(chunk.confidence)
        assert span["text"] == " ".join(words[chunk.first : chunk.stop]) == " ".join(words)[span["start"] : span["end"]]
    several = told(base, {"tokens": [words, [], words[:1]]})["results"]
    assert [len(one["labels"]) for one in several] == [6, 0, 1]
    assert several[0] == result


def test_texts_of_a_request_are_read_before_they_are_tagged(tmp_path):
    inputs = Inputs(template(TWO_LOOKS, "two.yaml"), made_ads(20, 1), raw(60, 2))
    sstag.save(trained(task(inputs), Run()), tmp_path / "two.model")
    model_in(tmp_path)
    text = raw(8, 3)
    tokens = [text.words("word", sentence) for sentence in range(text.sentences)]
    texts = [" ".join(words) for words in tokens]
    with serving(tmp_path, "serve", "two.model", "names.model", "--port", "0", lines=5) as (_, lines):
        base = lines[-1].split()[-1].rstrip("/")

        def spans(**asked: object) -> list[list[dict]]:
            return [one["spans"] for one in told(base, {"text": texts, **asked})["results"]]

        def labels(**asked: object) -> list[list[str]]:
            return [one["labels"] for one in told(base, {"tokens": tokens, **asked})["results"]]

        model = sstag.load(tmp_path / "two.model")
        for context in ("file", "document", 3, "3", "none"):
            found = sstag.tag(model, text=texts, context=context, confidence=True)
            assert spans(context=context) == [[span._asdict() for span in own] for own in found]
        for context in ("file", 3, "none"):
            assert labels(context=context) == sstag.tag(model, tokens, context=context)
        assert spans() == spans(context="none") != spans(context="file")
        assert labels() == labels(context="none") != labels(context="file")
        assert spans(model="names") == spans(model="names", context="file")  # which has nothing to count
        for wrong, part in (
            ({"text": "a", "context": "files"}, "no context"),
            ({"text": "a", "context": True}, "no context"),
            ({"text": "a", "context": 0}, "from 1 to"),
            ({"text": "a", "context": [1]}, "no context"),
            ({"tokens": ["a"], "context": "document"}, "do not say where documents begin"),
        ):
            assert part in told(base, wrong, 422)["error"]
        line = json.dumps({"text": "a", "context": "file"}).encode()
        (answer,) = requested(f"{base}/tag-stream", line + b"\n", LINES)[2].splitlines()
        assert "'context' is for POST /tag" in json.loads(answer)["error"]


def test_models_are_chosen_by_name(base, place):
    about = json.loads(requested(f"{base}/models")[2])["models"]
    assert [(one["name"], one["scheme"], one["labels"]) for one in about] == [
        ("names", "iob2", ["LOC", "PER"]),
        ("kinds", "plain", ["LOC", "PER"]),
    ]
    plain = sstag.load(place / "plain.model")
    answer = told(base, {"text": TEXT, "model": "kinds"})
    assert (answer["model"], answer["results"]) == ("kinds", [{"spans": expected(plain, TEXT)}])
    (result,) = told(base, {"tokens": ["Ann", "met"], "model": "kinds"})["results"]
    assert result["labels"] == sstag.tag(plain, [["Ann", "met"]])[0]
    for name in ("names", "kinds"):
        assert requested(f"{base}/models/{name}/label-studio/health")[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "part"),
    [
        (b"{", 400, "no JSON"),
        (b"", 400, "no JSON"),
        (b"[]", 400, "a list, not an object"),
        (b'{"text": "\\ud800"}', 400, "surrogate"),
        ({}, 422, "a 'text' or 'tokens'"),
        ({"text": "a", "tokens": ["a"]}, 422, "one of the two"),
        ({"txet": "a"}, 422, "unknown key 'txet'; did you mean 'text'?"),
        ({"text": 3}, 422, "'text' is the number 3"),
        ({"text": ["a", 3]}, 422, "not a text or a list of texts"),
        ({"text": None}, 422, "'text' is null"),
        ({"tokens": "Ann met"}, 422, "not a list of texts"),
        ({"tokens": ["a", ["b"]]}, 422, "a list of such lists"),
        ({"tokens": [["a", ""]]}, 422, "'tokens' has an empty one"),
        ({"text": "a", "model": "name"}, 422, "there is no model 'name'; did you mean 'names'?"),
        ({"text": "a", "model": 1}, 422, "'model' is the number 1"),
        ({"text": "a " * 5001}, 413, "more than 5,000 tokens"),
        ({"text": ["a"] * 5001}, 413, "more than 5,000 tokens"),
        ({"text": [""] * 5001}, 413, "more than 5,000 tokens"),
        ({"tokens": ["a"] * 5001}, 413, "more than 5,000 tokens"),
        ({"tokens": [[]] * 5001}, 413, "more than 5,000 tokens"),
        (b'{"tokens": [' + b"[]," * 100_000, 413, "more than 5,000 tokens"),  # it is not even parsed
        (b" " * (16 * 2**20 + 1), 413, "at most 16,777,216 bytes"),
    ],
)
def test_faulty_requests_are_refused_with_a_message(base, body, status, part):
    assert part in told(base, body, status)["error"]


def test_whoever_looks_around_is_told_what_there_is(base):
    _, _, answer = requested(f"{base}/")
    assert {"POST /tag", "POST /tag-stream", "GET /health"} <= json.loads(answer)["requests"].keys()
    for path, method, status in (
        ("/tagg", "GET", 404),
        ("/docs", "POST", 404),
        ("/tag", "GET", 405),
        ("/", "PUT", 405),
    ):
        found, headers, answer = requested(f"{base}{path}", b"{}" if method != "GET" else None, method=method)
        assert (found, headers["content-type"]) == (status, "application/json")
        assert (status == 404) == ("GET / says what there is" in json.loads(answer)["error"])
        assert ("allow" in headers) == (status == 405)
    assert json.loads(requested(f"{base}/health")[2]) == {"status": "ok"}
    assert told(base, b'{"text": "a"}', 415, **{"Content-Type": "text/plain"})["error"].endswith("json is wanted")


def test_the_api_is_as_it_is_described(base):
    program = Path(sys.executable).with_name("schemathesis")
    asked = ["run", f"{base}/openapi.json", "--max-examples", "20", "--seed", "1", "--no-color"]
    done = subprocess.run([program, *asked], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
    assert {*json.loads(requested(f"{base}/openapi.json")[2])["paths"]} == {
        "/", "/health", "/models", "/openapi.json", "/tag", "/tag-stream",
    }  # fmt: skip


def test_lines_of_a_stream_are_answered_in_their_order(base, place):
    model = sstag.load(place / "names.model")
    lines = ['{"text": "Ann met Bob."}', "", '{"tokens": ["Bob"]}', "x", '{"a": 1}', '{"text": ["Ann", ""]}']
    status, headers, answer = requested(f"{base}/tag-stream", "\n".join(lines).encode(), LINES)
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    first, second, third, fourth, fifth = map(json.loads, answer.splitlines())
    assert first == {"spans": expected(model, "Ann met Bob.")}
    assert second["labels"] == sstag.tag(model, [["Bob"]])[0]
    assert third["error"].startswith("line 4: no JSON")
    assert fourth["error"].startswith("line 5: unknown key 'a'")
    assert fifth == {"results": [{"spans": expected(model, "Ann")}, {"spans": []}]}
    assert requested(f"{base}/tag-stream", b"", LINES)[::2] == (200, b"")
    assert requested(f"{base}/tag-stream", b"{}")[0] == 415


def opened(base: str, head: str = "") -> socket.socket:
    """A stream that was begun, with an answer that was begun as well."""
    parts = urlsplit(base)
    client = socket.create_connection((parts.hostname, parts.port), timeout=30)
    host, kind = f"Host: 127.0.0.1:{parts.port}", "Content-Type: application/x-ndjson"
    client.sendall(f"POST /tag-stream HTTP/1.1\r\n{host}\r\n{kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    return client


def chunk(line: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(line), line)


def test_a_line_is_answered_before_the_next_one_is_sent(base):
    with opened(base) as client:
        found = b""
        for number in range(1, 4):
            client.sendall(chunk(b'{"text": "Ann met Bob."}\n'))
            while found.count(b'{"spans"') < number:
                found += client.recv(2**16)
        client.sendall(b"0\r\n\r\n")
        while not found.endswith(b"0\r\n\r\n"):
            found += client.recv(2**16)
        assert found.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("held", [10**6, 20])
def test_lines_are_read_while_answers_wait_as_long_as_there_is_room(held, monkeypatch):
    """A client that reads nothing: its lines are read until the answers to them are more than may be held."""
    monkeypatch.setattr(streams, "HELD", held)
    lines, sent = [b"a\n"] * 100, []

    async def main() -> None:
        reads = asyncio.Event()

        async def receive() -> dict:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": lines.pop(), "more_body": bool(lines)}

        async def send(message: dict) -> None:
            if sent:
                await reads.wait()
            sent.append(message)

        opened = streams.Streams(Queue(2, 2))
        stream = streams.Stream(opened, lambda numbered, over: b"".join(b"%d\n" % number for number, _ in numbered))
        running = asyncio.create_task(stream({}, receive, send))
        await asyncio.sleep(1)
        assert bool(lines) == (held == 20)
        reads.set()
        await asyncio.wait_for(running, 20)
        assert b"".join(one["body"] for one in sent[1:]) == b"".join(b"%d\n" % number for number in range(1, 101))
        assert opened.open == 0

    asyncio.run(main())


def test_a_client_may_send_everything_before_it_reads(base):
    line = json.dumps({"text": "Ann Lee met Bob in Rome."}).encode() + b"\n"
    status, _, answer = requested(f"{base}/tag-stream", line * 20_000, LINES)
    assert (status, answer.count(b"\n")) == (200, 20_000)
    assert len({*answer.splitlines()}) == 1


def test_a_stream_ends_at_a_line_that_is_too_long(base):
    with opened(base) as client:
        client.sendall(b'9\r\n{"text":"\r\n')
        for _ in range(streams.LONGEST // 2**16 + 1):
            client.sendall(chunk(b"x" * 2**16))
        found = b""
        while b"the stream ends" not in found:
            found += client.recv(2**16)
    assert told(base, {"text": ""})["results"] == [{"spans": []}]


def test_there_are_not_too_many_streams(base):
    clients = [opened(base) for _ in range(streams.MOST)]
    for client in clients:
        assert client.recv(2**16).startswith(b"HTTP/1.1 200 ")
    status, headers, answer = requested(f"{base}/tag-stream", b"", LINES)
    assert (status, headers["retry-after"]) == (503, "1")
    assert "streams are open already" in json.loads(answer)["error"]
    for client in clients:
        client.close()
    while requested(f"{base}/tag-stream", b"", LINES)[0] == 503:
        time.sleep(0.05)


def test_sixty_four_clients_at_once_are_all_answered(base, place):
    answer = [{"spans": expected(sstag.load(place / "names.model"), TEXT)}]

    def asked(number: int) -> None:
        connection = HTTPConnection("127.0.0.1", urlsplit(base).port, timeout=60)
        for _ in range(10):
            connection.request("POST", "/tag", json.dumps({"text": TEXT}), {"Content-Type": "application/json"})
            found = connection.getresponse()
            assert (found.status, json.loads(found.read())["results"]) == (200, answer)
        connection.close()

    with ThreadPoolExecutor(64) as clients:
        assert list(clients.map(asked, range(64))) == [None] * 64


def test_long_requests_hold_up_no_short_ones_and_a_full_queue_refuses(place):
    """Whoever comes when as many wait as may is told when to come again; health is told all the time."""
    long = {"text": "a " * 100_000}
    options = ("names.model", "--port", "0", "--queue", "2")
    with serving(place, "serve", *options, lines=3) as (_, lines), ThreadPoolExecutor(8) as clients:
        base = lines[-1].split()[-1].rstrip("/")
        told(base, {"text": "Ann"})
        begun = time.monotonic()
        answers = [clients.submit(requested, f"{base}/tag", long) for _ in range(serving_module.TOGETHER - 1 + 6)]
        time.sleep(0.3)
        assert told(base, {"text": "Ann"}, 200)["results"]
        short = time.monotonic() - begun
        assert requested(f"{base}/health")[0] == 200
        found = [one.result() for one in answers]
        whole = time.monotonic() - begun
    statuses = [status for status, _, _ in found]
    assert sorted({*statuses}) == [200, 503]
    assert statuses.count(503) == 6 - 2
    for _, headers, answer in (one for one in found if one[0] == 503):
        assert headers["retry-after"] == "1"
        assert "2 requests wait already" in json.loads(answer)["error"]
    assert short < whole / 2


@pytest.mark.parametrize("prefix", ["", "/models/news"])
def test_how_requests_are_taken(prefix):
    for path in ("/", "/health", "/models", "/openapi.json") if not prefix else (f"{prefix}/label-studio/health",):
        assert not serving_module.admission(path).queued
    assert serving_module.admission(f"{prefix}/inception/train").most_bytes == 64 * 2**20
    for path in ("/tag", f"{prefix}/inception/predict", f"{prefix}/label-studio/webhook", "/nothing", "/a/health/b"):
        assert (serving_module.admission(path).most_bytes, serving_module.admission(path).queued) == (16 * 2**20, True)


def test_new_files_are_taken_whole_and_broken_ones_are_not(tmp_path):
    model_in(tmp_path)
    lesson = "Zorblax\tB-LOC\nmet\tO\n\n" * 5
    with serving(tmp_path, "serve", "names.model", "--port", "0", lines=3) as (server, lines):
        base, log = lines[-1].split()[-1].rstrip("/"), tmp_path / "log.txt"

        def reloaded(said: str) -> dict:
            server.send_signal(signal.SIGHUP)
            end = time.monotonic() + 30
            while said not in log.read_text():
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.05)
            return told(base, {"text": "Zorblax met Bob"})

        before = told(base, {"text": "Zorblax met Bob"})
        assert reloaded("(the file is the same)") == before
        (tmp_path / "names.model").rename(tmp_path / "kept.model")
        (tmp_path / "names.model").write_bytes((tmp_path / "kept.model").read_bytes()[:-100])
        assert reloaded(f"version {before['version']} stays at work: names.model: ") == before
        (tmp_path / "names.model").unlink()
        assert reloaded("no such file") == before
        model_in(tmp_path, lesson + NAMES)
        after = reloaded("is at work\n")
        assert after["results"][0]["spans"][0]["label"] == "LOC"
        assert after["version"] != before["version"]


def test_the_secret_stands_in_the_path_or_in_a_header(place):
    with serving(place, "serve", "names.model", "--port", "0", "--secret", "secret.txt", lines=3) as (_, lines):
        secret = (place / "secret.txt").read_text().strip()
        inside = lines[-1].split()[-1].rstrip("/")
        outside = inside.removesuffix(f"/{secret}")
        assert inside != outside
        assert told(inside, {"text": "Ann"}) == told(outside, {"text": "Ann"}, Authorization=f"Bearer {secret}")
        for header in ("", f"Bearer {secret}x", secret, "Bearer"):
            assert requested(f"{outside}/tag", {"text": "Ann"}, {"Authorization": header})[0] == 404
        assert requested(f"{outside}/models")[0] == 404
        assert json.loads(requested(f"{outside}/health")[2]) == {"status": "ok"}
        assert json.loads(requested(f"{inside}/openapi.json")[2])["servers"] == [{"url": f"/{secret}"}]


def test_a_server_ends_in_order_while_it_works(place):
    with serving(place, "serve", "names.model", "--port", "0", lines=3) as (server, lines):
        base = lines[-1].split()[-1].rstrip("/")
        asks = threading.Thread(target=lambda: requested(f"{base}/tag", {"text": ["a " * 1000] * 90}))
        asks.start()
        with opened(base) as client:
            client.sendall(chunk(b'{"text": "Ann"}\n'))
            assert client.recv(2**16)
            time.sleep(0.3)
            server.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            assert server.wait(timeout=30) == 128 + signal.SIGTERM
            assert time.monotonic() - begun < 20
        asks.join()
    assert "Traceback" not in (place / "log.txt").read_text()


def test_nobody_is_worked_for_who_has_left(place):
    engine = Engine(str(place / "names.model"), 100)
    documents = [Document(str(number), "Ann met Bob.") for number in range(3)]
    assert len(engine.tagged(documents)) == 3
    with pytest.raises(ClientLeft):
        engine.tagged(documents, lambda: True)


def test_documents_of_tools_have_a_bound_too(place):
    engine = Engine(str(place / "names.model"), 100)
    places = [(2 * place, 2 * place + 1) for place in range(501)]
    for tokens in (None, places):
        assert engine.tagged([Document("1", "a " * 500, tokens=tokens and tokens[:500])])
        with pytest.raises(Refused, match="more than 500 tokens"):
            engine.tagged([Document("1", "a " * 501, tokens=tokens)])


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "name a model: sstag serve ner.model"),
        (("names.model", "names.model"), "two models are called 'names'"),
        (("names.model", "plain.model", "--learned", "x.model"), "--learned is for one model"),
        (("a/b=names.model",), "a model cannot be called 'a/b'"),
        (("none.model",), "none.model: no such file"),
        (("names.txt",), "names.txt: not an sstag model"),
    ],
)
def test_models_that_cannot_be_served_are_told(place, arguments, part):
    found = command("serve", *arguments, "--port", "0", cwd=place)
    assert found.returncode in (1, 2)
    assert part in found.stderr
    assert "Traceback" not in found.stderr


def test_a_model_with_an_odd_name_of_its_file_gets_another(place):
    shutil.copy(place / "names.model", place / "a=b c.model")
    refused = command("serve", "a=b c.model", "--port", "0", cwd=place)
    assert "say NAME=a=b c.model" in refused.stderr
    with serving(place, "serve", "ab=a=b c.model", "--port", "0", lines=3) as (_, lines):
        about = json.loads(requested(lines[-1].split()[-1] + "models")[2])
        assert [one["name"] for one in about["models"]] == ["ab"]
