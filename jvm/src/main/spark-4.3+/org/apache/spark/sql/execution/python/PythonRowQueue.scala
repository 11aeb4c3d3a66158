package org.apache.spark.sql.execution.python

import java.io.File

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.serializer.SerializerManager

/** Spark's queue of rows, whose constructor differs between Spark versions. */
abstract class PythonRowQueue(
    manager: TaskMemoryManager,
    directory: File,
    fields: Int,
    serializers: SerializerManager
) extends HybridRowQueue(manager, directory, fields, serializers, true)
