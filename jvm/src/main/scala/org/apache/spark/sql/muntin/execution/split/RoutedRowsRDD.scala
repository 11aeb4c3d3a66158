package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Dependency, NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.OwnShuffle
import org.apache.spark.util.MutablePair

/** A task of an exchange by range: it reads what some `mappers` wrote of the partition at `of`. */
private[split] final case class Route(of: Int, mappers: Range)

/**
 * The rows of a shuffle, each with the segment that it goes to. A task reads mapper by mapper, so
 * that rows come out of a segment in the order in which they came. Behind its last row it sends one
 * row of counts: how many of its rows are in each segment, and for how many of these each of
 * `conditions` is true.
 *
 *     segments A, B and C; the mapper wrote the rows that have its number
 *     route of mappers 0 and 1      A: a0 a1    B: b0         C: c1    counts 2 1 1
 *     route of mappers 2 and 3      A: a2       B: b2 b3      C:       counts 1 2 0
 *     a chunk of B and C            reads b0 c1, then b2 b3; 3 rows lie before it
 */
private[split] final class RoutedRowsRDD(
    ofMappers: RDD[InternalRow],
    routes: Array[Route],
    exchanged: Array[ExchangedPartition],
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute],
    conditions: Seq[Expression]
) extends RDD[Product2[Int, InternalRow]](ofMappers.context, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] = {
    val mappers = routes.map(_.mappers)
    Seq(new NarrowDependency(ofMappers) {
      override def getParents(route: Int): Seq[Int] = mappers(route)
    })
  }

  override protected def getPartitions: Array[Partition] = routes.zipWithIndex.map {
    case (route, i) =>
      new RoutePartition(i, route.of, route.mappers.map(firstParent[InternalRow].partitions(_)))
  }

  override def compute(
      split: Partition,
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val route = split.asInstanceOf[RoutePartition]
    val rows = firstParent[InternalRow]
    val order = new CutOrder(sortOrder, keys, input)
    new RoutedRows(
      new RowsOfMappers(route.mappers.iterator.map(rows.iterator(_, context))),
      exchanged(route.of),
      order,
      conditions.map(Predicate.create(_, input)).toArray
    )
  }
}

private final class RoutePartition(val index: Int, val of: Int, val mappers: Seq[Partition])
    extends Partition

private final class RoutedRows(
    rows: Iterator[InternalRow],
    exchanged: ExchangedPartition,
    order: CutOrder,
    conditions: Array[BasePredicate]
) extends Iterator[Product2[Int, InternalRow]] {
  private val segments = exchanged.segments
  private val counts = new SegmentCounts(segments.size, conditions.length)
  private val routed = new MutablePair[Int, InternalRow]
  private val copies = !OwnShuffle.writesRowsAtOnce
  private var near = 0
  private var isEnded = false

  override def hasNext: Boolean = !isEnded

  override def next(): Product2[Int, InternalRow] =
    if (rows.hasNext) {
      val row = rows.next()
      near = segments.of(row, near, order)
      counts.add(near, row, conditions)
      routed.update(exchanged.first + near, if (copies) row.copy() else row)
    } else if (isEnded) throw new NoSuchElementException
    else {
      isEnded = true
      routed.update(exchanged.ofCounts, counts.row)
    }
}
