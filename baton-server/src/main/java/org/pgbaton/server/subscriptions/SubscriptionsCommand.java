package org.pgbaton.server.subscriptions;

import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton subscriptions}. */
@Command(
        name = "subscriptions",
        mixinStandardHelpOptions = true,
        description =
                "Whatever changes something is recorded, with who, when and why: see 'baton subscriptions actions'.",
        header = {
            "Shows subscriptions, and pauses, rewinds, rebuilds or deletes them.",
            "",
            "Examples:",
            "  baton subscriptions list --watch",
            "  baton subscriptions show balances",
            "  baton subscriptions pause balances --reason 'the bank is down'",
            "  baton subscriptions rewind balances --to origin --reason 'a fee was missing'",
            "  baton subscriptions rebuild balances --target v2 --sql switch-views.sql",
            ""
        },
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            RewindCommand.class,
            RebuildCommand.class,
            DeleteCommand.class,
            ActionsCommand.class,
        })
public final class SubscriptionsCommand extends CommandGroup {}
