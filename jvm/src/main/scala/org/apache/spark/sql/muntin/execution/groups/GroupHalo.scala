package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.split.Halo

/** Which rows around a part of a group its windows reach. */
object GroupHalo {

  /** None where some of the windows needs more than a part of the group. */
  def apply(spec: GroupWindowSpec, functions: Seq[AggregatePlan]): Option[Halo] =
    spec.reach
      .filter(_.alignsBlocks || !spec.plan(None).abilities(functions).exists(_.blocks))
      .map(reach => Halo.NoRows.copy(group = Some(reach)))
}
