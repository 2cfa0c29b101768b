"""The program of Opitz & Burst (2019), appendix E: its arithmetic, its labels, its digits.

It takes the operations in the order of the listing, so that every digit comes out; 0/0 counts as 0
as in equation 1, where the listing would print NaN. Rows are predicted classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import reduce
from itertools import combinations
from operator import add

Matrix = Sequence[Sequence[float]]


def _over(a: float, b: float) -> float:
    return a / b if b else 0.0


def _sum(numbers: Iterable[float]) -> float:
    return reduce(add, numbers, 0.0)  # one after the other: `sum` may carry what is rounded off


def _harmonic(x: float, y: float) -> float:
    return 2 * _over(x * y, x + y)


def four(matrix: Matrix) -> dict[str, float]:
    """The four numbers that the program prints, by its labels.

    >>> four([[100, 10000], [0, 100]])["delta"]
    0.48534265191225007
    """
    n = len(matrix)
    p = [_over(row[i], _sum(row)) for i, row in enumerate(matrix)]
    r = [_over(matrix[i][i], _sum(row[i] for row in matrix)) for i in range(n)]
    benevolent = _harmonic(_sum(p) / n, _sum(r) / n)
    other = _sum(map(_harmonic, p, r)) / n
    whole = _sum(a + b for a, b in zip(p, r, strict=True))
    terms = (
        _over(2 * (p[x] * r[y] - p[y] * r[x]) ** 2, n * (p[x] + r[x]) * (p[y] + r[y]) * whole)
        for x, y in combinations(range(n), 2)
    )
    return {
        "macroF1 benevolent": benevolent,
        "macroF1 non-benevolent": other,
        "delta": benevolent - other,
        "delta calculated": _sum(terms),
    }


def printed(matrix: Matrix) -> str:
    """What the program prints.

    >>> print(printed([[100, 10000], [0, 100]]))
    ("macroF1 benevolent",0.504950495049505)
    ("macroF1 non-benevolent",1.96078431372549e-2)
    ("delta",0.48534265191225007)
    ("delta calculated",0.48534265191225007)
    """
    return "\n".join(f'("{name}",{digits(x)})' for name, x in four(matrix).items())


def digits(x: float) -> str:
    """A number as Haskell shows it: with a power of ten below 0.1 and from ten million.

    >>> digits(0.5), digits(0.0196), digits(12345678.0), digits(0.01), digits(-0.02)
    ('0.5', '1.96e-2', '1.2345678e7', '1.0e-2', '-2.0e-2')
    """
    if x == 0 or 0.1 <= abs(x) < 10**7:
        return repr(float(x))
    head, _, power = f"{Decimal(repr(float(x))).normalize():e}".partition("e")
    return f"{head}{'' if '.' in head else '.0'}e{int(power)}"
