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

/** The class files that a class loader would load, by name: read once, and not loaded. */
public final class ClassFiles {
    private final ClassLoader loader;
    private final Map<String, Optional<ClassFile>> read = new ConcurrentHashMap<>();

    /** Reads those of the loader. */
    public ClassFiles(ClassLoader loader) {
        this.loader = loader;
    }

    /** Reads several, in as many threads as there are processors. */
    void readAll(Collection<String> names) {
        names.parallelStream().forEach(this::of);
    }

    /** The class's file, where there is one. */
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
     * Whether the class, or a class or an interface that it is one of, declares the member. Yes,
     * where this is not known: a loader may have classes without files.
     */
    public boolean has(String name, String member) {
        return of(name)
            .map(c -> c.members.containsKey(member)
                || c.supers.stream().filter(ClassFiles::isRead).anyMatch(s -> has(s, member)))
            .orElseGet(() -> loads(name));
    }

    /** The methods that a class has to have that is one of all these. */
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

    /** Whether there is such a class, as it may be without a file. */
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
