"""Windows of buckets: consecutive updates aggregated together, and how wrong that can be.

A window that keeps buckets in place of updates knows its own start only up to a bucket: the oldest
one may be partly outside.  `families` tells what that does to a result; `sum_like`, `max_like`,
`hop` and `footprint` decide which updates share a bucket; `buckets` keeps them, `paged_buckets` in
pages of a store, and `in_store` says what happens when that is out of reach.
"""
