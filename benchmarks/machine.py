"""Describes the machine of the benchmarks."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("pyspark", "duckdb", "polars", "pyarrow", "numpy")


def when() -> str:
    """Return the date and the commit of a measurement."""
    return f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {_commit()}"


def dated(chapter: list[str]) -> list[str]:
    """Return the chapter with date and commit below its title, unless it already has them."""
    title, text = chapter[:3], chapter[3:]
    return chapter if "Measured " in " ".join(text) else [*title, f"{when()}.", "", *text]


def describe() -> list[tuple[str, str]]:
    """Return names and values, for a table."""
    return [
        ("date", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("commit", _commit()),
        ("processor", f"{_first('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores"),
        ("memory", _first("/proc/meminfo", "MemTotal")),
        ("system", platform.platform()),
        ("Java", _java()),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in PACKAGES),
        ("load when begun", ", ".join(f"{x:.2f}" for x in os.getloadavg())),
    ]


def _first(path: str, name: str) -> str:
    """Return the value of the first line of a /proc file that begins with a name."""
    file = Path(path)
    lines = file.read_text().splitlines() if file.exists() else []
    found = (line.partition(":")[2].strip() for line in lines if line.startswith(name))
    return next(found, platform.processor() or "unknown")


def _commit() -> str:
    return _output("git", "describe", "--always", "--dirty") or "unknown"


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    lines = _output(java, "-version").splitlines()
    return lines[1] if len(lines) > 1 else "unknown"


def _output(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    here = Path(__file__).parent
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()
