"""The benchmarks' report can be read back, and docs/ contains the charts of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from installed import ROOT

from benchmarks import machine, reader, report
from benchmarks.charts.__main__ import CHARTS
from benchmarks.charts.chart import DARK, GRID, Chart, apart, short
from benchmarks.charts.dark import BACKGROUND
from benchmarks.data import Data
from benchmarks.grid import Series
from benchmarks.query import BASIC, Frame
from benchmarks.runner import Key, Timing, base_job

SERIES = Series("rows", Data(4_000, 100), BASIC, Frame("ROWS", "preceding"), (3, 1_000), ())


def made_up() -> str:
    """A report of one series: a time, a time of a part, a missing time, and an unrequested time."""
    narrow, wide = (SERIES.job(width) for width in SERIES.widths)
    timings = {
        Key("floor", base_job(SERIES, 3)): Timing(seconds=[3.25, 3.3]),
        Key("Muntin", narrow): Timing(seconds=[3.7, 3.2]),
        Key("Muntin", wide): Timing(seconds=[3.13]),
        Key("stock Spark", narrow): Timing(seconds=[12.5], share=10),
        Key("stock Spark", wide): Timing(skipped="takes minutes"),
        Key("DuckDB", wide): Timing(seconds=[0.873]),
    }
    results = report.Results([SERIES], timings)
    names = ["Muntin", "stock Spark", "DuckDB"]
    lines = [
        "# Benchmarks",
        "",
        *report.table(["", ""], [("commit", "0a1b2c3"), ("processor", "made up, 2 cores")]),
        "",
        "## Seconds",
        "",
        "4,000 rows.",
        *report.series_table(results, SERIES, names),
        "",
        "## Apart",
        "",
        "Measured 2026-11-21, commit 4d5e6f7.",
        "",
        *report.table(["", "who", "rows"], [["one", "Muntin", "1,500"], ["", "floor", "1.2 !"]]),
        "",
        "### A section",
        "",
        "Of the chapter above.",
    ]
    return "\n".join(lines)


def test_times_are_read_as_written() -> None:
    table = reader.read(made_up()).chapters[SERIES.title].table
    assert table is not None
    assert table.column("width") == ["3", "1,000"]
    read = {who: [reader.seconds(cell) for cell in table.column(who)] for who in table.head[1:-1]}
    assert read == {
        "floor": [reader.Seconds(3.25), reader.Seconds(3.25)],
        "Muntin": [reader.Seconds(3.2), reader.Seconds(3.13)],
        "stock Spark": [reader.Seconds(12.5, 10), None],
        "DuckDB": [None, reader.Seconds(0.87)],
    }
    assert read["stock Spark"][0] is not None
    assert read["stock Spark"][0].of_all == 125.0
    assert table.column("stock Spark")[1] == "takes minutes"


def test_chapters_groups_and_commits() -> None:
    read = reader.read(made_up())
    assert list(read.chapters) == ["Benchmarks", "Seconds", SERIES.title, "Apart", "A section"]
    assert read.chapters["Seconds"] == reader.Chapter("4,000 rows.", None)
    assert read.commit(SERIES.title) == "0a1b2c3"
    assert read.commit("Apart") == read.commit("A section") == "4d5e6f7"
    table = read.chapters["Apart"].table
    assert table is not None
    assert [line["who"] for line in table.groups()["one"]] == ["Muntin", "floor"]
    assert [reader.number(cell) for cell in table.column("rows")] == [1500.0, 1.2]


def test_a_chapter_that_is_measured_separately_has_its_date() -> None:
    chapter = ["", "## Alone", "", "4,000 rows."]
    dated = machine.dated(chapter)
    prose = reader.read("\n".join(dated)).chapters["Alone"].prose
    assert re.fullmatch(r"Measured 20[-\d]+ [:\d]+ UTC, commit .+\. 4,000 rows\.", prose)
    assert machine.dated(dated) == dated


def test_labels_do_not_overlap_and_keep_their_order() -> None:
    moved = apart({"c": 5.0, "a": 1.0, "b": 1.2}, 1.0)
    assert moved == pytest.approx({"a": 0.6, "b": 1.6, "c": 5.0})


def test_charts_are_reproducible(tmp_path: Path) -> None:
    widths, *others = CHARTS
    assert widths.chapter == SERIES.title
    made = reader.read(made_up())
    for folder in ("one", "two"):
        widths.write(made, tmp_path / folder)
    one, two = ((tmp_path / f / f"{widths.file}.svg").read_bytes() for f in ("one", "two"))
    assert one == two
    for chart in others:
        assert "left out" in chart.write(made, tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []


def test_axes_show_short_numbers() -> None:
    assert [short(n) for n in (3, 1e3, 2e4, 1.5e6)] == ["3", "1,000", "20k", "1.5M"]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted(luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: str(chart.file))
def test_charts_are_readable_in_dark_mode_and_on_phones(chart: Chart) -> None:
    svg = (ROOT / "docs/images" / f"{chart.file}.svg").read_text()
    dark = {light.lower(): colour for light, colour in DARK.items()}
    drawn = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})[;\"]", svg))
    assert {"#ffffff", "#000000"} <= drawn
    for colour in drawn - {"#ffffff", GRID}:
        assert contrast(dark.get(colour, colour), BACKGROUND) > 4, colour
        if colour in dark:
            assert f'[style*="fill: {colour}"] {{ fill: {dark[colour]} !important }}' in svg
    width = float(re.findall(r'width="([\d.]+)pt"', svg)[0])
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)]
    assert min(sizes) * 330 / width > 8  # pixels, next to margins of 30


def test_pictures_of_the_pages_exist() -> None:
    shown = {
        image
        for page in (ROOT / "docs").glob("*.md")
        for image in re.findall(r"!\[[^]]*\]\((images/[^)]*)\)", page.read_text())
    }
    assert {image for image in shown if not (ROOT / "docs" / image).exists()} == set()
