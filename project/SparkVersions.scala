import sbt._

/** A supported minor version of Spark: the patch that the jar is compiled against, and its Scala. */
final case class SparkVersion(full: String, scala: String) {
  def minor: String = full.split('.').take(2).mkString(".")

  /** The name in the build. */
  def name: String = if (isOfPyPI) minor else s"${minor}_$scalaMinor"

  /** Returns true if PyPI's pyspark contains this Spark; its jars are then installed. */
  def isOfPyPI: Boolean = SparkVersions.all.contains(this)

  /** The minor version of Scala, the suffix of artifact names. */
  def scalaMinor: String = scala.split('.').take(2).mkString(".")

  /** The first Java that the jar supports: Spark's first Java, or the first Java with Math.fma. */
  def java: Int = if (minor == "3.5") 11 else 17

  /** The first patch of the minor version, which the jar also supports. */
  def first: String = s"$minor.0"

  /** Returns true if the jar is compiled against the first patch. */
  def isFirst: Boolean = full == first

  /** Returns true if a folder is for this Spark: spark-4.0, spark-4.0-4.1, spark-4.0+. */
  def takes(folder: String): Boolean = folder.stripPrefix("spark-").split('-') match {
    case Array(first) if first.endsWith("+") => number(first.stripSuffix("+")) <= number(minor)
    case Array(only) => only == minor
    case Array(first, last) =>
      number(first) <= number(minor) && number(minor) <= number(last)
    case _ =>
      sys.error(s"a folder of Spark versions is spark-X.Y, spark-X.Y-X.Y or spark-X.Y+: $folder")
  }

  private def number(minor: String): Int = minor.split('.').map(_.toInt) match {
    case Array(major, minor) => 100 * major + minor
  }
}

object SparkVersions {
  val all: Seq[SparkVersion] = Seq(
    SparkVersion("4.3.0", "2.13.18"),
    SparkVersion("4.2.1", "2.13.18"),
    SparkVersion("4.1.4", "2.13.17"),
    SparkVersion("4.0.5", "2.13.16"),
    SparkVersion("3.5.9", "2.12.18")
  )

  /** Further versions for programs in Scala: no pyspark contains their Scala. */
  private val ofMavenAlone: Seq[SparkVersion] = Seq(all.last.copy(scala = "2.13.8"))

  /**
   * The minor version that the command `spark 4.2`, or SPARK in the environment, has selected; the
   * first version is the default.
   */
  def chosen: SparkVersion = {
    val wanted = sys.props.get(Property).orElse(sys.env.get("SPARK")).getOrElse(all.head.minor)
    (all ++ ofMavenAlone).find(_.name == wanted)
      .getOrElse(sys.error(s"Spark $wanted is not in project/SparkVersions.scala"))
  }

  /** The Python with this version's pyspark. */
  def python: String =
    if (chosen == all.head) ".venv/bin/python" else s".venv-${chosen.minor}/bin/python"

  /** `spark 4.2` selects that Spark for the following commands, in the same (warm) sbt. */
  val choose: Command = Command.single("spark") { (state, minor) =>
    sys.props(Property) = minor
    "reload" :: state
  }

  private val Property = "muntin.spark"
}
