"""The property laboratory: which of the five properties a metric has, and what shows it."""

from evenhand.properties.check import check, registered, table

__all__ = ["check", "registered", "table"]
