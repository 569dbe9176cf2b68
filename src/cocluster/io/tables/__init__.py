"""Tables of any format: cells are parsed, roles of columns inferred, and views built."""
