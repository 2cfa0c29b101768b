"""The property laboratory: which of the five properties a metric has, and what shows it."""

from evenhand.properties.profile import Profile, Profiles, check, registered, table
from evenhand.properties.search import Finding, Found, find

__all__ = ["Finding", "Found", "Profile", "Profiles", "check", "find", "registered", "table"]


def __dir__() -> list[str]:
    return __all__
