package org.pgbaton.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that consists of other commands. Without one of them it prints its usage. */
public abstract class CommandGroup implements Runnable {
    @CommandLine.Spec
    private @Nullable CommandSpec spec;

    @Override
    public final void run() {
        if (spec != null) {
            spec.commandLine().usage(System.out);
        }
    }
}
