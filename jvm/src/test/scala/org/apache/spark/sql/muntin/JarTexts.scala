package org.apache.spark.sql.muntin

/** The texts of a jar that is turned off, for tests in other packages. */
object JarTexts {
  def failedToStart: String = ThisJar.failed()

  def turnedOff(setting: String): String = MuntinExtensions.switchedOff(setting, null)

  def requiredJava: String = BuiltFor.JAVA.toString

  def ofOlderJava(java: String): String =
    ThisJar.whyNot(org.apache.spark.SPARK_VERSION, java)

  /** Returns the text on another Spark; `right` is the path of a jar for it, if there is one. */
  def ofOther(running: String, right: Option[String]): String =
    ThisJar.ofOther(running, right.map(path => new java.net.URL(s"file:$path")).orNull)

  def ofIncompatible(running: String, missing: String): String =
    SparkReferences.whyOff(running, java.util.Collections.singletonList(missing))
}
