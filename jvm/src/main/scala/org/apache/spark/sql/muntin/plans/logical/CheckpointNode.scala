package org.apache.spark.sql.muntin.plans.logical

/** A table about a checkpoint: its contents, or the result of a command. */
trait CheckpointNode extends CommandNode
