"""Who may ask, how much, for how long; and what is left behind."""

import asyncio
import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.web.answers import PREFIX
from evenhand.web.app import EXAMPLES, create_app
from evenhand.web.work import HEADERS, Settings, is_loopback
from tests.web.client import Client
from tests.web.test_evaluate import harness

SCORE = "/api/v1/score"
BODY = {"matrix": [[3, 1], [1, 3]]}


@pytest.mark.parametrize("path", ["/", "/page/play.js", "/api/v1/metrics", "/nowhere"])
def test_every_answer_has_the_headers(client, path):
    found = client.get(path)
    assert {k: v for k, v in found.headers.items() if k in {h.lower() for h in HEADERS}} == {
        k.lower(): v for k, v in HEADERS.items()
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://localhost:8000", "sec-fetch-site": "same-origin"}, 200),
        ({"host": "127.0.0.1:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
    ],
)
def test_strangers_are_refused(client, headers, status):
    assert client.post(SCORE, BODY, headers).status == status


def test_a_body_may_not_be_too_large(served):
    client = served(body=1000)
    assert client.post(SCORE, BODY).status == 200
    large = {"matrix": [[1] * 20] * 20}
    assert client.post(SCORE, large).error["field"] == "body"
    # a size that is not said is counted
    assert client.post(SCORE, large, {"content-length": "10"}).status == 413


@pytest.mark.parametrize("size", ["-1", "x", "9" * 30, "\u0662", ""])
def test_a_size_that_is_none_is_refused(client, size):
    assert client.post(SCORE, BODY, {"content-length": size}).status == 413


def test_json_may_be_smaller_than_files(served):
    client = served(json=1000, body=10_000)
    assert client.post(SCORE, {"matrix": [[1] * 30] * 30}).status == 413
    found = client.send("/api/v1/look", {}, [("file", "a.txt", b"a\nb\n" * 700)])
    assert found.status == 200


def test_a_link_on_another_page_may_be_followed(client):
    follow = {
        "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"
    }  # fmt: skip
    assert client.get("/", follow).status == 200
    assert client.get("/api/v1/metrics", follow).status == 403
    assert client.get("/", follow | {"sec-fetch-dest": "iframe"}).status == 403
    assert client.get("/", follow | {"host": "evil.example"}).status == 421


def test_a_large_request_is_read_elsewhere(client):
    many = ["a", "b"] * 40_000
    found = client.post(SCORE, {"true": many, "pred": many[::-1], "metrics": ["accuracy"]})
    assert (found.status, found.json["metrics"]["accuracy"]["value"]) == (200, 0.0)
    wrong = client.post(SCORE, {"true": [*many, 1.5], "pred": many})
    assert (wrong.status, wrong.error["field"]) == (422, "true.80000")
    broken = client.post(SCORE, b'{"true": [' + b'"a",' * 100_000)
    assert (broken.status, broken.error["field"]) == (400, "body")


def bomb():
    held = io.BytesIO()
    with gzip.GzipFile(fileobj=held, mode="wb") as file:
        for _ in range(64):
            file.write(b"a\n" * (1 << 19))
    return held.getvalue()


def zipped():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(12):
            archive.writestr(f"{i}.txt", b"a\n" * (1 << 19))
    return held.getvalue()


@pytest.mark.parametrize(("name", "made"), [("g.txt.gz", bomb), ("g.zip", zipped)])
def test_what_unpacks_to_too_much_is_refused(served, name, made):
    client = served(unpacked=8 << 20)
    files = [("gold", "true.txt", b"a\nb\n"), ("runs", name, made())]
    found = client.send("/api/v1/evaluate", {"format": "json"}, files)
    assert (found.status, found.error["message"]) == (
        422, f"{name} holds more than 8,388,608 bytes, unpacked"
    )  # fmt: skip
    assert not left()


def test_too_many_files_are_refused(served):
    files = [("runs", f"{i}.txt", b"a\n") for i in range(4)]
    found = served(files=3).send("/api/v1/evaluate", {}, files)
    assert (found.status, found.error["field"]) == (422, "runs")


def test_too_many_jobs_are_refused():
    app = create_app(Settings(jobs=1, waiting=1))
    client, kind = Client(app), {"content-type": "application/json"}
    both = {"true": ["a", "b", "a"], "systems": {"A": ["a", "b", "b"], "B": ["a", "a", "a"]}}
    given = json.dumps(both).encode()

    async def at_once():
        asks = (client.ask("POST", "/api/v1/rank", given, kind, {}) for _ in range(4))
        return await asyncio.gather(*asks)

    statuses = sorted(a.status for a in asyncio.run(at_once()))
    assert statuses == [200, 200, 503, 503]


def test_no_path_of_the_server_is_shown(client):
    home = str(Path(__file__).parents[2])
    for found in (
        client.post("/api/v1/audit", {"text": "no table"}),
        client.send("/api/v1/look", {}, [("file", "x.zip", b"PK\x03\x04broken")]),
        client.send("/api/v1/evaluate", {}, [("runs", "x.parquet", b"PAR1broken")]),
        client.get("/page/../settings.py"),
        client.get("/page/%2e%2e%2fsettings.py"),
    ):
        assert 400 <= found.status < 500
        assert tempfile.gettempdir() not in found.text
        assert home not in found.text


def test_a_column_is_never_an_option_or_a_path(client, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("gold,pred\na,a\n")
    files = [("runs", "x.csv", b"gold,pred\na,a\nb,a\n")]
    for fields in (
        {"true": "gold", "pred": f"pred,--output={tmp_path}/out"},
        {"true": str(secret), "pred": "pred"},
        {"true": "gold", "pred": "pred", "id": f"@{secret}"},
    ):
        found = client.send("/api/v1/evaluate", fields | {"format": "json"}, files)
        assert found.status == 422
        assert "secret" not in found.text.replace(fields["true"], "").replace(str(secret), "")
    assert [p.name for p in tmp_path.iterdir()] == ["secret.csv"]


def test_a_null_character_is_refused_with_its_field(client):
    """No process can be given one."""
    found = client.get("/api/v1/papers", word=["a", "b\0"])
    assert (found.status, found.error["field"]) == (422, "word")
    files = [("gold", "g\0.txt", b"a\nb\n"), ("runs", "r.txt", b"a\nb\n")]
    for field in ("true", "pred", "id", "system", "weights", "cluster", "metric"):
        found = client.send("/api/v1/evaluate", {field: "a\0"}, files)
        assert (found.status, found.error["field"]) == (422, field)
    assert client.send("/api/v1/evaluate", {"format": "csv"}, files).status == 200
    assert not left()


def test_the_application_is_a_public_name():
    import evenhand.web

    assert evenhand.web.create_app is create_app
    assert evenhand.web.Settings is Settings


def test_the_api_documents_itself_without_outside_addresses(client):
    page = client.get("/api/v1/docs")
    assert page.status == 200
    listed = client.get("/api/v1/openapi.json").json["paths"]
    for path in listed:
        assert path in page.text
    assert "http" not in page.text.replace("http-equiv", "")
    for shape in EXAMPLES:
        answer = client.post(f"/api/v1/{shape}", EXAMPLES[shape])
        assert answer.status == 200, shape


@pytest.mark.parametrize("name", ["index.html", "main.js", "api.js", "play.js", "page.css"])
def test_no_file_of_the_page_has_an_outside_address(client, name):
    found = client.get("/" if name == "index.html" else f"/page/{name}")
    assert found.status == 200
    assert "http://" not in found.text
    assert "https://" not in found.text


def test_a_job_that_takes_too_long_is_stopped(served):
    body = BODY | {"interval": "bootstrap", "replicates": 20_000}
    found = served(seconds=0.05).post(SCORE, body)
    assert (found.status, found.error["message"]) == (504, "stopped after 0.05 seconds")


def test_a_job_that_is_too_large_ends_with_a_word(served):
    found = served(memory=20 << 20).post(SCORE, BODY | {"interval": "bootstrap"})
    assert (found.status, "too much memory" in found.text) == (503, True)


def test_what_is_switched_off_is_not_there(served):
    assert 'data-without="audit"' in served(audit=False).get("/").text
    assert served(audit=False).post("/api/v1/audit", {"text": "x"}).status == 404
    assert served(evaluate=False).send("/api/v1/look", {}, [("file", "a", b"a")]).status == 404


def left():
    return list(Path(tempfile.gettempdir()).glob(f"*{PREFIX}*"))


def test_files_are_scored_and_forgotten(client):
    gold, run = b"a\nb\nb\na\n", b"a\nb\na\na\n"
    files = [("gold", "../../gold.txt", gold), ("runs", "-rf *.txt", run)]
    found = client.send("/api/v1/evaluate", {"format": "json"}, files)
    assert found.status == 200
    assert found.json["metrics"]["accuracy"]["value"] == 0.75
    assert found.headers[
        "x-command"
    ] == "evenhand%20score%20gold.txt%20rf%20_.txt%20--format%3Djson" or (
        "gold.txt" in found.headers["x-command"] and ".." not in found.headers["x-command"]
    )
    assert not left()


def test_a_leaderboard_of_several_files(client):
    files = [
        ("gold", "g.txt", b"a\nb\nb\na\n"),
        ("runs", "x.txt", b"a\nb\na\na\n"),
        ("runs", "x.txt", b"a\nb\nb\nb\n"),
    ]
    found = client.send("/api/v1/evaluate", {"format": "json", "metric": "accuracy"}, files)
    assert sorted(s["name"] for s in found.json["systems"]) == ["x", "x-2"]


def test_what_is_wrong_with_a_file_is_said_in_one_line(client):
    found = client.send(
        "/api/v1/evaluate",
        {"format": "json"},
        [("gold", "g.txt", b"a\nb\n"), ("runs", "r.txt", b"a\n")],
    )
    assert found.status == 422
    assert "r.txt" in found.error["message"]
    assert tempfile.gettempdir() not in found.text


@pytest.mark.parametrize("content", [b"SQLite format 3\x00...", b"12345678DUCK\0\0"])
def test_databases_are_refused(client, content):
    found = client.send("/api/v1/look", {}, [("file", "x.db", content)])
    assert (found.status, "x.db is a binary file" in found.text) == (422, True)
    assert not left()


def test_a_look_at_a_file(client):
    found = client.send("/api/v1/look", {}, [("file", "x.csv", b"id,gold,system\n1,a,a\n2,b,a\n")])
    assert [(c["name"], c["role"]) for c in found.json["columns"]] == [
        ("id", "ids"),
        ("gold", "truth"),
        ("system", "predictions"),
    ]


def test_settings_come_from_the_environment():
    given = {"EVENHAND_WEB_CLASSES": "9", "EVENHAND_WEB_AUDIT": "0", "EVENHAND_WEB_HOSTS": "a, b"}
    found = Settings.from_environment(given)
    assert (found.classes, found.audit, found.hosts) == (9, False, ("a", "b"))
    assert Settings.from_environment(found.to_environment()) == found


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CLASSES", "-1", "positive number"),
        ("CLASSES", "x", "positive number"),
        ("SECONDS", "nan", "positive number"),
        ("AUDIT", "yes", "must be 0 or 1"),
        ("CLASES", "1", "is no setting"),
    ],
)
def test_settings_that_make_no_sense(name, value, said):
    with pytest.raises(InputError, match=said):
        Settings.from_environment({f"EVENHAND_WEB_{name}": value})


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("x.y", False)],
)
def test_which_addresses_are_this_machine(host, own):
    assert is_loopback(host) == own


def test_the_page_has_no_outside_address(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text
    assert "https://" not in page.text


def test_uploads_are_matched_by_ids(client):
    """The page reads files as the command line does: by ids, and asks about repeated items."""
    gold = "id,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20))
    run = "ID,prediction\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in reversed(range(20)))
    files = [("gold", "gold.csv", gold.encode()), ("runs", "run.csv", run.encode())]
    found = client.send("/api/v1/evaluate", {"format": "json"}, files).json
    assert found["metrics"]["accuracy"]["value"] == 1
    assert found["read"]["matched_by"] == "id"
    long = "id,model,label,answer\n" + "".join(f"{i},{m},a,a\n" for m in "xy" for i in range(9))
    files = [("runs", "long.csv", long.encode())]
    refused = client.send("/api/v1/evaluate", {"format": "json"}, files)
    assert "--system model --id id" in refused.text
    asked = {"format": "json", "system": "model", "id": "id"}
    systems = client.send("/api/v1/evaluate", asked, files).json["systems"]
    assert [s["name"] for s in systems] == ["x", "y"]


def test_two_logs_of_one_name_are_two_systems(client):
    """The harness calls models by their folders, which no upload has."""
    name = "samples_mood_2026-01-01T10-00-00.jsonl"
    files = [("runs", name, harness(shift).encode()) for shift in (4, 2)]
    found = client.send("/api/v1/evaluate", {"format": "json"}, files).json
    own = name.removesuffix(".jsonl")
    assert [s["name"] for s in found["systems"]] == [own, f"{own}-2"]
    report = client.send("/api/v1/evaluate", {"format": "html"}, files)
    assert report.status == 200 and "rank interval" in report.text
    one = client.send("/api/v1/evaluate", {"format": "html"}, files[:1]).text
    assert "evenhand-web" not in one and "macro F1" in one


def test_grades_of_several_systems_are_ranked_by_their_mean(client):
    files = []
    for name, n in (("a", 3), ("b", 5)):
        rows = "".join(f"{i},{int(i % n > 0)}\n" for i in range(30))
        files.append(("runs", f"{name}.csv", f"id,correct\n{rows}".encode()))
    for form in ("json", "html"):
        found = client.send("/api/v1/evaluate", {"format": form, "score": "correct"}, files)
        assert found.status == 200, found.text
        assert "mean_score" in found.text
