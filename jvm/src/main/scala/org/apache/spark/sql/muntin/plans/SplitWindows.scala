package org.apache.spark.sql.muntin.plans

import scala.util.Random

import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, SortExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{
  AQEShuffleReadExec,
  AQEShuffleReadRule,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  ShuffleExchangeExec,
  ShuffleOrigin,
  ValidateRequirements
}
import org.apache.spark.sql.muntin.MuntinConf
import org.apache.spark.sql.muntin.execution._

/**
 * Splits the rows that a window operator would have in one task, where the shuffle beneath shows far more of
 * them than of others, and nothing above needs the rows of a partition together. What OptimizeSkewedJoin is to joins.
 */
object SplitWindows extends AQEShuffleReadRule {
  // What it takes to find what each of them wrote grows with their square.
  private val MostMappers = 10000

  override protected def supportedShuffleOrigins: Seq[ShuffleOrigin] = Seq(ENSURE_REQUIREMENTS)

  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(MuntinConf.SplitEnabled)) plan
    else {
      val windows = plan.collect { case w: MuntinWindowExec if !w.isSplit => w }
      windows.foldLeft(plan) { (current, window) =>
        split(window).fold(current) { made =>
          val changed = current.transformDown { case w if w eq window => made }
          if (ValidateRequirements.validate(changed)) changed else current
        }
      }
    }

  private def split(window: MuntinWindowExec): Option[MuntinWindowExec] = window.child match {
    case sort @ (SortExec(_, false, _, _) | _: MuntinSortExec) =>
      sort.children.head match {
        case AQEShuffleReadExec(stage: ShuffleQueryStageExec, specs) =>
          val coalesced = specs.collect { case c: CoalescedPartitionSpec => c }
          if (coalesced.size == specs.size) split(window, sort, stage, coalesced) else None
        case stage: ShuffleQueryStageExec =>
          val each =
            (0 until stage.shuffle.numPartitions).map(i => CoalescedPartitionSpec(i, i + 1, None))
          split(window, sort, stage, each)
        case _ => None
      }
    case _ => None
  }

  private def split(
      window: MuntinWindowExec,
      sort: SparkPlan,
      stage: ShuffleQueryStageExec,
      specs: Seq[CoalescedPartitionSpec]
  ): Option[MuntinWindowExec] = {
    val order = window.requiredChildOrdering.head
    for {
      stats <- stage.mapStats
      wanted = chunksOf(specs.map(bytes(stats.bytesByPartitionId, _)), sort)
      if wanted.exists(_ > 1) && isSupported(stage.shuffle) && isReadAlike(stage)
      sample <- ShuffleSample.of(stage, AttributeSet(order.flatMap(_.references)))
      halo <- window.halo
      chunks = cut(specs.zip(wanted), sample, order, window.partitionSpec.size, halo, stage.output)
      if chunks.exists(_.size > 1)
    } yield {
      val read = SplitReadExec(stage, specs, chunks, order, window.partitionSpec.size, halo)
      window.copy(child = sort.withNewChildren(Seq(read)), isSplit = true)
    }
  }

  private def cut(
      wanted: Seq[(CoalescedPartitionSpec, Int)],
      sample: ShuffleSample,
      sortOrder: Seq[SortOrder],
      keys: Int,
      halo: Halo,
      input: Seq[Attribute]
  ): Seq[Seq[Chunk]] = {
    val order = new CutOrder(sortOrder, keys, sample.columns)
    val sampled = AttributeSet(sample.columns)
    val widen = UnsafeProjection.create(
      input.map(a => if (sampled.contains(a)) a else Literal(null, a.dataType)),
      sample.columns
    )
    val forced = conf.getConf(MuntinConf.SplitForceChunks) > 0
    wanted.zipWithIndex.map { case ((spec, chunks), i) =>
      if (chunks == 1) Seq(Chunk.Whole)
      else {
        val random =
          if (forced) Some(new Random(conf.getConf(MuntinConf.SplitForceSeed) + i)) else None
        val sorted = new SortedSample(sample.rows(spec), order)
        val cuts = new ChunkCuts(sorted, order, halo, sample.columns, random).into(chunks)
        Chunk.between(cuts.map(_.among(widen(_).copy())))
      }
    }
  }

  /** Into how many chunks each is split. */
  private def chunksOf(sizes: Seq[Long], sort: SparkPlan): Seq[Int] = {
    val forced = conf.getConf(MuntinConf.SplitForceChunks)
    if (forced > 0) sizes.map(size => if (size > 0L) forced else 1)
    else {
      val least = conf.getConf(MuntinConf.SplitChunkSize)
      val factor = conf.getConf(MuntinConf.SplitFactor)
      val cores = sort.session.sparkContext.defaultParallelism.toLong
      val sorted = sizes.sorted.toArray
      // Of what all cores have to do together, one core's.
      val share = sizes.sum.toDouble / cores
      sizes.map { size =>
        val most = math.min(size / least, math.round(size / share))
        if (most > 1L && size >= factor * medianOfOthers(sorted, size)) most.toInt else 1
      }
    }
  }

  private def medianOfOthers(sorted: Array[Long], size: Long): Long =
    if (sorted.length < 2) 0L
    else {
      val others = sorted.length - 1
      val own = java.util.Arrays.binarySearch(sorted, size)
      val middle = (others - 1) / 2
      sorted(if (own <= middle) middle + 1 else middle)
    }

  private def bytes(sizes: Array[Long], spec: CoalescedPartitionSpec): Long =
    (spec.startReducerIndex until spec.endReducerIndex).map(sizes(_)).sum

  // Each chunk reads the shuffle, mapper by mapper. Tasks that fail may have it written anew: it must have the
  // same rows for all of them.
  private def isReadAlike(stage: ShuffleQueryStageExec): Boolean = stage.shuffle match {
    case exchange: ShuffleExchangeExec =>
      val rows = exchange.shuffleDependency.rdd
      rows.outputDeterministicLevel != DeterministicLevel.INDETERMINATE &&
      rows.getNumPartitions <= MostMappers
    case _ => false
  }
}
