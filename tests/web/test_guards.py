"""Who may ask, how much, for how long; and what is left behind."""

import tempfile
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.web.guards import HEADERS, is_loopback
from evenhand.web.settings import Settings
from evenhand.web.uploads import LOCK, PREFIX, folder, sweep

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


def test_a_job_that_takes_too_long_is_stopped(served):
    body = BODY | {"interval": "bootstrap", "replicates": 20_000}
    found = served(seconds=0.05).post(SCORE, body)
    assert (found.status, found.error["message"]) == (504, "stopped after 0.05 seconds")


def test_a_job_that_is_too_large_ends_with_a_word(served):
    found = served(memory=20 << 20).post(SCORE, BODY | {"interval": "bootstrap"})
    assert (found.status, "too much memory" in found.text) == (503, True)


def test_what_is_switched_off_is_not_there(served):
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


@pytest.mark.parametrize(
    ("name", "content"), [("x.db", b"x"), ("x.DuckDB", b"x"), ("x.txt", b"SQLite format 3\x00...")]
)
def test_databases_are_refused(client, name, content):
    found = client.send("/api/v1/look", {}, [("file", name, content)])
    assert (found.status, "database files are not taken" in found.text) == (422, True)
    assert not left()


def test_a_look_at_a_file(client):
    found = client.send("/api/v1/look", {}, [("file", "x.csv", b"id,gold,system\n1,a,a\n2,b,a\n")])
    assert [(c["name"], c["role"]) for c in found.json["columns"]] == [
        ("id", "ids"),
        ("gold", "truth"),
        ("system", "predictions"),
    ]


def test_what_a_killed_server_left_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = tmp_path / f"{PREFIX}x"
    other = tmp_path / "evenhand-else"
    for place in (gone, other):
        place.mkdir()
        (place / LOCK).touch()
    (gone / "gold.txt").touch()
    with folder() as kept:
        sweep()
        assert (gone.exists(), kept.exists(), other.exists()) == (False, True, True)
    assert [p.name for p in tmp_path.iterdir()] == ["evenhand-else"]


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
