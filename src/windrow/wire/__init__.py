"""How rows, partial windows and their state travel: packed columns, the same on every road."""
