"""`python -m website FOLDER`: writes the pages of the site into a folder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from website.pages import staged

folder = Path(sys.argv[1])
shutil.rmtree(folder, ignore_errors=True)
for place, content in staged().items():
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content)
