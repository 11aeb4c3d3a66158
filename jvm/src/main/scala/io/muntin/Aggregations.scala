package io.muntin

import java.time.Duration
import java.util.Locale

import org.apache.spark.sql.Column
import org.apache.spark.sql.{functions => spark}

/** Odysseus' lists of aggregations as columns. */
private object Aggregations {
  def apply(lists: Seq[Seq[Any]]): Seq[Column] = {
    val columns = lists.map(list => column(list))
    lists.groupBy(_(2).toString.toLowerCase(Locale.ROOT)).values.find(_.size > 1).foreach { same =>
      throw invalid(same(1), s"the name '${same(1)(2)}' is taken by ${shown(same.head)}")
    }
    columns
  }

  /** How a function is called, and with which attributes. */
  private final case class Function(
      name: String,
      attributes: Seq[String],
      optional: Seq[String] = Nil,
      star: Boolean = false,
      isList: Boolean = false
  )(val call: Seq[Any] => Column)

  private def unary(name: String, isList: Boolean = false)(call: Column => Column): Function =
    Function(name, Seq("attribute"), isList = isList)(a => call(col(a.head)))

  private def binary(name: String)(call: (Column, Column) => Column): Function =
    Function(name, Seq("x", "y"))(a => call(col(a.head), col(a(1))))

  private val functions: Seq[Function] = Seq(
    unary("MAX")(spark.max),
    unary("MIN")(spark.min),
    unary("AVG")(spark.avg),
    unary("SUM")(spark.sum),
    Function("COUNT", Seq("attribute"), star = true)(a =>
      if (a.head == "*") spark.count("*") else spark.count(col(a.head))
    ),
    unary("MEDIAN")(spark.median),
    unary("STDDEV")(spark.stddev_samp),
    unary("VAR")(spark.var_samp),
    binary("CORR")(spark.corr),
    binary("COV")(spark.covar_samp),
    unary("FIRST")(spark.first),
    unary("LAST")(spark.last),
    Function("NTH", Seq("attribute", "n")) { a =>
      val n = a(1) match {
        case n: Int if n >= 1 => n
        case s: String if s.trim.matches("[1-9][0-9]{0,8}") => s.trim.toInt
        case other => refuse(s"n is $other; expected is a positive integer")
      }
      io.muntin.functions.nth(col(a.head), n)
    },
    Function("RATE", Seq("start", "end"), optional = Seq("unit")) { a =>
      val (start, end) = (col(a.head), col(a(1)))
      a.lift(2) match {
        case None => io.muntin.functions.rate(start, end)
        case Some(unit: Duration) => io.muntin.functions.rate(start, end, unit)
        case Some(unit: Number) => io.muntin.functions.rate(start, end, spark.lit(unit))
        case Some(other) => refuse(s"unit is $other; expected is a Duration or a number")
      }
    },
    unary("NEST", isList = true)(spark.collect_list),
    unary("DISTINCTNEST", isList = true)(spark.collect_set),
    unary("COMPLETENESS")(io.muntin.functions.completeness)
  )

  // Odysseus' names of types, and Spark's.
  private val types: Seq[(String, String)] = Seq(
    "double" -> "double",
    "float" -> "float",
    "byte" -> "tinyint",
    "tinyint" -> "tinyint",
    "short" -> "smallint",
    "smallint" -> "smallint",
    "int" -> "int",
    "integer" -> "int",
    "long" -> "bigint",
    "bigint" -> "bigint",
    "decimal" -> "decimal",
    "string" -> "string",
    "boolean" -> "boolean",
    "date" -> "date",
    "timestamp" -> "timestamp",
    "timestamp_ntz" -> "timestamp_ntz"
  )
  private val decimal = "decimal\\(\\s*\\d+\\s*(,\\s*\\d+\\s*)?\\)"
  private val partial = "partialaggregate"

  private def column(list: Seq[Any]): Column =
    try
      list match {
        case Seq(said: String, attributes, name: String, wanted @ _*)
            if name.nonEmpty && wanted.size <= 1 =>
          val function = functions.find(_.name.equalsIgnoreCase(said)).getOrElse(
            refuse(s"'$said' is none of the functions ${functions.map(_.name).mkString(", ")}")
          )
          val aggregate = function.call(checked(function, attributes))
          typed(aggregate, function, wanted.headOption).as(name)
        case _ =>
          refuse(
            "expected is Seq(function, attribute or Seq of attributes or \"*\", name) or with a " +
              "type as the fourth"
          )
      }
    catch { case e: Refused => throw invalid(list, e.getMessage) }

  private def checked(function: Function, wanted: Any): Seq[Any] = {
    val attributes = wanted match {
      case several: Seq[_] => several
      case one => Seq(one)
    }
    val fewest = function.attributes.size
    val most = fewest + function.optional.size
    if (attributes.size < fewest || attributes.size > most) {
      val allowed = function.attributes ++ function.optional.map(o => s"$o (optional)")
      val form = if (most > 1) s"a Seq of ${allowed.mkString(", ")}" else "one attribute"
      refuse(s"${shown(wanted)} has ${attributes.size} attributes; expected is $form")
    }
    function.attributes.zip(attributes).foreach {
      case ("n", _) => ()
      case (_, "*") if !function.star =>
        refuse("\"*\" is no attribute for it; COUNT alone takes \"*\"")
      case (_, attribute: String) if attribute.nonEmpty => ()
      case (name, other) => refuse(s"$name is ${shown(other)}; expected is a column's name")
    }
    attributes
  }

  private def typed(aggregate: Column, function: Function, wanted: Option[Any]): Column =
    if (wanted.isEmpty && function.isList) aggregate
    else {
      val said = wanted.getOrElse("double")
      val name = said.toString.trim.toLowerCase(Locale.ROOT)
      if (name == partial) io.muntin.functions.partial(aggregate)
      else {
        val dataType =
          if (name.matches(decimal)) name
          else {
            types.toMap.getOrElse(
              name, {
                val allowed = types.map(_._1) ++ Seq("decimal(p,s)", "PartialAggregate")
                refuse(s"'$said' is none of the types ${allowed.mkString(", ")}")
              }
            )
          }
        aggregate.cast(if (function.isList) s"array<$dataType>" else dataType)
      }
    }

  private def col(name: Any): Column = spark.col(name.toString)

  private final class Refused(why: String) extends RuntimeException(why)

  private def refuse(why: String): Nothing = throw new Refused(why)

  private def invalid(list: Seq[Any], why: String): IllegalArgumentException =
    new IllegalArgumentException(s"aggregations: ${shown(list)}: $why")

  private def shown(value: Any): String = value match {
    case several: Seq[_] => several.map(shown).mkString("[", ", ", "]")
    case text: String => s"'$text'"
    case other => String.valueOf(other)
  }
}
