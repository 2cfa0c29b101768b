"""The report: one content, written as a page or as Markdown."""
