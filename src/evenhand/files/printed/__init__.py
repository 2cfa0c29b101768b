"""Tables as people print them: text of many kinds into captioned rows of cells."""
