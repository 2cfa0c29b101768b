"""The founding documents: who wrote each, when, under which title, and where it is found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """One document.

    >>> print(DOCUMENTS["000"])
    Opitz & Burst 2019, Macro F1 and Macro F1 (arXiv:1911.03347)
    """

    cited: str
    title: str
    found: str = ""

    def __str__(self) -> str:
        return f"{self.cited}, {self.title}" + (f" ({self.found})" if self.found else "")


_TWINS = "Opitz & Burst 2019", "Macro F1 and Macro F1"
DOCUMENTS = {
    "000": Document(*_TWINS, "arXiv:1911.03347"),
    "001": Document(
        "A note without author or year",
        "Calculating Accuracy, Weighted Precision, Weighted Recall, and Weighted F1-Score for "
        "Multi-class Classification",
    ),
    "002": Document("Shmueli 2019", "A Tale of Two Macro-F1's", "Medium, 19 August 2019"),
    "003": Document(
        "Opitz 2022",
        "From Bias and Prevalence to Macro F1, Kappa, and MCC: A structured overview of metrics "
        "for multi-class evaluation",
    ),
    "004": Document(*_TWINS, "arXiv:1911.03347, another rendering"),
}
"""By the number that the ids of their claims begin with."""
