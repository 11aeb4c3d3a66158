package org.apache.spark.sql.muntin

import scala.collection.mutable

import io.muntin.kernel.{GroupMotion, LongColumn, Slots}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.muntin.execution._
import org.apache.spark.sql.muntin.expressions.{GroupWindow, SqlFunction}
import org.apache.spark.sql.types._

/** Every aggregate in windows whose rows leave in another order than that in which they came. */
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

  private def checkAll(key: String, calls: Seq[String]): Unit = {
    val members = spark.sql(s"SELECT id, $key, $until FROM t ORDER BY id").collect()
    val frames = members.map { row =>
      val there = members.takeWhile(_.getInt(0) <= row.getInt(0)).filter { other =>
        other.get(1) == row.get(1) && (other.getInt(2) > row.getInt(0) || other == row)
      }
      row.getInt(0) -> there.map(_.getInt(0)).toSeq
    }.toMap
    assert(frames.values.map(_.size).max > 20)
    val wanted = expected(calls, frames)
    val rows = spark.sql(groupBy(key, calls)).collect()
    assert(rows.map(_.getInt(0)).sorted.toSeq === frames.keys.toSeq.sorted)
    rows.foreach { row =>
      calls.indices.foreach { i =>
        val (got, want) = (row.get(i + 1), wanted(row.getInt(0)).get(i))
        if (!same(got, want)) {
          fail(s"${calls(i)} over ${frames(row.getInt(0))} is $got, expected $want")
        }
      }
    }
  }

  for ((calls, i) <- functions.grouped(8).zipWithIndex)
    test(s"functions $i: ${calls.head} …")(checkAll("k", calls))

  test("in one large group") {
    checkAll("id * 0", functions)
  }

  test("over rows of which none passes the filter") {
    val plain = functions.filterNot(f => f.contains("FILTER") || f.startsWith("partial"))
    val filtered = plain.map(_ + " FILTER (WHERE id < 0)")
    checkAll("k", filtered)
  }

  test("partials in and out") {
    val made = Seq("sum(i64)", "avg(d18)", "var_pop(y)", "count(*)", "collect_list(s)", "mode(i8)")
    checkSameSets(made, made.map(call => s"merge_partial(${call.replaceAll("\\(.*", "(p)")})"))
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

  test("EXPLAIN names what runs") {
    val calls = Seq(
      "sum(i32)" -> "exact sum",
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
  val functions: Seq[String] = FramedSuite.functionsOfAllFamilies
    .filterNot(_.matches("(min|max|min_by|max_by|bool_and)\\((?!s, id, 2).*")) ++ Seq(
    "nth(s, 2)",
    "nth(id, 3) FILTER (WHERE flag)",
    "rate(id, id + 1 + abs(i8))",
    "completeness(i32)",
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
  )

  /** Each row stays for the windows of the rows after it that come before its `until`. */
  final case class Staying(at: Expression, until: Expression) extends GroupWindow {
    override def function: SqlFunction = Staying
    override def children: Seq[Expression] = Seq(at, until)
    override def dataType: StructType = new StructType().add("at", IntegerType)
    override def order: Seq[SortOrder] = Seq(SortOrder(at, Ascending))
    override def scatters: Boolean = true
    override def plan(known: Option[Any]): GroupPlan = StayingPlan(this)
    override protected def argumentsSql: Seq[String] = Nil
    override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): Staying =
      Staying(c(0), c(1))
  }

  object Staying extends SqlFunction {
    override val name: String = "staying"
    override val parameters: Seq[InputParameter] = Seq(required("at"), required("until"))
    override val usage: String = "_FUNC_(at, until)"
    override val example: SqlFunction.Example = SqlFunction.Example("SELECT 1", "1")
    override protected def build: PartialFunction[Seq[Expression], Expression] = {
      case Seq(at, until) => Staying(at, until)
    }
  }

  final case class StayingPlan(window: Staying) extends GroupPlan {
    override def sql: String = window.sql
    override def scatters: Boolean = true
    override def build(frame: GroupFrame): GroupWindowing = new GroupWindowing {
      private def longs(column: io.muntin.kernel.Column) = column.asInstanceOf[LongColumn]
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
