"""The site of `make docs`: docs/ and the files that it links to, as pages for a generator."""
