"""Which score it was, in one line: its fields, and how to read them back."""
