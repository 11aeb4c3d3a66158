"""Compares windowed aggregation in Muntin, stock Spark, DuckDB and Polars."""
