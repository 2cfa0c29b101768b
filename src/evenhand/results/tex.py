"""Text for LaTeX: nothing in it a command, our own words in ASCII, long words breakable."""

from __future__ import annotations

import re

from evenhand.results.text import MINUS, visible

_SIGNS = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "“": "``",
    "”": "''",
    "‘": "`",
    **{c: f"{{{c}}}" for c in "[]*"},  # after a line's end LaTeX would read them as options
    "–": "--",
    "—": "---",
    MINUS: "-",
    "’": "'",
    "…": r"\dots{}",
    "§": r"\S{}",
    "½": r"$\frac12$",
    "′": "$'$",
    "Β": "B",
    "†": r"$^\dagger$",
    "ḡ": r"$\bar{g}$",
    **{raised: f"$^{plain}$" for raised, plain in zip("²³⁶ⁿᵖᵀ", "236npT", strict=True)},
    **{lowered: f"$_{plain}$" for lowered, plain in zip("₁₂₋ᵢⱼ", "12-ij", strict=True)},
    **{
        sign: rf"$\{name}$"
        for sign, name in (
            ("±", "pm"),
            ("∓", "mp"),
            ("×", "times"),
            ("·", "cdot"),
            ("≤", "leq"),
            ("≥", "geq"),
            ("≈", "approx"),
            ("≠", "neq"),
            ("∞", "infty"),
            ("√", "surd"),
            ("✓", "surd"),
            ("✗", "times"),
            ("∂", "partial"),
            ("∫", "int"),
            ("∈", "in"),
            ("→", "rightarrow"),
            ("←", "leftarrow"),
            ("↑", "uparrow"),
            ("↓", "downarrow"),
            ("⇒", "Rightarrow"),
            ("⇔", "Leftrightarrow"),
            ("⇑", "Uparrow"),
            ("⇓", "Downarrow"),
            ("Σ", "Sigma"),
            ("Π", "Pi"),
            ("Δ", "Delta"),
            ("Λ", "Lambda"),
            ("Φ", "Phi"),
            ("α", "alpha"),
            ("β", "beta"),
            ("γ", "gamma"),
            ("θ", "theta"),
            ("κ", "kappa"),
            ("λ", "lambda"),
            ("μ", "mu"),
            ("ν", "nu"),
            ("π", "pi"),
            ("ρ", "rho"),
            ("φ", "phi"),
            ("χ", "chi"),
        )
    },
}
_LETTERS = (
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭ"
    "İıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽž"
)
"""Letters that every LaTeX sets as they are."""
_PARTS = re.compile(
    f"(?P<barred>[A-Za-z]\u0304)|(?P<foreign>[^\x00-\x7f{_LETTERS}{re.escape(''.join(_SIGNS))}]+)"
    "|(?P<word>(?:[!-~](?!\u0304))+)|(?P<rest>.)",
    re.DOTALL,
)
_OPENING = re.compile(r"""(?<![^(\[{/=])['"](?=.)""")
"""Quotation marks at the beginning of a word, or of what its marks part."""
LONG = 20
"""Characters from which on a word may break."""
STEP = 12
"""Characters of such a word after which it may break anywhere."""


def latex(text: str, *, long: int = LONG) -> str:
    """``text`` for LaTeX, nothing in it a command; words beyond ``long`` characters may break.

    A letter with a bar is one of mathematics. What pdflatex has no letter for stands as it is for
    engines that have one, and by its code point for pdflatex.

    >>> print(latex("50 % of −1"), latex("日本"), latex("called 'macro F1'"))
    50 \\% of -1 {\\ifdefined\\Umathchar 日本\\else U+65E5 U+672C\\fi} called `macro F1'
    """
    return "".join(_part(found, long) for found in _PARTS.finditer(visible(text)))


def sentence(text: str) -> str:
    """A footnote, whose signature may break where its fields end."""
    return latex(text.replace("|", "| "), long=2 * LONG).replace(_SIGNS["|"], "$|$")


def _part(found: re.Match[str], long: int) -> str:
    text = found[0]
    if found["barred"]:
        return rf"$\bar{{{text[0]}}}$"
    if found["foreign"]:
        codes = " ".join(f"U+{ord(c):04X}" for c in text)
        return rf"{{\ifdefined\Umathchar {text}\else {codes}\fi}}"
    if found["word"]:
        text = _OPENING.sub(lambda mark: "‘" if mark[0] == "'" else "“", text)
    if found["word"] and len(text) > long:
        return _breakable(text)
    return "".join(_SIGNS.get(c, c) for c in text)


def _breakable(word: str) -> str:
    """A long word, which may break behind its marks and every so many characters."""
    out, since = [], 0
    for c in word:
        out.append(_SIGNS.get(c, c))
        since += 1
        if c in "|,;/" or since == STEP:
            out.append(r"\allowbreak{}")
            since = 0
    return "".join(out)
