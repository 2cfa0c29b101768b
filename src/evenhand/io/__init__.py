"""Where data come from: files of every kind, what their columns are, saved tables."""
