"""Benchmarks of approximate windows: footprints, errors and times, beside the published ones."""
