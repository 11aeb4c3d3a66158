import scala.xml.{Elem, Node, NodeSeq}

import sbt._

/** The metadata of the POM that Maven Central requires. */
object Publishing {

  // If pyproject.toml has no [project.urls] yet; `make release-check` then stops a release.
  private val NoAddress = "https://muntin.invalid"
  private val Address = """\s*[Rr]epository\s*=\s*"(https://[^"]+)"\s*""".r
  private val Description = """description = "(.+)"""".r

  /** The repository's address from pyproject.toml. */
  def address(root: File): String = lines(root).collectFirst { case Address(a) => a }
    .getOrElse(NoAddress)

  def description(root: File): String = lines(root).collectFirst { case Description(d) => d }
    .getOrElse(sys.error("pyproject.toml has no description"))

  private def lines(root: File): Seq[String] = IO.readLines(root / "pyproject.toml")

  /**
   * The POM with these dependencies instead of sbt's: the running Spark provides Spark and Scala,
   * and the jar contains the kernel and everything else.
   */
  def onSparkAlone(pom: Node, spark: SparkVersion): Node = pom match {
    case project: Elem =>
      val others =
        project.child.filterNot(c => Seq("dependencies", "repositories").contains(c.label))
      project.copy(child = others ++ dependencies(spark))
    case other => other
  }

  private def dependencies(spark: SparkVersion): NodeSeq =
    <dependencies>
      {provided("org.apache.spark", s"spark-sql_${spark.scalaMinor}", spark.full)}
      {provided("org.scala-lang", "scala-library", spark.scala)}
    </dependencies>

  private def provided(group: String, artifact: String, version: String): Elem =
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
      <scope>provided</scope>
    </dependency>
}
