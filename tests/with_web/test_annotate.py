"""The workbench from outside: questions, answers and undo; several annotators; and what it must refuse."""

import json
import socket
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench.workbench import working
from sstag.interfaces.annotate.forecast import UNSURE, forecast
from sstag.interfaces.annotate.progress import RECENT, Answered, progress
from sstag.interfaces.annotate.records import Trained
from sstag.interfaces.annotate.saying import Said, Span
from sstag.interfaces.web.addresses import Bound
from tests.with_web.benches import Annotator, begin, spans_of
from tests.with_web.servers import requested

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "annotate-api.md"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("annotate")


@pytest.fixture(scope="module")
def bench(place):
    with working(place, *begin(place, 200)) as (_, base, token):
        yield base, token


@pytest.fixture
def ann(bench, request):
    return Annotator(*bench, name=request.node.name[:40])


def test_a_project_goes_on_where_it_was_after_a_kill(tmp_path):
    with working(tmp_path, *begin(tmp_path, 30)) as (_, base, token):
        ann = Annotator(base, token)
        assert ann.get("state")["labels"] == [
            {"name": "PER", "key": "1", "colour": 0},
            {"name": "LOC", "key": "2", "colour": 1},
        ]
        first = ann.next()
        assert len({one["text"] for one in first}) == 10
        for question in first[:4]:
            ann.answer(question)
        before = ann.next()
        assert [one["text"] for one in before][:6] == [one["text"] for one in first[4:]]
        state = ann.get("state")
        assert (state["undo"], state["annotator"]["name"]) == (4, "ann")
    with working(tmp_path, "--project", "work") as (_, base, same):
        assert same == token
        ann = Annotator(base, token, session=ann.session)
        assert ann.next() == before
        assert ann.get("state")["undo"] == 4
        undone = ann.post("undo", key="u1")
        assert undone["undone"]["question"]["text"] == first[3]["text"]
        assert undone["undone"]["said"]["spans"] == spans_of(first[3]["tokens"])
        assert ann.next()[0]["text"] == first[3]["text"]


def test_everything_is_asked_once_and_then_nothing_is_left(tmp_path):
    with working(tmp_path, *begin(tmp_path, 25)) as (_, base, token):
        ann, bob = Annotator(base, token), Annotator(base, token, "bob")
        seen = []
        for who in [ann, bob] * 20:
            for question in who.next(3):
                seen.append(question["text"])
                who.answer(question)
        assert len(seen) == len({*seen}) == 25
        assert ann.get("next") == {"questions": [], "left": 0}


def test_with_an_overlap_everything_is_asked_of_so_many(tmp_path):
    with working(tmp_path, *begin(tmp_path, 15), "--overlap", "2") as (_, base, token):
        seen = []
        for name in ("ann", "bob", "eve"):
            who = Annotator(base, token, name)
            mine = []
            while questions := who.next():
                for question in questions:
                    mine.append(question["text"])
                    who.answer(question)
            assert len(mine) == len({*mine})
            seen += mine
        assert len(seen) == 30
        assert all(seen.count(text) == 2 for text in seen)


def test_skipped_sentences_are_asked_of_others(tmp_path):
    with working(tmp_path, *begin(tmp_path, 5)) as (_, base, token):
        ann, bob = Annotator(base, token), Annotator(base, token, "bob")
        for question in ann.next():
            ann.say({"kind": "skip", "text": question["text"], "question": question["question"]})
        assert ann.next() == []
        assert len(bob.next()) == 5


def test_what_was_said_can_be_looked_at_and_said_again(ann):
    question = ann.next(1)[0]
    ann.answer(question)
    seen = ann.get("text", text=question["text"])
    assert seen["answered"] == {"spans": spans_of(question["tokens"]), "open": [], "forbidden": []}
    said = {"kind": "sentence", "text": question["text"], "open": [{"first": 0, "stop": 2}]}
    ann.say({**said, "forbidden": [{"first": 2, "stop": 3, "labels": ["PER"]}]})
    assert ann.get("text", text=question["text"])["answered"]["open"] == [{"first": 0, "stop": 2}]
    assert [one["kind"] for one in ann.get("history")["answers"]] == ["sentence", "sentence"]


def test_the_number_of_answered_texts_is_that_of_now(ann):
    def texts() -> int:
        return next(one["texts"] for one in ann.get("state")["annotators"] if one["name"] == ann.name)

    for number, question in enumerate(ann.next(3)):
        assert texts() == number
        ann.answer(question)
    assert texts() == 3
    ann.post("undo", key="tally-1")
    assert texts() == 2


def test_keys_are_those_of_an_annotator(ann, bench):
    ann.post("settings", keys={"accept": "Enter"})
    assert ann.get("state")["keys"] == {"accept": "Enter"}
    assert Annotator(*bench, name="another").get("state")["keys"] == {}


def test_the_secret_is_nobody_elses(place, bench):
    assert stat.S_IMODE((place / "work" / "token").stat().st_mode) == 0o600


def test_a_second_server_on_a_project_is_refused(place, bench):
    with working(place, "--project", "work") as (server, base, _):
        assert base == ""
        assert server.wait(60) != 0


def test_the_token_is_traded_for_a_cookie(bench):
    base, token = bench
    status, headers, _ = requested(f"{base}/login?token={token}")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {*cookie.split("; ")}
    assert token not in cookie
    pair = cookie.partition(";")[0]
    assert requested(f"{base}/api/state", headers={"Cookie": pair})[0] == 200
    assert requested(f"{base}/api/state", headers={"Cookie": pair[:-1]})[0] == 401


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/state", {}, 401),
        ("/api/openapi.json", {}, 401),
        ("/api/nothing", {}, 401),
        ("/api/state", {"Authorization": "Bearer "}, 401),
        ("/api/state", {"Authorization": "Bearer ünïcödé".encode("latin-1").decode("latin-1")}, 401),
        ("/login", {}, 401),
        ("/login?token=wrong", {}, 401),
        ("/login?token=", {}, 401),
        ("/../project.db", {}, 404),
        ("/..%2f..%2fproject.db", {}, 404),
        ("/static/../../project.db", {}, 404),
        ("//etc/passwd", {}, 404),
        ("/api/../api/state", {}, 404),
    ],
)
def test_without_the_token_nothing_is_told(bench, path, headers, status):
    found, answer, body = requested(f"{bench[0]}{path}", headers=headers)
    assert found in (status, 401)
    assert b"Traceback" not in body
    assert "default-src 'none'" in answer["content-security-policy"]
    assert answer["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
def test_another_host_is_refused(bench, host):
    base, token = bench
    headers = {"Host": host.format(port=urlsplit(base).port), "Authorization": f"Bearer {token}"}
    for path in ("/", "/api/state", f"/login?token={token}"):
        assert requested(base + path, headers=headers)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "{base}"},
    ],
)
def test_pages_of_other_sites_change_nothing(ann, headers):
    made = {name: value.format(base=ann.base) for name, value in headers.items()}
    assert ann.asked("sessions", {"annotator": "eve"}, **made)[0] == 403


def test_forms_and_other_methods_are_refused(bench, ann):
    base, token = bench
    key = {"Authorization": f"Bearer {token}"}
    form = {**key, "Content-Type": "application/x-www-form-urlencoded"}
    assert requested(f"{base}/api/sessions", b"annotator=eve", form)[0] == 415
    assert requested(f"{base}/api/sessions", b'{"annotator": "eve"}', {**key, "Content-Type": "text/plain"})[0] == 415
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert requested(f"{base}/api/answers", b"{}", key, method)[0] == 405
    assert requested(f"{base}/api/answers", None, key)[0] == 405


def test_a_huge_body_is_refused_before_it_is_read(bench):
    base, token = bench
    head = {"Authorization": f"Bearer {token}"}
    assert requested(f"{base}/api/answers", b" " * (17 * 2**20), head)[0] == 413
    parts = urlsplit(base)
    with socket.create_connection((parts.hostname, parts.port), 20) as raw:
        raw.sendall(
            f"POST /api/answers HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 99999999999\r\n\r\n".encode()
        )
        assert b" 413 " in raw.recv(1000)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("answers", b"{", 400),
        ("answers", b"[]", 400),
        ("answers", b'{"session": 1, "answers": "\\ud800"}', 400),
        ("answers", {}, 422),
        ("answers", {"session": 10**30, "answers": []}, 409),
        ("answers", {"session": 0, "answers": []}, 409),
        ("answers", {"session": True, "answers": []}, 422),
        ("answers", {"answers": []}, 422),
        ("answers", {"answers": [{"key": "a", "kind": "sentence", "text": "0" * 16}]}, 422),
        ("answers", {"answers": [{"key": "a", "kind": "sentence", "text": "../../etc/passwd"}]}, 422),
        ("answers", {"answers": [{"key": "a", "kind": "skip", "text": "{text}", "question": 10**30}]}, 409),
        ("answers", {"answers": [{"key": "a", "kind": "skip", "text": "{text}", "model": 10**30}]}, 409),
        ("sessions", {"annotator": ""}, 422),
        ("sessions", {"annotator": "a\u202eb"}, 422),
        ("sessions", {"annotator": "x" * 41}, 422),
        ("settings", {"keys": {"a": 1}}, 422),
        ("undo", {"key": "nothing-to-undo"}, 409),
        ("undo", {}, 422),
    ],
)
def test_requests_that_make_no_sense_are_told_so(ann, path, body, status):
    if isinstance(body, dict):
        text = json.dumps({"session": ann.session, **body} if path != "sessions" else body)
        body = text.replace("{text}", ann.next(1)[0]["text"]).encode()
    found, answer = ann.asked(path, body)
    assert found == status, answer
    assert set(answer) == {"error"}


@pytest.mark.parametrize(
    "query", ["", "session=x", "session=-1", "session=1&count=0", "session=1&count=99", "session=%D9%A3"]
)
def test_queries_that_make_no_sense_are_told_so(ann, query):
    assert ann.asked(f"next?{query}")[0] == 422


def test_markup_is_text(tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    (tmp_path / "pool.txt").write_text(f"{evil.replace(' ', chr(160))}\n</script>\n&lt;\n\n")
    project = ("pool.txt", "--project", "work", "--labels", "<b>,PER", "--template", "ner")
    with working(tmp_path, *project) as (_, base, token):
        ann = Annotator(base, token, name="<script>alert(1)</script>")
        status, headers, body = requested(
            f"{base}/api/next?session={ann.session}", headers={"Authorization": f"Bearer {token}"}
        )
        assert (status, headers["content-type"]) == (200, "application/json")
        assert json.loads(body)["questions"][0]["tokens"][1:] == ["</script>", "&lt;"]
        assert ann.get("state")["annotators"][0]["name"] == "<script>alert(1)</script>"


def test_every_request_is_described_and_in_the_documents(ann):
    described = ann.get("openapi.json")
    page = PAGE.read_text(encoding="utf-8")
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"{method.upper()} /api{path}" in page


def test_an_address_of_ipv6_is_named_with_brackets():
    bound = Bound("::1", 8642)
    assert bound.url == "http://[::1]:8642"
    assert bound.is_named_by("[::1]:8642")
    assert not bound.is_named_by("[::1]")
    assert not bound.is_named_by("::1:8642")
    assert not bound.is_named_by("127.0.0.1:8642")


def until(found, seconds: float = 120.0):
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.1)
    return value


def learned(ann, new: int = 0) -> dict:
    """The state when the training that is on its way has ended well, with at most so many answers that are new."""

    def state():
        now = ann.get("state")
        assert now["training"]["failure"] is None
        return now["model"] and now["model"]["answers_since"] <= new and now

    return until(state)


def test_the_model_learns_and_suggests_and_waiting_questions_stay(tmp_path):
    with working(tmp_path, *begin(tmp_path, 150)) as (_, base, token):
        ann = Annotator(base, token)
        for question in ann.next():
            assert question["model"] is None
            ann.answer(question)
        before = ann.next()
        state = learned(ann)
        assert state["model"]["answers"] >= 10
        after = ann.next()
        assert [one["question"] for one in after][: len(before)] == [one["question"] for one in before]
        for question in ann.next():
            ann.answer(question)
        (question, *_) = until(lambda: [one for one in ann.next() if one["model"]])
        assert len(question["certainty"]) == len(question["tokens"])
        assert {"first", "stop", "labels", "probability"} == set(question["suggested"][0])
        model = ann.get("state")["model"]["id"]
    with working(tmp_path, "--project", "work") as (_, base, token):
        ann = Annotator(base, token, session=ann.session)
        assert ann.get("state")["model"]["id"] >= model
        assert ann.get("text", text=question["text"])["suggested"]


def test_chance_asks_first_and_then_the_strategy_that_was_chosen(tmp_path):
    """The model ranks what is asked from 30 answered texts on; before, texts come at random, suggestions or not."""
    with working(tmp_path, *begin(tmp_path, 150)) as (_, base, token):
        ann = Annotator(base, token)
        for number in range(29):
            (question, *_) = ann.next()
            assert question["strategy"] == "random", number
            ann.answer(question)
            if number % 10 == 9:
                learned(ann)
        assert any(one["model"] for one in ann.next())
        strategies = []
        while len(strategies) < 30:
            (question, *_) = ann.next()
            strategies.append(question["strategy"])
            ann.answer(question)
            learned(ann, 9)
        first = strategies.index("entropy-rate")
        assert [place for place, one in enumerate(strategies[first:]) if one == "random"] == [*range(4, 30 - first, 5)]
        found = ann.get("progress")
        assert sum(one["texts"] for one in found["accepted"]) > found["sample"][-1]["texts"] > 10
    folder = tmp_path / "dev"
    folder.mkdir()
    (folder / "dev.txt").write_text("Ann\tB-PER\nmet\tO\nBob\tB-PER\nin\tO\nRome\tB-LOC\n\n")
    with working(folder, *begin(folder, 150), "--dev", "dev.txt") as (_, base, token):
        ann = Annotator(base, token)
        for number in range(40):
            (question, *_) = ann.next()
            ann.answer(question)
            if number % 10 == 9:
                learned(ann)
        asked = [one["strategy"] for one in ann.next(20)]
        assert {*asked[-5:]} == {"entropy-rate"}, "with development data there is no sample"


def test_spans_of_a_term_are_answered_and_learned_from(tmp_path):
    with working(tmp_path, *begin(tmp_path, 100)) as (_, base, token):
        ann = Annotator(base, token)
        found = ann.get("spans", term="Ann met", label="PER", count=3)
        assert found["total"] == 25
        assert [one["tokens"] for one in found["spans"]] == [["Ann", "met"]] * 3
        assert [one["probability"] for one in found["spans"]] == [None] * 3
        places = ann.get("spans", term="Paris", label="LOC")["spans"]
        assert len(places) == ann.get("spans", term="Paris", label="LOC")["total"]
        about = [{key: one[key] for key in ("text", "first", "stop", "labels")} for one in places]
        ann.say(*({"kind": "span", **one, "answer": "yes"} for one in about))
        nobody = [{**{key: one[key] for key in ("text", "first", "stop", "labels")}} for one in found["spans"]]
        ann.say(*({"kind": "span", **one, "answer": "no", "probability": None} for one in nobody))
        assert {one["answer"] for one in ann.get("spans", term="Paris", label="LOC")["spans"]} == {"yes"}
        ann.post("train")
        state = learned(ann)
        assert state["annotators"][0]["spans"] == len(places) + 3
        likely = ann.get("spans", term="Paris")["spans"]
        assert {one["labels"][0] for one in likely} == {"LOC"}
        assert min(one["probability"] for one in likely) > 0.5
        assert ann.get("spans", term="Ann met", label="PER")["spans"][0]["probability"] < 0.2
        doubts = ann.get("spans")["spans"]
        probabilities = [abs(one["probability"] - 0.5) for one in doubts]
        assert probabilities == sorted(probabilities)
        assert ann.get("spans", term="nowhere", label="LOC") == {"spans": [], "total": 0, "next": None}
        assert ann.asked(f"spans?session={ann.session}&label=ORG")[0] == 422
        pages = [ann.get("spans", term="met", label="PER", count=60, after=after) for after in (0, 60)]
        assert [len(page["spans"]) for page in pages] == [60, 40]
        assert [page["next"] for page in pages] == [60, None]


def test_a_later_no_about_a_span_of_an_answered_sentence_is_learned_from(tmp_path):
    with working(tmp_path, *begin(tmp_path, 40)) as (_, base, token):
        ann = Annotator(base, token)
        wrong, *others = ann.next()
        for question in others:
            ann.answer(question)
        said = {"kind": "sentence", "text": wrong["text"], "question": wrong["question"]}
        ann.say({**said, "spans": [{"first": 0, "stop": 2, "labels": ["PER"]}], "seconds": 1.0})
        ann.say({"kind": "span", "text": wrong["text"], "first": 0, "stop": 2, "labels": ["PER"], "answer": "no"})
        ann.post("train")
        assert learned(ann)["model"]["lost_noes"] == 0
        term = " ".join(wrong["tokens"][:2])
        places = ann.get("spans", term=term, label="PER")["spans"]
        assert next(one["probability"] for one in places if one["text"] == wrong["text"]) < 0.2
    exported = subprocess.run(
        [sys.executable, "-m", "sstag", "export", "work"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert exported.stdout.count("\t!PER\n") == 2


def test_features_are_proposed_labelled_and_learned_from(tmp_path):
    with working(tmp_path, *begin(tmp_path, 100)) as (_, base, token):
        ann = Annotator(base, token)
        found = ann.get("features", count=5)
        assert found["kinds"][0] == {"feature": "word[0]", "says": "words"}
        assert {"feature": "matches(word[0], '^[A-Z][.]$')", "says": "matches [A-Z][.]"} in found["kinds"]
        assert found["features"][0]["says"] == "“times”"
        every = [one["feature"] for one in ann.get("features", count=100)["features"]]
        assert {"word[0]=in", "word[0]=."} <= {*every[-3:]}, "function words and punctuation come last"
        paris = ann.get("features", by="search", search="Paris")["features"][0]
        assert (paris["occurrences"], paris["labelled"], paris["model"], paris["said"]) == (32, {}, None, None)
        assert {one["tokens"][0] for one in paris["contexts"]} == {"Paris"}
        said = [{"feature": f"word[0]={name}", "labels": ["PER"]} for name in ("Ann", "Bob", "Lee", "Carla")]
        said += [{"feature": f"word[0]={name}", "shares": {"LOC": 0.9, "O": 0.1}} for name in ("Rome", "Paris")]
        said += [{"feature": f"word[0]={name}", "labels": ["O"]} for name in ("met", "in", ".")]
        ann.say({"kind": "feature", "feature": "word[0]=times", "nothing": True})
        ann.say(*({"kind": "feature", **one} for one in said))
        gazetteer = ann.post(
            "gazetteers", name="cities.txt", label="LOC", terms=["London", "London  32", "met met", "Oslo"]
        )
        assert (gazetteer["terms"], gazetteer["found"]) == (4, 2)
        ann.post("train")
        learned(ann)
        lines = {one["feature"]: one for one in ann.get("list")["lines"]}
        assert len(lines) == 11
        assert lines["word[0] | word[1]=London|32"]["says"] == "“London 32”"
        assert lines["word[0] | word[1]=London|32"]["features"][1] == "word[-1] | word[0]=London|32"
        assert lines["word[0] | word[1]=London|32"]["effect"]["after"]["LOC"] > 0.5
        assert lines["word[0]=met"]["says"] == "“met”"
        assert "word[0]=times" not in lines
        assert lines["word[0]=London"]["by"] == "cities.txt"
        assert lines["word[0]=Paris"]["effect"]["occurrences"] == 32
        assert lines["word[0]=Paris"]["effect"]["after"]["LOC"] > 0.5
        assert lines["word[0]=Ann"]["effect"]["after"]["PER"] > 0.5
        again = [one["feature"] for one in ann.get("features")["features"]]
        assert not {*again} & {*lines, "word[0]=times"}
        ann.post("undo", key="u")
        assert len(ann.get("list")["lines"]) == 9


def test_the_effect_of_a_line_is_told_beside_the_last_model_without_it(tmp_path):
    with working(tmp_path, *begin(tmp_path, 40)) as (_, base, token):
        ann = Annotator(base, token)
        for question in ann.next():
            ann.answer(question)
        learned(ann)
        ann.say({"kind": "feature", "feature": "word[0]=times", "shares": {"O": 0.5, "LOC": 0.5}})
        effects = []
        for _ in range(2):
            ann.post("train")
            learned(ann)
            effects.append(ann.get("list")["lines"][0]["effect"])
            ann.answer(ann.next()[0])
        assert effects[0]["before"] == effects[1]["before"] != effects[1]["after"]
        assert effects[1]["after"]["LOC"] > effects[1]["before"].get("LOC", 0.0) + 0.1


@pytest.mark.parametrize(
    "feature", ["lexicon(word[0], /etc/passwd)", "vector(word[0], /etc/passwd)", "nothing[0]=x", "word"]
)
def test_features_name_no_files(ann, feature):
    answer = {"key": "f", "kind": "feature", "feature": feature, "labels": ["PER"]}
    assert ann.asked("answers", {"session": ann.session, "answers": [answer]})[0] == 422


def test_progress_compares_what_was_suggested_with_what_was_said(tmp_path):
    (tmp_path / "dev.txt").write_text("Ann\tB-PER\nmet\tO\nBob\tB-PER\nin\tO\nRome\tB-LOC\n\n")
    with working(tmp_path, *begin(tmp_path, 150), "--dev", "dev.txt") as (_, base, token):
        ann = Annotator(base, token)
        assert ann.get("progress")["curve"] == []
        for _ in range(2):
            for question in ann.next():
                ann.answer(question)
            ann.post("train")
            learned(ann)
        for question in ann.next(20):
            ann.answer(question)
        until(lambda: ann.get("progress")["curve"])  # what was found at first is kept for a moment
        found = ann.get("progress")
        assert found["curve"][-1]["f1"] == 1.0
        assert found["curve"][-1]["texts"] >= 20
        assert found["curve"][-1]["tokens"] == 8 * found["curve"][-1]["texts"]
        (rate,) = found["rates"]
        assert (rate["annotator"], rate["tokens_per_minute"]) == ("ann", 240.0)
        assert sum(one["texts"] for one in found["accepted"]) >= 5
        assert sum(one["count"] for one in found["calibration"]) == sum(one["spans"] for one in found["accepted"])
        assert found["forecast"] is None
        wrong = ann.next(1)[0]
        ann.say({"kind": "sentence", "text": wrong["text"], "spans": []})
        ann.post("suspects")
        suspects = until(lambda: ann.get("suspects")["suspects"])
        assert suspects[0]["text"] == wrong["text"]
        assert (suspects[0]["given"], set(suspects[0]["found"]) & {"PER", "LOC"} != set()) == (["O"], True)


def test_disagreements_are_shown_and_decided(tmp_path):
    with working(tmp_path, *begin(tmp_path, 20), "--overlap", "2") as (_, base, token):
        ann, bob = Annotator(base, token), Annotator(base, token, "bob")
        mine, his = ({one["text"]: one for one in who.next()} for who in (ann, bob))
        first, second = sorted({*mine} & {*his})[:2]
        for who, questions in ((ann, mine), (bob, his)):
            who.answer(questions[first])
        ann.answer(mine[second])
        bob.say({"kind": "sentence", "text": second, "spans": [{"first": 0, "stop": 1, "labels": ["LOC"]}]})
        found = ann.get("disagreements")
        assert found["texts"] == 2
        assert 0 < found["agreement"] < 1
        (one,) = found["disagreements"]
        assert (one["text"], one["decided"]) == (second, None)
        assert [answer["annotator"] for answer in one["answers"]] == ["ann", "bob"]
        ann.say({"kind": "decision", "text": second, "spans": spans_of(one["tokens"])})
        assert ann.get("disagreements")["disagreements"][0]["decided"]["spans"] == spans_of(one["tokens"])


def test_a_forecast_is_that_of_the_power_law():
    points = [(minutes, 1 - 0.9 * minutes**-0.4) for minutes in (5.0, 10.0, 20.0, 40.0)]
    assert forecast(points[:3]) is None
    found = forecast(points)
    assert found["f1"] == pytest.approx(1 - 0.9 * 100**-0.4, abs=1e-3)
    assert found["low"] < found["f1"] < found["high"] < found["low"] + 40 * UNSURE
    bent = forecast([*points[:3], (40.0, points[3][1] - 0.05)])
    assert bent["high"] - bent["low"] > found["high"] - found["low"]
    flat = forecast([(minutes, 0.6) for minutes in (5.0, 10.0, 20.0, 40.0)])
    assert flat["f1"] == pytest.approx(0.6)
    assert flat["low"] < 0.6 - UNSURE
    assert flat["high"] > 0.6 + UNSURE
    rising = [(minutes, 1 - 0.9 * minutes**-0.4) for minutes in (2.0, 4.0, 6.0, 8.0, 10.0)]
    bends = [*rising, *((minutes, rising[-1][1]) for minutes in (15.0, 20.0, 25.0, 30.0, 35.0))]
    assert forecast(bends)["low"] <= rising[-1][1] < forecast(bends)["f1"] < 1 - 0.9 * 95**-0.4
    assert forecast(bends)["high"] > 0.75


def export(folder, form, *more):
    command = [sys.executable, "-m", "sstag", "export", "work", "--to-format", form, *more]
    done = subprocess.run(command, cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_hint_says_when_it_may_be_time_to_stop():
    right = Said((Span(0, 1, ("PER",)),))

    def answers(right_ones: int) -> list[Answered]:
        found = [[(0, 1, "PER", 0.9)]] * right_ones + [[]] * (RECENT - right_ones)
        return [Answered(number, "ann", "sentence", 5.0, 8, 1, 1, right, one) for number, one in enumerate(found)]

    def models(figures: list[float]) -> list[Trained]:
        """A model every ten answers."""
        return [Trained(at, "", 0.0, 10 * at - 1, {"figures": {"f1": f1}}) for at, f1 in enumerate(figures, 1)]

    assert progress(answers(10), models([0.5, 0.6, 0.7, 0.75]))["hint"] is None
    assert "49 were accepted as they were" in str(progress(answers(49), [])["hint"])
    assert progress(answers(48), [])["hint"] is None
    long = [replace(one, seconds=600.0) for one in answers(10)]
    assert "An hour more would hardly bring" in str(progress(long, models([0.9, 0.901, 0.902, 0.903]))["hint"])


def test_answers_are_exported_and_imported(tmp_path):
    with working(tmp_path, *begin(tmp_path, 30)) as (_, base, token):
        ann = Annotator(base, token)
        questions = ann.next()
        for question in questions[:3]:
            ann.answer(question)
        unsure = questions[3]
        span = {"first": 0, "stop": 1}
        said = {"spans": [{**span, "labels": ["PER", "LOC"]}], "open": [{"first": 2, "stop": 3}]}
        ann.say({"kind": "sentence", "text": unsure["text"], **said})
        about = {"kind": "span", "text": questions[4]["text"]}
        ann.say({**about, **span, "labels": ["PER"], "answer": "yes"})
        ann.say({**about, "first": 1, "stop": 3, "labels": ["LOC"], "answer": "no"})
        ann.say({"kind": "feature", "feature": "word[0]=met", "labels": ["O"]})
        ann.say({"kind": "feature", "feature": "word[0]=Rome", "shares": {"LOC": 0.9, "O": 0.1}})
        columns = export(tmp_path, "columns", "--rejected", "rejected.tsv", "--expectations", "words.tsv")
        met, rome = (tmp_path / "words.tsv").read_text().splitlines()
        assert met == "word[0]=met\tO"
        shares = dict(one.rsplit(":", 1) for one in rome.removeprefix("word[0]=Rome\t").split(" "))
        assert set(shares) == {"O", "B-LOC", "I-LOC"}
        assert float(shares["O"]) == 0.1
        assert columns.startswith("# global.columns = word label\n# global.label = label\n")
        sentences = [
            [line.split("\t") for line in one.splitlines() if not line.startswith("# ")]
            for one in columns.split("\n\n")[:-1]
        ]
        assert [label for _, label in sentences[3]] == ["B-PER|B-LOC", "O", "?", *["O"] * 5]
        assert [label for _, label in sentences[4]] == ["B-PER", *["?"] * 7]
        assert (tmp_path / "rejected.tsv").read_text() == "5\t2\t3\t!LOC\n"
        prodigy = [json.loads(line) for line in export(tmp_path, "prodigy").splitlines()]
        assert [one["answer"] for one in prodigy] == ["accept"] * 5 + ["reject"]
        for form in ann.get("formats")["export"]:
            head = {"Authorization": f"Bearer {token}"}
            status, headers, body = requested(f"{base}/api/export?format={form}", headers=head)
            assert (status, bool(body)) == (200, True), form
            assert headers["content-disposition"].startswith("attachment; filename=answers") or "answers." in str(
                headers
            )
        assert export(tmp_path, "conllu").count("label=B-PER\\pB-LOC\n") == 1
        (tmp_path / "there").mkdir()
        for folder in ("answers/", "there"):
            export(tmp_path, "brat", "-o", folder)
            assert len([*(tmp_path / folder).glob("*.ann")]) == 5
        answers = export(tmp_path, "doccano")
        bob = Annotator(base, token, "bob")
        content = {"format": "doccano", "content": answers.splitlines()[0] + "\n"}
        assert bob.post("import", name="mine.jsonl", **{"as": "annotations"}, **content) == {"texts": 1, "new": 0}
        text = next(one for one in questions if one["text"] == questions[0]["text"])
        assert bob.get("text", text=text["text"])["answered"]["spans"] == spans_of(text["tokens"])
        assert bob.get("state")["undo"] == 0
        more = "".join(f"Zoe\nmet\nBob\n{number}\n\n" for number in range(5))
        assert bob.post("import", name="more.txt", content=more, **{"as": "pool"}) == {"texts": 5, "new": 5}
        assert bob.get("state")["pool"]["texts"] == 35
        assert bob.get("spans", term="Zoe", label="PER")["total"] == 5
        suggested = "Ann\tB-PER\nmet\tO\n\n"
        assert bob.post("import", name="s.txt", content=suggested, **{"as": "suggestions"})["texts"] == 1
        for wrong in (
            {"as": "nothing", "content": "x\n"},
            {"as": "pool", "content": ""},
            {"as": "annotations", "content": "Ann\tB-ORG\n\n"},
        ):
            status, answer = bob.asked("import", {"session": bob.session, "name": "../../x", **wrong})
            assert (status, set(answer)) == (422, {"error"})


def test_files_are_imported_by_the_command(tmp_path):
    with working(tmp_path, *begin(tmp_path, 20)):
        pass
    (tmp_path / "old.txt").write_text("Zoe\tB-PER\nmet\tO\nBob\t?\n\n")
    command = [sys.executable, "-m", "sstag", "annotate", "--project", "work", "--import", "old.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "old.txt: 1 sentence, 1 of them new\n")
    assert export(tmp_path, "columns").endswith("# document = old.txt:1\nZoe\tB-PER\nmet\tO\nBob\t?\n\n")
