"""Looking: what a file is, before anything is counted."""
