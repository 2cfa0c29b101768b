"""Charts as records: Vega-Lite specifications that show and save themselves; no result is known."""
