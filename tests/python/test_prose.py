"""The words that texts of the repository do not use: docs, messages, comments and docstrings.

CONTRIBUTING.md has the rules of the language and the glossary. There are no exceptions: a sentence
that needs one of these words is rewritten.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from installed import ROOT

# Each pattern, and what to write instead.
PATTERNS = {
    r"expected (?:is|are)\b": "expected a …",
    r"\bnobody\b": "cannot, does not",
    r"\b(?:come|comes|came|coming|go|goes|going|went) out\b": "emit, return, leave",
    r"\bso many\b": "n, the number",
    r"(?<!there )\b(?:is|are|was|were) no(?:ne of)?\b"
    r"(?! (?:longer|more|less|\w+er than))": "is not",
    r"\b(?:of|by|in|for|with|to|from|than) (?:Spark|Muntin|Python|Scala|Kafka)'s(?: own)?"
    r"(?=[.,;:)]|$)": "Spark's …, with the noun",
    r"\bas ever\b": "as before, unchanged",
    r"\banew\b": "again",
    r"\bhardly\b": "rarely, almost never",
    r"\bof which\b": "two sentences",
    r"\bgo(?:es)? by\b": "is ordered by, uses",
    r"\b(?:says?|said|tells?|told) (?:how|which|what|why|whether|when|where|by|of|so)\b": (
        "specifies, reports, returns"
    ),
    r"\b(?:is|are|has|have) to be\b": "must, requires",
    r"\b(?:whoever|whichever|somebody|someone)\b": "the user, the caller, any",
    r"\bas (?!soon|long)(?:\w+ ){1,3}as it\b": "n, with the noun",
    r"(?<!soon )(?<!long )\bas (?:it|they) (?:is|are|was|were)\b": "unchanged, directly",
    r"\b(?:has|have|had) none\b": "does not have a …",
    r"^/\*\*\s+(?:Whether|Of)\b": "Returns true if, True if; the noun first",
    r"\b(?:that|those) of (?:the|a|an|its|their|this|each|all|another)\b": "the noun, …'s",
    r"\bthe ones?\b|\bones? that\b": "the noun",
    r"\b(?:tells|telling)\b|\btell\b(?!\")": "reports, distinguishes",
    r"\b(?:is|are|was|were) (?:said|asked)\b|\basked for\b": "is declared, is requested",
    r"\bonce more\b": "again",
    r"\balike\b(?!\")": "equal, both",
    r"\b(?:of|by|with|from) what\b": "the noun",
    r"\bwhat (?:is|was|are|were) (?:there|left|known|read|written|kept)\b": "the noun",
    r"\bthat (?:is|are) there\b": "existing",
    r"\b(?:not until|only then|for once|for ever|which is why|without more)\b": (
        "only when, forever, so"
    ),
    r"\bhowever (?:many|much|large|wide|far|often|small|long)\b": "any number of",
    r"\bin the place of\b": "instead of",
    r"\bmakes? of\b": "computes from",
    r"\blets? go\b": "releases",
    r"\bin whatever\b": "in any",
    r"\bhear[sd]?\b": "receives",
    r"\bgiv(?:en|es?) back\b": "releases, returns",
    r"\bcomes? (?:in|back|behind)\b": "arrives, is read back, follows",
    r"\b(?:goes|go|went) (?:on|away|down)\b": "continues, leaves, moves",
    r"\b(?:stands?|stood) (?:in|at|there|below|above|beside|by)\b": "is",
    r"\bleaves? (?:out|behind)\b|\bhand(?:s|ed)? on\b": "drops, omits, passes",
    r"\bsays? (?:so|it|nothing)\b|\bgives? what\b": "specifies, returns",
    r"\b(?:wherever|nothing else|by itself|at hand|otherwise than|moves? time on)\b": (
        "a plain sentence"
    ),
}
RULES = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in PATTERNS.items()]

COMMENTS = {
    ".scala": re.compile(r'/\*.*?\*/|//[^\n]*|"""(?:.|\n)*?"""|"(?:[^"\\\n]|\\.)*"', re.DOTALL),
    ".py": re.compile(r'"""(?:.|\n)*?"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"'),
}
COMMENTS[".java"] = COMMENTS[".scala"]
WHOLE = {".md", ".toml", ".json", ".yml"}
# Texts of others: the code of conduct, and statements of other engines' test suites.
OTHERS = re.compile(r"CODE_OF_CONDUCT\.md|LICENSE|tests/peers/.*\.(?:toml|json)")


def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [
        Path(name)
        for name in listed.splitlines()
        if Path(name).suffix in {*COMMENTS, *WHOLE}
        and not OTHERS.fullmatch(name)
        and Path(name).name != Path(__file__).name
    ]


def texts(path: Path) -> Iterator[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.suffix in COMMENTS:
        yield from (found[0] for found in COMMENTS[path.suffix].finditer(text))
    elif path.suffix == ".md":
        # Code is read where it is a file of its own; in a page it is often an output.
        yield re.sub(r"```.*?```|`[^`\n]*`", "`code`", text, flags=re.DOTALL)
    else:
        yield text


def found_in(text: str) -> list[str]:
    line = re.sub(r"\s*\n\s*(?:\*|#|//|--|\|)?\s*", " ", text)
    return [
        f"“{line[max(0, found.start() - 60) : found.end() + 40]}”: write {instead}"
        for rule, instead in RULES
        for found in rule.finditer(line)
    ]


@pytest.mark.packaging  # once is enough
def test_no_text_uses_these_words() -> None:
    hits = [f"{path}: {hit}" for path in files() for text in texts(path) for hit in found_in(text)]
    assert hits == []


@pytest.mark.packaging
def test_the_wall_finds_the_words() -> None:
    assert found_in("expected is a number")
    assert found_in("a row that comes\n * out late")
    assert found_in("x is no aggregate")
    assert found_in("/** Whether rows leave. */")
    assert not found_in("if there is no row that is no later than x; Spark's own shuffle")
    assert sum(1 for path in files() for _ in texts(path)) > 10_000
