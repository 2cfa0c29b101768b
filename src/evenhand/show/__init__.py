"""Pictures and the report: what results look like."""
