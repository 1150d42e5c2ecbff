"""How fast windrow is, side by side with others, in one run: `python -m benchmarks`."""
