"""What is made of codegen/definitions is current, and definitions are held to their form."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import ROOT

from codegen.definition import DefinitionError, all_files
from codegen.generated import generated, scala_sources
from codegen.python import package
from codegen.words import Words

pytestmark = pytest.mark.packaging  # once is enough

GENERATED = generated()
SLIDING = (ROOT / "codegen/definitions/sliding.toml").read_text()


@pytest.mark.parametrize("file", [str(path.relative_to(ROOT)) for path in GENERATED])
def test_generated_files_are_current(file: str) -> None:
    assert (ROOT / file).read_text() == GENERATED[ROOT / file], "run: make generate"


def test_generated_code_keeps_to_the_line_length() -> None:
    files = {**GENERATED, **scala_sources()}
    code = [path for path in files if path.suffix in (".py", ".scala")]
    assert len(code) >= 5
    for path in code:
        assert [line for line in files[path].splitlines() if len(line) > 100] == [], path


def test_the_package_has_each_function() -> None:
    init = (ROOT / "python/muntin/__init__.py").read_text()
    without = init.replace("        nth,\n", "").replace('    "nth",\n', "")
    assert len(without) < len(init)
    assert package(without, all_files()) == init


def test_every_function_is_on_the_page_that_it_names() -> None:
    for file in all_files():
        definition = file.of("docs")
        assert definition.name in (ROOT / "docs" / definition.page).read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("summary =", "sumary =", r"sliding: \{'sumary'\} is none of \['alias', 'arguments'"),
        ("page =", "# page =", "missing 1 required positional argument: 'page'"),
        ('n = "integer: ', 'n = "numeral: ', "n is 'numeral: .*; expected is 'kind: text'"),
        ("prints =", "print =", "sliding: {'print'} is none of"),
        ("FROM {purchases}", "FROM purchases", r"the example's sql does not read \['purchases'\]"),
    ],
)
def test_a_wrong_definition_says_what_is_wrong(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SLIDING
    (tmp_path / "sliding.toml").write_text(SLIDING.replace(old, new))
    (file,) = all_files(tmp_path)
    with pytest.raises(DefinitionError, match=message):
        _ = file.of("python").parameters


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", '``where`` :func:`nth` ``"all"`` ``None`` ``F.sum("x")`` ``F.count("*")``'),
        ("scala", '`where` `nth` `"all"` `None` `sum($"x")` `count("*")`'),
        ("sql", "where nth 'all' NULL sum(x) count(*)"),
        ("docs", "`where` [nth](functions.md#nth) `'all'` `NULL` `sum(x)` `count(*)`"),
    ],
)
def test_prose_is_written_as_each_language_writes_it(language: str, text: str) -> None:
    (file,) = (file for file in all_files() if file.name == "sliding")
    words = Words(file.of(language), language)
    assert words('`where` [nth] `"all"` `null` `sum(x)` `count(*)`') == text
