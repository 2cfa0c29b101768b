"""Commands print and verbs return what was recorded; ``make golden`` records a change."""

import pytest

from tests.golden.__main__ import RECORDED, differences, recording, recordings, world


@pytest.fixture(scope="module")
def names():
    with world() as names:
        yield names


@pytest.mark.parametrize("name", recordings())
def test_as_recorded(name, names):
    before = (RECORDED / f"{name}.txt").read_bytes().decode()
    changed = differences(before, recording(name, names))
    assert not changed, "\n".join(changed[:60])


def test_nothing_else_is_recorded():
    assert {path.stem for path in RECORDED.glob("*")} == set(recordings())


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        ("f1 0.3", "f1 0.30000000000000004", True),
        ('{"low": 0.0}', '{"low": -1e-17}', True),
        ("0.3", "0.3000000001", False),
        ("12 items", "13 items", False),
        ("0.3 high", "0.3 low", False),
        ("n 10", "n 10.0", False),
    ],
)
def test_numbers_may_differ_by_rounding_only(before, after, equal):
    assert bool(differences(before, after)) is not equal
