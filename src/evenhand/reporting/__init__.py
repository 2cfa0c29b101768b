"""What people see: every chart under one name, and the report."""
