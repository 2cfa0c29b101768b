"""The words of notes: one sentence a kind, in one voice."""

from evenhand.results.words import audit, data, mix, pictures, ranks, reading, sure
from evenhand.results.words.say import said

__all__ = ["audit", "data", "mix", "pictures", "ranks", "reading", "said", "sure"]
