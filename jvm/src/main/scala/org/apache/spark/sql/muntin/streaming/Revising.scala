package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/**
 * Which revisions of a job's results come out in a micro-batch.
 *
 * @param column
 *   the column that says what a row revises, if the query asks for it
 * @param isEarly
 *   whether results come out before they are final, and again when they change
 * @param batch
 *   the number of the micro-batch
 * @param isAll
 *   whether a final result comes out although the result has been said, as it is, before
 */
final case class Revising(
    column: Option[Attribute],
    isEarly: Boolean,
    batch: Long,
    isAll: Boolean
)

/**
 * How a job's results are known from revision to revision: by these columns of its output. With
 * `time`, a column or a part of one, several results may agree in them, and have numbers; no result
 * of an earlier time comes out in a later micro-batch and agrees with one that has come out.
 */
final case class ResultIdentity(columns: Seq[Attribute], time: Option[Expression])
