"""The verdict that each claim must get, where it does not simply hold, from independent study."""

REMARKS = [
    "000-rare",
    "001-weighted-f1-digits",
    "002-macro-precision",
    "002-macro-recall",
    "003-table-5-mcc",
    "003-table-5-macro-precision",
    "003-table-5-f1-of-averages",
    "003-calibration",
    "003-only-macro-recall",
    "003-appendix-f-argument",
]
MISPRINTS = [
    "000-table-2",
    "000-appendix-c-gamma",
    "000-appendix-c-derivative",
    "001-example-names",
    "003-eq-3",
    "003-eq-30-31-shares",
    "003-eq-31",
    "003-appendix-b-3",
    "003-eq-33-34",
    "003-eq-36-37",
    "003-eq-38",
    "003-eq-39",
    "003-eq-41-43",
    "003-appendix-d-4",
    "003-footnote-5",
]
FAILS = [
    "000-theorem-2",
    "003-mcc-kappa",
    "003-mcc-kappa-reason",
    "000-appendix-e-undefined",
]
OPEN = ["003-table-8-macro-f1-calibrated", "000-figure-1b", "003-figure-2-recall-2"]
BY_EYE = {
    **dict.fromkeys(
        [
            "000-appendix-c-boundary",
            "000-appendix-c-steps",
            "000-appendix-e-names",
        ],
        "misprint",
    ),
    **dict.fromkeys(
        ["003-figure-1", "003-table-1"],
        "cannot be checked",
    ),
}
VERDICTS = {
    **dict.fromkeys(REMARKS, "holds with a remark"),
    **dict.fromkeys(MISPRINTS, "misprint"),
    **dict.fromkeys(FAILS, "fails as printed"),
    **dict.fromkeys(["000-appendix-c-even", "004-appendix-a"], "rendering"),
    **dict.fromkeys(OPEN, "cannot be checked"),
    **BY_EYE,
}
