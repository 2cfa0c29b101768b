"""Validating: what folds say of a way to train, and of two ways side by side."""
