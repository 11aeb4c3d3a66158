package org.apache.spark.sql.muntin

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.jdk.CollectionConverters._

import io.muntin.kernel.MuntinSuite

/**
 * A Spark that lacks classes or members that the jar uses is recognized, and the missing names are
 * listed.
 */
class SparkReferencesSuite extends MuntinSuite {
  private val spark = getClass.getClassLoader
  private val list = SparkReferences.list().asScala.toSeq

  /** A Spark with other files: names with slashes, and contents that replace Spark's files. */
  private def patched(files: (String, Array[Byte])*): ClassLoader = new ClassLoader(spark) {
    override def getResourceAsStream(name: String): InputStream =
      files.toMap.get(name).map(new ByteArrayInputStream(_))
        .getOrElse(super.getResourceAsStream(name))
  }

  private def renamed(name: String, from: String, to: String): (String, Array[Byte]) = {
    val file = s"$name.class"
    val text = new String(spark.getResourceAsStream(file).readAllBytes(), ISO_8859_1)
    assert(text.contains(from) && from.length == to.length)
    file -> text.replace(from, to).getBytes(ISO_8859_1)
  }

  private def missing(lines: Seq[String], loader: ClassLoader): Seq[String] =
    SparkReferences.missing(lines.asJava, loader).asScala.toSeq

  private val revision = "spark-version-info.properties" -> "revision=abc\n".getBytes(ISO_8859_1)
  private val Extensions = "org/apache/spark/sql/SparkSessionExtensions"
  private val other = renamed(Extensions, "injectPlannerStrategy", "injectPlannerStrategi")

  test("the Spark that the jar is built with has everything") {
    assert(list.size > 2000)
    assert(list.count(_.startsWith("all ")) > 20)
    assert(missing(list, spark).isEmpty)
    assert(SparkReferences.whyOff("4.x") === null)
  }

  test("a renamed method is missing, by its class and signature") {
    val loader = patched(revision, other)
    assert(SparkReferences.compared(loader).asScala.toSeq === Seq(
      "org.apache.spark.sql.SparkSessionExtensions.injectPlannerStrategy(Lscala/Function1;)V"
    ))
  }

  test("an inherited member is missing if the parent class no longer has it") {
    val tree = "org/apache/spark/sql/catalyst/trees/TreeNode"
    val loader = patched(renamed(tree, "withNewChildren", "withOldChildren"))
    assert(missing(list, loader).exists(_.contains(".withNewChildren(")))
  }

  test("the revision identifies the Spark that the jar is built with, and skips the comparison") {
    assert(SparkReferences.compared(patched(other)).isEmpty)
    assert(SparkReferences.compared(patched(other, revision)).size === 1)
  }

  test("a missing class, and a class that is an interface here") {
    val lines = Seq(
      "revision abc",
      "class org/apache/spark/sql/types/NoType",
      "interface org/apache/spark/sql/types/StructType",
      "class org/apache/spark/sql/types/StructType"
    )
    assert(missing(lines, spark) === Seq(
      "class org.apache.spark.sql.types.NoType",
      "interface org.apache.spark.sql.types.StructType, which is another kind of type here"
    ))
  }

  test("a method that Spark has made abstract, and that no class of Muntin implements") {
    val method = "doExecute()Lorg/apache/spark/rdd/RDD;"
    val less = list.filterNot(_ == s" $method")
    assert(less.size < list.size)
    assert(missing(
      less,
      spark
    ).exists(_.startsWith(s"an implementation of $method, which is abst")))
  }

  test("a class without a file is ignored") {
    val hidden = new ClassLoader(spark) {
      override def getResourceAsStream(name: String): InputStream =
        if (name.endsWith("/StructType.class")) null else super.getResourceAsStream(name)
    }
    assert(missing(list, hidden).isEmpty)
  }
}
