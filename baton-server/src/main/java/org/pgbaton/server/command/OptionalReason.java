package org.pgbaton.server.command;

import picocli.CommandLine.Option;

/** The option {@code --reason} of a command that can do without a reason. */
public final class OptionalReason {
    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String text = "by hand";

    public String text() {
        return text;
    }
}
