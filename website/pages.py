"""The pages of the site: the pages of docs/, and a page for each other file that they link to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from website.tabs import with_tabs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

_LANGUAGES = {".py": "python", ".scala": "scala", ".sql": "sql"}

# Fenced code, indented code and spans of code are not prose.
_CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$|^ {4}[^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")


@dataclass(frozen=True)
class Link:
    """A link from a page to another file, or to a heading in a file."""

    page: Path
    target: str

    @property
    def is_outside(self) -> bool:
        return "://" in self.target or self.target.startswith("mailto:")

    @property
    def file(self) -> Path:
        path = unquote(self.target.partition("#")[0])
        return Path(os.path.normpath(self.page.parent / path)) if path else self.page

    @property
    def anchor(self) -> str:
        return self.target.partition("#")[2]

    @property
    def fault(self) -> str | None:
        """Return the fault of the link, or None."""
        if self.is_outside:
            return None
        if not self.file.exists():
            return f"{self.page.relative_to(ROOT)}: there is no {self.target}"
        if self.file.is_dir() and not (self.file / "README.md").exists():
            return f"{self.page.relative_to(ROOT)}: the folder {self.target} lacks a README.md"
        if self.anchor and self.anchor not in anchors(self.file):
            return f"{self.page.relative_to(ROOT)}: there is no heading {self.target}"
        return None


def prose(text: str) -> str:
    """Return the text with spaces instead of its code."""
    return _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def links(page: Path) -> Iterator[Link]:
    for found in _LINK.finditer(prose(page.read_text())):
        yield Link(page, found[2])


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as Python-Markdown and GitHub make them."""
    text = _CODE.sub(lambda code: code[0] if code[0].count("`") == 2 else "", page.read_text())
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def slug(heading: str) -> str:
    words = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
    return re.sub(r"[\s-]+", "-", words)


def staged() -> dict[PurePosixPath, str | bytes]:
    """Return the files of the site's folder of pages, by their paths in it."""
    files: dict[PurePosixPath, str | bytes] = {}
    waiting = sorted(path for path in DOCS.rglob("*") if path.is_file())
    known = set(waiting)
    while waiting:
        path = waiting.pop()
        place = place_of(path)
        if path.suffix in _LANGUAGES:
            files[place] = _listing(path)
            continue
        if path.suffix != ".md":
            files[place] = path.read_bytes()
            continue
        files[place] = with_tabs(_moved(path))
        for link in links(path):
            if link.is_outside or link.file.is_dir() or not link.file.exists():
                continue
            if link.file not in known:
                known.add(link.file)
                waiting.append(link.file)
    return files


def package() -> dict[PurePosixPath, str]:
    """Return the Python package with its roles (:func:`nth`) as links to the site's API page."""
    folder = ROOT / "python/muntin"
    role = re.compile(r":(?:func|class|meth):(`+)(\w+)\1")
    return {
        PurePosixPath(path.relative_to(folder.parent).as_posix()): role.sub(
            r"[`\2`][muntin.\2]", path.read_text()
        )
        for path in sorted(folder.glob("*.py"))
    }


def place_of(path: Path) -> PurePosixPath:
    """Return the place of a repository file on the site."""
    if path.is_relative_to(DOCS):
        return PurePosixPath(path.relative_to(DOCS).as_posix())
    place = PurePosixPath("repository") / path.relative_to(ROOT).as_posix()
    return place.with_name(place.name + ".md") if place.suffix in _LANGUAGES else place


def _moved(page: Path) -> str:
    """Return a page with links to the site instead of links to the repository."""
    text = page.read_text()
    bare = prose(text)
    parts, done = [], 0
    for found in _LINK.finditer(bare):
        link = Link(page, found[2])
        if link.is_outside or not link.target.partition("#")[0]:
            continue
        target = place_of(link.file) if link.file.exists() else PurePosixPath(link.target)
        if link.file.is_dir():  # a folder does not have a page
            target = place_of(link.file / "README.md")
        here = os.path.relpath(target, place_of(page).parent)
        parts += [text[done : found.start(2)], here, f"#{link.anchor}" if link.anchor else ""]
        done = found.end(2)
    return "".join(parts) + text[done:]


def _listing(program: Path) -> str:
    name, language = program.relative_to(ROOT).as_posix(), _LANGUAGES[program.suffix]
    return f"# {name}\n\n````{language}\n{program.read_text().rstrip()}\n````\n"
