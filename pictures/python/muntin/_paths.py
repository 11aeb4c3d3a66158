"""Paths of jars, as Spark reads them."""

from __future__ import annotations

import re
from pathlib import PureWindowsPath

_OF_A_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def address(jar: str) -> str:
    """Return a path of Windows as an address, and anything else as it is.

    Spark takes the letter of a drive for the scheme of an address where a slash follows it
    (``C:/jars/a.jar``), and a backslash in a pattern for an escape.
    """
    is_of_windows = _OF_A_DRIVE.match(jar) or jar.startswith("\\\\")
    return PureWindowsPath(jar).as_uri() if is_of_windows else jar
