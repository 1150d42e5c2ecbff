"""What is computed: monoids, aggregates, products of them, and the catalogue."""
