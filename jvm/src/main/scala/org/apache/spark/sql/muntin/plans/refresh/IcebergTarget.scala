package org.apache.spark.sql.muntin.plans.refresh

import java.util.{Collections, Map => JavaMap}
import java.util.concurrent.Callable

import org.apache.spark.sql.SparkSession

/** A table of Iceberg. The position is in the summary of the snapshot. */
private[refresh] final class IcebergTarget(session: SparkSession, name: String)
    extends MergeTarget(session, name) {
  import IcebergTarget._

  override def stored: StoredPosition = {
    val snapshots = session.sql(
      s"""SELECT s.snapshot_id, s.parent_id, s.operation, s.summary['${RefreshPosition.Name}'],
         |  r.snapshot_id IS NOT NULL
         |FROM $name.snapshots s
         |LEFT JOIN (SELECT snapshot_id FROM $name.refs WHERE name = 'main') r
         |  ON r.snapshot_id = s.snapshot_id"""
        .stripMargin
    ).collect().toSeq
    val byId = snapshots.map(s => s.getLong(0) -> s).toMap
    val ancestors = Iterator.iterate(snapshots.find(_.getBoolean(4))) {
      _.filterNot(_.isNullAt(1)).flatMap(s => byId.get(s.getLong(1)))
    }
    StoredPosition.of(
      ancestors.takeWhile(_.isDefined).flatten
        .filterNot(_.getString(2) == Maintenance)
        .map(s => Option(s.getString(3)))
    )
  }

  // Iceberg adds these properties to the commits of the thread.
  override protected def storing(position: Option[RefreshPosition])(
      body: SparkSession => Unit
  ): Unit = position match {
    case None => body(session)
    case Some(stored) =>
      val run: Callable[Object] = () => {
        body(session)
        None
      }
      val metadata = Class.forName(CommitMetadata, true, Thread.currentThread.getContextClassLoader)
      val call = metadata.getMethod(
        "withCommitProperties",
        classOf[JavaMap[_, _]],
        classOf[Callable[_]],
        classOf[Class[_]]
      )
      try
        call.invoke(
          null,
          Collections.singletonMap(RefreshPosition.Name, stored.text),
          run,
          classOf[RuntimeException]
        ): Unit
      catch {
        case e: java.lang.reflect.InvocationTargetException => throw e.getCause
      }
  }
}

private object IcebergTarget {
  private val CommitMetadata = "org.apache.iceberg.spark.CommitMetadata"

  /** The operation of snapshots that do not change the rows. */
  private val Maintenance = "replace"
}
