"""Letters for ties: two systems share one exactly when no test tells them apart."""

from __future__ import annotations

import re
import string

import numpy as np
from numpy.typing import NDArray

_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_MARK = re.compile(r"\(\d+\)|.")


def letters(apart: NDArray[np.bool_]) -> list[str]:
    """A compact letter display of systems in their order; ``apart`` says who differs from whom.

    Each letter is a group of systems, no two of them told apart; every pair that is not told
    apart is in some group together. Groups are grown greedily from the best pair that has none
    yet: few letters, in polynomial time. (Piepho 2004; Gramm et al. 2007.)

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ['a', 'ab', 'b']
    """
    n = len(apart)
    together = ~(apart | apart.T)
    near = [sum(1 << j for j in np.flatnonzero(row).tolist() if j != i) | 1 << i
            for i, row in enumerate(together)]  # fmt: skip
    open_ = [near[i] & ~((1 << i + 1) - 1) for i in range(n)]  # partners after i without a letter
    groups: list[int] = []
    for i in range(n):
        alone = near[i] == 1 << i
        while open_[i] or alone:
            group, fits = 1 << i, near[i]
            if not alone:
                first = (open_[i] & -open_[i]).bit_length() - 1
                group, fits = group | 1 << first, fits & near[first]
            for j in range(n):
                if fits >> j & 1 and not group >> j & 1:
                    group, fits = group | 1 << j, fits & near[j]
            groups.append(group)
            members = [j for j in range(n) if group >> j & 1]
            for j in members:
                open_[j] &= ~group
            if alone:
                break
    groups.sort(key=lambda g: [j for j in range(n) if g >> j & 1])
    return [
        "".join(_letter(g) for g, group in enumerate(groups) if group >> i & 1) for i in range(n)
    ]


def share(a: str, b: str) -> bool:
    """Whether two systems have a letter in common.

    >>> share("ab", "bc"), share("(53)", "(54)")
    (True, False)
    """
    return bool(set(_MARK.findall(a)) & set(_MARK.findall(b)))


def _letter(i: int) -> str:
    return _LETTERS[i] if i < len(_LETTERS) else f"({i + 1})"
