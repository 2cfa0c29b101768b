"""Leaderboards, how stable their ranks are, and where metrics disagree."""
