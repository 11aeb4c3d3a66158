"""Pictures in dark mode: a style in the SVG, which the reader's browser applies.

A picture has its own background, so that it can be read whether or not the page around it follows
the same mode.
"""

from __future__ import annotations

_STYLE = """<style>
svg { background: #ffffff }
text { fill: #57606a }
@media (prefers-color-scheme: dark) {
svg { background: #1e2129 }
text { fill: #b6bcc8 }
}
</style>
"""


def with_dark_mode(svg: str) -> str:
    """Return a picture of `mt.picture` with a background and text colours for both modes."""
    head, end, rest = svg.partition(">\n")
    return f"{head}{end}{_STYLE}{rest}"
