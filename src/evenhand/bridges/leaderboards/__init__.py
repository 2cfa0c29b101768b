"""Leaderboards elsewhere: results as Every Eval Ever's records and as a model's .eval_results.

Both are about scores of systems, which ``eh.score``, ``eh.rank``, ``eh.cross_validated`` and
``eh.shift.extrapolate`` hold. What such records ask and a result cannot know (which model, which
data, who says so) is told by keyword.
"""

from __future__ import annotations

from evenhand.bridges.leaderboards.hub import eval_results, save_eval_results
from evenhand.bridges.leaderboards.records import every_eval_ever, save_every_eval_ever

__all__ = ["eval_results", "every_eval_ever", "save_eval_results", "save_every_eval_ever"]
