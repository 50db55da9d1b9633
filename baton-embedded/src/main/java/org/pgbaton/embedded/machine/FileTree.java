package org.pgbaton.embedded.machine;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Copies and deletes whole folders; symbolic links are never followed. */
public final class FileTree {

    private FileTree() {}

    /** Copies with file modes and links, without the files of these names at the top. */
    public static void copy(Path from, Path to, Set<String> exceptTopLevel) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.copy(folder, target(folder), StandardCopyOption.COPY_ATTRIBUTES);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!from.equals(file.getParent()) || !exceptTopLevel.contains(nameOf(file))) {
                    Files.copy(file, target(file), StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                }
                return FileVisitResult.CONTINUE;
            }

            private Path target(Path path) {
                return to.resolve(from.relativize(path));
            }
        });
    }

    /** Deletes a folder, or nothing if it is not there. Files that appear meanwhile are deleted, too. */
    public static void delete(Path root) throws IOException {
        for (int attemptsLeft = 10; ; attemptsLeft--) {
            try {
                deleteOnce(root);
                return;
            } catch (DirectoryNotEmptyException | NoSuchFileException somebodyWroteOrDeleted) {
                if (attemptsLeft == 0) {
                    throw somebodyWroteOrDeleted;
                }
            }
        }
    }

    private static void deleteOnce(Path root) throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException problem) throws IOException {
                if (problem != null) {
                    throw problem;
                }
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** The last part of a path; empty for a root. */
    public static String nameOf(Path path) {
        Path name = path.getFileName();
        return name == null ? "" : name.toString();
    }
}
