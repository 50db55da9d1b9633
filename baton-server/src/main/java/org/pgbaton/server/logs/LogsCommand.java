package org.pgbaton.server.logs;

import org.pgbaton.server.adopt.AdoptCommand;
import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton logs}. */
@Command(
        name = "logs",
        mixinStandardHelpOptions = true,
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            CreateCommand.class,
            RetentionCommand.class,
            RetainCommand.class,
            RedactCommand.class,
            LimitCommand.class,
            AdoptCommand.class,
        },
        description =
                "Logs are append-only tables that any SQL client can write to. 'events' and 'outbox' are there from the start.",
        header = {
            "Creates, shows and looks after logs.",
            "",
            "Examples:",
            "  baton logs list",
            "  baton logs show events",
            "  baton logs create orders --lanes 64 --retention 30d",
            "  baton logs retention orders 90d",
            "  baton logs retain orders",
            "  baton logs create mails --outbox",
            "  baton logs limit mails 5MB",
            "  baton logs adopt outbox_event --topic trades",
            "  baton logs redact orders 4711 --reason 'erasure request 17'",
            "",
        })
public final class LogsCommand extends CommandGroup {}
