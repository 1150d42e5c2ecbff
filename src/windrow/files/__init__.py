"""Files that users hand in: tables (CSV, Parquet, JSON lines) and small texts, within limits."""
