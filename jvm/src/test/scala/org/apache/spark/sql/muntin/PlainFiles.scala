package org.apache.spark.sql.muntin

import org.apache.hadoop.fs.{LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission

/**
 * Local files written by Java. Without Hadoop's native library, Hadoop's class starts a process,
 * chmod, for each file that it writes, and a micro-batch's checkpoint has dozens of files.
 */
final class PlainFiles extends LocalFileSystem(new RawLocalFileSystem {
      override def setPermission(path: Path, permission: FsPermission): Unit = ()
    }) {
  setWriteChecksum(false)
}
