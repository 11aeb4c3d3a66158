package org.apache.spark.sql.muntin.streaming

import scala.util.Try

import org.apache.spark.Partitioner
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.muntin.spark.{
  CheckpointCopy,
  StateOfPartition,
  StoredCheckpoint,
  StoredOperator
}
import org.apache.spark.sql.types.DataType

/**
 * A record of the state on its way to another partition: a head, a page with its number, a timer, a
 * start of a group, or the totals of a partition.
 */
private[streaming] final case class StateRecord(
    kind: Byte,
    group: Array[Byte],
    number: Long,
    bytes: Array[Byte]
)

/** What a partition of an operator's state contains. */
final case class PartitionSize(groups: Long, rows: Long, bytes: Long)

/**
 * Moves the state of an operator to other partitions. A group goes to the partition that the
 * exchange sends its rows to, with its head, pages and timers. The bytes do not change.
 *
 *     partition 0 of 2   head a, timers a b, head b      partition 1 of 3   head a, timers a
 *     partition 1 of 2   head c                          partition 2 of 3   heads b c, timers b
 *
 * The property `keys` contains the types of the keys. Before a group is moved, it must be in the
 * partition that its keys determine, so an error in the types cannot misplace a group.
 */
private[streaming] final class StateRouting(
    val operator: StoredOperator,
    keys: Seq[DataType],
    partitions: Int
) extends Serializable {
  import StateRouting._

  /** Returns the state of all partitions, by the new partition. */
  def route(from: StoredCheckpoint): RDD[StateRecord] =
    from.read(operator)(records).partitionBy(new Routed(partitions)).values

  /** Returns why partitions cannot be read to their ends. */
  def problems(from: StoredCheckpoint): Seq[String] =
    from.problems(operator)((partition, state) => records(partition, state).foreach(_ => ()))

  private def records(partition: Int, state: StateOfPartition): Iterator[(Int, StateRecord)] = {
    val store = new StreamStore(state, keepsBegins = true)
    val (before, after) =
      (new GroupPartition(keys, operator.partitions), new GroupPartition(keys, partitions))
    def routed(kind: Byte, group: Array[Byte], number: Long, bytes: Array[Byte]) =
      after(group) -> StateRecord(kind, group, number, bytes)
    val heads = store.heads.map { case (group, head) =>
      if (before(group) != partition) {
        throw new IllegalStateException(
          s"a group of operator ${operator.number} is in partition $partition of its state, and " +
            s"its keys (${operator.properties(Keys)}) determine partition ${before(group)}"
        )
      }
      routed(Head, group, 0L, head)
    }
    val totals = Option(store.totals).iterator
      .flatMap(bytes => Iterator.tabulate(partitions)(_ -> StateRecord(Totals, Nothing, 0L, bytes)))
    totals ++ heads ++
      store.pages.map { case (group, number, page) => routed(Page, group, number, page) } ++
      store.timerPages.flatMap(Timers.of).map { case (timer, bytes) =>
        routed(OneTimer, timer.group, 0L, bytes)
      } ++
      store.begins.map { case (begin, group) => routed(Begin, group, begin, Nothing) }
  }
}

private[streaming] object StateRouting {
  private val Keys = "keys"
  private val Nothing = Array.emptyByteArray

  private val Head: Byte = 0
  private val Page: Byte = 1
  private val OneTimer: Byte = 2
  private val Begin: Byte = 3
  private val Totals: Byte = 4

  def of(operator: StoredOperator, partitions: Int): StateRouting =
    new StateRouting(operator, keyTypes(operator.properties(Keys)), partitions)

  /**
   * Moves an operator's state into a copy of its checkpoint, to the operator with this number.
   * Rewrites heads with `heads`, if it is given. Returns the partitions' sizes.
   */
  def move(
      routing: StateRouting,
      from: StoredCheckpoint,
      to: CheckpointCopy,
      number: Long,
      heads: Option[HeadsOfMode] = None
  ): Seq[PartitionSize] = {
    val batch = from.version - 1L
    to.writeState(number, routing.route(from))(write(batch, heads))
  }

  private def write(batch: Long, heads: Option[HeadsOfMode])(
      state: StateOfPartition,
      records: Iterator[StateRecord]
  ): PartitionSize = {
    val store = new StreamStore(state, keepsBegins = false)
    val (totals, read) = (new StreamTotals, new StreamTotals)
    var hasTotals = false
    var hasBegins = false
    // The pages have numbers of the last micro-batch: the next one begins with its own.
    val timers = new Timers(store, batch)
    records.foreach { record =>
      import record.{bytes, group, number}
      record.kind match {
        case Head =>
          val head = heads.fold(bytes)(_(bytes))
          store.putHead(group, head, head.length)
          totals.groups += 1L
          totals.rows += StreamGroup.rows(head)
          totals.bytes += StreamStore.headBytes(group, head.length)
        case Page =>
          store.putPage(group, number, bytes, bytes.length)
          totals.pages += 1L
          totals.bytes += StreamStore.pageBytes(group, bytes.length)
        case OneTimer => timers.restore(bytes)
        case Begin =>
          if (!hasBegins) state.open(StreamStore.Begins)
          hasBegins = true
          store.putBegin(number, group)
        case Totals =>
          read.read(bytes)
          totals.newest = math.max(totals.newest, read.newest)
          totals.isDrained |= read.isDrained
          hasTotals = true
        case other => throw new IllegalStateException(s"no record of the kind $other")
      }
    }
    timers.write()
    if (hasTotals) store.putTotals(totals.write())
    PartitionSize(totals.groups, totals.rows, totals.bytes)
  }

  private[streaming] def keyTypes(columns: String): Seq[DataType] = columnsOf(columns).map(_._2)

  /** Reads columns such as `k STRING, n DECIMAL(9,2)`; names may contain any text. */
  private[streaming] def columnsOf(columns: String): Seq[(String, DataType)] =
    atCommas(columns).map { column =>
      column.indices.filter(column(_) == ' ').iterator
        .flatMap { at =>
          Try(CatalystSqlParser.parseDataType(column.drop(at + 1))).toOption
            .map(column.take(at) -> _)
        }
        .nextOption()
        .getOrElse(throw new IllegalStateException(s"the type of the column $column is unknown"))
    }

  /** Splits at the commas outside of brackets. */
  private def atCommas(columns: String): Seq[String] = {
    var depth = 0
    val marked = columns.map { c =>
      if (c == '<' || c == '(') depth += 1
      if (c == '>' || c == ')') depth -= 1
      if (c == ',' && depth == 0) '\u0000' else c
    }
    marked.split('\u0000').map(_.trim).filter(_.nonEmpty).toSeq
  }

  /** Records with the number of their partition. */
  private final class Routed(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
  }
}
