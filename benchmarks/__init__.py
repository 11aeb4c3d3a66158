"""Windowed aggregation with Muntin, stock Spark, DuckDB and Polars, side by side."""
