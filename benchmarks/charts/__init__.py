"""The pictures of docs/how-fast.md, drawn from RESULTS.md."""
