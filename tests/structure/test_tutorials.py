"""The tutorials are what their examples print, as one who copies them sees it."""

import pytest

from tests.pages import DOCS, scripts

BUILD, _ = scripts()


@pytest.mark.parametrize("name", BUILD.tutorials())
def test_a_tutorial_is_what_its_examples_print(name):
    pytest.importorskip("vl_convert")  # a picture is drawn
    assert BUILD.redone_page(name) == (DOCS / name).read_text(encoding="utf-8")
