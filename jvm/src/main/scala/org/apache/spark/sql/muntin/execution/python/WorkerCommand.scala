package org.apache.spark.sql.muntin.execution.python

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.charset.StandardCharsets.UTF_8

/**
 * The command for a Python worker: a pickle that runs Muntin's `_worker.py`, which the jar contains
 * as text, around the functions of a query, each as Spark has pickled it. So workers do not need an
 * installed Muntin, and functions of a classic session and of Spark Connect work in the same way.
 */
object WorkerCommand {
  private val Call = "(lambda space: (exec(compile(source, 'muntin/_worker.py', 'exec'), space), " +
    "space['windows'](commands, plan))[1])({'__name__': 'muntin_worker'})"

  private lazy val source: String = {
    val stream = getClass.getResourceAsStream("/io/muntin/worker.py")
    try new String(stream.readAllBytes(), UTF_8)
    finally stream.close()
  }

  def apply(functions: Seq[Array[Byte]], plan: String): Array[Byte] = {
    val pickle = new Pickle
    pickle.op(0x80, 3)
    pickle.global("builtins", "eval")
    pickle.text(Call)
    pickle.op('}', '(')
    pickle.text("source")
    pickle.text(source)
    pickle.text("plan")
    pickle.text(plan)
    pickle.text("commands")
    pickle.op(']', '(')
    functions.foreach(pickle.bytes)
    pickle.op('e', 'u')
    // The two arguments of eval, its call, and the end.
    pickle.op(0x86, 'R', '.')
    pickle.result
  }

  /** Writes Python's pickle format, protocol 3. */
  private final class Pickle {
    private val out = new ByteArrayOutputStream

    def op(codes: Int*): Unit = codes.foreach(out.write)

    def global(module: String, name: String): Unit = {
      op('c')
      out.write(s"$module\n$name\n".getBytes(UTF_8))
    }

    def text(value: String): Unit = sized('X', value.getBytes(UTF_8))

    def bytes(value: Array[Byte]): Unit = sized('B', value)

    private def sized(code: Int, value: Array[Byte]): Unit = {
      op(code)
      out.write(ByteBuffer.allocate(4).order(LITTLE_ENDIAN).putInt(value.length).array)
      out.write(value)
    }

    def result: Array[Byte] = out.toByteArray
  }
}
