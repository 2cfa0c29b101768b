"""The rooms of the house, lowest first: a room imports from those before it, never after."""

LAYERS = [
    ("core",),
    ("errors",),
    ("notes",),
    ("tables",),
    ("catalogue",),
    ("count",),
    ("files",),
    ("signature",),
    ("infer",),
    ("results",),
    ("draw",),
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
    ("show", "papers", "testing"),
    ("bridges", "web"),
    ("cli",),
]
"""Rooms of one layer do not import each other."""

LAYER = {room: i for i, rooms in enumerate(LAYERS) for room in rooms}

DOORS = {("tables", "count"), ("tables", "files"), ("tables", "results")}
"""Constructors, ``save``, ``load`` and reprs of tables stand on the type, where people look for
them; their work is done further up, and imported when they are called."""
