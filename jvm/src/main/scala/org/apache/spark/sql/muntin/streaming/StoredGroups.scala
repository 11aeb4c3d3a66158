package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Cast,
  Expression,
  Literal,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.muntin.expressions.common.Unqualified
import org.apache.spark.sql.muntin.spark.{StateOfPartition, StoredOperator}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Describes the groups in an operator's state, without the plan of its query: the operator's
 * properties contain the columns. It reads each head and each page of rows once.
 *
 *     head of a: 4 rows, timer 10:07; kept rows 10:01 10:02 10:04; buffered row 10:06
 *     row        key a, rows 4, oldest 10:01, newest 10:06, next timer 10:07
 *
 * docs/internals/state-layout.md describes the fields. Guarded by StateSuite.
 */
private[streaming] final class StoredGroups(
    operator: StoredOperator,
    keys: Seq[(String, DataType)],
    kept: StoredGroups.Columns,
    buffered: StoredGroups.Columns,
    time: Option[DataType],
    zone: String
) {
  import StoredGroups._

  private val window = UTF8String.fromString(operator.properties("window"))
  private val names: Array[Any] = keyNames(keys.map(_._1)).map(UTF8String.fromString(_)).toArray
  private val texts = keys.zipWithIndex.map { case ((_, dataType), i) =>
    text(BoundReference(i, dataType, nullable = true))
  }
  private val hasClosing = HeadFields.haveClosing(operator)
  private val isScattered = operator.properties("window") == "validity"
  private val key = new UnsafeRow(keys.size)

  def rows(partition: Int, state: StateOfPartition): Iterator[InternalRow] = {
    val store = new StreamStore(state, keepsBegins = false)
    store.heads.map { case (id, head) =>
      val group = read(store, id, head)
      key.pointTo(id, id.length)
      InternalRow(
        operator.number.toInt,
        window,
        partition,
        ArrayBasedMapData(names, texts.map(_.eval(key)).toArray),
        group.rows,
        group.bytes,
        shown(group.oldest, Long.MaxValue),
        shown(group.newest, Long.MinValue),
        shown(if (group.timer == StreamStore.NoTime) Long.MaxValue else group.timer, Long.MaxValue)
      )
    }
  }

  private def read(store: StreamStore, id: Array[Byte], head: Array[Byte]): Group = {
    val in = new StateInput(head)
    val layout = in.readInt()
    require(layout == StreamStore.LayoutVersion, s"a head of layout $layout")
    val group = new Group
    group.bytes = StreamStore.headBytes(id, head.length)
    group.timer = in.readLong()
    in.readLong(): Unit
    group.newest = in.readLong()
    group.rows = in.readLong()
    val (_, _, saved) = (in.readLong(), in.readLong(), in.readInt())
    in.moveTo(in.at + saved)
    readKept(store, id, in, group)
    if (hasClosing) HeadFields.skipOpened(in)
    HeadFields.skipAnswers(in)
    readBuffered(store, id, in, group)
    if (in.available() > 0) throw new IllegalStateException("the head of a group is longer")
    group
  }

  private def readKept(store: StreamStore, id: Array[Byte], in: StateInput, group: Group): Unit = {
    val (floor, next, count) = (in.readVariable(), in.readVariable(), in.readVariable())
    (next - count until next).foreach { number =>
      val page = store.page(id, number)
      group.bytes += StreamStore.pageBytes(id, page.length)
      val rows = new StateInput(page)
      readOldest(rows, rows.readVariable(), rows.readVariable(), floor, group)
    }
    val tail = Tail(in)
    readOldest(new StateInput(tail.rows), tail.base, tail.count, floor, group)
  }

  /** Reads the time of the first row that is kept: kept rows are in the order of time. */
  private def readOldest(
      in: StateInput,
      base: Long,
      count: Long,
      floor: Long,
      group: Group
  ): Unit = if (group.oldest == Long.MaxValue) {
    var position = base
    var left = count
    var isBefore = true
    while (left > 0L && isBefore) {
      position = if (isScattered) position + in.readVariable() else position + 1L
      if (position < floor) kept.form.skip(in)
      else {
        isBefore = false
        kept.time(in).foreach(group.oldest = _)
      }
      left -= 1L
    }
  }

  private def readBuffered(
      store: StreamStore,
      id: Array[Byte],
      in: StateInput,
      group: Group
  ): Unit = {
    in.readVariable(): Unit
    (0L until in.readVariable()).foreach { _ =>
      val number = in.readVariable()
      group.oldest = math.min(group.oldest, in.readVariable())
      in.readVariable(): Unit
      group.bytes += in.readVariable()
      val page = new StateInput(store.page(id, number))
      readNewest(page, page.readVariable(), page.readVariable(), group)
    }
    val tail = Tail(in)
    if (tail.count > 0L) group.oldest = math.min(group.oldest, tail.base + in.readVariable())
    readNewest(new StateInput(tail.rows), tail.base, tail.count, group)
  }

  private def readNewest(in: StateInput, base: Long, count: Long, group: Group): Unit = {
    var at = base
    var left = count
    while (left > 0L) {
      at += in.readVariable()
      group.newest = math.max(group.newest, at)
      buffered.form.skip(in)
      left -= 1L
    }
    if (in.available() > 0) throw new IllegalStateException("the buffered rows are longer")
  }

  private def shown(at: Long, none: Long): UTF8String =
    time.filter(_ => at != none).map { dataType =>
      text(Literal(new TimeNumber(dataType, 0).value(at), dataType)).eval()
        .asInstanceOf[UTF8String]
    }.orNull

  private def text(value: Expression): Expression = Cast(value, StringType, Some(zone))
}

private[streaming] object StoredGroups {
  def apply(operator: StoredOperator, zone: String): StoredGroups = {
    def columns(property: String): Seq[(String, DataType)] =
      StateRouting.columnsOf(operator.properties(property))
    val (keys, input, kept) = (columns("keys"), columns("input"), columns("kept columns"))
    val order = ordered(input, operator.properties("order"))
    val time = order.headOption
    // Panes are in the order of their ends, which they do not keep, and of their first rows.
    val keptTime = order.find(c => time.exists(_._2 == c._2) && kept.contains(c))
    new StoredGroups(
      operator,
      keys,
      new Columns(kept.map(_._2), keptTime.map(kept.indexOf(_))),
      new Columns(input.diff(keys ++ time).map(_._2), None),
      time.map(_._2),
      zone
    )
  }

  /** Returns the columns of the property `order`, in their order. */
  private def ordered(input: Seq[(String, DataType)], order: String): Seq[(String, DataType)] =
    input.map { case column @ (name, dataType) =>
      val sql = Unqualified.sql(AttributeReference(name, dataType)())
      val places = Seq("ASC", "DESC").map(direction => s", $order".indexOf(s", $sql $direction"))
      places.max -> column
    }.filter(_._1 >= 0).sortBy(_._1).map(_._2)

  /** The columns of stored rows, and the ordinal of the row time. */
  private[streaming] final class Columns(types: Seq[DataType], ordinal: Option[Int]) {
    val form = new CompactRows(types)
    private val number = ordinal.map(i => new TimeNumber(types(i), i))

    /** Returns the time of the next row. */
    def time(in: StateInput): Option[Long] = {
      val row = form.read(in)
      number.filter(_ => !row.isNullAt(ordinal.get)).map(_.of(row))
    }
  }

  /** What the state contains about a group; times have the values of StreamGroup. */
  private final class Group {
    var rows = 0L
    var bytes = 0L
    var oldest: Long = Long.MaxValue
    var newest: Long = Long.MinValue
    var timer: Long = Long.MaxValue
  }

  /** The newest rows of a log, in the group's head (RowLog.writeTail). */
  private final case class Tail(base: Long, count: Long, rows: Array[Byte])

  private object Tail {
    def apply(in: StateInput): Tail = {
      val base = in.readVariable()
      in.readVariable(): Unit
      val count = in.readVariable()
      val rows = new Array[Byte](in.readVariable().toInt)
      in.readFully(rows)
      Tail(base, count, rows)
    }
  }

  /** Numbers the names that occur more than once. */
  private def keyNames(names: Seq[String]): Seq[String] = names.zipWithIndex.map { case (name, i) =>
    val before = names.take(i).count(_ == name)
    if (before == 0) name else s"$name (${before + 1})"
  }
}
