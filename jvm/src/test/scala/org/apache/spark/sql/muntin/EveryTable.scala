package org.apache.spark.sql.muntin

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import io.muntin.kernel.Abilities
import org.apache.spark.sql.{functions, AnalysisException, Row}
import org.apache.spark.sql.catalyst.expressions.{RuntimeReplaceable, WindowExpression}
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.EveryFunction._
import org.apache.spark.sql.muntin.EveryWindow.{Member, Origin}
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.types._

/**
 * A table with arguments for every function, the results of stock Spark's GROUP BY over any of its
 * rows, and the comparison of a query with them.
 */
trait EveryTable extends AggregatesOfRows {
  private val count = 80

  private val seconds = s"$Origin + second"

  /** The inputs of an aggregate that merges, if the Spark has the aggregate. */
  private val partials = Seq(
    "hll_sketch_agg(i32)" -> "hll",
    "theta_sketch_agg(i32)" -> "theta",
    "kll_sketch_agg_bigint(i64)" -> "klli",
    "kll_sketch_agg_double(y)" -> "klld",
    "kll_sketch_agg_float(f)" -> "kllf",
    "tuple_sketch_agg_integer(i32, id)" -> "tuplei",
    "tuple_sketch_agg_double(i32, y)" -> "tupled",
    "approx_top_k_accumulate(i8)" -> "top",
    "bitmap_construct_agg(bitmap_bit_position(abs(i32)))" -> "bits",
    "partial(sum(i64))" -> "psum",
    "partial(max(i32))" -> "pmax",
    "partial(first(s))" -> "pfirst",
    "partial(median(i32))" -> "pmedian",
    "partial(var_samp(y))" -> "pvar"
  ).filter { case (call, _) => RunningSpark.hasFunctionsOf(call) }

  protected final lazy val (schema: StructType, data: Seq[Row]) = {
    RandomTable.create(spark, "values", rows = count, seed = 31)
    val made = spark.sql(
      s"""SELECT id,
         |  CASE WHEN id % 15 = 7 THEN NULL WHEN id % 5 = 4 THEN 'b' ELSE 'a' END AS k,
         |  ${RandomTable.columns.map(_.name).mkString(", ")},
         |  timestamp_seconds($seconds) AS at,
         |  timestamp_seconds($Origin + second DIV 3 * 3) AS tied,
         |  IF(id % 29 = 3, NULL, timestamp_seconds($seconds + 1 + id * 37 % 20)) AS until,
         |  ${partials.map { case (call, name) => s"$call OVER one AS $name" }.mkString(", ")}
         |FROM (SELECT *, id + IF(id > 45, 60, 0) AS second FROM values)
         |WINDOW one AS (PARTITION BY id)""".stripMargin
    )
    (made.schema, made.collect().toSeq.sortBy(_.getInt(0)))
  }

  protected final lazy val members: Seq[Member] = data.map { row =>
    def second(name: String) =
      Option(row.getAs[java.sql.Timestamp](name)).map(t => (t.getTime / 1000L - Origin).toInt)
    Member(
      row.getInt(0),
      Option(row.getString(1)).getOrElse("null"),
      second("at").get,
      second("tied").get,
      second("until"),
      row.getAs[Any]("flag") == true
    )
  }

  // Compiling generated code for all these functions takes longer than running them.
  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    registerFunctions()
    table(data).createOrReplaceTempView("t")
  }

  /** The windows whose results the suite compares: stock Spark computes only their rows. */
  protected def compared: Seq[EveryWindow]

  /** Returns true if every sample runs the window: only two windows accept functions of a row. */
  protected final def isRequired(window: EveryWindow): Boolean = window.kinds(OfRow)

  /** Returns the functions that some window of `windows` accepts, and no window of `selected`. */
  protected final def unselected(
      windows: Seq[EveryWindow],
      selected: Seq[EveryWindow]
  ): Seq[EveryFunction] = {
    val untested = windows.flatMap(_.kinds).toSet -- selected.flatMap(_.kinds)
    EveryFunction.all.filter(f => untested(f.kind))
  }

  protected final def table(rows: Seq[Row]): DataFrame =
    Tables.of(spark, rows, schema)

  /** The functions by the names of their columns. */
  protected final def named(functions: Seq[EveryFunction]): Seq[(String, String)] =
    functions.zipWithIndex.map { case (f, i) => s"c$i" -> f.call }

  /** The query of a window, with the compared part of each function. */
  protected final def sql(window: EveryWindow, functions: Seq[EveryFunction]): String = {
    val shown = functions.zipWithIndex.map { case (f, i) => s"${f.of(s"c$i")} AS c$i" }
    s"SELECT w, ${shown.mkString(", ")} FROM (${window.query(named(functions))})"
  }

  /** Returns stock Spark's results of these functions over each list of rows. */
  private final class Plain(all: Seq[EveryFunction], lists: Seq[Seq[Int]]) {
    private val asked = all.filter(f => f.kind == Aggregate || f.kind == Framed)

    private val found = mutable.HashMap.empty[(Int, EveryFunction), Any]

    locally {
      val rows = for ((ids, i) <- lists.zipWithIndex; (id, j) <- ids.zipWithIndex)
        yield Row(i, j, id)
      val fields =
        Seq("list", "place", "member").map(StructField(_, IntegerType, nullable = false))
      Tables.of(spark, rows, StructType(fields))
        .join(functions.broadcast(table(data)), functions.expr("id = member"))
        .createOrReplaceTempView("listed")
      // In their order, and never merged; GROUP BY runs functions that stock Spark rejects in OVER.
      val (grouped, whole) = asked.partition(_.isGroupedAlone)
      withMuntin(enabled = false) {
        whole.grouped(40).foreach { some =>
          val values = some.zipWithIndex.map { case (f, i) => s"${f.plain} OVER w AS c$i" }
          val shown = some.zipWithIndex.map { case (f, i) => f.of(s"c$i") }
          add(some)(
            s"SELECT list, ${shown.mkString(", ")} FROM (SELECT list, place, " +
              s"${values.mkString(", ")} FROM listed WINDOW w AS (PARTITION BY list)) " +
              "WHERE place = 0"
          )
        }
        grouped.foreach(f =>
          add(Seq(f))(s"SELECT list, ${f.of(f.plain)} FROM listed GROUP BY list")
        )
        val empty = "(ORDER BY place ROWS BETWEEN 999 PRECEDING AND 998 PRECEDING)"
        whole.grouped(40).foreach { some =>
          val values = some.zipWithIndex.map { case (f, i) => s"${f.plain} OVER $empty AS c$i" }
          val shown = some.zipWithIndex.map { case (f, i) => f.of(s"c$i") }
          add(some)(
            s"SELECT -1, ${shown.mkString(", ")} FROM (SELECT ${values.mkString(", ")} " +
              "FROM listed WHERE list = 0 AND place = 0)"
          )
        }
        grouped.foreach(f => add(Seq(f))(s"SELECT -1, ${f.of(f.plain)} FROM listed WHERE list < 0"))
      }
    }

    private def add(some: Seq[EveryFunction])(query: String): Unit =
      spark.sql(query).collect().foreach { row =>
        some.zip(row.toSeq.tail).foreach { case (f, v) => found((row.getInt(0), f)) = v }
      }

    private val numbers = lists.zipWithIndex.toMap

    def apply(function: EveryFunction, ids: Seq[Int]): Any =
      found((if (ids.isEmpty) -1 else numbers(ids), function))
  }

  private lazy val plain = new Plain(
    EveryFunction.all,
    compared.flatMap(_.rows(members)).flatMap(_._2).map(_.map(_.id)).filter(_.nonEmpty).distinct
  )

  private val ofRows = mutable.HashMap.empty[String, Map[String, Seq[Any]]]

  /** Returns the accumulators that Muntin uses for the functions if no row leaves their frames. */
  protected final def whereRowsStay(
      functions: Seq[EveryFunction]
  ): Map[EveryFunction, Seq[Abilities]] = {
    table(data).createOrReplaceTempView("t")
    val columns = named(functions).map { case (name, call) => s"$call OVER (ORDER BY at) AS $name" }
    val windows = spark.sql(s"SELECT ${columns.mkString(", ")} FROM t").queryExecution.analyzed
      .collect { case w: Window => w.windowExpressions }
      .flatten
      .flatMap(e => e.collect { case w: WindowExpression => e.name -> w })
      .toMap
    functions.zip(named(functions)).map { case (f, (name, _)) =>
      val window = windows(name).transform { case r: RuntimeReplaceable => r.replacement }
      f -> WindowFunctions.plan(
        window.asInstanceOf[WindowExpression]
      ).get.abilitiesIn(FrameKind.Growing)
    }.toMap
  }

  /** Returns the results of stock Spark's windows: the expected ranks, and rows at a distance. */
  private def stock(window: EveryWindow): Map[String, Seq[Any]] = ofRows.getOrElseUpdate(
    window.name, {
      table(data).createOrReplaceTempView("t")
      withMuntin(enabled = false) {
        byName(spark.sql(sql(window, EveryFunction.all.filter(_.kind == OfRow))).collect().toSeq)
      }
    }
  )

  private def byName(rows: Seq[Row]): Map[String, Seq[Any]] =
    rows.map(row => row.getString(0) -> row.toSeq.tail).toMap

  private def wanted(
      window: EveryWindow,
      function: EveryFunction,
      name: String,
      rows: Option[Seq[Member]]
  ): Any =
    if (function.kind == OfRow) {
      stock(window)(name)(EveryFunction.all.filter(_.kind == OfRow).indexOf(function))
    } else rows.fold[Any](null)(in => plain(function, in.map(_.id)))

  /** Returns the pairs of a window and a function with wrong rows. */
  private def differences(
      window: EveryWindow,
      functions: Seq[EveryFunction],
      rows: Seq[Row],
      mayMiss: Set[String]
  ): Seq[String] = {
    val expected = window.rows(members)
    val found = byName(rows)
    val names = expected.map(_._1).toSet
    val missing = names -- found.keySet -- mayMiss
    val other = found.keySet -- names
    val twice = rows.groupBy(_.getString(0)).filter(_._2.size > 1).keys
    val ofWindows = Seq("missing" -> missing, "not expected" -> other, "twice" -> twice).collect {
      case (what, some) if some.nonEmpty =>
        s"$window: windows $what: ${some.take(9).mkString(", ")}"
    }
    val ofFunctions = functions.zipWithIndex.flatMap { case (function, i) =>
      expected.iterator
        .filter { case (name, _) => found.contains(name) }
        .map { case (name, in) =>
          (name, in, found(name)(i), wanted(window, function, name, in))
        }
        .collectFirst {
          case (name, in, is, should) if !isSame(function.equal, is, should) =>
            s"$function in $window: at $name it is ${shown(is)}, expected ${shown(should)}, of the " +
              s"rows ${in.fold("none")(_.map(_.id).mkString(" "))}"
        }
    }
    ofWindows ++ ofFunctions
  }

  /** Returns the results of `run` for these functions; runs each failed function separately. */
  protected final def answers(
      window: EveryWindow,
      functions: Seq[EveryFunction],
      mayMiss: Set[String] = Set.empty
  )(run: Seq[EveryFunction] => Seq[Row]): Seq[String] =
    Try(run(functions)) match {
      case Success(rows) => differences(window, functions, rows, mayMiss)
      case Failure(error) if functions.size == 1 =>
        Seq(s"${functions.head} in $window fails: ${String.valueOf(error.getMessage).take(300)}")
      case _ =>
        val (some, others) = functions.splitAt(functions.size / 2)
        Seq(some, others).flatMap(answers(window, _, mayMiss)(run))
    }

  private def shown(value: Any): String = value match {
    case bytes: Array[Byte] if bytes.length > 40 => s"${bytes.length} bytes"
    case other => streaming.Rendered(other)
  }

  private def isSame(equal: Equal, is: Any, should: Any): Boolean = (equal, is, should) match {
    case (Near, x: Double, y: Double) => Outcome.near(x, y)
    case (Elements, x: scala.collection.Seq[_], y: scala.collection.Seq[_]) =>
      x.map(streaming.Rendered(_)).sorted == y.map(streaming.Rendered(_)).sorted
    case _ => same(is, should)
  }

  /** Returns the fault of a rejection, if any; `says` is the expected text. */
  protected final def unclear(where: String, says: String)(query: => DataFrame): Option[String] =
    Try(query.queryExecution.executedPlan) match {
      case Failure(e: AnalysisException)
          if !e.getMessage.contains("INTERNAL_ERROR") && e.getMessage.contains(says) =>
        None
      case Failure(other) => Some(s"$where is refused by $other")
      case Success(_) => Some(s"$where is not refused")
    }
}
