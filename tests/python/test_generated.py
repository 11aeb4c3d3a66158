"""The files generated from codegen/definitions are current, and definitions are checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from installed import ROOT
from muntin import __version__
from muntin import typing as types

from codegen.definition import CHOICES, DefinitionError, all_files
from codegen.generated import generated, scala_sources
from codegen.python import package
from codegen.words import Words

pytestmark = pytest.mark.packaging  # once is enough

GENERATED = generated()
SLIDING = (ROOT / "codegen/definitions/sliding.toml").read_text()


@pytest.mark.parametrize("file", [str(path.relative_to(ROOT)) for path in GENERATED])
def test_generated_files_are_current(file: str) -> None:
    assert (ROOT / file).read_text() == GENERATED[ROOT / file], "run: make generate"


def test_generated_code_respects_the_line_length() -> None:
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


def test_every_function_is_on_its_page() -> None:
    for file in all_files():
        definition = file.of("docs")
        assert definition.name in (ROOT / "docs" / definition.page).read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("summary =", "sumary =", r"sliding: \{'sumary'\} is not one of \['alias', 'arguments'"),
        ("page =", "# page =", "missing 1 required positional argument: 'page'"),
        ("group =", "# group =", "missing 1 required positional argument: 'group'"),
        ('n = "integer: ', 'n = "numeral: ', "n is 'numeral: .*; expected 'kind: text'"),
        ("prints =", "print =", "sliding: {'print'} is not one of"),
        ("FROM {purchases}", "FROM purchases", r"the example's sql does not read \['purchases'\]"),
    ],
)
def test_the_error_of_an_invalid_definition_names_the_cause(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SLIDING
    (tmp_path / "sliding.toml").write_text(SLIDING.replace(old, new))
    (file,) = all_files(tmp_path)
    with pytest.raises(DefinitionError, match=message):
        _ = file.of("python").parameters


def test_every_choice_has_a_type() -> None:
    for name, words in CHOICES.items():
        assert set(get_args(getattr(types, name))) == words
    choices = [p for file in all_files() for p in file.of("python").parameters if p.words]
    assert {p.of_kind.python for p in choices} == CHOICES.keys()
    with pytest.raises(DefinitionError, match='closed: no type of CHOICES has the words "none"'):
        _ = replace(next(p for p in choices if p.name == "closed"), words=("none",)).of_kind


def test_no_function_is_newer_than_the_package() -> None:
    version = [int(part) for part in __version__.split(".")]
    for file in all_files():
        since = file.of("sql").since
        assert [int(part) for part in since.split(".")] <= version, (file.name, since)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", '``where`` :func:`nth` ``"all"`` ``None`` ``F.sum("x")`` ``F.count("*")``'),
        ("scala", '`where` `nth` `"all"` `None` `sum($"x")` `count("*")`'),
        ("sql", "where nth 'all' NULL sum(x) count(*)"),
        ("docs", "`where` [nth](functions.md#nth) `'all'` `NULL` `sum(x)` `count(*)`"),
    ],
)
def test_prose_uses_the_syntax_of_each_language(language: str, text: str) -> None:
    (file,) = (file for file in all_files() if file.name == "sliding")
    words = Words(file.of(language), language)
    assert words('`where` [nth] `"all"` `null` `sum(x)` `count(*)`') == text
