package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.Row

/** A value as text; equal bits have equal texts. */
object Rendered {
  def apply(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("0x", ",", "")
    case row: Row => row.toSeq.map(apply).mkString("[", ", ", "]")
    case several: scala.collection.Seq[_] => several.map(apply).mkString("(", ", ", ")")
    case other => String.valueOf(other)
  }
}
