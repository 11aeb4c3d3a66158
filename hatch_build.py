"""Holds the wheel to its promise: the jar of every Spark in _sparks.py, and no other.

The jars of Spark's minors are much alike, and a jar's own compression hides it. In the wheel they
are stored, so that the wheel's compression sees all classes of a jar at once: a quarter less to
download.

MUNTIN_WHEEL_SPARKS=4.3 in the environment, or several with commas, is a wheel to develop with: of
these Sparks alone. An editable install takes the jars that there are.
"""

from __future__ import annotations

import os
import runpy
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same wheel of the same jars


class JarOfEachSpark(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        folder = Path(self.root, "python/muntin/jars")
        wanted = self._wanted()
        missing = sorted(name for name in wanted if not (folder / name).is_file())
        if missing:
            raise RuntimeError(
                f"{folder} has no {', '.join(missing)}. Run: make jars (or say in "
                "MUNTIN_WHEEL_SPARKS of which Sparks the wheel is to be, such as 4.3). pip alone "
                "cannot build them, from a checkout or from git: pip install muntin has a "
                "release, and `make wheel` writes a wheel that pip installs."
            )
        self._stored = tempfile.TemporaryDirectory()
        inside = "muntin/jars" if self.target_name == "wheel" else "python/muntin/jars"
        for name in wanted:
            stored = Path(self._stored.name, name)
            _store(folder / name, stored)
            build_data["force_include"][str(stored)] = f"{inside}/{name}"

    def finalize(
        self,
        version: str,
        build_data: dict[str, Any],  # noqa: ARG002
        artifact_path: str,  # noqa: ARG002
    ) -> None:
        if version != "editable":
            self._stored.cleanup()

    def _wanted(self) -> list[str]:
        sparks = runpy.run_path(str(Path(self.root, "python/muntin/_sparks.py")))["SPARKS"]
        said = os.environ.get("MUNTIN_WHEEL_SPARKS", "")
        minors = [minor.strip() for minor in said.split(",") if minor.strip()]
        unknown = set(minors) - {spark.minor for spark in sparks}
        if unknown:
            raise RuntimeError(
                f"MUNTIN_WHEEL_SPARKS is {said!r}, and muntin is for none of {sorted(unknown)}"
            )
        return [
            f"muntin-spark-{spark.minor}_{spark.scala}-{self.metadata.version}.jar"
            for spark in sparks
            if not minors or spark.minor in minors
        ]


def _store(jar: Path, out: Path) -> None:
    with zipfile.ZipFile(jar) as packed, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as stored:
        for name in sorted(packed.namelist(), key=_order):
            stored.writestr(zipfile.ZipInfo(name, _EPOCH), packed.read(name))


def _order(name: str) -> tuple[bool, bool, str]:
    # The manifest is the first, as in every jar; then what is alike stands together.
    return name != "META-INF/MANIFEST.MF", not name.startswith("META-INF/"), name
