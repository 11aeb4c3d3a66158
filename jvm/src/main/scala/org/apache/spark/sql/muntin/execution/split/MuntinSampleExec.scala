package org.apache.spark.sql.muntin.execution.split

import java.util.function.{BooleanSupplier, Consumer, Supplier}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.AcceptsColumnarInput
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Passes all rows to the shuffle above it, and draws a sample of some of their columns.
 * SplitWindows uses the sample to find cuts of the shuffle's output. Some of `columns` contain
 * whether a condition is true. If it is `inColumns`, it passes column batches.
 */
case class MuntinSampleExec(
    columns: Seq[NamedExpression],
    child: SparkPlan,
    inColumns: Boolean = false
) extends UnaryExecNode
    with CodegenSupport
    with AcceptsColumnarInput {

  @transient private lazy val ofTasks: SampleOfTasks =
    SampleOfTasks(sparkContext, longMetric(OperatorMetrics.OutputRows))

  /** Returns one sample of each finished task. */
  def samples: Seq[RowSample] = ofTasks.samples

  override def nodeName: String = "MuntinSample"

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def stringArgs: Iterator[Any] = Iterator(columns, child)

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // A shuffle of the same rows can be reused, with a sample or without.
  override protected def doCanonicalize(): SparkPlan = child.canonicalized

  override protected def doExecute(): RDD[InternalRow] = {
    val (read, input, sample) = (columns, child.output, ofTasks)
    child.execute().mapPartitionsInternal { rows =>
      val sampler = sample.get()
      lazy val columnsOf = UnsafeProjection.create(read, input)
      rows.map { row =>
        if (sampler.getAsBoolean()) sampler.accept(columnsOf(row))
        row
      }
    }
  }

  override def supportsColumnar: Boolean = inColumns

  override def overRows: SparkPlan =
    copy(child = AcceptsColumnarInput.rows(child), inColumns = false)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val (read, input, sample) = (columns, child.output, ofTasks)
    child.executeColumnar().mapPartitionsInternal { batches =>
      val sampler = sample.get()
      lazy val columnsOf = UnsafeProjection.create(read, input)
      batches.map { batch =>
        var i = 0
        while (i < batch.numRows) {
          if (sampler.getAsBoolean()) sampler.accept(columnsOf(batch.getRow(i)))
          i += 1
        }
        batch
      }
    }
  }

  // Without generated code in the child, rows are not unpacked for the sample.
  override def supportCodegen: Boolean = child match {
    case c: CodegenSupport => !inColumns && c.supportCodegen
    case _ => false
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    // Referenced as a class of Java: the compiler does not find the classes of a jar added to a
    // running session.
    val sample = ctx.addReferenceObj("sample", ofTasks, classOf[Supplier[_]].getName)
    val passes = ctx.addMutableState(
      classOf[BooleanSupplier].getName,
      "passes",
      v => s"$v = (${classOf[BooleanSupplier].getName}) $sample.get();",
      forceInline = true
    )
    val draws = ctx.addMutableState(
      classOf[Consumer[_]].getName,
      "draws",
      v => s"$v = (${classOf[Consumer[_]].getName}) $passes;",
      forceInline = true
    )
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val projection = GenerateUnsafeProjection
      .createCode(ctx, BindReferences.bindReferences[Expression](columns, child.output))
    s"""
       |if ($passes.getAsBoolean()) {
       |  ${projection.code}
       |  $draws.accept(${projection.value});
       |}
       |${consume(ctx, input)}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): MuntinSampleExec =
    copy(child = newChild)
}
