"""What is counted: labels, cells, tables of one system and samples of several."""
