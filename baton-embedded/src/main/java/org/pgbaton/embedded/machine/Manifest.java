package org.pgbaton.embedded.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What was unpacked into a folder: each file with its SHA-256, size and time of change.
 *
 * <p>A file whose size and time are as they were is taken for unchanged, which costs a look at each; one with another time is read, and
 * must have the same digest. The last line tells a complete manifest from one whose writer was killed.
 */
public final class Manifest {
    private static final String NAME = "baton-manifest";
    private static final String END = "complete";

    private Manifest() {}

    public static void write(Path folder, List<Path> files) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path file : files) {
            Path whole = folder.resolve(file);
            BasicFileAttributes now = attributes(whole);
            lines.add(digest(whole) + " " + now.size() + " "
                    + now.lastModifiedTime().toMillis() + " " + file);
        }
        lines.add(END);
        Files.write(folder.resolve(NAME), lines);
    }

    /** Whether everything is there, as it was unpacked. */
    public static boolean holdsFor(Path folder) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(NAME));
            int last = lines.size() - 1;
            if (last < 0 || !lines.get(last).equals(END)) {
                return false;
            }
            for (String line : lines.subList(0, last)) {
                String[] parts = line.split(" ", 4);
                Path file = folder.resolve(parts[3]);
                BasicFileAttributes now = attributes(file);
                if (now.size() != Long.parseLong(parts[1])) {
                    return false;
                }
                if (now.lastModifiedTime().toMillis() != Long.parseLong(parts[2])
                        && !digest(file).equals(parts[0])) {
                    return false;
                }
            }
            return true;
        } catch (IOException | RuntimeException missingOrGarbled) {
            return false;
        }
    }

    /** Of a link, where it points to. */
    private static String digest(Path file) throws IOException {
        MessageDigest sha256 = sha256();
        if (Files.isSymbolicLink(file)) {
            sha256.update(Files.readSymbolicLink(file).toString().getBytes(StandardCharsets.UTF_8));
        } else {
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha256)) {
                in.transferTo(java.io.OutputStream.nullOutputStream());
            }
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
}
