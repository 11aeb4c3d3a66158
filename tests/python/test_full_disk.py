"""If the disk is full, frames that spill raise a clear error and leave no files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import muntin as mt
import pytest

PROGRAM = Path(__file__).with_name("full_disk.py")

pytestmark = pytest.mark.packaging


@pytest.mark.skipif(sys.platform == "win32", reason="limits files as POSIX has it")
def test_a_full_disk_is_an_error_and_leaves_no_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(mt.jar()), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 6
    for error, left, rows in (lines[:3], lines[3:]):
        assert "Rows of a window could not be spilled to" in error
        assert "Set spark.local.dir to disks with enough free space" in error
        assert left == "[]"
        assert rows == "991"
