"""Fuzzing: random cases by the million against oracles of its own; ``make fuzz`` runs it.

A *target* (tables, text, commands, saved, signatures) turns a seed into cases and says of each
what came of it. Nothing here is imported by the package, and no oracle imports its mathematics.
"""
