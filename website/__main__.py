"""`python -m website BUILD`: writes the site's sources into BUILD/pages and BUILD/python."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from website.pages import package, staged


def write(files: Mapping[PurePosixPath, str | bytes], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for place, content in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


build = Path(sys.argv[1])
write(staged(), build / "pages")
write(package(), build / "python")
