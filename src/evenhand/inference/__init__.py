"""How sure a score is: intervals, paired tests, multiplicity."""
