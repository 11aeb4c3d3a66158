package org.apache.spark.sql.muntin.plans.physical

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadRule
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  ShuffleOrigin,
  ValidateRequirements
}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{
  AnchorPlaces,
  AnchorReach,
  AnchoredSide,
  Chunk,
  ChunkCuts,
  CutOrder,
  CutPlaces,
  FramePlaces,
  Halo,
  ReadPartition,
  ReadTwice,
  ShuffleSample,
  SortedSample,
  SplitChoice,
  SplitCost,
  SplitReadExec,
  SplittableExec,
  SplittablePairExec
}
import org.apache.spark.sql.muntin.spark.{LocalSort, WrittenShuffle}

/**
 * Splits the rows of one task of a window operator over several tasks. It does so if the shuffle
 * below shows that the task would have far more rows than others, and if no operator above needs
 * the rows of a partition in one task. It is the equivalent of OptimizeSkewedJoin for windows.
 *
 *     partitions of a shuffle     20 MB   18 MB   900 MB   22 MB, on 16 cores
 *     mostChunks                  900 MB is far more than 20 MB, the median of the others; a core's
 *                                 share of all bytes is 60 MB: up to 15 chunks
 *     SplitCost                   how many chunks, and whether they are exchanged by range
 *     ChunkCuts                   where to cut, from a sample of the rows
 *     SplitReadExec               reads each chunk in a separate task
 */
object SplitWindows extends AQEShuffleReadRule {
  // Spark locates each mapper's output in a time that is quadratic in the number of mappers.
  private val MostMappers = 10000

  override protected def supportedShuffleOrigins: Seq[ShuffleOrigin] = Seq(ENSURE_REQUIREMENTS)

  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(MuntinConf.SplitEnabled)) plan
    else {
      val made = plan.collect {
        case w: SplittableExec if !w.isSplit => w -> split(w)
        case p: SplittablePairExec if !p.isSplit => p -> split(p)
      }
      made.foldLeft(plan) {
        case (current, (windows, Some(split))) =>
          val changed = current.transformDown { case w if w eq windows => split }
          if (ValidateRequirements.validate(changed)) changed else current
        case (current, _) => current
      }
    }

  private def split(windows: SplittableExec): Option[SparkPlan] =
    for {
      rows <- SortedShuffle.of(windows.child)
      sizes <- rows.sizes
      most = mostChunks(sizes, rows.sort)
      if most.exists(_ > 1) && hasSamePartitions(rows.written)
      halo <- windows.halo
      costs = costsOf(sizes, rows, halo.readTwice)
      choices = costs.zip(most).map { case (cost, n) => choose(cost, n, halo.isBounded) }
      if choices.exists(_.isSplit)
      keys = windows.inputs.head.keys.size
      order = halo.cutOrder(windows.inputs.head.order, keys)
      sample <- ShuffleSample.of(rows.written, halo.columns(order), halo.requiredMatches.conditions)
      chunks = cut(rows, choices, sample, order, keys) { (sorted, cuts, random) =>
        halo.group.fold[CutPlaces](
          new FramePlaces(sorted, cuts, halo, random, sample.holds)
        )(_.places(sorted, cuts))
      }
      if chunks.exists(_.size > 1)
    } yield {
      // If there are fewer cut positions than requested, reading without an exchange may be faster.
      val isExchanged = choices.zip(costs).zip(chunks).map { case ((choice, cost), of) =>
        of.size > 1 && choice.isExchanged &&
        (isForced || !cost.isFasterRead(of.size))
      }
      windows.split(rows.read(chunks, order, keys, halo, isExchanged = isExchanged))
    }

  /**
   * Splits the left side in its order, which for anchors is the order of their starts, and gives
   * each chunk the rows of the right side that it reaches.
   */
  private def split(pair: SplittablePairExec): Option[SparkPlan] = {
    val (ofLeft, ofRight) = (pair.inputs.head, pair.inputs.last)
    val order = ofLeft.order
    val (start, end) = pair.reached
    val keys = ofLeft.keys.size
    for {
      anchors <- SortedShuffle.of(pair.left)
      source <- SortedShuffle.of(pair.right)
      if anchors.ranges == source.ranges
      sizes <- anchors.sizes
      ofSource <- source.sizes
      both = sizes.zip(ofSource).map { case (a, b) => a + b }
      most = mostChunks(both, anchors.sort)
      if most.exists(_ > 1) && hasSamePartitions(anchors.written) && hasSamePartitions(
        source.written
      )
      choices = costsOf(both, anchors, ReadTwice.Never, source.written.mappers).zip(most).map {
        case (cost, n) => choose(cost, n, canExchange = false)
      }
      if choices.exists(_.isSplit)
      sample <- ShuffleSample.of(anchors.written, Halo.NoRows.columns(order))
      chunks = cut(anchors, choices, sample, order, keys) { (sorted, cuts, _) =>
        new AnchorPlaces(
          sorted,
          cuts,
          start.getOrElse(order(keys).child),
          end.getOrElse(order(keys).child)
        )
      }
      if chunks.exists(_.size > 1)
    } yield {
      val reach = new AnchorReach(
        chunks.flatten.toArray,
        AnchoredSide(ofLeft.keys, pair.left.output),
        start,
        end,
        AnchoredSide(ofRight.keys, pair.right.output),
        ofRight.within.head.child
      )
      // Blocks of the source's rows begin with the rows of their keys.
      val counted = Halo.NoRows.copy(isCounted = true)
      pair.split(
        anchors.read(chunks, order, keys, Halo.NoRows, SplitReadExec.RecordedAnchors(reach)),
        source.read(chunks, ofRight.order, keys, counted, SplitReadExec.ReachedSource(reach))
      )
    }
  }

  private def cut(
      rows: SortedShuffle,
      choices: Seq[SplitChoice],
      sample: ShuffleSample,
      sortOrder: Seq[SortOrder],
      keys: Int
  )(places: (SortedSample, CutOrder, Option[Random]) => CutPlaces): Seq[Seq[Chunk]] = {
    val order = new CutOrder(sortOrder, keys, sample.columns)
    val input = rows.written.plan.output
    val sampled = AttributeSet(sample.columns)
    val widen = UnsafeProjection.create(
      input.map(a => if (sampled.contains(a)) a else Literal(null, a.dataType)),
      sample.columns
    )
    rows.ranges.zip(choices).zipWithIndex.map { case ((partitions, choice), i) =>
      if (!choice.isSplit) Seq(Chunk.Whole)
      else {
        val random =
          if (isForced) Some(new Random(conf.getConf(MuntinConf.SplitForceSeed) + i)) else None
        val sorted = new SortedSample(sample.rows(partitions), order)
        val cuts = new ChunkCuts(sorted, places(sorted, order, random), random).into(choice.chunks)
        Chunk.between(cuts.map(_.among(widen(_).copy())))
      }
    }
  }

  private def isForced: Boolean = conf.getConf(MuntinConf.SplitForceChunks) > 0

  /** Returns, for each partition, the maximum number of chunks. */
  private def mostChunks(sizes: Seq[Long], sort: SparkPlan): Seq[Int] = {
    val forced = conf.getConf(MuntinConf.SplitForceChunks)
    if (forced > 0) sizes.map(size => if (size > 0L) forced else 1)
    else {
      val least = conf.getConf(MuntinConf.SplitChunkSize)
      val factor = conf.getConf(MuntinConf.SplitFactor)
      val sorted = sizes.sorted.toArray
      // The share of one core in the work of all cores.
      val share = sizes.sum.toDouble / cores(sort)
      sizes.map { size =>
        val most = math.min(size / least, math.round(size / share))
        if (most > 1L && size >= factor * medianOfOthers(sorted, size)) most.toInt else 1
      }
    }
  }

  private def cores(sort: SparkPlan): Int = sort.session.sparkContext.defaultParallelism

  private def costsOf(
      sizes: Seq[Long],
      rows: SortedShuffle,
      twice: ReadTwice,
      moreMappers: Int = 0
  ): Seq[SplitCost] = {
    val all = sizes.sum
    sizes.map(s =>
      SplitCost(cores(rows.sort), s, all - s, rows.written.mappers + moreMappers, twice)
    )
  }

  private def choose(cost: SplitCost, most: Int, canExchange: Boolean): SplitChoice =
    if (isForced)
      SplitChoice(most, canExchange && conf.getConf(MuntinConf.SplitForceExchange))
    else cost.choose(most, canExchange)

  private def medianOfOthers(sorted: Array[Long], size: Long): Long =
    if (sorted.length < 2) 0L
    else {
      val others = sorted.length - 1
      val own = java.util.Arrays.binarySearch(sorted, size)
      val middle = (others - 1) / 2
      sorted(if (own <= middle) middle + 1 else middle)
    }

  // Each chunk reads the shuffle mapper by mapper. If a task fails, the shuffle may be written
  // again. It must then have the same rows for all chunks.
  private def hasSamePartitions(written: WrittenShuffle): Boolean =
    written.shuffle.exists(s => s.isRequired && s.isRepeatable) && written.mappers <= MostMappers
}

/** A sort of a written shuffle; each task has one of the `ranges` of its partitions. */
private final case class SortedShuffle(
    sort: SparkPlan,
    written: WrittenShuffle,
    ranges: Seq[Range]
) {

  /** Returns the number of bytes of each task. */
  def sizes: Option[Seq[Long]] =
    written.bytes.map(bytes => ranges.map(_.map(bytes(_)).sum))

  /**
   * Returns the sort over chunks, which are cut in this order. Its first `keys` columns are the
   * columns of PARTITION BY.
   */
  def read(
      chunks: Seq[Seq[Chunk]],
      order: Seq[SortOrder],
      keys: Int,
      halo: Halo,
      reach: SplitReadExec.Reach = SplitReadExec.HaloRows,
      isExchanged: Seq[Boolean] = Nil
  ): SparkPlan = {
    val partitions = ranges.zip(chunks).zip(isExchanged.padTo(ranges.size, false)).map {
      case ((of, ofTasks), byRange) => ReadPartition(of, ofTasks, byRange)
    }
    sort.withNewChildren(Seq(SplitReadExec(written.plan, partitions, order, keys, halo, reach)))
  }
}

private object SortedShuffle {
  def of(plan: SparkPlan): Option[SortedShuffle] = plan match {
    case sort @ (LocalSort(_, _) | _: MuntinSortExec) =>
      sort.children.head match {
        case WrittenShuffle.Read(written, ranges) => Some(SortedShuffle(sort, written, ranges))
        case _ => None
      }
    case _ => None
  }
}
