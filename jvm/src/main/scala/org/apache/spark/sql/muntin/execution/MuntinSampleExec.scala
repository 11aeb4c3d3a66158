package org.apache.spark.sql.muntin.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}

/**
 * Passes on all rows to the shuffle that it is beneath, and draws a sample of some of their columns, by which SplitWindows
 * sees where it can cut what that writes.
 */
case class MuntinSampleExec(columns: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport {

  @transient private lazy val ofTasks: SampleOfTasks = {
    val sample = new SampleOfTasks
    sparkContext.register(sample)
    sample
  }

  /** One of each task that has run. */
  def samples: Seq[RowSample] = ofTasks.value.values.toSeq

  override def nodeName: String = "MuntinSample"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // A shuffle of the same rows can be reused, whether there is a sample of them or not.
  override protected def doCanonicalize(): SparkPlan = child.canonicalized

  override protected def doExecute(): RDD[InternalRow] = {
    val (read, input, sample) = (columns, child.output, ofTasks)
    child.execute().mapPartitionsInternal { rows =>
      val sampler = sample.sampler()
      lazy val columnsOf = UnsafeProjection.create(read, input)
      rows.map { row =>
        if (sampler.isDrawn()) sampler.draw(columnsOf(row))
        row
      }
    }
  }

  // Rows that come as such are not taken apart for it.
  override def supportCodegen: Boolean = child match {
    case c: CodegenSupport => c.supportCodegen
    case _ => false
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val sample = ctx.addReferenceObj("sample", ofTasks)
    val sampler = ctx.addMutableState(
      classOf[RowSampler].getName,
      "sampler",
      v => s"$v = $sample.sampler();",
      forceInline = true
    )
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val drawn = GenerateUnsafeProjection
      .createCode(ctx, BindReferences.bindReferences[Expression](columns, child.output))
    s"""
       |if ($sampler.isDrawn()) {
       |  ${drawn.code}
       |  $sampler.draw(${drawn.value});
       |}
       |${consume(ctx, input)}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): MuntinSampleExec =
    copy(child = newChild)
}
