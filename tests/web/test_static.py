"""The page as a file: it opens from disk, asks nobody, and says the browser's numbers."""

import re
from urllib.parse import quote

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from tests.web.browsing import FIRST, Tab, text


@pytest.fixture
def site(tmp_path):
    """A published page, whose links begin elsewhere."""
    address = "https://scores.example.org/"
    arguments = ["publish", "page", "-o", str(tmp_path / "site"), "--address", address]
    done = CliRunner().invoke(group, arguments)
    assert done.exit_code == 0, done.output
    return tmp_path / "site"


def test_previews_have_a_title_and_a_picture(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    told = dict(
        re.findall(r'<meta (?:name="description" )?property="og:(\w+)" content="([^"]*)">', page)
    )
    assert told["title"] == "Two systems. Which has the better macro F1?"
    assert told["image"] == "https://scores.example.org/picture.png"
    assert (site / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="(?!#|data:|/api/v1/docs)', page.partition("<script")[0])


@pytest.mark.parametrize("address", ["scores.example.org", 'https://a"b/', "ftp://a/"])
def test_an_address_that_is_none_is_refused(address, tmp_path):
    arguments = ["publish", "page", "-o", str(tmp_path), "--address", address]
    done = CliRunner().invoke(group, arguments)
    assert done.exit_code == 2 and "--address is such as" in done.output


@pytest.mark.browser
def test_it_works_from_disk_and_asks_nobody(site, browser):
    one = Tab(browser, (site / "index.html").as_uri())
    one.page.goto(one.address)
    one.page.wait_for_selector("#metrics tr[data-metric]")
    assert one.value("macro_f1") == text(eh.macro_f1(FIRST))
    assert one.value("mcc") == text(eh.mcc(FIRST))
    one.cell(0, 0).fill("14")
    cells = [[14, *FIRST[0][1:]], *FIRST[1:]]
    one.wait_for("f1_of_averages", text(eh.f1_of_averages(cells)))
    one.page.click('[data-bet="first"]')
    one.page.wait_for_selector("#duel:not([hidden])")
    assert one.page.locator('#duels [data-duel="macro_f1"] td').last.inner_text() == "first"
    assert one.page.locator('#duels [data-duel="f1_of_averages"] td').last.inner_text() == "second"
    assert one.page.get_by_text("Intervals and the other metrics need Python").is_visible()
    shown = one.page.locator(".served:visible, #metrics td.later:visible, #find, [data-part]")
    assert shown.all_inner_texts() == ["Play"]
    one.page.locator("#sliders input").first.fill("80")
    one.page.wait_for_timeout(400)
    assert one.page.locator("#play.stale").count() == 0
    one.page.evaluate("navigator.clipboard.writeText = (t) => { window.copied = t; }")
    one.page.click("#copy-link")
    one.page.wait_for_function("() => window.copied")
    copied = one.page.evaluate("window.copied")
    assert copied.startswith(f"https://scores.example.org/#play?m={quote('5,5;10,10')}")
    one.context.close()
    assert one.said == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 800, 1300])
def test_nothing_of_it_is_cut_off(site, browser, width):
    one = Tab(browser, (site / "index.html").as_uri(), viewport={"width": width, "height": 844})
    one.page.goto(one.address)
    one.page.wait_for_selector("#metrics tr[data-metric]")
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    one.context.close()
