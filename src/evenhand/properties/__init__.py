"""The property laboratory: which of the five properties a metric has, and what shows it."""

from evenhand.properties.finding import Finding
from evenhand.properties.profile import Profile, Profiles, check, registered, table

__all__ = ["Finding", "Profile", "Profiles", "check", "registered", "table"]


def __dir__() -> list[str]:
    return __all__
