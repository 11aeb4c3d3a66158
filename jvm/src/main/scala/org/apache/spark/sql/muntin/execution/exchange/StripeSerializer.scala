package org.apache.spark.sql.muntin.execution.exchange

import java.io.{DataInputStream, EOFException, InputStream, OutputStream}
import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.serializer.{
  DeserializationStream,
  SerializationStream,
  Serializer,
  SerializerInstance
}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.Platform

/**
 * Writes stripes as their arrays, and whole numbers as PackedNumbers. Stripes are independent, so
 * that Spark can concatenate them in any order.
 *
 *     rows, then for each column: 1 and the bits of nulls, or 0; then its values, as
 *     whole numbers       bytes of each, the least, packed numbers; or, if not shorter, the values
 *     of varying size     0, bytes of each, the least, packed lengths; the values
 *     with a dictionary   1, how many are distinct; their lengths and values as above; then codes
 *                         as whole numbers: bytes of each, the least, packed codes
 *     others              the values
 */
private[execution] final class StripeSerializer(layout: Layout, dataSize: SQLMetric)
    extends Serializer
    with Serializable {
  override def newInstance(): SerializerInstance = new StripeSerializerInstance(layout, dataSize)

  override def supportsRelocationOfSerializedObjects: Boolean = true
}

/** Supports only streams of stripes, each with a key that the reader ignores. */
private final class StripeSerializerInstance(layout: Layout, dataSize: SQLMetric)
    extends SerializerInstance {
  // A task has a stream for each partition or block, and writes or reads one stripe at a time.
  private val packed = new PackedNumbers
  private lazy val dictionary = new Dictionary(layout.size)

  override def serializeStream(out: OutputStream): SerializationStream =
    new StripeOutput(out, layout, packed, if (layout.isFixed) null else dictionary, dataSize)

  override def deserializeStream(in: InputStream): DeserializationStream =
    new StripeInput(in, layout, packed)

  override def serialize[T: ClassTag](t: T): ByteBuffer = throw StripeSerializer.notAStream

  override def deserialize[T: ClassTag](bytes: ByteBuffer): T = throw StripeSerializer.notAStream

  override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T =
    throw StripeSerializer.notAStream
}

private object StripeSerializer {
  def notAStream: UnsupportedOperationException =
    new UnsupportedOperationException("stripes can only be written to streams, with keys")
}

private final class StripeOutput(
    out: OutputStream,
    layout: Layout,
    packed: PackedNumbers,
    dictionary: Dictionary,
    dataSize: SQLMetric
) extends SerializationStream {
  private val number = new Array[Byte](8)
  // The bytes of a stripe before numbers are packed.
  private var size = 0L

  override def writeValue[T: ClassTag](value: T): SerializationStream = {
    val stripe = value.asInstanceOf[Stripe]
    val rows = stripe.rows
    size = 0L
    writeInt(rows)
    var c = 0
    while (c < layout.size) {
      val nulls = stripe.nulls(c)
      writeByte(if (nulls == null) 0 else 1)
      if (nulls != null) write(nulls, Stripe.bytesOfBits(rows))
      val width = layout.widths(c)
      if (width == 0) writeVarying(stripe, c)
      else if (layout.isNumber(c)) writeNumbers(stripe.values(c), width, nulls, rows)
      else write(stripe.values(c), rows * width)
      c += 1
    }
    dataSize.add(size)
    this
  }

  private def writeNumbers(
      values: Array[Byte],
      width: Int,
      nulls: Array[Byte],
      rows: Int
  ): Unit = {
    packed.pack(values, width, nulls, rows)
    if (packed.size < width) {
      writePacked(rows)
      size += rows * (width - packed.size)
    } else {
      writeByte(width)
      write(values, rows * width)
    }
  }

  private def writeVarying(stripe: Stripe, c: Int): Unit = {
    val rows = stripe.rows
    val (values, ends, codes) = (stripe.values(c), stripe.ends(c), stripe.codes(c))
    val before = size
    if (codes != null) writeCoded(values, ends, ends.length / 4, codes, rows)
    else if (dictionary.find(stripe, c)) {
      writeCoded(dictionary.values, dictionary.ends, dictionary.size, dictionary.codes, rows)
    } else {
      writeByte(0)
      writeValues(values, ends, rows)
    }
    size = before + 4L * rows + stripe.bytesOf(c, 0, rows)
  }

  private def writeCoded(
      values: Array[Byte],
      ends: Array[Byte],
      distinct: Int,
      codes: Array[Byte],
      rows: Int
  ): Unit = {
    writeByte(1)
    writeInt(distinct)
    writeValues(values, ends, distinct)
    packed.pack(codes, 2, null, rows)
    writePacked(rows)
  }

  private def writeValues(values: Array[Byte], ends: Array[Byte], count: Int): Unit = {
    packed.packLengths(ends, count)
    writePacked(count)
    write(values, Stripe.int(ends, count - 1))
  }

  private def writePacked(rows: Int): Unit = {
    writeByte(packed.size)
    Platform.putLong(number, Platform.BYTE_ARRAY_OFFSET.toLong, packed.least)
    write(number, 8)
    write(packed.bytes, rows * packed.size)
  }

  private def writeByte(value: Int): Unit = {
    out.write(value)
    size += 1L
  }

  private def writeInt(value: Int): Unit = {
    Platform.putInt(number, Platform.BYTE_ARRAY_OFFSET.toLong, value)
    write(number, 4)
  }

  private def write(bytes: Array[Byte], count: Int): Unit = {
    out.write(bytes, 0, count)
    size += count
  }

  override def writeKey[T: ClassTag](key: T): SerializationStream = this

  override def writeAll[T: ClassTag](values: Iterator[T]): SerializationStream =
    throw StripeSerializer.notAStream

  override def writeObject[T: ClassTag](value: T): SerializationStream =
    throw StripeSerializer.notAStream

  override def flush(): Unit = out.flush()

  override def close(): Unit = out.close()
}

private final class StripeInput(stream: InputStream, layout: Layout, packed: PackedNumbers)
    extends DeserializationStream {
  private val in = new DataInputStream(stream)
  private val number = new Array[Byte](8)

  override def asKeyValueIterator: Iterator[(Any, Any)] = new Iterator[(Any, Any)] {
    private var next0 = read()

    override def hasNext: Boolean = next0 != null

    override def next(): (Any, Any) = {
      if (next0 == null) throw new NoSuchElementException
      val pair = (null, next0)
      next0 = read()
      pair
    }
  }

  /** Returns the next stripe; null at the end of the stream. */
  private def read(): Stripe = {
    val first = in.read()
    if (first < 0) {
      in.close()
      null
    } else {
      number(0) = first.toByte
      in.readFully(number, 1, 3)
      stripe(Platform.getInt(number, Platform.BYTE_ARRAY_OFFSET.toLong))
    }
  }

  private def stripe(rows: Int): Stripe = {
    if (rows <= 0 || rows > Stripe.MostRows) throw new EOFException(s"a stripe of $rows rows")
    val values = new Array[Array[Byte]](layout.size)
    val nulls = new Array[Array[Byte]](layout.size)
    val ends = new Array[Array[Byte]](layout.size)
    val codes = new Array[Array[Byte]](layout.size)
    var c = 0
    while (c < layout.size) {
      if (in.readByte() != 0) nulls(c) = bytes(Stripe.bytesOfBits(rows))
      val width = layout.widths(c)
      if (width == 0) {
        val isCoded = in.readByte() != 0
        val count = if (isCoded) readInt() else rows
        ends(c) = endsOf(count)
        values(c) = bytes(Stripe.int(ends(c), count - 1))
        if (isCoded) codes(c) = codesOf(rows)
      } else if (layout.isNumber(c)) values(c) = numbers(rows, width, nulls(c))
      else values(c) = bytes(rows * width)
      c += 1
    }
    new Stripe(rows, values, nulls, ends, codes)
  }

  private def numbers(rows: Int, width: Int, nulls: Array[Byte]): Array[Byte] = {
    val size = in.readByte().toInt
    if (size == width) bytes(rows * width)
    else {
      val least = readPacked(rows, size)
      val values = new Array[Byte](rows * width)
      packed.unpack(least, size, rows, width, nulls, values)
      values
    }
  }

  private def endsOf(rows: Int): Array[Byte] = {
    val size = in.readByte().toInt
    val least = readPacked(rows, size)
    val ends = new Array[Byte](rows * 4)
    packed.unpackLengths(least, size, rows, ends)
    ends
  }

  private def codesOf(rows: Int): Array[Byte] = {
    val size = in.readByte().toInt
    val least = readPacked(rows, size)
    val codes = new Array[Byte](rows * 2)
    packed.unpack(least, size, rows, 2, null, codes)
    codes
  }

  /** Reads packed numbers. Returns the least of them. */
  private def readPacked(rows: Int, size: Int): Long = {
    in.readFully(number)
    in.readFully(packed.bytes, 0, rows * size)
    Platform.getLong(number, Platform.BYTE_ARRAY_OFFSET.toLong)
  }

  private def readInt(): Int = {
    in.readFully(number, 0, 4)
    Platform.getInt(number, Platform.BYTE_ARRAY_OFFSET.toLong)
  }

  private def bytes(size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size)
    in.readFully(bytes)
    bytes
  }

  override def asIterator: Iterator[Any] = throw StripeSerializer.notAStream

  override def readKey[T: ClassTag](): T = throw StripeSerializer.notAStream

  override def readValue[T: ClassTag](): T = throw StripeSerializer.notAStream

  override def readObject[T: ClassTag](): T = throw StripeSerializer.notAStream

  override def close(): Unit = in.close()
}
