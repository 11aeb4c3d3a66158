"""The site of `make docs`: docs/ and what it links to, as pages that a generator takes."""
