package org.apache.spark.sql.muntin

import java.io.DataInputStream

import scala.util.Using

import io.muntin.kernel.MuntinSuite

/**
 * The classes that a session loads before it checks whether the jar fits: they must load, and warn,
 * on Sparks with Scala 2.12 and on Java 8.
 */
class FirstClassesSuite extends MuntinSuite {
  private val first = Seq(
    "MuntinExtensions",
    "ThisJar",
    "BuiltFor",
    "SparkReferences",
    "SparkReferences$OfThisSpark",
    "ClassFiles",
    "ClassFile"
  ).map("org/apache/spark/sql/muntin/" + _)

  // Classes of every Spark since 3.2, with every Scala; `Activation` is called if the jar fits.
  private val elsewhere = Set(
    "org/apache/spark/SparkConf",
    "org/apache/spark/SparkContext",
    "org/apache/spark/SparkContext$",
    "org/apache/spark/package$",
    "org/apache/spark/sql/SparkSessionExtensions",
    "org/apache/spark/sql/SparkSessionExtensionsProvider",
    "org/apache/spark/sql/muntin/Activation",
    "org/slf4j/Logger",
    "org/slf4j/LoggerFactory",
    "scala/Function1",
    "scala/Option",
    "scala/runtime/BoxedUnit"
  )

  test("they are compiled for Java 8") {
    first.foreach(name => assert(ClassFile(name).major === 52, name))
  }

  test("they refer only to the JDK's classes, to each other, and to classes of every Spark") {
    first.foreach { name =>
      val named = ClassFile(name).strings.flatMap("[a-z]+/[\\w/$]+".r.findAllIn)
        .filterNot(other => first.contains(other) || elsewhere.contains(other))
        .filterNot(_.matches("L?java/.*|io/muntin/(version|spark)"))
      assert(named.isEmpty, name)
    }
  }

  test("a class in Scala refers to others, so that the test above can fail") {
    val named = ClassFile("org/apache/spark/sql/muntin/Activation$").strings
    assert(named.exists(_.contains("scala/collection/")))
    assert(ClassFile("org/apache/spark/sql/muntin/Activation$").major > 52)
  }

  /**
   * Returns the strings of a class file's constant pool, which include class names and descriptors.
   */
  private case class ClassFile(major: Int, strings: Seq[String])

  private object ClassFile {
    def apply(name: String): ClassFile =
      Using.resource(new DataInputStream(getClass.getResourceAsStream(s"/$name.class"))) { file =>
        assert(file.readInt() === 0xcafebabe)
        file.readUnsignedShort(): Unit
        val major = file.readUnsignedShort()
        val constants = file.readUnsignedShort()
        val strings = Seq.newBuilder[String]
        var i = 1
        while (i < constants) {
          file.readUnsignedByte() match {
            case 1 => strings += file.readUTF()
            case 5 | 6 =>
              file.skipNBytes(8)
              i += 1
            case 7 | 8 | 16 | 19 | 20 => file.skipNBytes(2)
            case 15 => file.skipNBytes(3)
            case _ => file.skipNBytes(4)
          }
          i += 1
        }
        ClassFile(major, strings.result())
      }
  }
}
