"""Scoring: everything about one system."""
