"""Bridges: what other tools expect, in their own conventions; each imports its tool when used."""
