"""Holds the wheel to its promise: exactly one jar, of the package's own version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OneJar(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if version == "editable":
            return
        jars = [path.name for path in Path(self.root, "python/muntin/jars").glob("*.jar")]
        if len(jars) != 1 or not jars[0].endswith(f"-{self.metadata.version}.jar"):
            raise RuntimeError(
                f"python/muntin/jars has to hold the jar of {self.metadata.version} and no other; "
                f"it holds {jars}. Run: make jar"
            )
