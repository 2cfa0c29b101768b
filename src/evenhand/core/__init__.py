"""The mathematics: arrays in, arrays out; no labels, no checks, no I/O, no randomness."""
