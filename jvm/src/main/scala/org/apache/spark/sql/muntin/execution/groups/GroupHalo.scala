package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.execution.functions.FunctionPlan
import org.apache.spark.sql.muntin.execution.split.Halo

/** Which rows around a part of a group its windows reach. */
object GroupHalo {

  /** None where some of the windows needs more than a part of the group. */
  def apply(
      spec: GroupWindowSpec,
      functions: Seq[FunctionPlan],
      input: Seq[Attribute]
  ): Option[Halo] =
    spec.reach.filter { reach =>
      val kernel =
        new GroupKernel(spec.plan(None), functions, functions.indices, input, Memory.Unlimited)
      reach.alignsBlocks || !kernel.mergesBlocks
    }.map(reach => Halo.NoRows.copy(group = Some(reach)))
}
