package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Dependency, NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.muntin.execution.exchange.Stripe

/**
 * A task of an exchange by range: it reads the output of some `mappers` for the partition at `of`.
 */
private[split] final case class Route(of: Int, mappers: Range)

/**
 * Routes the rows of a shuffle to segments. A task reads mapper by mapper, so a segment keeps the
 * order of its rows.
 *
 *     segments A, B and C; the mapper wrote the rows that have its number
 *     route of mappers 0 and 1      A: a0 a1    B: b0         C: c1    counts 2 1 1
 *     route of mappers 2 and 3      A: a2       B: b2 b3      C:       counts 1 2 0
 *     a chunk of B and C            reads b0 c1, then b2 b3; 3 rows precede it
 */
private[split] final class RoutedRDD(
    ofMappers: RDD[Stripe],
    routes: Array[Route],
    exchanged: Array[ExchangedPartition],
    routed: RoutedStripes
) extends RDD[Product2[Int, Stripe]](ofMappers.context, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] = {
    val mappers = routes.map(_.mappers)
    Seq(new NarrowDependency(ofMappers) {
      override def getParents(route: Int): Seq[Int] = mappers(route)
    })
  }

  override protected def getPartitions: Array[Partition] = routes.zipWithIndex.map {
    case (route, i) =>
      new RoutePartition(i, route.of, route.mappers.map(firstParent[Stripe].partitions(_)))
  }

  override def compute(split: Partition, context: TaskContext): Iterator[Product2[Int, Stripe]] = {
    val route = split.asInstanceOf[RoutePartition]
    val stripes = firstParent[Stripe]
    val all = new StripesOfMappers(route.mappers.iterator.map(stripes.iterator(_, context)))
    routed.route(all, exchanged(route.of))
  }
}

private final class RoutePartition(val index: Int, val of: Int, val mappers: Seq[Partition])
    extends Partition
