package org.apache.spark.sql.muntin.streaming

import java.io.{DataInputStream, DataOutputStream, InputStream, OutputStream}

/**
 * A buffer of bytes to write to. Unlike those of java.io it takes no lock, and its bytes can be
 * read in place.
 */
final class StateOutput private (sink: StateOutput.Sink) extends DataOutputStream(sink) {
  def this() = this(new StateOutput.Sink)

  def length: Int = sink.length

  def bytes: Array[Byte] = sink.bytes

  def clear(): Unit = truncate(0)

  /** Drops all but the first `length` bytes. */
  def truncate(length: Int): Unit = sink.length = length

  /** Appends all bytes that `in` has left. */
  def writeRest(in: StateInput): Unit = {
    val rest = new Array[Byte](in.available())
    in.readFully(rest)
    write(rest, 0, rest.length)
  }

  def copy: Array[Byte] = java.util.Arrays.copyOf(sink.bytes, sink.length)
}

object StateOutput {
  private final class Sink extends OutputStream {
    var bytes = new Array[Byte](256)
    var length = 0

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
      }
  }
}

/** Bytes to read from. */
final class StateInput private (source: StateInput.Source) extends DataInputStream(source) {
  def this(bytes: Array[Byte]) = this(new StateInput.Source(bytes))
}

object StateInput {
  private final class Source(bytes: Array[Byte]) extends InputStream {
    private var at = 0

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
