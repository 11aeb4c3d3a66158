import sbt._

/** One supported Spark minor: what it is compiled against and where its shims lie. */
final case class SparkVersion(full: String, scala: String, shims: String) {
  def minor: String = full.split('.').take(2).mkString(".")
}

object SparkVersions {
  val all: Seq[SparkVersion] = Seq(SparkVersion("4.3.0", "2.13.18", "spark-4.3"))

  /** `-Dspark.version=X.Y.Z` picks one; the first is the default. */
  val chosen: SparkVersion = {
    val wanted = sys.props.getOrElse("spark.version", all.head.full)
    all
      .find(_.full == wanted)
      .getOrElse(sys.error(s"Spark $wanted is not in project/SparkVersions.scala"))
  }
}
