package org.apache.spark.sql.muntin.execution.frames

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  DataInput,
  DataInputStream,
  DataOutput,
  DataOutputStream
}

/** Passes what one object writes to another object, which reads it. */
private[execution] object Transferred {
  def apply(write: DataOutput => Unit)(read: DataInput => Unit): Unit = {
    val bytes = new ByteArrayOutputStream
    write(new DataOutputStream(bytes))
    read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray)))
  }
}
