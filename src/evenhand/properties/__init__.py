"""The property laboratory: which of the five properties a metric has, and what shows it."""

from evenhand.properties.examples import Found, find
from evenhand.properties.finding import Finding
from evenhand.properties.profile import Profile, Profiles, check, registered, table

__all__ = ["Finding", "Found", "Profile", "Profiles", "check", "find", "registered", "table"]


def __dir__() -> list[str]:
    return __all__
