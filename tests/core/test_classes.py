"""Which classes are averaged, and what a prediction outside the classes costs."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import evaluate

TRUE = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4]
PRED = [1, 1, 1, 0, 0, 2, 2, 3, 3, 3, 4, 3, 4, 3]


class TestIssue8747:
    """scikit-learn issue 8747: predictions of a class that is not averaged still cost."""

    table = eh.Confusion.from_labels(TRUE, PRED)

    def test_listed(self):
        listed = {"classes": [1, 2, 3, 4]}
        found = [f(self.table, **listed) for f in (eh.macro_f1, eh.f1_of_averages, eh.micro_f1)]
        printed = [0.6041666666666666, 0.6361290322580646, 0.6153846153846153]
        assert found == pytest.approx(printed, rel=0, abs=2e-16)

    def test_listed_by_hand(self):
        """F1 per class: 3/4, 2/3, 1/2 and 1/2; hits 8, predicted 12, true 14."""
        assert eh.f1(self.table) == pytest.approx([0, 3 / 4, 2 / 3, 1 / 2, 1 / 2])
        assert eh.macro_f1(self.table, classes=[1, 2, 3, 4]) == pytest.approx(29 / 48, abs=1e-15)
        assert eh.micro_f1(self.table, classes=[1, 2, 3, 4]) == pytest.approx(16 / 26, abs=1e-15)

    def test_true_classes_are_the_same_four(self):
        assert eh.macro_f1(self.table, classes="true") == pytest.approx(29 / 48, abs=1e-15)

    def test_so_are_those_of_the_task_which_tells_of_the_stray_class(self):
        said = (
            r"^2 predictions are of labels that never occur in the truth \(0\); "
            r"macro_f1 is 0\.6042 over the true classes, 0\.4833 over all classes seen$"
        )
        with pytest.warns(eh.EvenhandWarning, match=said):
            assert eh.macro_f1(self.table) == pytest.approx(29 / 48, abs=1e-15)

    def test_seen_has_the_stray_class_too(self):
        assert eh.macro_f1(self.table, classes="seen") == pytest.approx(29 / 60, abs=1e-15)

    @pytest.mark.parametrize("rule", ["task", "true", "seen"])
    def test_micro_averages_run_over_all_unless_classes_are_listed(self, rule):
        """Eight hits of fourteen: a stray prediction is a false alarm too."""
        assert eh.micro_f1(self.table, classes=rule) == pytest.approx(8 / 14, abs=1e-15)
        assert eh.micro_f1(self.table, classes=rule) == eh.accuracy(self.table)

    def test_whole_table_metrics_do_not_care(self):
        for name in ("accuracy", "kappa", "mcc", "bookmaker_gain"):
            seen, listed = (getattr(eh, name)(self.table, classes=c) for c in ("seen", [1, 2]))
            assert seen == listed

    def test_given_labels_put_the_stray_outside(self):
        table = eh.Confusion.from_labels(TRUE, PRED, labels=[1, 2, 3, 4])
        assert table.outside.tolist() == [2, 0, 0, 0]
        assert eh.macro_f1(table) == pytest.approx(29 / 48, abs=1e-15)


def test_task_seen_true_and_listed_masks():
    table = eh.Confusion.from_matrix([[3, 1, 0, 0], [0, 2, 0, 1], [0] * 4, [0] * 4], labels="abcd")
    assert table.averaged("seen").tolist() == [True, True, False, True]
    assert table.averaged("true").tolist() == [True, True, False, False]
    assert (
        table.averaged().tolist() == table.averaged("task").tolist() == [True, True, False, False]
    )
    assert table.averaged(["d", "c"]).tolist() == [False, False, True, True]


@pytest.mark.parametrize("make", [list, tuple, set, iter, np.array, dict.fromkeys])
def test_classes_may_be_listed_in_any_form(make):
    cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    expected = (12 / 17 + 14 / 22) / 2
    assert eh.macro_f1(cells, classes=make([0, 2])) == pytest.approx(expected, abs=1e-15)
    assert eh.twins(cells, classes=make([0, 2])).macro_f1 == pytest.approx(expected, abs=1e-15)
    scored = eh.score(cells, metrics=["macro_f1"], classes=make([0, 2]))
    assert scored["macro_f1"].value == pytest.approx(expected, abs=1e-15)


def test_a_listed_class_that_never_occurs_counts():
    """Recalls 1, 0 (0/0) of two listed classes."""
    table = eh.Confusion.from_matrix([[3, 0], [0, 0]], labels="ab")
    assert eh.macro_recall(table) == 1
    assert eh.macro_recall(table, classes=["a", "b"]) == 0.5
    assert eh.macro_recall(table, classes=["a", "b"], undefined=1) == 1
    assert eh.macro_recall(table, classes=["a", "b"], undefined="nan") == 1


def test_one_stray_label_in_three_hundred():
    """Four classes of F1 about 0.8 and one stray prediction: over all seen, 0.80 becomes 0.64."""
    cells = np.zeros((5, 5), int)
    cells[:4, :4] = np.full((4, 4), 5) + np.eye(4, dtype=int) * 55
    cells[0, 4] = 1
    with pytest.warns(eh.EvenhandWarning, match="never occur"):
        task = eh.macro_f1(cells)
    assert task == pytest.approx(0.7992, abs=1e-3)
    assert eh.macro_f1(cells, classes="seen") == pytest.approx(0.8 * task, abs=1e-15)


def test_balanced_accuracy_is_macro_recall_by_another_name():
    cells = [[3, 1, 1], [0, 4, 1], [0, 0, 0]]
    with pytest.warns(eh.EvenhandWarning, match="macro_recall is 0.7000 over the true classes"):
        assert eh.balanced_accuracy(cells) == pytest.approx(0.7)
    assert eh.score(cells)["balanced_accuracy"] == eh.score(cells)["macro_recall"]


def test_weighted_averages_divide_by_the_listed_support():
    cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    expected = (8 * 6 / 8 + 12 * 7 / 12) / 20
    assert eh.weighted_recall(cells, classes=[0, 2]) == pytest.approx(expected, abs=1e-15)


class TestOutside:
    """An answer that is no class: an error for its true class, in no class's bias."""

    table = eh.Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], outside=[2, 0, 3])
    # the same answers as a label of their own, true of no item
    own = eh.Confusion.from_matrix([[6, 1, 1, 2], [1, 5, 2, 0], [2, 3, 7, 3], [0, 0, 0, 0]])

    def test_margins(self):
        assert self.table.prevalence.tolist() == [10, 8, 15]
        assert self.table.bias.tolist() == [9, 9, 10]
        assert self.table.total == 33
        assert eh.accuracy(self.table) == pytest.approx(18 / 33)

    @pytest.mark.parametrize("name", ["accuracy", "kappa", "mcc", "bookmaker_gain"])
    def test_whole_table_metrics_are_as_with_a_label_of_its_own(self, name):
        assert evaluate(name, self.table) == pytest.approx(evaluate(name, self.own), abs=1e-15)

    def test_kappa_and_mcc_by_hand(self):
        """s = 33, c = 18, p·b = 90+72+150 = 312, p·p = 389, b·b = 81+81+100+25 = 287."""
        above = 18 * 33 - 312
        assert eh.kappa(self.table) == pytest.approx(above / (33**2 - 312), abs=1e-15)
        root = ((33**2 - 389) * (33**2 - 287)) ** 0.5
        assert eh.mcc(self.table) == pytest.approx(above / root, abs=1e-15)

    def test_averages_have_no_class_for_it(self):
        recalls = [6 / 10, 5 / 8, 7 / 15]
        assert eh.macro_recall(self.table) == pytest.approx(sum(recalls) / 3, abs=1e-15)
        assert eh.micro_precision(self.table) == pytest.approx(18 / 28, abs=1e-15)
        assert eh.micro_recall(self.table) == pytest.approx(18 / 33, abs=1e-15)
        assert eh.micro_f1(self.table) == pytest.approx(36 / 61, abs=1e-15)

    def test_null_and_unlisted_answers_go_there(self):
        table = eh.Confusion.from_labels(list("aabb"), ["a", None, "b", "?"], labels="ab")
        assert table.outside.tolist() == [1, 1]
        assert int(table.missing) == 1
        assert eh.score(table).outside == 2

    def test_all_answers_outside(self):
        table = eh.Confusion.from_labels(list("ab"), [None, None])
        assert eh.kappa(table) == 0
        assert eh.mcc(table) == 0
        assert eh.mcc(table, undefined="nan") != eh.mcc(table, undefined="nan")
        assert eh.macro_f1(table) == 0
