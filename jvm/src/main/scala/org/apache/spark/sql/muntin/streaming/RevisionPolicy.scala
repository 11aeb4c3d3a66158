package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/**
 * Which revisions of a job's results a micro-batch emits.
 *
 * @param column
 *   the column that describes the revision, if the query requests it
 * @param isEarly
 *   whether results are emitted before they are final, and again when they change
 * @param batch
 *   the number of the micro-batch
 * @param isAll
 *   whether a final result is emitted even if an equal answer was emitted before
 */
final case class RevisionPolicy(
    column: Option[Attribute],
    isEarly: Boolean,
    batch: Long,
    isAll: Boolean
)

/**
 * Identifies a job's results from revision to revision: by these columns of its output. With
 * `time`, a column or a part of one, several results may agree in the columns, and are numbered.
 * Then a later micro-batch emits no result of an earlier time that agrees with an emitted one.
 */
final case class ResultIdentity(columns: Seq[Attribute], time: Option[Expression])
