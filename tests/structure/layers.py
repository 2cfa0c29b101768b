"""The packages, lowest first: a package imports from those before it, never after."""

LAYERS = [
    ("core",),
    ("errors",),
    ("options",),
    ("records",),
    ("text",),
    ("warnings",),
    ("data",),
    ("catalogue",),
    ("io",),
    ("inference",),
    ("results",),
    ("charts",),
    (
        "scoring",
        "comparing",
        "ranking",
        "validating",
        "deciding",
        "shift",
        "auditing",
        "looking",
        "properties",
        "simulate",
    ),
    ("reporting", "papers", "testing"),
    ("bridges", "web"),
    ("cli",),
]
"""Packages of one layer do not import each other."""

LAYER = {package: i for i, packages in enumerate(LAYERS) for package in packages}

ENTRY_POINTS = {("data", "io"), ("data", "results")}
"""Constructors, ``save``, ``load`` and reprs of tables stand on the type, where people look for
them; their work is done further up, and imported when they are called."""
