import com.eed3si9n.jarjarabrams.{ShadeRule, Shader}
import sbt._

/** Renames a library's classes, so that they cannot conflict with another version in a session. */
object Shading {

  /** Returns `jar` without the `unused` paths, with the package `from` renamed to `to`. */
  def apply(jar: File, from: String, to: String, unused: Seq[String], target: File): File = {
    val parts = (from, to, unused).hashCode.toHexString
    val shaded = target / s"${jar.base}-$parts.jar"
    if (!shaded.exists) IO.withTemporaryDirectory { directory =>
      val needed: NameFilter =
        new SimpleFilter(name => name.endsWith(".class") && !unused.exists(name.startsWith))
      val classes = IO.unzip(jar, directory / "classes", needed)
      val entries = classes.map(c => c -> IO.relativize(directory / "classes", c).get)
      IO.zip(entries, directory / "in.jar", Some(0L))
      Shader.shadeFile(
        Seq(ShadeRule.rename(s"$from.**" -> s"$to.@1").inAll),
        (directory / "in.jar").toPath,
        (directory / "out.jar").toPath,
        false, // verbose
        false, // skipManifest
        true, // resetTimestamp
        true // warnOnDuplicateClass
      )
      IO.copyFile(directory / "out.jar", shaded)
    }
    shaded
  }
}
