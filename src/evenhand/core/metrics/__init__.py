"""Metrics, one family a file. Importing this package fills the registry."""

from evenhand.core.metrics import (  # noqa: F401, I001
    accuracy,
    macro,
    agreement,
    information,
    association,
    ordinal,
    per_class,
    items,
    probability,
)
