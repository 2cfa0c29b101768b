"""The report: every section there, one file, a policy that fits, nothing hostile obeyed."""

import html.parser
import json
import re

import pytest

import evenhand as eh
from evenhand.results.document import Section
from evenhand.results.page import embedded, hashed
from tests.reporting.data import HOSTILE, page, report

SECTIONS = {
    "board": ["leaderboard", "formula", "intervals", "classes", "prevalence", "agreement"],
    "score": ["scores", "formula", "classes", "prevalence"],
}
PAGES = [(kind, hostile) for kind in SECTIONS for hostile in (False, True)]


class Read(html.parser.HTMLParser):
    """Tags, attributes, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.inside, self.raw = [], [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *a) for a in attrs]
        if tag in ("script", "style"):
            self.raw.append([tag, dict(attrs), ""])
            self.inside = tag

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.raw[-1][2] += data


@pytest.mark.parametrize("kind", SECTIONS)
def test_sections_come_in_order_verdict_first(kind):
    text = page(kind)
    at = [text.index(f'<section id="{name}"') for name in [*SECTIONS[kind], "method", "data"]]
    assert at == sorted(at)
    assert text.index('id="verdict"') < at[0]
    for name in [*SECTIONS[kind], "method", "data"]:
        assert f'href="#{name}"' in text


def test_the_ring_comes_before_the_table_of_both_formulas():
    text = page("board")
    assert text.index("The ring and the dots") < text.index("Both macro F1s of every system")


@pytest.mark.parametrize(("kind", "hostile"), PAGES)
def test_the_policy_allows_exactly_what_is_there(kind, hostile):
    read = Read(page(kind, hostile))
    policy = next(v for t, k, v in read.attributes if k == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag, attributes, text in read.raw:
        if attributes.get("type") == "application/json":
            continue
        assert f"{tag}-src {hashed(text)}" in policy
    assert [t for t, *_ in read.raw] == ["style", "script", "script"]


@pytest.mark.parametrize(("kind", "hostile"), PAGES)
def test_nothing_comes_from_elsewhere_and_nothing_runs(kind, hostile):
    read = Read(page(kind, hostile))
    assert not {"img", "iframe", "link", "object", "embed", "base", "form", "image"} & set(
        read.tags
    )
    for tag, name, value in read.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("src", "srcset", "style", "xlink:href")
        assert name != "href" or value.startswith("#")
    ids = [v for _, k, v in read.attributes if k == "id"]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("kind", SECTIONS)
def test_json_in_the_page_is_the_result(kind):
    raw = Read(page(kind, True)).raw
    data = next(t for _, a, t in raw if a.get("id") == "json")
    assert json.loads(data) == report(kind, True).data
    assert "<" not in data
    assert json.loads(embedded({"x": "</script>&"})) == {"x": "</script>&"}


@pytest.mark.parametrize("kind", SECTIONS)
def test_hostile_names_are_shown_not_obeyed(kind):
    text = page(kind, True)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert(1)" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "<svg onload" not in text


@pytest.mark.parametrize("kind", SECTIONS)
def test_markdown_has_the_same_sections_and_no_markup_of_others(kind):
    made = report(kind, True)
    text = made.to_markdown()
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads == [s.title for s in made.blocks if isinstance(s, Section)]
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\]\(", text)
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) <= 1


def test_copies_are_escaped_each_in_its_way():
    copies = dict(report("board", True).copies)
    assert set(copies) == {"CSV", "LaTeX", "Markdown"}
    assert '"\'=HYPERLINK(""x"")"' in copies["CSV"]
    assert r"\input{" not in copies["LaTeX"]
    assert r"a\|b" in copies["Markdown"]
    assert not re.search(r"^[=+@-]", copies["CSV"], re.MULTILINE)


def test_charts_have_words_for_those_who_do_not_see_them():
    text = page("board")
    drawings = re.findall(r"<svg [^>]*>", text)
    assert len(drawings) >= 8
    for head in drawings:
        assert 'role="img"' in head
        assert len(re.search(r'aria-label="([^"]+)"', head)[1]) > 30


def test_colours_follow_the_page():
    drawings = "".join(re.findall(r"<svg .*?</svg>", page("board"), re.DOTALL))
    assert "var(--ink)" in drawings
    assert not re.findall(r'(?:fill|stroke)="#[0-9a-f]{3,6}"', drawings)


def test_long_names_stay_within_reason():
    assert "x" * 200 in json.dumps(report("board", True).data)  # lossless here
    assert len(HOSTILE[6]) == 200
    for words in re.findall(r"<text[^>]*>([^<]*)</text>", page("board", True)):
        assert len(html.unescape(words)) < 130


@pytest.mark.parametrize("classes", ["task", "seen"])
def test_the_rings_of_the_first_two_are_of_the_classes_averaged(classes):
    truth, systems = list("aaabbbccc"), {"A": list("aabbbbcxx"), "B": list("abbbbbxxc")}
    how = {"metrics": ["macro_f1", "f1_of_averages"], "classes": classes}
    made = eh.report(truth, systems, **how, replicates=20)
    words = made.to_markdown().replace("\\", "")
    for row in made.data["twins_by_system"]:
        assert f"{row['name']}: Macro F1, the mean of the F1 of" in words
        assert f"is {row['macro_f1']:.3f}; the F1 of their average" in words
        assert f"precision and recall is {row['f1_of_averages']:.3f}." in words


def share_right(c):
    return c.sum(c.correct) / c.total


@pytest.mark.parametrize(
    ("how", "called"),
    [
        ({"metrics": [share_right]}, "share_right"),
        ({"by_metric": share_right}, "share_right"),
        (
            {"metrics": "mean_cost", "distance": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
            "mean_cost:distance=matrix",
        ),
    ],
    ids=["own metric", "ordered by it", "distance"],
)
def test_the_first_two_are_compared_on_whatever_they_are_ranked_by(how, called):
    truth, one, two = [1, 2, 3, 1, 2, 3, 1, 1, 2], [1, 2, 3, 1, 3, 3, 1, 2, 2], [1, 1, 3] * 3
    made = eh.report(truth, {"A": one, "B": two}, **how, replicates=20)
    alone = eh.compare(truth, {"A": one, "B": two}, metrics=how.get("metrics", share_right),
                       distance=how.get("distance"), replicates=20)  # fmt: skip
    (pair,) = (p for p in made.data["comparison"]["pairs"] if p["metric"] == called)
    assert pair["difference"] == pytest.approx(alone.pairs[0].difference, abs=1e-15)


def test_what_a_sentence_says_well_enough_has_no_chart():
    """A gap below 0.1 points, ranks that every metric gives alike; the rest is in order."""
    even = eh.report([[50, 10, 0], [10, 50, 0], [1, 0, 9]])
    assert "Pairs of classes behind the gap" not in even.to_html()
    wide = eh.report([[50, 10], [2, 5]]).to_html()
    assert "Pairs of classes behind the gap" in wide
    y = list("aabbcc" * 9)
    alike = eh.report(y, {"A": y, "B": ["c", *y[1:]]}, metrics=["accuracy", "micro_f1"])
    assert "Ranks under other metrics" not in alike.to_html()
    cells = [[9 - abs(i - j) for j in range(4)] for i in range(4)]
    page = eh.report(cells).to_html()
    assert "The 5 largest confusions" in page and "and 7 more confusions" in page
    shown = eh.plot.classes([[50, 10], [2, 5]]).spec["data"]["values"]
    assert [row["label"] for row in shown[::3]] == ["1", "0"]
