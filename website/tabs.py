"""Tabs for examples in several languages: a reader of the site sees one language at a time.

The sources have one fenced block after the other, which GitHub shows and tests run. In the site's
pages, consecutive blocks in different languages become content tabs.
"""

from __future__ import annotations

import re
import textwrap

LABELS = {"sql": "SQL", "python": "Python", "scala": "Scala"}

# A block prepares the next one if it creates a view; otherwise neighbours are alternatives.
_BLOCK = rf"```(?:{'|'.join(LABELS)})\n(?!CREATE )(?:(?!```).*\n)*?```\n"
_RUN = re.compile(rf"^{_BLOCK}(?:\n*{_BLOCK})+", re.MULTILINE)
_EACH = re.compile(r"^```(\w+)\n.*?^```$", re.MULTILINE | re.DOTALL)


def with_tabs(page: str) -> str:
    """Return a page with tabs instead of consecutive blocks in different languages."""
    return _RUN.sub(lambda run: _tabs(run[0]), page)


def _tabs(run: str) -> str:
    blocks = [(block[1], block[0]) for block in _EACH.finditer(run)]
    languages = [language for language, _ in blocks]
    if len(set(languages)) < len(languages):
        return run
    return "\n".join(
        f'=== "{LABELS[language]}"\n\n{textwrap.indent(block, "    ")}\n'
        for language, block in blocks
    )
