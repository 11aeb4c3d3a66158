"""Write the files generated from the definitions.

`python -m codegen` writes the files of the repository. `python -m codegen --scala FOLDER`
writes the Scala sources of a build into a folder, and prints the path of each.
"""

from __future__ import annotations

import sys
from pathlib import Path

from codegen.generated import generated, scala_sources

match sys.argv[1:]:
    case []:
        for path, text in generated().items():
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
                print(path)
    case ["--scala", folder]:
        for name, text in scala_sources().items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
            print(path)
    case others:
        raise SystemExit(f"python -m codegen: unknown arguments {others}")
