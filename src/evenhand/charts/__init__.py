"""Charts as Vega-Lite records that show and save themselves; no result is known."""
