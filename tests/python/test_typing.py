"""The signatures of Muntin functions use the types of muntin.typing."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any, get_overloads

import muntin as mt
import pytest
from installed import ROOT
from muntin import typing as types

pytestmark = pytest.mark.packaging  # once is enough

SOURCE = ROOT / "python/muntin/typing.py"


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return every public function, and every public method of a public class."""
    for name in mt.__all__:
        value = getattr(mt, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method, function in vars(value).items():
                if isinstance(function, property):
                    function = function.fget
                if inspect.isfunction(function) and (method == "__call__" or method[0] != "_"):
                    yield f"{name}.{method}", function


def signatures() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, function in public():
        yield name, function
        yield from ((name, overloaded) for overloaded in get_overloads(function))


SIGNATURES = list(signatures())


def shown_types(function: Callable[..., Any]) -> list[str]:
    """Return the annotations of a signature, as ``help()`` shows them."""
    return [a if isinstance(a, str) else a.__name__ for a in function.__annotations__.values()]


def names_in(function: Callable[..., Any]) -> set[str]:
    nodes = [node for a in shown_types(function) for node in ast.walk(ast.parse(a, mode="eval"))]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def test_signatures_have_types() -> None:
    assert len(SIGNATURES) > 50
    for name, function in SIGNATURES:
        parameters = inspect.signature(function).parameters.keys() - {"self"}
        assert parameters | {"return"} == function.__annotations__.keys(), name


def test_every_alias_in_a_signature_is_public() -> None:
    for name, function in SIGNATURES:
        for used in names_in(function):
            value = function.__globals__.get(used, getattr(builtins, used, None))
            if used in types.__all__:
                assert value is getattr(types, used), (name, used)
            else:
                assert isinstance(value, (type, ModuleType)) or value is Any, (name, used)


def test_signatures_use_the_aliases() -> None:
    for name, function in SIGNATURES:
        for annotation in shown_types(function):
            members = set(annotation.split(" | "))
            assert "timedelta" not in members, (name, annotation)
            assert not members >= {"Column", "str"}, (name, annotation)


def test_every_public_alias_is_in_a_signature() -> None:
    used = {name for _, function in SIGNATURES for name in names_in(function)}
    assert [name for name in types.__all__ if name not in used] == []
    assert types.__all__ == sorted(types.__all__)


def test_every_alias_is_documented() -> None:
    body = ast.parse(SOURCE.read_text()).body
    documented = {
        target.id
        for alias, text in pairwise(body)
        if isinstance(alias, ast.Assign) and isinstance(text, ast.Expr)
        for target in alias.targets
        if isinstance(target, ast.Name) and isinstance(text.value, ast.Constant)
    }
    assert documented == set(types.__all__)
    page = (ROOT / "docs/python-types.md").read_text().splitlines()
    shown = [line for line in page if line.startswith("::: ")]
    assert sorted(shown) == [f"::: muntin.typing.{name}" for name in types.__all__]
