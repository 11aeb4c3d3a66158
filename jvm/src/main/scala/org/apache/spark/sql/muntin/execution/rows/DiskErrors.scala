package org.apache.spark.sql.muntin.execution.rows

import java.io.{File, IOException, UncheckedIOException}

private[execution] object DiskErrors {

  /**
   * Runs a read or write of a temporary file of rows; an error then shows where disk space is
   * needed.
   */
  def explained[A](path: File)(body: => A): A =
    try body
    catch {
      case e: IOException =>
        throw new UncheckedIOException(
          s"Rows of a window could not be spilled to $path: ${e.getMessage}. " +
            "Set spark.local.dir to disks with enough free space.",
          e
        )
    }
}
