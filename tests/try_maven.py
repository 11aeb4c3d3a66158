"""Checks and signs the artifacts for Maven Central, and lets spark-submit download them.

The folder is the Maven repository that `make maven` creates. Without --key, a temporary key signs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

POM = "{http://maven.apache.org/POM/4.0.0}"
# The elements of a POM that Maven Central requires.
SAID = ["name", "description", "url", "licenses/license/name", "licenses/license/url"]
SAID += ["scm/url", "scm/connection", "developers/developer/name", "developers/developer/url"]
SAID += ["properties/info.versionScheme"]  # sbt's, for evictions
QUERY = "EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(3)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path, help="the folder with io/muntin in it")
    parser.add_argument("--key", help="the key of gpg's that signs")
    parser.add_argument("--spark", action="append", default=[], help="MINOR_SCALA=SPARK_HOME")
    said = parser.parse_args()
    repository = said.repository.resolve()
    releases = sorted(repository.glob("io/muntin/*/*"))
    releases = [folder for folder in releases if folder.is_dir()]
    if not releases:
        sys.exit(f"{repository} has no artefacts: make maven")
    with tempfile.TemporaryDirectory(prefix="key") as home:
        gpg = Gpg(Path(home), said.key)
        for release in releases:
            check(release, gpg)
    bundle = repository.parent / f"muntin-{releases[0].name}-maven.zip"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as out:
        for release in releases:
            for path in sorted(release.iterdir()):
                out.write(path, path.relative_to(repository))
    print(f"{bundle}: {len(releases)} artefacts, {bundle.stat().st_size / 1e6:.1f} MB")
    for spark, spark_home in (spark.split("=", 1) for spark in said.spark):
        (release,) = (r for r in releases if r.parent.name == f"muntin-spark-{spark}")
        fetch(repository, release, Path(spark_home).resolve())
    print("All of it works.")


class Gpg:
    """Signs with a temporary key, or with a given key."""

    def __init__(self, home: Path, key: str | None) -> None:
        self._key = key or "dry-run@muntin.invalid"
        self._variables = os.environ | ({} if key else {"GNUPGHOME": str(home)})
        if key is None:
            home.chmod(0o700)
            self.run("--passphrase", "", "--quick-generate-key", self._key, "default", "sign", "1d")

    def run(self, *arguments: str) -> None:
        command = ["gpg", "--batch", "--quiet", "--yes", *arguments]
        subprocess.run(command, env=self._variables, check=True, stderr=subprocess.DEVNULL)

    def sign(self, path: Path) -> None:
        self.run("--local-user", self._key, "--armor", "--detach-sign", str(path))
        self.run("--verify", f"{path}.asc", str(path))


def check(release: Path, gpg: Gpg) -> None:
    stem = f"{release.parent.name}-{release.name}"
    names = [f"{stem}{end}" for end in (".pom", ".jar", "-sources.jar", "-javadoc.jar")]
    for path in release.iterdir():
        if not any(path.name.startswith(name) for name in names):
            sys.exit(f"{path} is not an artefact")
    for name in names:
        path = release / name
        for kind in ("md5", "sha1"):
            digest = hashlib.new(kind, path.read_bytes()).hexdigest()
            if (release / f"{name}.{kind}").read_text().split()[0] != digest:
                sys.exit(f"{path}.{kind} does not match the file")
        gpg.sign(path)
    check_pom(release / names[0], release)
    sources = zipfile.ZipFile(release / names[2]).namelist()
    for folder in ("io/muntin/kernel/", "org/apache/spark/sql/muntin/spark/"):
        if not any(name.startswith(folder) and name.endswith(".scala") for name in sources):
            sys.exit(f"{names[2]} does not contain {folder}")
    if "io/muntin/functions$.html" not in zipfile.ZipFile(release / names[3]).namelist():
        sys.exit(f"{names[3]} has no page of io.muntin.functions")
    print(f"{stem}: complete, its checksums right, and signed")


def check_pom(path: Path, release: Path) -> None:
    pom = ElementTree.parse(path).getroot()

    def text(place: str) -> str:
        return (pom.findtext("/".join(POM + part for part in place.split("/"))) or "").strip()

    coordinates = (text("groupId"), text("artifactId"), text("version"))
    if coordinates != ("io.muntin", release.parent.name, release.name):
        sys.exit(f"{path} is of {coordinates}")
    missing = [place for place in SAID if not text(place)]
    if missing:
        sys.exit(f"{path} does not contain {missing}")
    scopes = {element.text for element in pom.iter(f"{POM}scope")}
    if scopes != {"provided"} or len(list(pom.iter(f"{POM}dependency"))) != 2:
        sys.exit(f"{path} must have only Spark and Scala, as provided")


def fetch(repository: Path, release: Path, home: Path) -> None:
    """Run a query with --packages and a clean cache, and check that it downloads only the jar."""
    coordinates = f"io.muntin:{release.parent.name}:{release.name}"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYSPARK", "SPARK"))}
    with tempfile.TemporaryDirectory() as folder:
        settings = ["spark.ui.enabled=false", f"spark.jars.ivy={folder}/ivy"]
        command = [str(home / "bin" / "spark-sql"), "--master", "local[1]"]
        command += ["--packages", coordinates, "--repositories", repository.as_uri()]
        command += [part for setting in settings for part in ("--conf", setting)]
        done = subprocess.run(
            [*command, "-e", QUERY],
            cwd=folder,
            env=kept | {"SPARK_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        fetched = sorted(path.name for path in Path(folder, "ivy", "jars").glob("*"))
    if done.returncode != 0 or "MuntinWindow" not in done.stdout:
        sys.exit(f"{home}: --packages {coordinates}\n{done.stdout}\n{done.stderr}")
    if fetched != [f"io.muntin_{release.parent.name}-{release.name}.jar"]:
        sys.exit(f"--packages {coordinates} has fetched {fetched}")
    print(f"--packages {coordinates}: works in {home}")


if __name__ == "__main__":
    main()
