"""Audit in Chromium: a pasted table, what its columns were taken for, what is marked."""

import pytest

import evenhand as eh
from tests.web.browsing import HOSTILE

pytestmark = pytest.mark.browser
TABLE = r"""
\begin{tabular}{lrrrr}
System & Macro-P & Macro-R & Macro-F1 & Acc \\ \hline
Baseline & 61.2 & 55.4 & 58.2 & 70.1 \\
Ours & 71.9 & 64.3 & 67.9 & 78.4 \\
Theirs & 70.0 & 50.0 & 72.5 & 77.0 \\
\end{tabular}
"""


def audited(one, text):
    one.page.fill("#table", text)
    one.page.get_by_role("button", name="Audit", exact=True).click()
    one.page.wait_for_selector("#audit-result *")


def test_a_pasted_table_is_audited(tab):
    one = tab("audit")
    one.paste(one.page.locator("#table"), TABLE)
    one.page.get_by_role("button", name="Audit", exact=True).click()
    one.page.wait_for_selector("#audit-result *")
    found = eh.audit(TABLE)
    said = one.page.locator("#audit-result .verdict").first.inner_text()
    assert f"{found.formula} fits 2 of 3 rows" in said
    assert f"The evidence is {found.judgement.strength}" in said
    chosen = one.page.locator("#audit-result th:has(select)").evaluate_all(
        "all => all.map(l => [l.firstChild.textContent, l.querySelector('select').value])"
    )
    first = one.page.locator("#audit-result > *").first
    assert first.get_attribute("aria-label") == "As printed"  # marked in place, before the words
    assert chosen == [
        [c.header, c.taken_for.removeprefix("reported_")] for c in found.columns if c.kind != "name"
    ]
    marked = one.page.locator("#audit-result mark").all_inner_texts()
    assert marked == ["72.5 \u2717"]
    row = one.page.locator("#audit-result tr", has=one.page.locator("mark"))
    assert row.locator("th").inner_text() == "Theirs"


def test_a_column_is_corrected(tab):
    one = tab("audit")
    audited(one, TABLE)
    assert one.page.locator("#audit-result mark").count() == 1
    one.page.get_by_label("Macro-F1", exact=True).select_option("weighted_f1")
    one.page.wait_for_function("() => !document.querySelector('#audit-result mark')")
    found = eh.audit(TABLE, meanings={"Macro-F1": "weighted_f1"})
    assert found.ok
    assert one.page.get_by_label("Macro-F1", exact=True).input_value() == "weighted_f1"
    one.page.get_by_label("Acc", exact=True).select_option("-")
    one.page.get_by_text("Columns not used: Acc").wait_for()


def test_both_rankings(tab):
    text = (
        "name,precision[a],recall[a],precision[b],recall[b],macro_f1\n"
        "A,0.9,0.2,0.5,0.9,0.49\nB,0.5,0.5,0.5,0.5,0.50\n"
    )
    one = tab("audit")
    audited(one, text)
    found = eh.audit(text, rerank=True)
    table = one.page.locator("#audit-result table", has_text="move")
    ranks = {
        r.locator("th").inner_text(): r.locator("td").all_inner_texts()
        for r in table.locator("tbody tr").all()
    }
    for r in found.ranking:
        assert ranks[r.name][1] == str(r.rank_macro_f1)
        assert ranks[r.name][3] == str(r.rank_f1_of_averages)
    assert ranks["A"][1] != ranks["A"][3]


def test_a_dropped_file_and_the_example(tab):
    one = tab("audit")
    one.drop("#table", ("table.tex", TABLE))
    one.page.wait_for_selector("#audit-result mark")
    assert one.page.locator("#table").input_value() == TABLE
    other = tab("audit")
    other.page.click("#audit-example")
    other.page.wait_for_selector("#audit-result mark")
    assert "strong" in other.page.locator("#audit-result .verdict").first.inner_text()


def test_what_is_no_table_is_said(tab):
    one = tab("audit")
    one.refused = True
    one.page.fill("#table", "nothing to see here")
    one.page.get_by_role("button", name="Audit", exact=True).click()
    one.page.wait_for_selector("#audit-error:not([hidden])")
    assert one.page.locator("#audit-working").is_hidden()
    assert one.page.locator("#audit-error").inner_text()


def test_hostile_names_and_headings_stay_text(tab):
    one = tab("audit")
    head = f"name,macro_precision,macro_recall,macro_f1,{HOSTILE.replace(',', '')}"
    audited(one, f'{head}\n"{HOSTILE.replace(chr(34), chr(39))}",70.0,50.0,90.0,1\n')
    assert "<img src=x" in one.page.locator("#audit-result").inner_text()
    assert "<img src=x" in "".join(one.page.locator("th:has(select)").all_inner_texts())
    assert one.page.locator("img").count() == 0


def test_a_guess_is_confirmed(tab):
    one = tab("audit")
    audited(one, TABLE.replace("Macro-F1", "F1").replace("Macro-P", "P").replace("Macro-R", "R"))
    sure = one.page.get_by_role("button", name="Yes, that is what it is")
    guesses = sure.count()
    assert guesses == 3
    sure.first.click()
    one.page.wait_for_function(f"() => document.querySelectorAll('.guess').length < {guesses}")


def test_columns_stand_in_a_header_where_nothing_was_found(tab):
    one = tab("audit")
    audited(one, TABLE.replace("72.5", "58.3"))
    heads = one.page.locator('[aria-label="What each column was taken for"] th')
    assert [h.split("\n")[0] for h in heads.all_inner_texts()] == [
        "Macro-P", "Macro-R", "Macro-F1", "Acc"
    ]  # fmt: skip


def test_each_of_two_tables_has_its_own(tab):
    one = tab("audit")
    audited(one, TABLE + "\nSome words between.\n" + TABLE.replace("Acc", "Accuracy"))
    assert one.page.locator("#audit-result th:has(select)").count() == 8
    assert one.page.locator("#audit-result mark").count() == 2
