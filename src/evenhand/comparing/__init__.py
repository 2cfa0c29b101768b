"""Comparing: whether systems differ on the same items, on every metric."""
