"""Encodings: text that is not in UTF-8, brought there once before it is read."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from evenhand.errors import InputError
from evenhand.files.blocks import pieces, reading
from evenhand.files.kinds import bare_suffix, is_typed
from evenhand.files.scratch import Scratch
from evenhand.notes.note import Note
from evenhand.notes.reading import EncodingGuessed, NotInEncoding

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class InUtf8(NamedTuple):
    """Where a file is in UTF-8, and what was guessed to bring it there."""

    path: str
    notes: tuple[Note, ...] = ()


def in_utf8(path: str, name: str, encoding: str | None, scratch: Scratch) -> InUtf8:
    """The file itself, or a temporary one with its text.

    A byte order mark says what a file is. Else text is in ``encoding``, if that is given, unless
    it is in UTF-8 already, which other text hardly ever is by chance.
    """
    with reading(path) as file:
        head = file.read(4096)
    marked = next((found for mark, found in _MARKS.items() if head.startswith(mark)), None)
    asked = None if encoding is None else codecs.lookup(encoding).name
    named = marked or asked
    if named is None or named == "utf-8" or head.startswith(codecs.BOM_UTF8) or is_typed(head):
        return InUtf8(path)
    if not marked and _is_utf8(path):
        return InUtf8(path, (NotInEncoding(name, named),))
    notes = () if asked == named else (EncodingGuessed(name, named),)
    return InUtf8(_decoded(path, name, named, scratch), notes)


def _is_utf8(path: str) -> bool:
    """Whether the bytes are text in UTF-8 and more than ASCII, which most encodings share."""
    decoder, plain = codecs.getincrementaldecoder("utf-8")(), True
    try:
        for piece in pieces(path):
            plain = plain and piece.isascii()
            if b"\0" in piece:
                return False
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return not plain


def _decoded(path: str, name: str, encoding: str, scratch: Scratch) -> str:
    """A temporary file with the text in UTF-8, under the same ending."""
    place = scratch.place(bare_suffix(name))
    with place.open("wb") as file:
        for text in _texts(path, name, encoding):
            file.write(text.encode())
    return str(place)


def _texts(path: str, name: str, encoding: str) -> Iterator[str]:
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    turn = pieces(path)
    piece: bytes | None = b""
    while piece is not None:
        piece = next(turn, None)
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeError as e:
            came = "other bytes"
            if isinstance(e, UnicodeDecodeError):
                before = e.object[: e.start].decode(encoding, "replace")
                line += before.count("\n") or before.count("\r")
                came = f"byte 0x{e.object[e.start]:02x}"
            where = f"{name}, line {line}"
            raise InputError(f"{where}: expected {encoding} text, got {came}") from None
        line += text.count("\n")
        yield text
