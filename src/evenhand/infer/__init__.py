"""How sure it is: intervals, paired tests, multiplicity; one procedure a file."""
