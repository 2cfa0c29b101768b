"""Words on reading."""
