package org.apache.spark.sql.muntin

import org.apache.spark.sql.{functions, Row}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{IntegerType, StructType}

/** The results of aggregates over given rows of RandomTable `t`. */
trait AggregatesOfRows extends MuntinSession {

  /** User-defined aggregates: `listing`, `queue`, `joined`, `opaque`. */
  protected final def registerFunctions(): Unit = {
    spark.udf.register("listing", functions.udaf(MergeOnlySuite.Listing))
    spark.udf.register("queue", functions.udaf(MergeOnlySuite.Queue))
    Map[String, Seq[Expression] => Expression](
      "joined" -> (c => MergeOnlySuite.Joined(c.head)),
      "opaque" -> (c => MergeOnlySuite.Opaque(c.head))
    ).foreach { case (name, builder) =>
      spark.sessionState.functionRegistry.createOrReplaceTempFunction(name, builder, "scala_udf")
    }
  }

  /** Returns the results of a function for each of these sequences of rows. */
  protected final def expected(calls: Seq[String], frames: Map[Int, Seq[Int]]): Map[Int, Row] = {
    val data = for ((row, ids) <- frames.toSeq; (id, position) <- ids.zipWithIndex)
      yield Row(row, position, id)
    val schema = new StructType()
      .add("frame_of", IntegerType, nullable = false)
      .add("position", IntegerType, nullable = false)
      .add("member", IntegerType, nullable = false)
    Tables.of(spark, data, schema).createOrReplaceTempView("members")
    // Not all frames FOLLOWING: Spark converts first to nth_value then, and drops its FILTER.
    val whole = "(PARTITION BY frame_of ORDER BY position " +
      "ROWS BETWEEN UNBOUNDED PRECEDING AND 1000 FOLLOWING)"
    val nothing = "(ORDER BY id ROWS BETWEEN 1000 PRECEDING AND 999 PRECEDING)"
    val columns = calls.map(c => s"$c OVER $whole")
    val filled = spark
      .sql(
        s"SELECT frame_of, position, ${columns.mkString(", ")} FROM members JOIN t ON t.id = member"
      )
      .collect()
      .filter(_.getInt(1) == 0)
      .map(row => row.getInt(0) -> Row.fromSeq(row.toSeq.drop(2)))
      .toMap
    val empty =
      spark.sql(s"SELECT ${calls.map(c => s"$c OVER $nothing").mkString(", ")} FROM t").head()
    frames.map { case (row, _) => row -> filled.getOrElse(row, empty) }
  }

  protected final def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double) => java.lang.Double.compare(x, y) == 0
    case (x: Float, y: Float) => java.lang.Float.compare(x, y) == 0
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.equals(x, y)
    case (x: scala.collection.Seq[_], y: scala.collection.Seq[_]) =>
      x.size == y.size && x.zip(y).forall { case (i, j) => same(i, j) }
    case (x: Row, y: Row) => same(x.toSeq, y.toSeq)
    case (x, y) => x == y
  }
}
