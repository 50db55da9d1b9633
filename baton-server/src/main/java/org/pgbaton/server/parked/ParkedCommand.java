package org.pgbaton.server.parked;

import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton parked}. */
@Command(
        name = "parked",
        mixinStandardHelpOptions = true,
        description =
                "A key is parked when its first message keeps failing: that message and all behind it with the same key wait, in "
                        + "order; all other keys go on. Whatever changes something is recorded: see 'baton subscriptions actions'.",
        header = {
            "Shows what is stuck, and tries it again, skips or exports it.",
            "",
            "Examples:",
            "  baton parked list",
            "  baton parked show balances P7",
            "  baton parked retry balances P7",
            "  baton parked retry balances --all --error 'connection refused' --reason 'the bank is back'",
            "  baton parked skip balances P7 4711 --reason 'a test booking, see ticket 99'",
            "  baton parked export balances P7 --out P7.jsonl",
            ""
        },
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            RetryCommand.class,
            SkipCommand.class,
            ExportCommand.class,
        })
public final class ParkedCommand extends CommandGroup {}
