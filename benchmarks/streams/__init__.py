"""Windows on streams, beside what streams have today."""
