package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.JsonText
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Builds the keys that identify results from revision to revision: these columns of a row as a JSON
 * object. Spark's JSON writer takes longer for a key than all other work on a revision. So this
 * class writes the same text itself if all columns are whole numbers, booleans, times or plain
 * texts. Tests read `written` to check it.
 *
 *     {"k":7,"t":"2013-01-01T00:00:12.500000Z","row":0}
 *
 * Guarded by RevisionKeysSuite.
 */
private[streaming] final class RevisionKeys(
    columns: Seq[(String, Expression)],
    input: Seq[Attribute]
) {
  import RevisionKeys._

  private lazy val spark = UnsafeProjection.create(Seq(JsonText.key(columns)), input)
  private val out = new StateOutput
  private val fields = columns.map { case (name, e) =>
    val bound = BindReferences.bindReference(e, input)
    bound match {
      case BoundReference(ordinal, dataType, _) => part(name, dataType).map(Field(ordinal, _))
      case _ => None
    }
  }
  private val parts: Array[Field] =
    if (fields.forall(_.isDefined)) fields.map(_.get).toArray else null

  private[streaming] var written = false

  /** Returns the key of the row; valid until the next call. */
  def of(row: InternalRow): UTF8String = {
    out.clear()
    written = parts != null && write(row)
    if (written) UTF8String.fromBytes(out.bytes, 0, out.length) else spark(row).getUTF8String(0)
  }

  private def write(row: InternalRow): Boolean = {
    var isPlain = true
    var i = 0
    out.writeByte('{'.toInt)
    while (isPlain && i < parts.length) {
      if (i > 0) out.writeByte(','.toInt)
      isPlain = parts(i).part.write(row, parts(i).ordinal, out)
      i += 1
    }
    out.writeByte('}'.toInt)
    isPlain
  }
}

private object RevisionKeys {
  final case class Field(ordinal: Int, part: Part)

  /** Writes `"name":value`. Returns false if the value needs Spark's writer. */
  abstract class Part(name: String) {
    private val head = s""""$name":""".getBytes("UTF-8")

    final def write(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      out.write(head, 0, head.length)
      if (row.isNullAt(ordinal)) {
        out.write(Null, 0, Null.length)
        true
      } else writeValue(row, ordinal, out)
    }

    protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean
  }

  private val Null = "null".getBytes("UTF-8")
  private val True = "true".getBytes("UTF-8")
  private val False = "false".getBytes("UTF-8")
  private val MicrosPerDay = 86400000000L

  // Years of four digits, which every formatter writes without a sign.
  private val FirstDay = java.time.LocalDate.of(1, 1, 1).toEpochDay
  private val LastDay = java.time.LocalDate.of(9999, 12, 31).toEpochDay

  def part(name: String, dataType: DataType): Option[Part] =
    if (!name.forall(c => isPlain(c.toInt))) None
    else
      dataType match {
        case ByteType => Some(new Digits(name)(_.getByte(_).toLong))
        case ShortType => Some(new Digits(name)(_.getShort(_).toLong))
        case IntegerType => Some(new Digits(name)(_.getInt(_).toLong))
        case LongType => Some(new Digits(name)(_.getLong(_)))
        case BooleanType => Some(new Truth(name))
        case DateType => Some(new Day(name))
        case TimestampType => Some(new Time(name, zone = true))
        case TimestampNTZType => Some(new Time(name, zone = false))
        case StringType => Some(new Text(name))
        case struct: StructType =>
          val inner = struct.fields.map(f => part(f.name, f.dataType))
          if (inner.forall(_.isDefined)) Some(new Struct(name, inner.map(_.get))) else None
        case _ => None
      }

  private def isPlain(c: Int): Boolean = c >= ' ' && c < 0x7f && c != '"' && c != '\\'

  private final class Digits(name: String)(value: (InternalRow, Int) => Long) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val text = value(row, ordinal).toString
      var i = 0
      while (i < text.length) {
        out.writeByte(text.charAt(i).toInt)
        i += 1
      }
      true
    }
  }

  private final class Truth(name: String) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val text = if (row.getBoolean(ordinal)) True else False
      out.write(text, 0, text.length)
      true
    }
  }

  private final class Day(name: String) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val day = row.getInt(ordinal).toLong
      out.writeByte('"'.toInt)
      val isShort = writeDay(day, out)
      out.writeByte('"'.toInt)
      isShort
    }
  }

  private final class Time(name: String, zone: Boolean) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val micros = row.getLong(ordinal)
      out.writeByte('"'.toInt)
      val isShort = writeDay(Math.floorDiv(micros, MicrosPerDay), out)
      val ofDay = Math.floorMod(micros, MicrosPerDay)
      val seconds = (ofDay / 1000000L).toInt
      out.writeByte('T'.toInt)
      writeDigits(seconds / 3600, 2, out)
      out.writeByte(':'.toInt)
      writeDigits(seconds / 60 % 60, 2, out)
      out.writeByte(':'.toInt)
      writeDigits(seconds % 60, 2, out)
      out.writeByte('.'.toInt)
      writeDigits((ofDay % 1000000L).toInt, 6, out)
      if (zone) out.writeByte('Z'.toInt)
      out.writeByte('"'.toInt)
      isShort
    }
  }

  private final class Text(name: String) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val bytes = row.getUTF8String(ordinal).getBytes
      out.writeByte('"'.toInt)
      out.write(bytes, 0, bytes.length)
      out.writeByte('"'.toInt)
      var i = 0
      while (i < bytes.length && isPlain(bytes(i).toInt)) i += 1
      i == bytes.length
    }
  }

  private final class Struct(name: String, parts: Array[Part]) extends Part(name) {
    override protected def writeValue(row: InternalRow, ordinal: Int, out: StateOutput): Boolean = {
      val struct = row.getStruct(ordinal, parts.length)
      var isPlain = true
      var i = 0
      out.writeByte('{'.toInt)
      while (isPlain && i < parts.length) {
        if (i > 0) out.writeByte(','.toInt)
        isPlain = parts(i).write(struct, i, out)
        i += 1
      }
      out.writeByte('}'.toInt)
      isPlain
    }
  }

  /** Writes the date of a day. Returns false if its year does not have four digits. */
  private def writeDay(day: Long, out: StateOutput): Boolean = {
    val isShort = day >= FirstDay && day <= LastDay
    if (isShort) {
      val date = java.time.LocalDate.ofEpochDay(day)
      writeDigits(date.getYear, 4, out)
      out.writeByte('-'.toInt)
      writeDigits(date.getMonthValue, 2, out)
      out.writeByte('-'.toInt)
      writeDigits(date.getDayOfMonth, 2, out)
    }
    isShort
  }

  private def writeDigits(value: Int, digits: Int, out: StateOutput): Unit = {
    val room = out.room(digits)
    var rest = value
    var i = out.length + digits - 1
    while (i >= out.length) {
      room.put(i, ('0' + rest % 10).toByte)
      rest /= 10
      i -= 1
    }
    out.added(digits)
  }
}
