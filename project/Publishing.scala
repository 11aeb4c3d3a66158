import scala.xml.{Elem, Node, NodeSeq}

import sbt._

/** What Maven Central asks for beside the jar, in the POM. */
object Publishing {

  // Where pyproject.toml has no [project.urls] yet: `make release-check` stops a release then.
  private val NoAddress = "https://muntin.invalid"
  private val Address = """\s*[Rr]epository\s*=\s*"(https://[^"]+)"\s*""".r
  private val Description = """description = "(.+)"""".r

  /** The repository's address, as pyproject.toml says it. */
  def address(root: File): String = lines(root).collectFirst { case Address(a) => a }
    .getOrElse(NoAddress)

  def description(root: File): String = lines(root).collectFirst { case Description(d) => d }
    .getOrElse(sys.error("pyproject.toml has no description"))

  private def lines(root: File): Seq[String] = IO.readLines(root / "pyproject.toml")

  /**
   * The POM with these dependencies in the place of sbt's: Spark and Scala are where the jar runs,
   * the kernel and all else are in the jar.
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
