package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.split.Halo

/** The halo of a chunk of a group: which rows around it the windows reach that begin in it. */
object GroupHalo {

  /** None where some window needs more of its group than a halo. */
  def apply(spec: GroupWindowSpec, functions: Seq[AggregatePlan]): Option[Halo] =
    spec.reach
      .filter(_.alignsBlocks || !spec.plan(None).abilities(functions).exists(_.blocks))
      .map(reach => Halo.NoRows.copy(group = Some(reach)))
}
