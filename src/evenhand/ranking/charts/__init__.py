"""Charts of a leaderboard, one kind a file."""
