package org.apache.spark.sql.muntin

import scala.collection.mutable

import io.muntin.kernel.columns.{LongColumn, Slots}
import io.muntin.kernel.motions.GroupMotion
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.groups.{GroupFrame, GroupWindowPlan, GroupWindowing}
import org.apache.spark.sql.muntin.expressions.common.{Definition, SqlFunction}
import org.apache.spark.sql.types._

/** Every aggregate in windows whose rows leave in another order than they enter. */
class ScatteredAggregatesSuite extends AggregatesOfRows {
  import ScatteredAggregatesSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 260, seed = 23)
    registerFunctions()
    spark.sessionState.functionRegistry
      .createOrReplaceTempFunction("staying", Staying(_), "scala_udf")
  }

  private val until = "id + 1 + (id * 37) % 160"

  private def groupBy(key: String, calls: Seq[String]): String =
    s"SELECT staying.at, ${calls.mkString(",\n ")} FROM t GROUP BY $key, staying(id, $until)"

  private def check(calls: Seq[String], frames: Map[Int, Seq[Int]], rows: Map[Int, Row]): Unit = {
    val wanted = expected(calls, frames)
    assert(rows.keySet === frames.keySet)
    for ((window, row) <- rows; i <- calls.indices) {
      val (got, want) = (row.get(i), wanted(window).get(i))
      if (!same(got, want)) fail(s"${calls(i)} over ${frames(window)} is $got, expected $want")
    }
  }

  private def checkAll(key: String, calls: Seq[String]): Unit = {
    val members = spark.sql(s"SELECT id, $key, $until FROM t ORDER BY id").collect()
    val frames = members.map { row =>
      val there = members.takeWhile(_.getInt(0) <= row.getInt(0)).filter { other =>
        other.get(1) == row.get(1) && (other.getInt(2) > row.getInt(0) || other == row)
      }
      row.getInt(0) -> there.map(_.getInt(0)).toSeq
    }.toMap
    // More than one block of rows.
    assert(frames.values.map(_.size).max > 16)
    val rows = spark.sql(groupBy(key, calls)).collect()
    check(calls, frames, rows.map(row => row.getInt(0) -> Row.fromSeq(row.toSeq.tail)).toMap)
  }

  for ((calls, i) <- functions.grouped(8).zipWithIndex)
    sampledTest(s"functions $i: ${calls.head} …", most = 2)(checkAll("k", calls))

  sampledTest("in one large group") {
    checkAll("id * 0", functions)
  }

  sampledTest("in one large group, on disk") {
    withConf("spark.muntin.over.forceSpill" -> "true")(checkAll("id * 0", functions))
  }

  sampledTest("validity: each function over the rows of each interval") {
    // Starts and ends that are often equal, gaps, rows that are valid never and forever.
    spark.sql(
      """SELECT *, pmod(hash(id), 197) AS a, CASE WHEN pmod(hash(id, 2), 29) = 0 THEN NULL
        |  ELSE pmod(hash(id), 197) + pmod(hash(id, 1), 24) * pmod(hash(id, 3), 5) END AS b
        |FROM t""".stripMargin
    ).repartition(1).sortWithinPartitions("id").createOrReplaceTempView("spans")
    val spans = spark.sql("SELECT k, id, a, b FROM spans").collect().toSeq.map { r =>
      ValiditySuite.Span(
        Option(r.get(0)),
        r.getInt(1),
        r.getInt(2),
        Option(r.get(3)).map(_.asInstanceOf[Int])
      )
    }
    val pieces = spans.groupBy(_.k).values.toSeq.flatMap { group =>
      ValiditySuite.pieces(group.sortBy(r => (r.start, r.id)))
    }
    // More than one block of rows.
    assert(pieces.map(_.rows.size).max > 16)
    val windows = pieces.map(p => (p.rows.head.k, p.from)).zipWithIndex.toMap
    functions.grouped(20).foreach { calls =>
      val rows = spark.sql(
        s"SELECT k, validity.start, ${calls.mkString(", ")} FROM spans GROUP BY k, validity(a, b)"
      ).collect().map { row =>
        windows((Option(row.get(0)), row.getInt(1))) -> Row.fromSeq(row.toSeq.drop(2))
      }.toMap
      check(calls, pieces.indices.map(i => i -> pieces(i).rows.map(_.id)).toMap, rows)
    }
  }

  test("over rows that all fail the filter") {
    val plain = functions.filterNot(f => f.contains("FILTER") || f.startsWith("partial"))
    val filtered = plain.map(_ + " FILTER (WHERE id < 0)")
    checkAll("k", filtered)
  }

  test("partials in and out") {
    val made = Seq("sum(i64)", "avg(d18)", "var_pop(y)", "count(*)", "collect_list(s)", "mode(i8)")
    checkSameSets(made, made.map(call => s"merge_partial(${call.replaceAll("\\(.*", "(p)")})"))
  }

  test("Odysseus' PRE_AGG and AGG: partials of two sites over validity, merged over validity") {
    spark.sql(
      """SELECT *, pmod(hash(id), 50) AS a, pmod(hash(id), 50) + pmod(hash(id, 1), 20) AS b
        |FROM t""".stripMargin
    ).createOrReplaceTempView("elements")
    spark.sql(
      """SELECT id % 2 AS site, validity, partial(count(id)) AS count, partial(sum(id)) AS avgsum,
        |  partial(min(id)) AS min, partial(max(id)) AS max, partial(median(id)) AS median
        |FROM elements GROUP BY site, validity(a, b)""".stripMargin
    ).createOrReplaceTempView("pre_agg")
    val merged = spark.sql(
      """SELECT validity(validity.start, validity.end) AS w, merge_partial(count(count)),
        |  merge_partial(sum(avgsum)), merge_partial(avg(avgsum)), merge_partial(min(min)),
        |  merge_partial(max(max)), merge_partial(median(median))
        |FROM pre_agg GROUP BY validity(validity.start, validity.end)""".stripMargin
    ).collect().toSeq
    val direct = spark.sql(
      """SELECT validity, count(id), sum(id), avg(id), min(id), max(id), median(id)
        |FROM elements GROUP BY validity(a, b)""".stripMargin
    ).collect().toSeq
    assert(direct.size > 50)
    assert(merged === direct)
  }

  private def checkSameSets(calls: Seq[String], merging: Seq[String]): Unit =
    calls.zip(merging).foreach { case (call, merged) =>
      val partials = spark.sql(s"SELECT id, k, partial($call) AS p FROM t GROUP BY id, k")
      partials.createOrReplaceTempView("partials")
      def rows(sql: String) = spark.sql(sql).collect().map(r => r.getInt(0) -> r.get(1)).toMap
      val direct = rows(groupBy("k", Seq(call)))
      val whole = rows(groupBy("k", Seq(merged)).replace("FROM t", "FROM partials"))
      direct.foreach { case (at, value) =>
        assert(same(whole(at), value), s"$merged at $at: ${whole(at)}, expected $value")
      }
      val again = rows(
        s"SELECT at, merge_partial(${call.replaceAll("\\(.*", "(p)")}) FROM (" +
          s"${groupBy("k", Seq(s"partial($call) AS p"))}) GROUP BY at"
      )
      direct.foreach { case (at, value) =>
        assert(same(again(at), value), s"$call kept at $at: ${again(at)}, expected $value")
      }
    }

  test("EXPLAIN names the accumulators") {
    val calls = Seq(
      "sum(i32)" -> "exact sum",
      "max_by(id, i8)" -> "tournament of rows",
      "first(s)" -> "linked rows",
      "listagg(s) WITHIN GROUP (ORDER BY i8)" -> "linked rows, sorted positions",
      "bit_or(i32)" -> "counts of bits",
      "approx_count_distinct(s)" -> "HyperLogLog, counted ranks",
      "queue(coalesce(s, '?'))" -> "aligned tree of blocks of 16",
      "opaque(i64)" -> "recomputed"
    )
    calls.foreach { case (call, name) =>
      val text = spark.sql(s"EXPLAIN FORMATTED ${groupBy("k", Seq(call))}").head().getString(0)
      assert(text.linesIterator.exists(_.endsWith(s": $name")), text)
    }
  }
}

object ScatteredAggregatesSuite {
  val functions: Seq[String] = FramedSuite.functionsOfAllFamilies ++ Seq(
    "nth(s, 2)",
    "nth(id, 3) FILTER (WHERE flag)",
    "rate(id, id + 1 + abs(i8))",
    "completeness(i32)",
    "min(st)",
    "max_by(s, i8) FILTER (WHERE flag)",
    "max(DISTINCT i16)",
    "collect_list(i32) FILTER (WHERE i8 > 0)",
    "collect_set(i64)",
    "collect_set(x) FILTER (WHERE flag)",
    "bit_and(i8)",
    "bit_or(i16) FILTER (WHERE flag)",
    "opaque(i64) FILTER (WHERE flag)",
    "listagg(s, '|') WITHIN GROUP (ORDER BY i8, s DESC) FILTER (WHERE flag)",
    "collect_list(DISTINCT i8) FILTER (WHERE flag)",
    "listing(DISTINCT coalesce(s, '?'))",
    "partial(sum(i64))",
    "partial(count(i8))",
    "partial(first(s))"
  ).filter(f => RunningSpark.listsOnce("x") || !f.startsWith("collect_set(x)"))

  /** Each row stays for the windows of later rows that arrive before its `until`. */
  final case class Staying(at: Expression, until: Expression) extends GroupWindowPlan.Own {
    override def function: SqlFunction = Staying
    override def children: Seq[Expression] = Seq(at, until)
    override def dataType: StructType = new StructType().add("at", IntegerType)
    override def order: Seq[SortOrder] = Seq(SortOrder(at, Ascending))
    override def plan: GroupWindowPlan = StayingPlan(this)
    override protected def argumentsSql: Seq[String] = Nil
    override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): Staying =
      Staying(c(0), c(1))
  }

  object Staying extends SqlFunction {
    override def definition: Definition = Definition(
      "staying",
      Seq("at", "until").map(Definition.required),
      usage = "_FUNC_(at, until)",
      arguments = "\n    Arguments:\n",
      query = "SELECT 1",
      rows = Seq("1"),
      group = "datetime_funcs",
      since = "0.1.0"
    )
    override protected def build: PartialFunction[Seq[Expression], Expression] = {
      case Seq(at, until) => Staying(at, until)
    }
  }

  final case class StayingPlan(window: Staying) extends GroupWindowPlan {
    override def kinds: Seq[FrameKind] = Seq(FrameKind.Scattered)
    override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): StayingPlan =
      StayingPlan(c.head.asInstanceOf[Staying])
    override def build(frame: GroupFrame, track: Int): GroupWindowing = new GroupWindowing {
      private def longs(column: io.muntin.kernel.columns.Column) = column.asInstanceOf[LongColumn]
      override val motion: StayingMotion = new StayingMotion(
        frame.slots.get,
        longs(frame.arriving(window.at)),
        longs(frame.column(window.until))
      )
      override def write(target: InternalRow): Unit = target.setInt(0, motion.now.toInt)
    }
  }

  final class StayingMotion(slots: Slots, ats: LongColumn, untils: LongColumn) extends GroupMotion {
    private val there = mutable.ArrayBuffer.empty[Int]
    private var taken = 0L
    var now = 0L

    override def evicts: Boolean = true
    override def start: Long = 0L
    override def end: Long = taken
    override def size: Long = slots.size.toLong
    override def floor: Long = taken

    override def startPartition(): Unit = {
      clear()
      slots.clear()
      there.clear()
      taken = 0L
    }

    override def arrive(arrived: Long): Unit = ()

    override def next(arrived: Long, ended: Boolean): Boolean = taken < arrived && {
      now = ats(taken)
      there.filter(slot => untils(slot.toLong) <= now).sortBy(s => untils(s.toLong)).foreach { s =>
        leave(s.toLong, s + 1L)
        slots.give(s)
        there -= s
      }
      val slot = slots.take(taken)
      there += slot
      enter(slot.toLong, slot + 1L)
      taken += 1
      true
    }
  }
}
