package org.pgbaton.server.command;

import picocli.CommandLine.Option;

/** The option {@code --reason} of a command that demands a reason, because its effect cannot be taken back. */
public final class RequiredReason {
    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String text = "";

    public String text() {
        return text;
    }
}
