package org.apache.spark.sql.muntin.streaming

import java.io.{DataInputStream, DataOutputStream, InputStream, OutputStream}
import java.nio.ByteBuffer

/**
 * A byte buffer to write to. Unlike the buffers of java.io it takes no lock, and its bytes can be
 * read in place. To write many values, write them into its `room`, then call `added`.
 */
final class StateOutput private (sink: StateOutput.Sink) extends DataOutputStream(sink) {
  def this() = this(new StateOutput.Sink)

  // The method of java.io takes a lock.
  override def write(from: Array[Byte], offset: Int, size: Int): Unit =
    sink.write(from, offset, size)

  /** Returns the bytes, with room for `more` bytes after the last; valid until the next call. */
  def room(more: Int): ByteBuffer = sink.room(more)

  /** Marks `more` bytes of the room as written. */
  def added(more: Int): Unit = sink.length += more

  /**
   * Writes a number in the fewest bytes, seven bits in each, the lowest first; the last bit is the
   * sign.
   */
  def writeVariable(value: Long): Unit = {
    val to = room(StateOutput.MostOfVariable)
    var rest = (value << 1) ^ (value >> 63)
    var at = length
    while ((rest & ~0x7fL) != 0L) {
      to.put(at, (rest | 0x80L).toByte)
      rest >>>= 7
      at += 1
    }
    to.put(at, rest.toByte)
    added(at + 1 - length)
  }

  def length: Int = sink.length

  def bytes: Array[Byte] = sink.bytes

  def clear(): Unit = truncate(0)

  /** Drops all but the first `length` bytes. */
  def truncate(length: Int): Unit = sink.length = length

  /** Drops the first `length` bytes. */
  def drop(length: Int): Unit = {
    System.arraycopy(sink.bytes, length, sink.bytes, 0, sink.length - length)
    sink.length -= length
  }

  /** Appends the next `size` bytes of `in`. */
  def writeFrom(in: StateInput, size: Int): Unit = {
    write(in.view.array, in.at, size)
    in.moveTo(in.at + size)
  }

  def copy: Array[Byte] = java.util.Arrays.copyOf(sink.bytes, sink.length)
}

object StateOutput {
  private val MostOfVariable = 10

  private final class Sink extends OutputStream {
    var bytes = new Array[Byte](256)
    var length = 0
    private var buffer = ByteBuffer.wrap(bytes)

    def room(more: Int): ByteBuffer = {
      ensure(more)
      buffer
    }

    override def write(value: Int): Unit = {
      ensure(1)
      bytes(length) = value.toByte
      length += 1
    }

    override def write(from: Array[Byte], offset: Int, size: Int): Unit = {
      ensure(size)
      System.arraycopy(from, offset, bytes, length, size)
      length += size
    }

    private def ensure(more: Int): Unit =
      if (length + more > bytes.length) {
        bytes = java.util.Arrays.copyOf(bytes, math.max(2 * bytes.length, length + more))
        buffer = ByteBuffer.wrap(bytes)
      }
  }
}

/** Bytes to read from, or to read in place: then the caller moves the position. */
final class StateInput private (source: StateInput.Source) extends DataInputStream(source) {
  def this(bytes: Array[Byte]) = this(new StateInput.Source(bytes))

  /** All of the bytes. */
  val view: ByteBuffer = ByteBuffer.wrap(source.bytes)

  /** Returns the position of the next byte. */
  def at: Int = source.at

  def moveTo(place: Int): Unit = source.at = place

  /** Reads what `writeVariable` has written. */
  def readVariable(): Long = {
    var rest = 0L
    var shift = 0
    var byte = 0x80
    while ((byte & 0x80) != 0) {
      byte = source.bytes(source.at)
      source.at += 1
      rest |= (byte & 0x7fL) << shift
      shift += 7
    }
    (rest >>> 1) ^ -(rest & 1L)
  }
}

object StateInput {
  private final class Source(val bytes: Array[Byte]) extends InputStream {
    var at = 0

    override def read(): Int =
      if (at == bytes.length) -1
      else {
        at += 1
        bytes(at - 1) & 0xff
      }

    override def read(to: Array[Byte], offset: Int, size: Int): Int =
      if (at == bytes.length && size > 0) -1
      else {
        val count = math.min(size, bytes.length - at)
        System.arraycopy(bytes, at, to, offset, count)
        at += count
        count
      }

    override def available(): Int = bytes.length - at
  }
}
