package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.Stripe
import org.apache.spark.sql.muntin.spark.PackedShuffle

/**
 * A partition that is exchanged. The exchange's partition `first` and the following partitions are
 * the segments; the next one has the counts of rows in segments. `routes`: the tasks that wrote
 * them.
 */
private[split] final case class ExchangedPartition(segments: Segments, first: Int, routes: Range) {
  def ofCounts: Int = first + segments.size
}

/**
 * Exchanges partitions of a shuffle again, by range: a chunk reads only the segments that contain
 * it and its halo (see Segments). The exchange is a shuffle within the job of the stage that reads
 * it: Spark's scheduler runs its tasks before the tasks of the stage.
 */
private[split] final class RangeExchange(
    val dependency: PackedShuffle.Shuffle[Stripe],
    exchanged: Array[ExchangedPartition],
    routed: RoutedStripes,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  /** Returns the source of a chunk of the partition at `of`. */
  def source(
      of: Int,
      chunk: ChunkRows,
      order: CutOrder,
      context: TaskContext
  ): ChunkSource =
    new SegmentSource(exchanged(of), chunk, order, context)

  private def read(
      routes: Range,
      from: Int,
      until: Int,
      context: TaskContext
  ): Iterator[Stripe] = PackedShuffle.read(dependency, routes, from, until, context, metrics)

  /**
   * Reads the segments of a partition that a chunk requests, in the order in which they were
   * written.
   */
  private final class SegmentSource(
      of: ExchangedPartition,
      chunk: ChunkRows,
      order: CutOrder,
      context: TaskContext
  ) extends ChunkSource {
    import of.segments

    override def read(): Iterator[Stripe] =
      chunk.requestedRanges.iterator.flatMap { asked =>
        val from = asked.from.fold(0)(segments.from(_, order))
        val until = asked.until.fold(segments.size)(segments.until(_, order))
        if (from >= until) Iterator.empty
        else {
          val readers = of.routes.iterator.map { i =>
            RangeExchange.this.read(i until i + 1, of.first + from, of.first + until, context)
          }
          new StripesOfMappers(readers).map(routed.received)
        }
      }

    override def end(): Unit = chunk.countedUntil.foreach { cut =>
      val counts = routed.counts(segments)
      RangeExchange.this
        .read(of.routes, of.ofCounts, of.ofCounts + 1, context)
        .foreach(routed.addCounts(_, counts))
      val first = segments.from(Cut(cut.row, Cut.BeforePartition), order)
      val end = segments.from(cut, order)
      chunk.addUnread(
        counts.rows(first, end),
        Array.tabulate(routed.conditions.size)(counts.rowsWhere(_, first, end))
      )
    }
  }
}

private[split] object RangeExchange {

  /**
   * Returns the exchange of some partitions of a shuffle. `ofMappers` has the output of each mapper
   * for each partition; a route reads some mappers.
   */
  def apply(
      ofMappers: RDD[Stripe],
      routes: Array[Route],
      segments: Array[Segments],
      routed: RoutedStripes,
      metrics: Map[String, SQLMetric]
  ): RangeExchange = {
    val firsts = segments.scanLeft(0)(_ + _.size + 1)
    val exchanged = segments.zip(firsts).zipWithIndex.map { case ((ofOne, first), i) =>
      val begin = routes.indexWhere(_.of == i)
      ExchangedPartition(ofOne, first, begin until begin + routes.count(_.of == i))
    }
    val rows = new RoutedRDD(ofMappers, routes, exchanged, routed)
    val dependency = PackedShuffle(rows, firsts.last, routed.serializer(metrics), metrics)
    new RangeExchange(dependency, exchanged, routed, metrics)
  }

  /** Returns up to `count` ranges of `sizes` with about the same sum: one task reads each range. */
  def grouped(sizes: Array[Long], count: Int): Seq[Range] = {
    val share = math.max(1.0, sizes.sum.toDouble / count)
    val before = sizes.scanLeft(0L)(_ + _)
    // A size belongs to the range that contains its middle.
    val groups = sizes.indices.groupBy { i =>
      math.min(count - 1L, ((before(i) + sizes(i) / 2.0) / share).toLong)
    }
    groups.toSeq.sortBy(_._1).map { case (_, of) => of.head until of.last + 1 }
  }
}
