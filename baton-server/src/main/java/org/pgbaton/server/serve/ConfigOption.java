package org.pgbaton.server.serve;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code -c} of commands that read {@code baton.yaml}. */
public final class ConfigOption {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration (default: ./baton.yaml).")
    private @Nullable Path file;

    /** See {@link BatonYaml#read}. */
    public BatonYaml read() {
        return BatonYaml.read(file, System.getenv());
    }
}
