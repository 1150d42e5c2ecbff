"""The query on Spark, batch and streaming: adapters that choose, select, ship and finish."""
