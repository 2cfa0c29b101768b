"""Results into text for people and programs, one writer a format."""
