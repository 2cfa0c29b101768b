"""Users share nothing: what one sends, changes or is refused is never seen by another."""

import asyncio
import json
import random

import pytest

import evenhand as eh
from evenhand.web.app import create_app
from evenhand.web.work import Settings
from tests.web.browsing import BIRDS, Tab
from tests.web.client import Client

KIND = {"content-type": "application/json"}


def lines(labels):
    return "".join(f"{label}\n" for label in labels).encode()


def random_table(rng):
    k = rng.randint(2, 5)
    labels = [f"{rng.randint(0, 10**6)}-{i}" for i in range(k)]
    return [[rng.randint(0, 30) + (i == j) for j in range(k)] for i in range(k)], labels


def test_many_at_once_each_get_their_own(client):
    """Right and wrong requests of forty users between each other, twice; nobody gets a cookie."""
    rng = random.Random(7)
    tables = [random_table(rng) for _ in range(40)]
    bodies = [{"matrix": m, "labels": names} for m, names in tables]
    bad = {"matrix": [[1, -2], [0, "x"]]}

    async def at_once():
        asked = [body for pair in zip(bodies, [bad] * 40, strict=True) for body in pair]
        asks = (
            client.ask("POST", "/api/v1/score", json.dumps(body).encode(), KIND, {})
            for body in asked
        )
        return await asyncio.gather(*asks)

    for _ in range(2):
        answers = asyncio.run(at_once())
        assert {a.status for a in answers[1::2]} == {422}
        for (matrix, names), answer in zip(tables, answers[::2], strict=True):
            wanted = eh.score(eh.Confusion.from_matrix(matrix, labels=names))
            assert answer.text == wanted.to_json()
        assert not [a for a in answers if "set-cookie" in a.headers]
        assert {a.headers["cache-control"] for a in answers} == {"no-store"}


def test_files_of_one_name_at_the_same_time():
    """Uploads of several users, all called the same: each is scored with its own."""
    client = Client(create_app(Settings(jobs=4)))
    truths = ["aabb" * n for n in (2, 3, 4, 5)]
    said = ["abab" * 2, "aabb" * 3, "bbaa" * 4, "aaaa" * 5]

    async def at_once():
        asks = (
            client.sent("/api/v1/evaluate", {"format": "json"},
                        [("gold", "gold.txt", lines(t)), ("runs", "run.txt", lines(p))])
            for t, p in zip(truths, said, strict=True)
        )  # fmt: skip
        return await asyncio.gather(*asks)

    for true, pred, found in zip(truths, said, asyncio.run(at_once()), strict=True):
        assert found.json["n"] == len(true)
        wanted = eh.score(list(true), list(pred))["macro_f1"].value
        assert found.json["metrics"]["macro_f1"]["value"] == wanted


@pytest.mark.browser
def test_two_browsers(browser, address):
    """One changes the table, scores a file and audits; the other sees its own page all along."""
    one, two = (Tab(browser, address) for _ in range(2))
    try:
        for tab in (one, two):
            tab.open("play")
        one.cell(0, 0).fill("99")
        one.wait_for("accuracy", f"{111 / 121:.4f}")
        one.page.goto(f"{address}#evaluate")
        one.drop("#drop-gold", ("gold.txt", lines("ab" * 9).decode()))
        one.drop("#drop-runs", ("run.txt", lines("ab" * 9).decode()))
        one.page.get_by_text("gold.txt: text").wait_for()
        two.page.reload()
        two.page.wait_for_selector("#metrics tbody tr[data-metric]")
        assert two.cells() == BIRDS
        assert two.value("accuracy") == f"{18 / 28:.4f}"
        two.page.goto(f"{address}#evaluate")
        assert two.page.get_by_text("gold.txt").count() == 0
        assert two.page.locator("#evaluated").is_hidden()
        # nothing is kept but in the address: a third, who comes after them, begins anew
        three = Tab(browser, address).open("play")
        assert three.cells() == BIRDS
        for tab in (one, two, three):
            assert tab.context.cookies() == []
            kept = "[localStorage.length, sessionStorage.length]"
            assert tab.page.evaluate(kept) == [0, 0]
            assert tab.said == []
        three.context.close()
    finally:
        one.context.close()
        two.context.close()
