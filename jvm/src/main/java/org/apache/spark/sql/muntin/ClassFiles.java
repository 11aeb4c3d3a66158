package org.apache.spark.sql.muntin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The class files that a class loader finds, by name: each is read once, and not loaded. */
public final class ClassFiles {
    private final ClassLoader loader;
    private final Map<String, Optional<ClassFile>> read = new ConcurrentHashMap<>();

    /** Reads the class files of the loader. */
    public ClassFiles(ClassLoader loader) {
        this.loader = loader;
    }

    /** Reads several class files, with one thread per processor. */
    void readAll(Collection<String> names) {
        names.parallelStream().forEach(this::of);
    }

    /** Returns the class's file, if there is one. */
    public Optional<ClassFile> of(String name) {
        Optional<ClassFile> known = read.get(name);
        if (known != null) {
            return known;
        }
        Optional<ClassFile> file = Optional.ofNullable(bytesOf(name)).map(ClassFile::new);
        read.put(name, file);
        return file;
    }

    /**
     * Returns true if the class, or one of its super classes and interfaces, declares the member.
     * Also returns true if this is unknown: a loader may have classes without files.
     */
    public boolean has(String name, String member) {
        return of(name)
            .map(c -> c.members.containsKey(member)
                || c.supers.stream().filter(ClassFiles::isRead).anyMatch(s -> has(s, member)))
            .orElseGet(() -> loads(name));
    }

    /** Returns the abstract methods that a subtype of all these classes must implement. */
    public Set<String> abstractMethods(Collection<String> types) {
        Set<String> declared = new HashSet<>();
        Set<String> implemented = new HashSet<>();
        types.forEach(type -> gather(type, declared, implemented, new HashSet<>()));
        declared.removeAll(implemented);
        return declared;
    }

    private void gather(
        String name, Set<String> declared, Set<String> implemented, Set<String> seen) {
        if (isRead(name) && seen.add(name)) {
            of(name).ifPresent(c -> {
                c.members.forEach((m, isAbstract) -> (isAbstract ? declared : implemented).add(m));
                c.supers.forEach(s -> gather(s, declared, implemented, seen));
            });
        }
    }

    /**
     * Returns true if a class is not of the JDK or of Scala, which a Spark distribution does not
     * patch.
     */
    public static boolean isRead(String name) {
        return !name.startsWith("java/") && !name.startsWith("scala/");
    }

    /** Returns true if there is such a class, even without a file. */
    boolean loads(String name) {
        try {
            Class.forName(name.replace('/', '.'), false, loader);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private byte[] bytesOf(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            if (in == null) {
                return null;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream(Math.max(in.available(), 32));
            byte[] part = new byte[16384];
            for (int n = in.read(part); n >= 0; n = in.read(part)) {
                out.write(part, 0, n);
            }
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
