// The build reads class files by the reader that the jar has.
Compile / unmanagedSources ++= Seq("ClassFile", "ClassFiles").map { name =>
  baseDirectory.value.getParentFile / "jvm" / "src" / "main" / "java" / "org" / "apache" / "spark" /
    "sql" / "muntin" / s"$name.java"
}
