"""Sharing work: slices, segments and the state of windows, for batches and streams alike."""
