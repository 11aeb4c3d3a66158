"""The parts of the demo: its data, questions, comparison, progress and chart."""
