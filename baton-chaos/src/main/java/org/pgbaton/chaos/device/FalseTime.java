package org.pgbaton.chaos.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A command under which a program sees a wrong time of day: libfaketime, from Debian's package. */
public final class FalseTime {
    private FalseTime() {}

    /** @return empty if it is not installed */
    public static List<String> off(int seconds) throws IOException {
        try (Stream<Path> machines = Files.list(Path.of("/usr/lib"))) {
            return machines.map(each -> each.resolve("faketime/libfaketime.so.1"))
                    .filter(Files::isReadable)
                    .findFirst()
                    .map(library -> List.of(
                            "env",
                            "LD_PRELOAD=" + library,
                            "FAKETIME=" + (seconds < 0 ? "" : "+") + seconds,
                            "FAKETIME_FORCE_MONOTONIC_FIX=0",
                            "FAKETIME_DONT_FAKE_MONOTONIC=1"))
                    .orElse(List.of());
        }
    }
}
