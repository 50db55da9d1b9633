package org.pgbaton.server.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton init}. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        description =
                "Writes a baton.yaml that works as it is, with everything else as comments. Never overwrites a file.",
        header = {
            "Writes a configuration file to start from.",
            "",
            "Examples:",
            "  baton init                                   ./baton.yaml",
            "  baton init -c /etc/baton/baton.yaml",
            "",
        })
public final class InitCommand implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The file to write (default: ./baton.yaml).")
    private Path file = Path.of("baton.yaml");

    @Override
    public Integer call() {
        try {
            Files.writeString(file, template(), StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException there) {
            throw new UsageException(file + " exists already, and stays as it is: name another file with -c.");
        } catch (IOException refused) {
            throw new UsageException("The file " + file + " cannot be written: check the folder and its rights.");
        }
        Output.say("baton: Wrote " + file + ". Edit it, then: baton serve --check -c " + file);
        return ExitCode.DONE;
    }

    private static String template() {
        try (InputStream in = Objects.requireNonNull(InitCommand.class.getResourceAsStream("init.yaml"), "init.yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
