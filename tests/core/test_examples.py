"""Each metric's record, its public function and its documentation say the same thing."""

import doctest
import inspect
import json
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.names import nearest
from evenhand.core.registry import find

BIRDS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
NAMES = """
    accuracy micro_precision micro_recall micro_f1 macro_precision macro_recall macro_accuracy
    balanced_accuracy macro_f1 averaged_f1 mean_of_f1 f1_of_averages macro_f1_prime
    macro_f1_star weighted_precision weighted_recall weighted_f1 weighted_f1_of_averages
    geometric_macro_recall harmonic_macro_recall kappa mcc f1_gap bookmaker_gain macro_fbeta
    fbeta_of_averages precision recall f1 fbeta subset_accuracy hamming_loss
"""  # the documents', as the mathematics lists them
EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
RECORDS = list(table_metrics().values())


def example(record):
    if "single" not in record.tasks:
        return eh.MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b", "c"}])
    return BIRDS


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
class TestEveryMetric:
    def test_example_is_the_value(self, record):
        options = {"label": 2} if record.of_one_class else {}
        value = getattr(eh, record.name)(example(record), **options)
        assert value == pytest.approx(EXAMPLES[record.name], rel=1e-12)

    def test_docstring_says_it_all(self, record):
        text = inspect.getdoc(getattr(eh, record.name))
        for part in (record.summary, record.formula, record.reference, ">>>", *record.aliases):
            assert part in text
        assert all(f"{name}: default" in text for name in record.parameters)

    def test_docstring_runs(self, record):
        text = inspect.getdoc(getattr(eh, record.name))
        found = doctest.DocTestParser().get_doctest(text, {}, record.name, None, None)
        assert len(found.examples) == 2
        assert doctest.DocTestRunner().run(found).failed == 0

    def test_record_is_complete(self, record):
        assert record.summary.endswith((".", "'macro F1'."))
        assert record.symbol and record.formula and record.reference and record.signature
        assert record.low < record.high
        assert record.low <= EXAMPLES[record.name] <= record.high
        assert {record.best, record.worst} == {record.low, record.high}

    def test_aliases_are_the_same_metric(self, record):
        for alias in record.aliases:
            assert find(alias) is record
            options = {"label": 2} if record.of_one_class else {}
            data = example(record)
            both = [getattr(eh, name)(data, **options) for name in (alias, record.name)]
            assert both[0] == both[1]

    def test_call_signature_names_the_parameters(self, record):
        names = inspect.signature(getattr(eh, record.name)).parameters
        assert {"classes", "undefined", *record.parameters} <= set(names)

    def test_unknown_options_are_refused(self, record):
        with pytest.raises(TypeError, match="unexpected keyword argument 'gamma'"):
            getattr(eh, record.name)(example(record), gamma=1)


def test_names_of_the_documents_are_all_there():
    """The names are a promise."""
    for name in NAMES.split():
        assert find(name) is not None, name


def test_names_and_aliases_are_distinct():
    names = [name for r in RECORDS for name in (r.name, *r.aliases)]
    assert len(names) == len(set(names))


def test_a_misspelt_name_finds_its_neighbours():
    assert "macro_f1" in nearest("makro_f1")
    assert find("makro_f1") is None
    with pytest.raises(AttributeError, match="makro_f1"):
        _ = eh.makro_f1
    with pytest.raises(eh.MetricError, match="did you mean macro_f1"):
        eh.score(BIRDS, metrics=["makro_f1"])


def test_dir_lists_every_metric():
    assert {r.name for r in RECORDS} <= set(dir(eh))
