"""What users see: the charts under one name, and the report."""
