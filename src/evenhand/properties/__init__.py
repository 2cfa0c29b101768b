"""The property laboratory: which of the five properties a metric has, and what shows it."""

from evenhand.properties.check import check, registered, table
from evenhand.properties.result import Finding, Profile, Profiles

__all__ = ["Finding", "Profile", "Profiles", "check", "registered", "table"]


def __dir__() -> list[str]:
    return __all__
