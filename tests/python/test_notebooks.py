"""The notebooks of examples/ run: each cell, in the session of all tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from pyspark.sql import SparkSession

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SETTINGS = (
    "spark.sql.session.timeZone",
    "spark.sql.shuffle.partitions",
    "spark.muntin.stream.drain",
)


def cells(notebook: Path) -> list[tuple[int, str]]:
    """Return the code of a notebook, cell by cell."""
    found = json.loads(notebook.read_text())["cells"]
    return [(i, "".join(c["source"])) for i, c in enumerate(found) if c["cell_type"] == "code"]


@pytest.fixture
def own_settings(spark: SparkSession) -> Iterator[None]:
    """Reset the settings and the cache after each notebook."""
    before = {name: spark.conf.get(name, None) for name in SETTINGS}
    yield
    spark.catalog.clearCache()
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


def test_five_notebooks_exist() -> None:
    assert len(NOTEBOOKS) == 5


@pytest.mark.streams
@pytest.mark.packaging
@pytest.mark.sampled(3)
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("own_settings")
# pandas' to_timedelta rounds uninitialized memory if values are missing.
@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
def test_runs(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    drawn: list[Any] = []
    monkeypatch.setattr(plt, "show", lambda: drawn.append(plt.gcf()))
    names: dict[str, Any] = {"__name__": notebook.stem}
    for number, code in cells(notebook):
        exec(compile(code, f"{notebook.name}, cell {number}", "exec"), names)
    assert len(drawn) == 1
    assert drawn[0].axes[0].has_data()
    plt.close("all")
