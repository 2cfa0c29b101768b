"""Sources of every kind into items, items into tables; saved tables, resuming."""
