"""The windows of GROUP BY, and window_by, beside what is written for them today."""
