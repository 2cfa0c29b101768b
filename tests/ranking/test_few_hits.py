"""Which of a few systems has classes that are too small for its intervals."""

import evenhand as eh


def test_of_two_systems_the_one_with_few_hits_is_named():
    true = ["a"] * 60 + ["b"] * 60 + ["c"] * 30
    rare = ["a"] * 60 + ["b"] * 60 + ["a"] * 28 + ["c"] * 2
    ranked = eh.rank(true, {"good": true, "rare": rare}, replicates=100)
    (said,) = [w for w in ranked.warnings if "5 correct ones" in w]
    assert said.startswith("rare has fewer than 10 predictions or 5 correct ones of 1 class ('c')")
