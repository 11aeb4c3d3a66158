"""The files generated from the definitions: for the repository, and for a build."""

from __future__ import annotations

from pathlib import Path

from codegen import boundary, errors, odysseus, pages, python, scala, settings, sql
from codegen.definition import all_files

ROOT = Path(__file__).parent.parent
_PACKAGE = ROOT / "python/muntin"
_JVM = ROOT / "jvm/src/main/scala"
_CONDITIONS = _PACKAGE / "error-conditions.json"
_REFERENCE = ROOT / "docs/functions.md"
_ERRORS = ROOT / "docs/errors.md"
_SETTINGS = ROOT / "docs/settings.md"
_BOUNDARY = ROOT / "docs/internals/spark-versions.md"
_LISTS = [
    _PACKAGE / "_aggregations.py",
    _JVM / "io/muntin/Aggregations.scala",
]


def generated() -> dict[Path, str]:
    files = all_files()
    (conf,) = _JVM.rglob("MuntinConf.scala")
    others = set((ROOT / "docs").glob("*.md")) - {_REFERENCE, _SETTINGS, _ERRORS}
    return {
        _PACKAGE / "_functions.py": python.module(files),
        _PACKAGE / "__init__.py": python.package((_PACKAGE / "__init__.py").read_text(), files),
        _PACKAGE / "_setting_names.py": settings.names(conf),
        _REFERENCE: pages.reference(files),
        _SETTINGS: settings.page(conf),
        _ERRORS: errors.with_conditions(_ERRORS.read_text(), _CONDITIONS),
        _BOUNDARY: boundary.page(_JVM.parent, ROOT / "project/SparkVersions.scala"),
        **{page: pages.with_tables(page.read_text(), files) for page in sorted(others)},
        **{file: odysseus.with_tables(file, files) for file in _LISTS},
    }


def scala_sources() -> dict[Path, str]:
    """Return the Scala sources that a build generates, by their paths in its folder."""
    files = all_files()
    (room,) = (file.parent.relative_to(_JVM) for file in _JVM.rglob("SqlFunction.scala"))
    return {
        Path("io/muntin/SqlFunctions.scala"): scala.functions(files),
        room / "Definitions.scala": sql.definitions(files, room),
    }
