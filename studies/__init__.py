"""Studies: simulations whose results the documentation states."""
