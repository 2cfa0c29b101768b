"""Hypothesis profiles: random at home, the same examples every time where CI is set."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "home", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("home"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")
