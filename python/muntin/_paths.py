"""Converts paths of jars to addresses for Spark."""

from __future__ import annotations

import re
from pathlib import PureWindowsPath

_OF_A_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def address(jar: str) -> str:
    """Return a Windows path as an address, and any other path unchanged.

    Spark reads the letter of a drive as the scheme of an address if a slash follows it
    (``C:/jars/a.jar``), and a backslash in a pattern as an escape.
    """
    is_of_windows = _OF_A_DRIVE.match(jar) or jar.startswith("\\\\")
    return PureWindowsPath(jar).as_uri() if is_of_windows else jar
