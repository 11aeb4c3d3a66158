package org.apache.spark.sql.muntin

import java.io.DataInputStream

import scala.util.Using

import io.muntin.kernel.MuntinSuite

/**
 * What a session loads of the jar before it is known that the jar fits: it has to load, and to
 * warn, on Sparks of Scala 2.12 and on Java 8.
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

  // What every Spark since 3.2 has, with every Scala; `Activation` is called where the jar fits.
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

  test("they are for Java 8") {
    first.foreach(name => assert(ClassFile(name).major === 52, name))
  }

  test("they name the JDK's classes, each other and what every Spark has, and no other") {
    first.foreach { name =>
      val named = ClassFile(name).strings.flatMap("[a-z]+/[\\w/$]+".r.findAllIn)
        .filterNot(other => first.contains(other) || elsewhere.contains(other))
        .filterNot(_.matches("L?java/.*|io/muntin/(version|spark)"))
      assert(named.isEmpty, name)
    }
  }

  test("a class in Scala names others, so that the test above can fail") {
    val named = ClassFile("org/apache/spark/sql/muntin/Activation$").strings
    assert(named.exists(_.contains("scala/collection/")))
    assert(ClassFile("org/apache/spark/sql/muntin/Activation$").major > 52)
  }

  /** The strings of a class file's constant pool: names of classes and descriptors among them. */
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
