"""What is scored: labels, cells, tables, samples, and counting them."""
