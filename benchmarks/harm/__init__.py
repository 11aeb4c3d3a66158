"""What the jar costs queries that do not use it."""
