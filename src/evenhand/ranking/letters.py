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
    np.fill_diagonal(together, False)
    near, bit = [_bits(row) for row in together], [1 << i for i in range(n)]
    open_ = [near[i] >> i << i for i in range(n)]  # partners after i without a letter
    groups: list[list[int]] = []
    for i in range(n):
        alone = not near[i]
        while open_[i] or alone:
            group, members, fits = bit[i], [i], near[i]
            best = open_[i]  # its best open partner, then whoever fits all before
            while fits:
                j = (best & -best).bit_length() - 1
                group |= bit[j]
                members.append(j)
                best = fits = fits & near[j]
            groups.append(sorted(members))
            rest = ~group
            for j in members:
                open_[j] &= rest
            if alone:
                break
    groups.sort()
    found: list[list[str]] = [[] for _ in range(n)]
    for g, members in enumerate(groups):
        mark = _letter(g)
        for j in members:
            found[j].append(mark)
    return ["".join(marks) for marks in found]


def _bits(row: NDArray[np.bool_]) -> int:
    """A row of yes and no as the bits of one number."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def share(a: str, b: str) -> bool:
    """Whether two systems have a letter in common.

    >>> share("ab", "bc"), share("(53)", "(54)")
    (True, False)
    """
    return bool(set(_MARK.findall(a)) & set(_MARK.findall(b)))


def _letter(i: int) -> str:
    return _LETTERS[i] if i < len(_LETTERS) else f"({i + 1})"
