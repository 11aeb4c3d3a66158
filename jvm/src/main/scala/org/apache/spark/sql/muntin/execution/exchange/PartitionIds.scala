package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** Computes the exchange partition of each row of a column batch: Spark's own numbers. */
private[exchange] abstract class PartitionIds {

  /** Writes the partitions of the rows from `from` until `until`, starting at 0. */
  def write(batch: ColumnarBatch, from: Int, until: Int, ids: Array[Int]): Unit
}

/** Computes the exchange partition of a row: a function whose number is not boxed. */
private[exchange] trait PartitionOfRow extends (InternalRow => Int) {
  override def apply(row: InternalRow): Int
}

private[exchange] object PartitionIds {

  /** Returns true if an exchange of columns can compute the partitions. */
  def support(partitioning: Partitioning): Boolean = partitioning match {
    case _: HashPartitioning | SinglePartition => true
    case _ => false
  }

  def ofBatches(partitioning: Partitioning, input: Seq[Attribute]): PartitionIds =
    partitioning match {
      case HashPartitioning(keys, n) if keys.forall(isHashed) =>
        new Hashed(keys.map(ordinal(_, input)).toArray, keys.map(_.dataType).toArray, n)
      case hash: HashPartitioning => new Projected(hash, input)
      case _ => Single
    }

  def ofRows(partitioning: Partitioning, input: Seq[Attribute]): PartitionOfRow =
    partitioning match {
      case hash: HashPartitioning =>
        val project = UnsafeProjection.create(hash.partitionIdExpression :: Nil, input)
        row => project(row).getInt(0)
      case _ => _ => 0
    }

  private def ordinal(key: Expression, input: Seq[Attribute]): Int =
    input.indexWhere(_.exprId == key.asInstanceOf[Attribute].exprId)

  // Returns true if the key can be hashed as a column. Strings are hashed by their bytes only
  // without a collation.
  private def isHashed(key: Expression): Boolean = key.isInstanceOf[Attribute] && {
    key.dataType match {
      case BooleanType | ByteType | ShortType | IntegerType | DateType => true
      case LongType | TimestampType | TimestampNTZType => true
      case other => other == StringType
    }
  }

  private object Single extends PartitionIds {
    override def write(batch: ColumnarBatch, from: Int, until: Int, ids: Array[Int]): Unit =
      Arrays.fill(ids, 0, until - from, 0)
  }

  /** Hashes any expression, row by row. */
  private final class Projected(hash: HashPartitioning, input: Seq[Attribute])
      extends PartitionIds {
    private val partitionOf = ofRows(hash, input)

    override def write(batch: ColumnarBatch, from: Int, until: Int, ids: Array[Int]): Unit = {
      var i = from
      while (i < until) {
        ids(i - from) = partitionOf(batch.getRow(i))
        i += 1
      }
    }
  }

  /** Hashes column after column: Spark's hash of several values is a chain of hashes. */
  private final class Hashed(ordinals: Array[Int], types: Array[DataType], partitions: Int)
      extends PartitionIds {
    override def write(batch: ColumnarBatch, from: Int, until: Int, ids: Array[Int]): Unit = {
      val rows = until - from
      Arrays.fill(ids, 0, rows, Seed)
      var k = 0
      while (k < ordinals.length) {
        val vector = batch.column(ordinals(k))
        types(k) match {
          case LongType | TimestampType | TimestampNTZType => hashLongs(vector, from, rows, ids)
          case IntegerType | DateType => hashInts(vector, from, rows, ids)
          case other => hashOthers(other, vector, from, rows, ids)
        }
        k += 1
      }
      var i = 0
      while (i < rows) {
        val rest = ids(i) % partitions
        ids(i) = if (rest < 0) rest + partitions else rest
        i += 1
      }
    }

    private def hashLongs(v: ColumnVector, from: Int, rows: Int, ids: Array[Int]): Unit = {
      val hasNull = v.hasNull
      var i = 0
      while (i < rows) {
        if (!hasNull || !v.isNullAt(from + i)) {
          ids(i) = Murmur3_x86_32.hashLong(v.getLong(from + i), ids(i))
        }
        i += 1
      }
    }

    private def hashInts(v: ColumnVector, from: Int, rows: Int, ids: Array[Int]): Unit = {
      val hasNull = v.hasNull
      var i = 0
      while (i < rows) {
        if (!hasNull || !v.isNullAt(from + i)) {
          ids(i) = Murmur3_x86_32.hashInt(v.getInt(from + i), ids(i))
        }
        i += 1
      }
    }

    private def hashOthers(
        dataType: DataType,
        v: ColumnVector,
        from: Int,
        rows: Int,
        ids: Array[Int]
    ): Unit = {
      var i = 0
      while (i < rows) {
        val row = from + i
        if (!v.isNullAt(row)) {
          ids(i) = dataType match {
            case BooleanType => Murmur3_x86_32.hashInt(if (v.getBoolean(row)) 1 else 0, ids(i))
            case ByteType => Murmur3_x86_32.hashInt(v.getByte(row).toInt, ids(i))
            case ShortType => Murmur3_x86_32.hashInt(v.getShort(row).toInt, ids(i))
            case _ =>
              val s = v.getUTF8String(row)
              Murmur3_x86_32
                .hashUnsafeBytes(s.getBaseObject, s.getBaseOffset, s.numBytes, ids(i))
          }
        }
        i += 1
      }
    }
  }

  private val Seed = 42
}
