package org.pgbaton.server.captures;

import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton captures}. */
@Command(
        name = "captures",
        mixinStandardHelpOptions = true,
        description =
                "Captures are made by the programs that run them, or by 'baton serve' from baton.yaml. Whatever changes "
                        + "something is recorded: see 'baton subscriptions actions'.",
        header = {
            "Shows captures of row changes; pauses, resumes or drops them; skips changes that cannot be captured.",
            "",
            "Examples:",
            "  baton captures list",
            "  baton captures show alerts",
            "  baton captures pause alerts --reason 'maintenance of the log'",
            "  baton captures snapshot alerts",
            "  baton captures skip alerts --reason 'the row is gone already'",
            "  baton captures settle alerts --reason 'all rows were sent again'",
            "  baton captures drop alerts --reason 'nobody wants them any more'",
            ""
        },
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            SnapshotCommand.class,
            SkipCommand.class,
            SettleCommand.class,
            DropCommand.class,
        })
public final class CapturesCommand extends CommandGroup {}
