"""What the demo is made of: its data, questions, comparison, progress and chart."""
