import sbt._

/** The version of the Python package and of the jar. */
object Version {
  private val Line = """__version__ = "(.+)"""".r

  def ofPackage(root: File): String = {
    val source = root / "python" / "muntin" / "_version.py"
    IO.readLines(source).collectFirst { case Line(version) => version }.getOrElse(
      sys.error(s"$source has no line that begins with __version__")
    )
  }
}
