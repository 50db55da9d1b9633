package org.pgbaton.server.leaderships;

import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton leaderships}. */
@Command(
        name = "leaderships",
        mixinStandardHelpOptions = true,
        description = "'baton status' shows them.",
        header = {
            "Deletes leaderships that nobody uses any more.",
            "",
            "Examples:",
            "  baton leaderships delete nightly --reason 'the report is gone'",
            ""
        },
        subcommands = DeleteCommand.class)
public final class LeadershipsCommand extends CommandGroup {}
