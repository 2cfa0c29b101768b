"""Metrics, one family a file. Importing this package fills the registry, in catalogue order."""

from evenhand.core.metrics import (  # noqa: F401, I001
    micro,
    macro,
    weighted,
    agreement,
    coders,
    information,
    association,
    distance,
    gain,
    one_class,
    detection,
    odds,
    items,
)
