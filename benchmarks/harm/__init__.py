"""Measures the cost of the jar for queries that do not use it."""
