"""The pictures of docs/how-fast.md, made of RESULTS.md."""
