package org.pgbaton.embedded.machine;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** Unpacks a {@code .txz} archive with its file modes and links. */
public final class Archive {

    private Archive() {}

    /** Unpacks into an existing, empty folder and returns the files and links it made, relative to it. */
    public static List<Path> unpack(InputStream txz, Path folder) throws IOException {
        List<Path> unpacked = new ArrayList<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(txz, 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = folder.resolve(entry.getName()).normalize();
                if (!path.startsWith(folder)) {
                    throw new IOException("the archive wants to write outside of its folder: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    unpack(entry, tar, folder, path);
                    unpacked.add(folder.relativize(path));
                }
            }
        }
        return unpacked;
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path folder, Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            Files.createLink(path, folder.resolve(entry.getLinkName()).normalize());
        } else {
            Files.copy(content, path);
            Files.setPosixFilePermissions(path, permissions(entry.getMode()));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        // From OTHERS_EXECUTE, the lowest bit, up to OWNER_READ.
        PosixFilePermission[] fromHighest = PosixFilePermission.values();
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < fromHighest.length; bit++) {
            if ((mode & (1 << bit)) != 0) {
                permissions.add(fromHighest[fromHighest.length - 1 - bit]);
            }
        }
        return permissions;
    }
}
