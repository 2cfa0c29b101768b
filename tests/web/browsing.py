"""The page in Chromium: a server of its own, and what a tab says and asks for."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from tests.reporting.test_browser import PATIENCE

HOSTILE = '<img src=x onerror="alert(1)">\u202e'
"""A label that must stay text."""

BIRDS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
LABELS = ["bird", "cat", "dog"]
START = "m=6,1,1;1,5,2;2,3,7&l=" + quote('["bird","cat","dog"]')
"""The address of that table."""
FIRST, FIRST_LABELS = [[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["cat", "fish", "hen"]
"""What a visitor sees first, at ``#play-as-it-is``, which is no part's name."""

SETTLED = """() => {
  const mix = new URLSearchParams(location.hash.split("?")[1]).get("mix")?.split(",");
  const outputs = [...document.querySelectorAll("#sliders output")];
  const shown = outputs.map((o) => parseFloat(o.textContent));
  return mix?.length === shown.length && mix.every((x, i) => Math.abs(100 * x - shown[i]) < 0.051);
}"""
"""Whether the address, which follows a few times a second, holds the class mix that is shown."""


@contextmanager
def serving(**settings):
    """``evenhand serve`` at a free port, with settings by their names; its address."""
    command = [sys.executable, "-m", "evenhand", "serve", "--port", "0", "--no-browser"]
    environment = os.environ | {f"EVENHAND_WEB_{k.upper()}": str(v) for k, v in settings.items()}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            line = next(line for line in process.stderr if "evenhand is at" in line)
            yield re.search(r"http://\S+", line)[0], process
        finally:
            process.terminate()


def children(pid):
    """The processes that a process has started: id and command line."""
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in listed.read_text().split():
            with suppress(OSError):
                command = Path(f"/proc/{child}/cmdline").read_bytes()
                found.append((int(child), command.replace(b"\0", b" ").decode()))
    return [(child, command) for child, command in found if command]  # the dead have none


def until(page, condition):
    """Wait until a condition holds, while the page and what it asks for go on."""
    for _ in range(PATIENCE // 20):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("this never came")


class Tab:
    """One tab of the page, which must not say or ask for anything of its own."""

    def __init__(self, browser, address, **how):
        how = {"viewport": {"width": 1300, "height": 900}, "accept_downloads": True, **how}
        self.context = browser.new_context(**how)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.address = address
        self.said = []
        self.refused = False  # whether an answer was, of which Chromium has its own word, in time
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("dialog", lambda d: (self.said.append(f"dialog {d.message}"), d.dismiss()))
        self.page.on(
            "request",
            lambda r: (
                None
                if r.url.startswith((address, "blob:", "data:"))
                else self.said.append(f"asked for {r.url}")
            ),
        )

    def open(self, part):
        part = f"play?{START}" if part == "play" else part
        self.page.goto(f"{self.address}#{part}")
        if part.startswith("play"):
            self.answered()
        return self

    # -- Play

    def answered(self):
        """Wait until Python has answered for the table and the class mix that are shown."""
        self.page.wait_for_selector("#metrics[aria-busy=false] tr[data-metric]")

    def mix(self):
        """The class mix that the address holds."""
        self.answered()
        self.page.wait_for_function(SETTLED)
        (held,) = parse_qs(urlsplit(self.page.url).fragment.split("?", 1)[1])["mix"]
        return [float(x) for x in held.split(",")]

    def cell(self, i, j, which="first"):
        return self.page.locator(f'#{which} [data-at="{i}-{j}"]')

    def cells(self, which="first"):
        """The table as it stands in the editor."""
        texts = self.page.eval_on_selector_all(
            f"#{which} td input", "all => all.map(i => [i.dataset.at, i.value])"
        )
        k = max(int(at.split("-")[0]) for at, _ in texts) + 1
        found = [[None] * k for _ in range(k)]
        for at, value in texts:
            i, j = map(int, at.split("-"))
            found[i][j] = float(value)
        return found

    def labels(self):
        return self.page.eval_on_selector_all("#first .named input", "all => all.map(i => i.value)")

    def row(self, metric):
        """What is shown of a metric: value, change, interval, the same with ten times the items."""
        cells = self.page.locator(f'#metrics [data-metric="{metric}"] td').all_inner_texts()
        value, _, change, interval, tenfold = cells
        return value, change, interval, tenfold

    def value(self, metric):
        return self.row(metric)[0]

    def wait_for(self, metric, value):
        """Wait until a metric has a value."""
        self.page.wait_for_function(
            "([m, v]) => document.querySelector(`#metrics [data-metric='${m}'] td`)"
            "?.textContent === v",
            arg=[metric, value],
        )

    def paste(self, where, text):
        self.page.evaluate(
            "text => { addEventListener('paste', () => { window.pasted = true; }, { once: true });"
            " window.pasted = false; return navigator.clipboard.writeText(text); }",
            text,
        )
        where.focus()
        self.page.keyboard.press("Control+V")
        self.page.wait_for_function("window.pasted")

    # -- files

    def drop(self, place, *files):
        """Drop files, each a name and its text, onto a place."""
        self.page.wait_for_selector(place)
        self.page.evaluate(
            """([place, files]) => {
              const held = new DataTransfer();
              for (const [name, text] of files) held.items.add(new File([text], name));
              const at = document.querySelector(place);
              for (const kind of ["dragover", "drop"])
                at.dispatchEvent(new DragEvent(kind, { dataTransfer: held, bubbles: true,
                  cancelable: true }));
            }""",
            [place, [list(f) for f in files]],
        )

    def download(self, selector):
        with self.page.expect_download() as waited:
            self.page.click(selector)
        with open(waited.value.path(), "rb") as file:
            return waited.value.suggested_filename, file.read()


def text(value, digits=4):
    """A number as the page writes it."""
    return f"{value:.{digits}f}".replace("-", "\u2212")
