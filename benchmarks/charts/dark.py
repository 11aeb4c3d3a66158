"""Colours for pages in dark mode: a style in the SVG, which the reader's browser applies."""

from __future__ import annotations

from collections.abc import Mapping

# The background of the dark pages of the site.
BACKGROUND = "#1e2129"
TEXT = "#e6e6e6"


def with_dark_mode(svg: str, colours: Mapping[str, str]) -> str:
    """Return an SVG of matplotlib with other colours in dark mode, by the colours in light mode."""
    rules = [f"text {{ fill: {TEXT} }}"]
    for light, dark in colours.items():
        for style in ("fill", "stroke"):
            # Matplotlib's styles are attributes of the elements.
            rules.append(f'[style*="{style}: {light.lower()}"] {{ {style}: {dark} !important }}')
    lines = "\n".join(f"  {rule}" for rule in rules)
    head, defs, rest = svg.partition(" <defs>")
    style = f" <style>\n@media (prefers-color-scheme: dark) {{\n{lines}\n}}\n </style>\n"
    return f"{head}{style}{defs}{rest}"
