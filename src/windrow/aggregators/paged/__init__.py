"""Windows whose forest is kept as pages in a store."""
