package org.pgbaton.server.subscriptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.TryLaterException;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code baton subscriptions rebuild}. Waits until a target that is built beside the live one has caught up. Then makes it the live one and runs
 * the script, in one transaction.
 */
@Command(
        name = "rebuild",
        mixinStandardHelpOptions = true,
        description = {
            "First start the program with the new handler and .target(\"v2\"): it builds its tables beside the old ones, from the "
                    + "origin. This command waits until it has caught up, then makes it the live target; in the same transaction it runs "
                    + "the script, for instance to point a view at the new tables. The old target is retired and cannot commit any more.",
            "Exits with 75 if it did not catch up within --timeout; nothing is changed then."
        },
        header = {
            "Switches to a projection that was rebuilt beside the live one.",
            "",
            "Examples:",
            "  baton subscriptions rebuild balances --target v2",
            "  baton subscriptions rebuild balances --target v2 --sql switch-views.sql --timeout 2h --yes",
            ""
        },
        footer = "TIME is written like 500ms, 30s, 5m or 2h.")
final class RebuildCommand extends OperatorCommand {
    private static final Duration LOOK = Duration.ofMillis(250);

    /** How often a switch may fail because messages came faster than the new target handled them. */
    private static final int TRIES = 5;

    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--target", required = true, paramLabel = "TARGET", description = "The target to switch to.")
    private String target = "";

    @Option(names = "--sql", paramLabel = "FILE", description = "SQL to run in the transaction that switches.")
    private @Nullable Path sql;

    @Option(names = "--timeout", paramLabel = "TIME", description = "Wait no longer, then exit 75 (default: for ever).")
    private @Nullable Duration timeout;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            description = "How long the live target may be held still for the last messages (default: 10s).")
    private Duration hold = Duration.ofSeconds(10);

    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    private @Nullable Script script;

    @Override
    protected void check() {
        if (sql == null) {
            return;
        }
        try {
            script = new Script(sql, Files.readString(sql));
        } catch (IOException unreadable) {
            throw new UsageException("The script " + sql + " cannot be read: give a file of SQL in UTF-8.");
        }
    }

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) throws Exception {
        SubscriptionStatus live = NamedSubscription.live(baton, name);
        SubscriptionStatus beside = NamedSubscription.target(baton, name, target);
        if (beside.live()) {
            throw new UsageException("Target '" + target + "' of subscription '" + name + "' is live already.");
        }
        if (beside.state() == SubscriptionStatus.State.RETIRED) {
            throw new UsageException("Target '" + target + "' of subscription '" + name
                    + "' was replaced earlier and stands still: build a new one, under a new name.");
        }
        if (!confirmation.given(impact(live))) {
            return ExitCode.NEGATIVE;
        }
        long begin = System.nanoTime();
        for (int tries = 1; ; tries++) {
            awaitCatchUp(baton, begin);
            try {
                switchOver(baton);
                break;
            } catch (SubscriptionException notYet) {
                if (tries == TRIES || baton.subscriptions().behindLive(name, target) == 0) {
                    throw notYet;
                }
            }
        }
        Output.say("Target '" + target + "' is live. " + called(live)
                + " is retired; when nobody needs it any more: baton " + "subscriptions delete " + name + " --target '"
                + live.target() + "'");
        return ExitCode.DONE;
    }

    private void switchOver(Baton baton) {
        baton.subscriptions().switchOver(name, target, reason.text(), hold, connection -> {
            if (script != null) {
                script.run(connection);
            }
        });
    }

    private String impact(SubscriptionStatus live) {
        return "This makes target '" + target + "' of subscription '" + name
                + "' the live one as soon as it has caught up"
                + (sql == null ? "" : ", and runs " + sql + " in the same transaction") + "; "
                + called(live).replaceFirst("^T", "t") + " is retired and cannot commit anything any more ("
                + NamedSubscription.alive(live) + ").";
    }

    private static String called(SubscriptionStatus live) {
        return live.target().isEmpty() ? "The old target" : "Target '" + live.target() + "'";
    }

    private void awaitCatchUp(Baton baton, long begin) throws InterruptedException {
        try (CatchUp catchUp = new CatchUp()) {
            while (true) {
                SubscriptionStatus now = NamedSubscription.target(baton, name, target);
                if (now.keys().parked() > 0) {
                    throw new TryLaterException("Target '" + target + "' of subscription '" + name + "' has "
                            + Output.count(now.keys().parked(), "parked key")
                            + " and is not complete: 'baton parked list "
                            + name + "' shows them, retry or skip them with --target " + target + ".");
                }
                long behind = baton.subscriptions().behindLive(name, target);
                if (behind == 0 || catchUp.isNearly(behind, hold)) {
                    return;
                }
                catchUp.show(target, behind, now);
                if (timeout != null && System.nanoTime() - begin > timeout.toNanos()) {
                    throw new TryLaterException("Target '" + target + "' of subscription '" + name + "' is still "
                            + Output.number(behind) + " positions behind; nothing was changed.");
                }
                Thread.sleep(LOOK.toMillis());
            }
        }
    }
}
