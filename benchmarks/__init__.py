"""Benchmarks: evenhand beside its peers, in one run, as ratios."""
