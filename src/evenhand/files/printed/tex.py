r"""TeX: the words of LaTeX source, its mark-up left out.

Unknown commands give what stands in their braces, so that ``\best{0.75}`` is read whatever an
author's ``\best`` does.
"""

from __future__ import annotations

import re
import unicodedata

from evenhand.errors import InputError
from evenhand.files.printed.table import one_line

DEEPEST = 60
"""Braces inside braces: beyond, nobody wrote this by hand."""

_SIGNS = {
    "pm": "±", "mp": "∓", "kappa": "κ", "mu": "μ", "dagger": "†", "ddagger": "‡", "dag": "†",
    "ddag": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*", "textdagger": "†",
    "textemdash": "—", "textendash": "–", "times": "×", "alpha": "α", "beta": "β", "percent": "%",
    "quad": " ", "qquad": " ", "textbackslash": "\\", "ldots": "…", "dots": "…", "ss": "ß",
    "infty": "∞", "textbar": "|", "textpm": "±", "textsubscript": "", "newline": " ", "cdot": "·",
    "textunderscore": "_", "S": "§", "P": "¶", "o": "ø", "O": "Ø", "l": "ł", "ae": "æ", "aa": "å",
}  # fmt: skip
_SWITCHES_TEXT = (
    "bf it rm sf tt em sc sl bfseries itshape mdseries rmfamily sffamily ttfamily scshape upshape "
    "slshape normalfont boldmath small footnotesize scriptsize tiny normalsize large Large LARGE "
    "huge Huge centering raggedright raggedleft displaystyle textstyle scriptstyle uparrow "
    "downarrow hline toprule midrule bottomrule hfill strut noindent left right par protect relax "
    "arraybackslash xspace ensuremath endhead endfirsthead endfoot endlastfoot hdashline "
    "tabularnewline null"
)
_SWITCHES = frozenset(_SWITCHES_TEXT.split())
"""Commands that are no word."""
_DROPPED = {
    "footnote": 1, "tnote": 1, "textsuperscript": 1, "cite": 1, "citep": 1, "citet": 1,
    "citealp": 1, "citeyear": 1, "citeyearpar": 1, "parencite": 1, "textcite": 1, "autocite": 1,
    "label": 1, "ref": 1, "cref": 1, "Cref": 1, "autoref": 1, "cellcolor": 1, "rowcolor": 1,
    "columncolor": 1, "color": 1, "vspace": 1, "hspace": 1, "phantom": 1, "hphantom": 1,
    "vphantom": 1, "footnotemark": 0, "footnotetext": 1, "cmidrule": 1, "cline": 1,
    "addlinespace": 0, "specialrule": 3, "rule": 2, "noalign": 1, "arrayrulecolor": 1,
    "morecmidrules": 0, "setlength": 2, "renewcommand": 2, "includegraphics": 1, "cdashline": 1,
    "thinspace": 0, "todo": 1,
}  # fmt: skip
"""Commands that say nothing, and how many arguments go with them."""
_LAST = {
    "textcolor": 2, "colorbox": 2, "fcolorbox": 3, "rotatebox": 2, "resizebox": 3, "scalebox": 2,
    "raisebox": 2, "href": 2, "parbox": 2, "SI": 2, "qty": 2, "adjustbox": 2, "multirow": 3,
    "multicolumn": 3, "fontsize": 2,
}  # fmt: skip
"""Commands of several arguments; what counts is in the last."""
_BOTH = frozenset({"SI", "qty"})
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a",
    "k": "\u0328",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z]+\*?")
_OPTION = re.compile(r"\s*\[([^\]\n]*)\]")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_TRIM = re.compile(r"(\[[^\]]*\])?\s*(\([lr\d.a-z{}]*\))?\s*")


class Words:
    """A reader of one piece of source, from left to right."""

    def __init__(self, source: str, where: str, depth: int = 0) -> None:
        self.source, self.where, self.depth, self.at = source, where, depth, 0

    def text(self) -> str:
        """The words of all of it."""
        if self.depth > DEEPEST:
            raise InputError(f"{self.where}: braces stand in braces more than {DEEPEST} deep")
        said: list[str] = []
        while self.at < len(self.source):
            c = self.source[self.at]
            self.at += 1
            if c == "\\":
                said.append(self._command())
            elif c == "{":
                self.at -= 1
                said.append(self._inner(self.argument()))
            elif c == "^":
                self.argument()  # a footnote's mark, not a power
            elif c == "_":
                said.append(self._subscript())
            elif c == "~":
                said.append(" ")
            elif c not in "$}":
                said.append(c)
        return "".join(said)

    def argument(self) -> str:
        """What the next braces hold, or the next character or command."""
        while self.source[self.at : self.at + 1].isspace():
            self.at += 1
        start = self.at
        if self.source[start : start + 1] != "{":
            name = _NAME.match(self.source, start + 1)
            self.at = name.end() if name and self.source[start] == "\\" else start + 1
            return self.source[start : self.at]
        end = closing(self.source, start, self.where)
        self.at = end + 1
        return self.source[start + 1 : end]

    def option(self) -> str:
        """What the next brackets hold, if brackets come next."""
        found = _OPTION.match(self.source, self.at)
        if found is not None:
            self.at = found.end()
        return "" if found is None else found[1]

    def _inner(self, source: str) -> str:
        return Words(source, self.where, self.depth + 1).text()

    def _subscript(self) -> str:
        """A subscript that is a number belongs to its letter; one that is a word stands apart."""
        if self.source[self.at : self.at + 1] == "{":
            inner = self._inner(self.argument()).strip()
            return inner if inner.isdigit() else f" {inner}"
        return "" if self.source[self.at : self.at + 1].isdigit() else "_"

    def _command(self) -> str:
        name = _NAME.match(self.source, self.at)
        if name is None:
            c = self.source[self.at : self.at + 1]
            self.at += 1
            if c in _ACCENTS:
                return self._accented(c)
            return c if c in "%&_#${}" else " "  # thin spaces, ends of lines inside a cell
        word = name[0].rstrip("*")
        self.at = name.end()
        if word in _ACCENTS and self.source[self.at : self.at + 1] == "{":
            return self._accented(word)
        if word in _DROPPED:
            if word == "cmidrule":
                trim = _TRIM.match(self.source, self.at)
                self.at = trim.end() if trim else self.at
            self._passed(_DROPPED[word])
            return ""
        if word in _LAST:
            parts = self._passed(_LAST[word])
            return self._inner("".join(parts) if word in _BOTH else parts[-1])
        if word in _SIGNS or word in _SWITCHES:
            self._eat_space()
            return _SIGNS.get(word, "")
        if word in ("begin", "end"):
            self._passed(1)
            return " "
        self.option()
        following = self.source[self.at : self.at + 1]
        return "" if following == "{" else word

    def _passed(self, count: int) -> list[str]:
        self.option()
        parts = []
        for _ in range(count):
            parts.append(self.argument())
            self.option()
        return parts

    def _eat_space(self) -> None:
        while self.source[self.at : self.at + 1] in (" ", "\t", "\n"):
            self.at += 1

    def _accented(self, accent: str) -> str:
        letter = self._inner(self.argument()).replace("ı", "i")
        return unicodedata.normalize("NFC", letter[:1] + _ACCENTS[accent]) + letter[1:]


def words(source: str, where: str) -> str:
    r"""The words of a piece of LaTeX in one line.

    >>> words(r"\textbf{75{,}2}$_{\pm 0.4}^{\dagger}$ \%", "a cell")
    '75,2 ±0.4 %'
    """
    text = Words(source, where).text().replace("---", "—").replace("--", "–")
    return one_line(text.replace("``", '"').replace("''", '"'))


def closing(source: str, start: int, where: str) -> int:
    """Where the brace closes that opens at ``start``."""
    depth = 0
    for found in _BRACE.finditer(source, start):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
            if not depth:
                return found.start()
    raise InputError(f"{where}: a brace is opened and never closed")
