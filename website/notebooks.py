"""Run the notebooks of examples/ in place, and save their charts for the gallery."""

from __future__ import annotations

import base64
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# `make notebooks` installs them; they have no types.
nbformat: Any = import_module("nbformat")
nbclient: Any = import_module("nbclient")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "examples" / "notebooks"
IMAGES = ROOT / "docs" / "images"


def run(notebook: Path) -> None:
    """Run a notebook; save its outputs in it, and its chart in docs/images."""
    made = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(
        made, timeout=600, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    charts = []
    for cell in made.cells:
        # The time of a run is not an output.
        cell.metadata.pop("execution", None)
        cell.outputs = [o for o in cell.get("outputs", []) if o.get("name") != "stderr"]
        charts += [o.data["image/png"] for o in cell.outputs if "image/png" in o.get("data", {})]
        if cell.cell_type == "markdown":
            del cell["outputs"]
    nbformat.write(made, notebook)
    (chart,) = charts
    (IMAGES / f"notebook-{notebook.stem}.png").write_bytes(base64.b64decode(chart))


def main() -> int:
    """Run all notebooks, or the named ones."""
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if len(sys.argv) == 1 or notebook.stem in sys.argv[1:]:
            print(notebook.name, flush=True)
            run(notebook)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
