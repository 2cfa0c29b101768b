"""Auditing reported scores: which formula was used, and which numbers cannot be true."""
