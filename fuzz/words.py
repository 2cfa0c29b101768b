"""Random text: labels and field contents, plain, awkward and hostile; and ways to damage it."""

from __future__ import annotations

from random import Random

PLAIN = ("a", "b", "c", "spam", "ham", "cat", "0", "1", "01", "1.0", "True", "NA", "null", "é")
AWKWARD = (
    " ", "a b", " a", "a ", "a,b", "a;b", "a=b", "a:b", "a@b", "a|b", "a.b", "a%b", "%41", "\\",
    "a\\", "\\a", "#", "#a", "'", '"', 'a"b', "ß", "İ", "e\u0301", "\u200b", "日本", "😀", "-",
    "--",
    "-1", "uniform", "seen", "[a]", "{a}", "$x$", "&amp;", "<b>", "a\tb", "label=a", "1e5", "nan",
)  # fmt: skip
HOSTILE = (
    "", "\0", "\x1b[31m", "a\nb", "a\r", "\r\n", "\ufeff", "\ufeffa", "\u2028", "\x85", "\x1c",
    "\u202e", "\ud800", "\udcff", "a" * 300, "9" * 400, "1e400", "-0.0", "../x", "*", "?", "~",
    "=1+1", "%ff", "%", "%00", "%0A", "||", "::", "@@", ",,", "\\\\\\",
)  # fmt: skip
MARKS = "\\:@,=|%.# \t\n\"'{}[]0129-+eE"


def label(rng: Random, hostile: float = 0.1) -> str:
    """A label, now and then one that breaks things."""
    kind = rng.random()
    if kind < hostile:
        return rng.choice(HOSTILE)
    if kind < 0.4:
        return rng.choice(AWKWARD)
    return rng.choice(PLAIN)


def damaged(rng: Random, text: str, times: int = 1) -> str:
    """Text with some characters cut, doubled, changed or put in."""
    for _ in range(times):
        at = rng.randint(0, len(text))
        to = min(len(text), at + rng.choice((0, 1, 1, 2, 8)))
        new = rng.choice(("", rng.choice(MARKS), text[at:to] * 2, label(rng, 0.5)))
        text = text[:at] + new + text[to:]
    return text


def damaged_bytes(rng: Random, raw: bytes, times: int = 1) -> bytes:
    """Bytes with some flipped, cut, doubled or put in."""
    for _ in range(times):
        at = rng.randint(0, len(raw))
        to = min(len(raw), at + rng.choice((0, 1, 1, 4, 50)))
        new = rng.choice(
            (b"", rng.randbytes(to - at), raw[at:to] * 2, rng.randbytes(1), raw[at:to][::-1])
        )
        raw = raw[:at] + new + raw[to:]
    return raw
