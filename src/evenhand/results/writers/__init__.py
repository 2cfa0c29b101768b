"""One writer a format: each takes content, and knows no result."""
