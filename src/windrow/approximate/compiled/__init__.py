"""Windows of buckets in compiled form: what `windrow.approximate` does, on numbers."""
