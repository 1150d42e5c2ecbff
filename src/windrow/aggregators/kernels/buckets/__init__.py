"""Windows of buckets in compiled form: what `windrow.aggregators.approximate` does, on numbers."""
