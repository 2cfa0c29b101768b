"""The same every time: Hypothesis' examples, unless ``make fuzz`` asks for others, and numbers."""

import os
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

os.environ.pop("COLUMNS", None)  # which pytest's workers set; tests of a width say which

settings.register_profile(
    "same",
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
)
settings.register_profile("random", settings.get_profile("same"), derandomize=False)
settings.load_profile("same")

# Hypothesis also draws the constants of all local modules imported so far, and which those are
# depends on the tests that a worker ran before.
providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Start the generators of a test's module from its name, whichever tests ran before it."""
    for generator in vars(getattr(item, "module", item)).values():
        if isinstance(generator, np.random.Generator):
            generator.bit_generator.state = np.random.PCG64(zlib.crc32(item.name.encode())).state
