"""The windows of GROUP BY, and window_by, compared with queries that do not use Muntin."""
