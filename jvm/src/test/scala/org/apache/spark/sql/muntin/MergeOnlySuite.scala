package org.apache.spark.sql.muntin

import scala.collection.mutable

import io.muntin.api.Retracting
import org.apache.spark.sql.{functions, Column, Encoder, Encoders}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.execution.aggregate.ScalaAggregator
import org.apache.spark.sql.expressions.{Aggregator, UserDefinedAggregator, Window}
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Aggregates that Muntin runs only by Spark's interfaces. */
class MergeOnlySuite extends MuntinSession {
  import MergeOnlySuite._

  private val narrow = Seq(
    "ROWS 9 PRECEDING",
    "ROWS BETWEEN 3 PRECEDING AND 12 FOLLOWING",
    "ROWS BETWEEN 25 PRECEDING AND 20 PRECEDING",
    "RANGE BETWEEN 20 PRECEDING AND 20 FOLLOWING"
  )
  private val growing = Seq(
    "ROWS UNBOUNDED PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND 30 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
  )
  private val wide = Seq(
    "ROWS 40 PRECEDING",
    "ROWS BETWEEN 90 PRECEDING AND 30 PRECEDING",
    "ROWS BETWEEN 10 PRECEDING AND 50 FOLLOWING",
    "RANGE BETWEEN 200 PRECEDING AND 100 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .range(0, 400, 1, 1)
      .selectExpr(
        "cast(id AS int) AS id",
        "id % 3 AS k",
        "id * 5 AS t",
        "if(id % 11 = 0, null, id * 7919 % 101) AS x",
        "cast(id * 31 % 4 AS int) AS w",
        "cast(id * 17 % 9 AS double) AS d",
        "if(id % 13 = 0, null, concat('s', id * 7 % 29)) AS s"
      )
      .createOrReplaceTempView("t")
    RandomTable.create(spark, "every", rows = 120, seed = 3)
    spark.udf.register("listing", functions.udaf(Listing))
    spark.udf.register("queue", functions.udaf(Queue))
    spark.udf.register("weighted", functions.udaf(Weighted))
    spark.udf.register("weighted_back", functions.udaf(WeightedBack))
    spark.udf.register("dice", functions.udaf(Listing).asNondeterministic())
    Map[String, Seq[Expression] => Expression](
      "joined" -> (c => Joined(c.head)),
      "opaque" -> (c => Opaque(c.head)),
      "hashed" -> (c => Hashed(c.head)),
      "latest_of" -> (c => LatestOf(c)),
      "pivot_first" -> (c => PivotFirst(c(0), c(1), Seq(0, 1, 3)))
    ).foreach { case (name, builder) =>
      spark.sessionState.functionRegistry.createOrReplaceTempFunction(name, builder, "scala_udf")
    }
  }

  private def over(frame: String): String = s"OVER (PARTITION BY k ORDER BY t $frame)"

  private val filters = Seq("", "FILTER (WHERE w <> 1)").filter(RunningSpark.runsOver)

  /** In all frames at once; `@` marks the place of FILTER and OVER. */
  private def checkAll(function: String, frames: Seq[String]): Unit = {
    val columns =
      for ((frame, i) <- frames.zipWithIndex; filter <- filters)
        yield s"${function.replace("@", s" $filter ${over(frame)}")} AS a$i${filter.length}"
    sameRows(s"SELECT id, ${columns.mkString(",\n")} FROM t"): Unit
  }

  // Their merge is exact: equal results in every frame.
  Seq(
    "hex(count_min_sketch(x, 0.1D, 0.9D, 7)@)",
    "sha1(bitmap_construct_agg(bitmap_bit_position(x))@)",
    "percentile(x, 0.3D, w)@",
    "percentile(x, array(0.1D, 0.9D))@",
    "mode(x, true)@",
    "max_by(s, t, 3)@",
    "min_by(x, t, 2)@",
    "approx_count_distinct(x)@",
    "theta_sketch_estimate(theta_sketch_agg(x)@)",
    "kll_sketch_get_n_bigint(kll_sketch_agg_bigint(x)@)",
    "collect_list(s)@",
    "pivot_first(w, id)@",
    "listing(s)@",
    "queue(s)@",
    "weighted(x, w)@",
    "weighted_back(x, w)@",
    "joined(s)@",
    "opaque(x)@"
  ).filter(RunningSpark.hasFunctionsOf).foreach(f =>
    sampledTest(s"${f.replace("@", "")}: as stock Spark, in every frame")(checkAll(
      f,
      narrow ++ growing ++ wide
    ))
  )

  // Their merge rounds or estimates: equal results if rows are folded in order.
  Seq(
    "hll_sketch_estimate(hll_sketch_agg(x)@)",
    "histogram_numeric(x, 5)@"
  ).foreach { f =>
    sampledTest(s"${f.replace("@", "")}: as stock Spark where frames are narrow, or grow")(checkAll(
      f,
      narrow ++ growing
    ))
  }

  test("hll_sketch_agg: within its guarantee in wide frames") {
    wide.foreach { frame =>
      val counts = spark.sql(
        s"SELECT hll_sketch_estimate(hll_sketch_agg(x) OVER w), size(collect_set(x) OVER w) " +
          s"FROM t WINDOW w AS (PARTITION BY k ORDER BY t $frame)"
      )
      counts.collect().foreach { row =>
        assert(math.abs(row.getLong(0) - row.getInt(1)) <= math.max(1, row.getInt(1) / 20))
      }
    }
  }

  test("histogram_numeric: contains every value of wide frames") {
    wide.foreach { frame =>
      val counts = spark.sql(
        s"SELECT aggregate(histogram_numeric(d, 4) OVER w, 0D, (a, b) -> a + b.y), count(d) OVER w " +
          s"FROM t WINDOW w AS (PARTITION BY k ORDER BY t $frame)"
      )
      counts.collect().foreach { row =>
        val held = if (row.isNullAt(0)) 0.0 else row.getDouble(0)
        assert(held === row.getLong(1).toDouble)
      }
    }
  }

  test("product: equals stock Spark if products are exact") {
    val frame = Window.partitionBy("k").orderBy("t")
    Seq(
      frame.rowsBetween(-40, 3),
      frame.rowsBetween(-5, 0),
      frame.rowsBetween(Window.unboundedPreceding, 0)
    ).foreach { window =>
      val factor: Column = functions.expr("if(x % 2 = 0, 2D, 0.5D)")
      checkSame(spark.table("t").select(
        functions.col("id"),
        functions.product(factor).over(window).as("a")
      ))
    }
  }

  test("a user-defined window function") {
    checkSame("SELECT id, hashed(x) OVER (PARTITION BY k ORDER BY t) AS a FROM t")
  }

  sampledTest("values of every type reach an aggregate") {
    val names = RandomTable.columns.map(_.name)
    val frames = Seq("ROWS 2 PRECEDING", "ROWS 30 PRECEDING", "ROWS UNBOUNDED PRECEDING")
    frames.foreach { frame =>
      val over = s"OVER (ORDER BY id $frame)"
      checkSame(s"SELECT id, latest_of(${names.mkString(", ")}) $over AS a FROM every")
      val greatest =
        names.map(c => s"max_by($c, id, 3) $over AS $c").filter(RunningSpark.hasFunctionsOf)
      if (greatest.nonEmpty) checkSame(s"SELECT id, ${greatest.mkString(", ")} FROM every")
    }
    withConf(
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
      "spark.sql.codegen.wholeStage" -> "false"
    ) {
      checkSame(
        s"SELECT id, latest_of(${names.mkString(", ")}) OVER (ORDER BY id ROWS 30 PRECEDING) FROM every"
      )
    }
  }

  test("frames of several partitions and functions share only columns") {
    val narrow = "OVER (PARTITION BY k ORDER BY t ROWS 4 PRECEDING)"
    val wide = "OVER (PARTITION BY k ORDER BY t ROWS 50 PRECEDING)"
    val calls = Seq("listing(s)", "listing(concat(s, '!'))", "queue(s)", "mode(x, true)")
    val columns = for ((call, i) <- calls.zipWithIndex; (over, j) <- Seq(narrow, wide).zipWithIndex)
      yield filters.map(f => s"$call $f $over AS a$i$j${f.length}").mkString(", ")
    checkSame(s"SELECT id, ${columns.mkString(", ")} FROM t")
  }

  test("EXPLAIN shows the accumulators") {
    def frames(function: String, frame: String): String = {
      val made = spark.sql(s"SELECT id, $function ${over(frame)} AS a FROM t")
      muntinNodes(made).map(_.verboseStringWithOperatorId()).mkString
    }
    assert(frames("listing(s)", wide.head).contains("aligned blocks of 16"))
    assert(frames("joined(s)", wide.head).contains("aligned blocks of 16"))
    assert(frames("queue(s)", wide.head).contains("retracting"))
    assert(frames("opaque(x)", wide.head).contains("recomputed"))
    growing.foreach { frame =>
      Seq("listing(s)", "queue(s)", "opaque(x)").foreach { f =>
        assert(frames(f, frame).contains("running partial"), s"$f $frame")
      }
    }
  }

  test("Spark runs nondeterministic aggregates") {
    checkSame(s"SELECT id, dice(s) ${over(wide.head)} AS a FROM t", TakenOver.Nothing)
  }

  test("an aggregate over rows of its inputs, its encoders bound") {
    val inputs = Seq(AttributeReference("s", StringType)())
    val unbound = ScalaAggregator(
      functions.udaf(Listing).asInstanceOf[UserDefinedAggregator[String, Any, String]],
      inputs
    )
    val function = SparkAggregate.bindEncoders(unbound)
    Seq(function, SparkAggregate.bindEncoders(function)).foreach { bound =>
      val aggregate = SparkAggregate(bound, inputs)
      def over(values: String*): Any =
        aggregate.evaluate(values.iterator.map(v => InternalRow(UTF8String.fromString(v)))).toString
      assert(over("a", "b") === "a,b")
      assert(over() === "")
      assert(over("c") === "c")
    }
  }
}

object MergeOnlySuite {
  type Texts = mutable.ArrayBuffer[String]

  /** The values in order. A merge reuses its right side, and changes it. */
  class Lists extends Aggregator[String, Texts, String] {
    override def zero: Texts = mutable.ArrayBuffer.empty

    override def reduce(list: Texts, value: String): Texts = list += value

    override def merge(left: Texts, right: Texts): Texts = {
      right.insertAll(0, left)
      left.clear()
      right
    }

    override def finish(list: Texts): String = list.mkString(",")

    override def bufferEncoder: Encoder[Texts] = Encoders.kryo[Texts]

    override def outputEncoder: Encoder[String] = Encoders.STRING
  }

  object Listing extends Lists

  /** Fails if a row other than the oldest is retracted. */
  object Queue extends Lists with Retracting[String, Texts] {
    override def retract(list: Texts, value: String): Texts = {
      require(list.head == value, s"$value is not the oldest of $list")
      list.remove(0): Unit
      list
    }
  }

  final case class Weighing(value: java.lang.Long, weight: Int)
  final case class Weight(sum: Long, weights: Long)

  class Weighteds extends Aggregator[Weighing, Weight, Option[Double]] {
    override def zero: Weight = Weight(0L, 0L)

    override def reduce(w: Weight, in: Weighing): Weight =
      if (in.value == null) w else Weight(w.sum + in.value * in.weight, w.weights + in.weight)

    override def merge(a: Weight, b: Weight): Weight = Weight(a.sum + b.sum, a.weights + b.weights)

    override def finish(w: Weight): Option[Double] =
      if (w.weights == 0L) None else Some(w.sum.toDouble / w.weights)

    override def bufferEncoder: Encoder[Weight] = Encoders.product

    override def outputEncoder: Encoder[Option[Double]] =
      org.apache.spark.sql.catalyst.encoders.ExpressionEncoder[Option[Double]]()
  }

  object Weighted extends Weighteds

  object WeightedBack extends Weighteds with Retracting[Weighing, Weight] {
    override def retract(w: Weight, in: Weighing): Weight =
      if (in.value == null) w else Weight(w.sum - in.value * in.weight, w.weights - in.weight)
  }

  /** The concatenated strings. */
  final case class Joined(child: Expression)
      extends DeclarativeAggregate
      with UnaryLike[Expression] {
    private lazy val text = AttributeReference("text", StringType, nullable = false)()
    override def dataType: DataType = StringType
    override def nullable: Boolean = false
    override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(text)
    override lazy val initialValues: Seq[Expression] = Seq(Literal("/"))
    override lazy val updateExpressions: Seq[Expression] =
      Seq(Concat(Seq(text, Coalesce(Seq(child, Literal("-"))))))
    override lazy val mergeExpressions: Seq[Expression] =
      Seq(Concat(Seq(text.left, Substring(text.right, Literal(2), Literal(1000000)))))
    override lazy val evaluateExpression: Expression = text
    override protected def withNewChildInternal(newChild: Expression): Joined = copy(newChild)
  }

  private def hash(buffer: Expression, child: Expression): Expression =
    BitwiseXor(ShiftLeft(buffer, Literal(1)), Coalesce(Seq(child, Literal(3L))))

  /** An aggregate without a merge. */
  final case class Opaque(child: Expression)
      extends DeclarativeAggregate
      with UnaryLike[Expression] {
    private lazy val folded = AttributeReference("folded", LongType, nullable = false)()
    override def dataType: DataType = LongType
    override def nullable: Boolean = false
    override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(folded)
    override lazy val initialValues: Seq[Expression] = Seq(Literal(1L))
    override lazy val updateExpressions: Seq[Expression] = Seq(hash(folded, child))
    override lazy val mergeExpressions: Seq[Expression] = Option.empty[Seq[Expression]].get
    override lazy val evaluateExpression: Expression = folded
    override protected def withNewChildInternal(newChild: Expression): Opaque = copy(newChild)
  }

  /** A window function that Muntin does not support. */
  final case class Hashed(child: Expression)
      extends AggregateWindowFunction
      with UnaryLike[Expression] {
    private lazy val folded = AttributeReference("folded", LongType, nullable = false)()
    override def dataType: DataType = LongType
    override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(folded)
    override lazy val initialValues: Seq[Expression] = Seq(Literal(1L))
    override lazy val updateExpressions: Seq[Expression] = Seq(hash(folded, child))
    override lazy val evaluateExpression: Expression = folded
    override protected def withNewChildInternal(newChild: Expression): Hashed = copy(newChild)
  }

  /** The last row's values, as a struct. */
  final case class LatestOf(children: Seq[Expression]) extends DeclarativeAggregate {
    private lazy val fields = children.map(c => AttributeReference("latest", c.dataType)())
    override def dataType: DataType = evaluateExpression.dataType
    override def nullable: Boolean = false
    override lazy val aggBufferAttributes: Seq[AttributeReference] = fields
    override lazy val initialValues: Seq[Expression] = fields.map(f => Literal(null, f.dataType))
    override lazy val updateExpressions: Seq[Expression] = children
    override lazy val mergeExpressions: Seq[Expression] = fields.map(_.right)
    override lazy val evaluateExpression: Expression = CreateStruct(fields)
    override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): LatestOf = copy(c)
  }
}
