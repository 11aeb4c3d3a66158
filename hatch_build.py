"""Puts the jar of every Spark in _sparks.py into the wheel, and fails if one is missing.

The wheel stores the jars without their own compression, so that the wheel's compression covers all
classes of a jar at once: this saves a quarter of the download. Scala's compiler adds a signature to
each class, to compile against it. The wheel omits the signatures of classes that no program
compiles against (all packages but io.muntin): this saves another quarter. The artifacts for Maven
contain all signatures.

MUNTIN_WHEEL_SPARKS=4.3 in the environment, or several versions with commas, builds a wheel for
development, with the jars of these Sparks only. An editable install uses the existing jars.
"""

from __future__ import annotations

import os
import runpy
import struct
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal jars make equal wheels
_API = "io/muntin/"
_NOT_API = ("io/muntin/kernel/", "io/muntin/calendar/", "io/muntin/shaded/")
_SIGNATURES = (b"Lscala/reflect/ScalaSignature;", b"Lscala/reflect/ScalaLongSignature;")
# The number of bytes after the tag of a class file's constant, by tag.
_CONSTANTS = dict.fromkeys((7, 8, 16, 19, 20), 2) | {15: 3}
_CONSTANTS |= dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4) | dict.fromkeys((5, 6), 8)


class JarOfEachSpark(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        folder = Path(self.root, "python/muntin/jars")
        wanted = self._wanted()
        missing = sorted(name for name in wanted if not (folder / name).is_file())
        if missing:
            raise RuntimeError(
                f"{folder} has no {', '.join(missing)}. Run: make jars (or set "
                "MUNTIN_WHEEL_SPARKS to the Sparks of the wheel, such as 4.3). pip alone "
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
            data = packed.read(name)
            if name.endswith(".class") and not _is_api(name):
                data = without_signature(data)
            stored.writestr(zipfile.ZipInfo(name, _EPOCH), data)


def _order(name: str) -> tuple[bool, bool, str]:
    # The manifest is first, as in every jar; similar files are next to each other.
    return name != "META-INF/MANIFEST.MF", not name.startswith("META-INF/"), name


def _is_api(name: str) -> bool:
    return name.startswith(_API) and not name.startswith(_NOT_API)


def without_signature(data: bytes) -> bytes:
    """Return a class file without the annotation that contains its Scala signature.

    The annotation is removed if it is the only annotation of the class. The texts that only the
    annotation refers to become empty, so all constants keep their numbers.
    """
    texts, at = _texts(data)
    at += 6
    at += 2 + 2 * _u2(data, at)  # interfaces
    for _ in range(2):  # fields and methods
        members, at = _u2(data, at), at + 2
        for _ in range(members):
            at = _behind_attributes(data, at + 6)
    kept, values, begin = [], [], at + 2
    for _ in range(_u2(data, at)):
        name, size = struct.unpack_from(">HI", data, begin)
        end = begin + 6 + size
        found = []
        if _text(data, texts, name) == b"RuntimeVisibleAnnotations":
            found = _signature(data, texts, begin + 6)
        # The attribute that marks a class with a signature.
        if not found and _text(data, texts, name) != b"ScalaSig":
            kept.append(data[begin:end])
        values += found
        begin = end
    if not values:
        return data
    attributes = struct.pack(">H", len(kept)) + b"".join(kept)
    return _emptied(data[:at], [texts[value] for value in values]) + attributes


def _u2(data: bytes, at: int) -> int:
    number: int = struct.unpack_from(">H", data, at)[0]
    return number


def _texts(data: bytes) -> tuple[dict[int, int], int]:
    """Return the position of each text among the constants, by number, and the constants' end."""
    texts = {}
    count, at, number = _u2(data, 8), 10, 1
    while number < count:
        tag = data[at]
        if tag == 1:
            texts[number] = at
            at += 3 + _u2(data, at + 1)
        else:
            at += 1 + _CONSTANTS[tag]
            number += tag in (5, 6)  # these have two numbers
        number += 1
    return texts, at


def _text(data: bytes, texts: dict[int, int], number: int) -> bytes:
    at = texts[number]
    return data[at + 3 : at + 3 + _u2(data, at + 1)]


def _behind_attributes(data: bytes, at: int) -> int:
    count, at = _u2(data, at), at + 2
    for _ in range(count):
        at += 6 + struct.unpack_from(">I", data, at + 2)[0]
    return at


def _signature(data: bytes, texts: dict[int, int], at: int) -> list[int]:
    """Return the numbers of the signature's texts, if the signature is the only annotation."""
    annotations, kind, pairs = struct.unpack_from(">HHH", data, at)
    if annotations != 1 or pairs != 1 or _text(data, texts, kind) not in _SIGNATURES:
        return []
    at += 8  # after the pair's name
    if data[at] == ord("s"):
        return [_u2(data, at + 1)]
    return [_u2(data, at + 3 + 3 * i + 1) for i in range(_u2(data, at + 1))]


def _emptied(data: bytes, places: list[int]) -> bytes:
    for at in sorted(places, reverse=True):
        data = data[: at + 1] + b"\0\0" + data[at + 3 + _u2(data, at + 1) :]
    return data
