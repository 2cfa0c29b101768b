"""A metric by name, on a table: spelling, binding, lists."""
