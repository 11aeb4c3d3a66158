"""The command line: ``python -m muntin jar | version | doctor``."""

from __future__ import annotations

import argparse
import sys
import textwrap

import muntin


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m muntin", description="Muntin for Spark")
    parser.add_argument("--version", action="version", version=muntin.version())
    commands = parser.add_subparsers(dest="command", required=True)
    jar = commands.add_parser("jar", help="print the path of the jar, for --jars")
    jar.add_argument("--spark", help="the version of Spark, such as 4.0; by default the Spark here")
    jar.add_argument("--scala", help="the version of Scala; by default the Scala of PyPI's pyspark")
    commands.add_parser("version", help="print the version")
    doctor = commands.add_parser(
        "doctor", help="check the installation, and show a remedy for each problem"
    )
    doctor.add_argument(
        "--no-session",
        action="store_true",
        help="do not start a Spark session, which takes seconds",
    )
    said = parser.parse_args(arguments)
    try:
        if said.command == "doctor":
            return _doctor(tries_session=not said.no_session)
        jar_asked = said.command == "jar"
        print(muntin.jar(said.spark, said.scala) if jar_asked else muntin.version())
    except (muntin.MuntinError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _doctor(*, tries_session: bool) -> int:
    from muntin import _doctor

    ill = 0
    for finding in _doctor.examine(tries_session=tries_session):
        mark = ".." if finding.is_begun else "ok" if finding.remedy is None else "!!"
        print(f"{mark}  {finding.subject:8}  {finding.text}", flush=True)
        if finding.remedy is not None:
            ill += 1
            print(textwrap.indent(finding.remedy, "              "), flush=True)
    return 1 if ill else 0


if __name__ == "__main__":
    sys.exit(main())
