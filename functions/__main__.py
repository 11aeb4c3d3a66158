"""`python -m functions`: everything that is made of the definitions, written where it belongs."""

from __future__ import annotations

from functions.generated import generated

for path, text in generated().items():
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        print(path)
