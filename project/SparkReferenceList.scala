import java.net.URLClassLoader
import java.util.Properties

import scala.collection.JavaConverters._

import org.apache.spark.sql.muntin.{ClassFile, ClassFiles}
import sbt._

/** Lists the parts of Spark that Muntin's classes use, for the jar's SparkReferences. */
object SparkReferenceList {

  /** Returns the lines of the list, for Muntin's `classes` and the `jars` of Spark that they use. */
  def apply(classes: Seq[File], jars: Seq[File]): Seq[String] = {
    val loader = new URLClassLoader(jars.map(_.toURI.toURL).toArray, null)
    try s"revision ${revision(loader)}" +:
        new SparkReferenceList(classes, new ClassFiles(loader)).lines
    finally loader.close()
  }

  private def revision(loader: ClassLoader): String = {
    val told = new Properties
    val file = loader.getResourceAsStream("spark-version-info.properties")
    try told.load(file)
    finally file.close()
    Option(told.getProperty("revision")).filter(_.nonEmpty)
      .getOrElse(sys.error("this Spark does not contain its revision"))
  }
}

private final class SparkReferenceList(classes: Seq[File], spark: ClassFiles) {
  private val own: Map[String, ClassFile] =
    classes.map(f => new ClassFile(IO.readBytes(f))).map(c => c.name -> c).toMap

  def lines: Seq[String] = {
    val named = for {
      of <- own.values.toSeq
      reference <- of.references.asScala
      found <- resolved(reference.split(' '), of)
    } yield found
    val used = named.groupBy(_._1).toSeq.sortBy(_._1).flatMap { case (name, members) =>
      val kind = if (spark.of(name).get.isInterface) "interface" else "class"
      s"$kind $name" +: members.flatMap(_._2).distinct.sorted.map(" " + _)
    }
    val implemented = own.values.filterNot(_.isAbstract).map(sparkTypes(_).distinct).toSeq
      .filter(_.nonEmpty).distinct.sortBy(_.mkString(" "))
    used ++ implemented.flatMap { types =>
      s"all ${types.mkString(" ")}" +:
        spark.abstractMethods(types.asJava).asScala.toSeq.sorted.map(" " + _)
    }
  }

  /** Returns the Spark class that a reference in a Muntin class leads to, and its member. */
  private def resolved(reference: Array[String], of: ClassFile): Option[(String, Option[String])] =
    reference match {
      case Array(name) =>
        val element = name.dropWhile(_ == '[').stripPrefix("L").stripSuffix(";")
        val plain = if (name.startsWith("[")) element else name
        if (isSparks(plain)) Some(plain -> None) else None
      case Array(name, member) if !name.startsWith("[") =>
        val found = for {
          start <- if (own.contains(name)) sparkTypesUnless(name, member) else Seq(name)
          if isSparks(start)
          key <- Seq(member, s"static $member")
          if spark.has(start, key)
        } yield start -> Some(key)
        if (found.isEmpty && isSparks(name) && !inherits(name)) {
          sys.error(s"${of.name} names $name.$member, and its Spark has no such member")
        }
        found.headOption
      case _ => None
    }

  private def isSparks(name: String): Boolean =
    name.contains('/') && ClassFiles.isRead(name) && !own.contains(name) &&
      !name.startsWith("io/muntin/") && spark.of(name).isPresent

  /** Returns true if a member may belong to the JDK or Scala, whose members are not compared. */
  private def inherits(name: String): Boolean = !spark.of(name).isPresent || {
    val c = spark.of(name).get
    c.supers.asScala.exists(s => !ClassFiles.isRead(s) || inherits(s))
  }

  /** Returns the Spark types that a Muntin class extends, also indirectly. */
  private def sparkTypes(of: ClassFile): Seq[String] =
    of.supers.asScala.flatMap(s => own.get(s).map(sparkTypes).getOrElse(Seq(s).filter(isSparks)))

  private def sparkTypesUnless(name: String, member: String): Seq[String] = {
    val of = own(name)
    if (Seq(member, s"static $member").exists(of.members.containsKey)) Nil
    else
      of.supers.asScala.flatMap(s => if (own.contains(s)) sparkTypesUnless(s, member) else Seq(s))
  }
}
