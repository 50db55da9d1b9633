package org.pgbaton.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process does with a signal is inherited: under {@code nohup}, or behind {@code &} in a script, we ignore SIGHUP or SIGINT, and so would
 * everybody we start. A user at a terminal has the default, so that is what the tests of signals need.
 */
final class Dispositions {
    private static final String PERL = "foreach (qw(HUP INT QUIT)) { $SIG{$_} = 'DEFAULT' } exec @ARGV or exit 127";

    private Dispositions() {}

    /** @return how a command has to begin that wants the default of every signal; nothing, if that is what we have */
    static List<String> reset() {
        if (!areIgnored()) {
            return List.of();
        }
        List<String> env = List.of("env", "--default-signal=HUP,INT,QUIT");
        return isPossible(env) ? env : List.of("perl", "-e", PERL, "--");
    }

    private static boolean areIgnored() {
        try {
            // HUP is 1, INT 2 and QUIT 3, each a bit.
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 0b111) != 0);
        } catch (IOException notLinux) {
            return false;
        }
    }

    private static boolean isPossible(List<String> env) {
        try {
            return new ProcessBuilder(env.get(0), env.get(1), "true").start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException inAHurry) {
            throw new UncheckedIOException(new IOException(inAHurry));
        }
    }
}
