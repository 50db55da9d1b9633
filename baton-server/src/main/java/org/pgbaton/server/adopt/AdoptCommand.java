package org.pgbaton.server.adopt;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.TryLaterException;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code baton logs adopt}. Lets Baton send what is inserted into a table with a status column, while its writers and its old relay run.
 *
 * <p>Guarantee: every row is sent by exactly one of the two relays, and never before earlier rows of its key. Condition: the old relay is done with
 * a row when it has changed the status of the row, or at most {@code --settle} later. If the command is killed, nothing is lost, and it can be
 * run again.
 */
@Command(
        name = "adopt",
        mixinStandardHelpOptions = true,
        description = {
            "For teams that have an outbox table with a status column, and a relay that polls it. From the switch on, rows that are inserted "
                    + "into the table go into the log, in the same transaction, and get a status that the old relay does not know. What was pending "
                    + "before stays with the old relay; new rows wait until it has sent that. Then it can be switched off.",
            "Writers and relays of both sides may run all the time. No message is sent twice, lost, or out of its key's order. The guide: "
                    + "docs/moving-in.md.",
            "Columns that are not named are recognised by their names; --dry-run shows them and changes nothing. Exits with 75 if the old relay is "
                    + "not done within --timeout: run it again to go on, or with --undo to go back.",
        },
        header = {
            "Adopts a table with a status column: what is inserted into it is sent by Baton.",
            "",
            "Examples:",
            "  baton logs adopt outbox_event --topic trades --dry-run",
            "  baton logs adopt outbox_event --topic trades --key portfolio_id",
            "  baton logs adopt app.outbox --topic-column destination --pending NEW,RETRY --into mails",
            "  baton logs adopt outbox_event --undo",
            "",
        },
        footer = "TIME is written like 500ms, 30s, 5m or 2h.")
public final class AdoptCommand extends OperatorCommand {
    private static final Duration LOOK = Duration.ofMillis(100);

    @Parameters(paramLabel = "TABLE", description = "The table, with its schema if that is not on the search path.")
    private String table = "";

    @Option(names = "--into", paramLabel = "LOG", description = "The outbox that its rows go into (default: outbox).")
    private String log = "outbox";

    @Option(names = "--topic", paramLabel = "TOPIC", description = "Where all its messages go.")
    private @Nullable String topic;

    @Option(names = "--topic-column", paramLabel = "COLUMN", description = "Where each message goes.")
    private @Nullable String topicColumn;

    @Option(names = "--key", paramLabel = "COLUMN", description = "What must stay in order.")
    private @Nullable String key;

    @Option(names = "--no-key", description = "Nothing must stay in order.")
    private boolean noKey;

    @Option(names = "--id", paramLabel = "COLUMN", description = "What identifies a message. UUIDs stay what they are.")
    private @Nullable String id;

    @Option(names = "--payload", paramLabel = "COLUMN", description = "The content: json, jsonb, text or bytea.")
    private @Nullable String payload;

    @Option(names = "--headers", paramLabel = "COLUMN", description = "Headers: json or jsonb.")
    private @Nullable String headers;

    @Option(names = "--type", paramLabel = "COLUMN", description = "What happened.")
    private @Nullable String type;

    @Option(names = "--status", paramLabel = "COLUMN", description = "Whether a row was sent.")
    private @Nullable String status;

    @Option(
            names = "--pending",
            paramLabel = "VALUE",
            split = ",",
            description = "Every status of a row that the old relay has still to send; the first is that of a new row "
                    + "(default: the column's default).")
    private List<String> pending = List.of();

    @Option(
            names = "--taken",
            paramLabel = "VALUE",
            description = "The status of a row that is Baton's; no row may have it yet (default: BATON).")
    private String taken = "BATON";

    @Option(
            names = "--settle",
            paramLabel = "TIME",
            description =
                    "How long the old relay must have had nothing to send before new rows go out: longer than it may "
                            + "still be sending a row whose status it has changed (default: 5s).")
    private Duration settle = Duration.ofSeconds(5);

    @Option(names = "--timeout", paramLabel = "TIME", description = "Wait no longer, then exit 75 (default: for ever).")
    private @Nullable Duration timeout;

    @Option(names = "--dry-run", description = "Only say what would be done, and what speaks against it.")
    private boolean dryRun;

    @Option(names = "--undo", description = "Give the table back to the old relay.")
    private boolean undo;

    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected void check() {
        if (topic != null && topicColumn != null) {
            throw new UsageException("--topic and --topic-column say both where messages go: give one of them.");
        }
        if (key != null && noKey) {
            throw new UsageException("--key and --no-key contradict each other: give one of them.");
        }
        if (undo && dryRun) {
            throw new UsageException("--undo and --dry-run do not go together: leave one of them out.");
        }
    }

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) throws Exception {
        Adoption adoption = new Adoption(chosen.sessions(), chosen.schema(), baton.who(), reason.text());
        adoption.requireOwnerOfSchema();
        if (undo) {
            adoption.forgetDroppedTables();
        }
        OldTable old = adoption.table(table);
        if (!dryRun) {
            adoption.requireOwnerOf(old);
        }
        Adoption.State state = adoption.state(table);
        if (undo) {
            return giveBack(adoption, state);
        }
        if (state != null && state.is("adopted")) {
            Output.say("The table " + old.name() + " is adopted already: its rows go into log '" + state.log()
                    + "'. Nothing was changed.");
            return ExitCode.DONE;
        }
        if (state != null && state.is("returning")) {
            throw new UsageException("The table " + old.name()
                    + " is being given back to the old relay: finish that first, with --undo.");
        }
        if (state == null) {
            if (baton.logs().show(log).payloadLimit() == null) {
                throw new UsageException("The log '" + log
                        + "' is no outbox: name one with --into, or create it with 'baton logs create NAME --outbox'.");
            }
            Plan plan = plan(old);
            Adoption.Findings findings = adoption.check(plan);
            if (dryRun) {
                return show(plan, findings);
            }
            refuse(plan, findings);
            plan.shown().lines().forEach(Output::say);
            if (!confirmation.given(impact(plan, findings))) {
                return ExitCode.NEGATIVE;
            }
            adoption.begin(plan);
        } else if (dryRun) {
            throw new UsageException(
                    "The adoption of " + old.name() + " has begun: run it without --dry-run to go on.");
        }
        return finish(adoption, old.name());
    }

    private Plan plan(OldTable old) {
        String column = old.status(status);
        return new Plan(
                old.name(),
                log,
                old.id(id),
                noKey ? null : old.key(key),
                topic == null ? old.topic(topicColumn) : null,
                topic,
                old.type(type),
                old.headers(headers),
                old.payload(payload),
                column,
                pending.isEmpty() ? List.of(old.pending(column)) : pending,
                taken);
    }

    private int show(Plan plan, Adoption.Findings findings) {
        String fault = fault(plan, findings);
        if (json) {
            Map<String, @Nullable Object> map = plan.asMap();
            map.put("statuses", findings.statuses());
            map.put("rowsChecked", findings.lookedAt());
            map.put("rowsRefused", findings.refused());
            map.put("problem", fault);
            Output.json(map);
        } else {
            Output.text(plan.shown());
            Output.say("Rows by status: " + shown(findings.statuses()) + ". "
                    + (fault == null ? impact(plan, findings) : fault));
        }
        return fault == null ? ExitCode.DONE : ExitCode.NEGATIVE;
    }

    private static String shown(Map<String, Long> statuses) {
        return statuses.isEmpty()
                ? "none"
                : String.join(
                        ", ",
                        statuses.entrySet().stream()
                                .map(each -> each.getKey() + " " + Output.number(each.getValue()))
                                .toList());
    }

    private static void refuse(Plan plan, Adoption.Findings findings) {
        String fault = fault(plan, findings);
        if (fault != null) {
            throw new UsageException(fault);
        }
    }

    /** Why the table cannot be adopted like this; null if it can. */
    private static @Nullable String fault(Plan plan, Adoption.Findings findings) {
        if (plan.pending().contains(plan.taken()) || findings.statuses().containsKey(plan.taken())) {
            return "Rows of " + plan.table() + " have the status " + plan.taken()
                    + " already, and Baton needs one of its own: name another with --taken.";
        }
        if (findings.statusFault() != null) {
            return "The column " + findings.statusFault()
                    + ". Let it take that value, or name others with --taken and --pending.";
        }
        if (findings.refused() > 0) {
            return "The log '" + plan.log() + "' would refuse " + Output.number(findings.refused()) + " of "
                    + Output.count(findings.lookedAt(), "row")
                    + " that were looked at, and writers of such rows would fail; "
                    + "row " + findings.example() + " for instance: " + findings.fault() + ".";
        }
        return null;
    }

    private static String impact(Plan plan, Adoption.Findings findings) {
        long left = plan.pending().stream()
                .mapToLong(each -> findings.statuses().getOrDefault(each, 0L))
                .sum();
        return "This sends what is inserted into " + plan.table() + " from now on through log '" + plan.log()
                + "', and leaves " + Output.count(left, "row") + " (" + String.join(", ", plan.pending())
                + ") to the old relay, which must go on until it has sent them; new rows wait until then. Its writers may have to wait "
                + "for some tenths of a second.";
    }

    private int finish(Adoption adoption, String name) throws InterruptedException {
        long begin = System.nanoTime();
        try (Countdown countdown = new Countdown()) {
            long quietSince = -1;
            while (true) {
                Adoption.State now = adoption.state(table);
                if (now == null || !now.is("draining")) {
                    throw new TryLaterException("Somebody else has finished or undone the adoption of " + name + ".");
                }
                countdown.show(
                        Output.count(now.pending(), "row") + " (" + now.statuses() + ") left to the old relay",
                        now.pending(),
                        now.waiting());
                quietSince = now.pending() > 0 ? -1 : quietSince < 0 ? System.nanoTime() : quietSince;
                if (quietSince >= 0 && System.nanoTime() - quietSince >= settle.toNanos()) {
                    Long waited = adoption.finish(table);
                    if (waited != null) {
                        return adopted(adoption, name, now.log(), waited);
                    }
                    quietSince = -1;
                }
                requireTime(
                        begin,
                        "The old relay still has " + Output.count(now.pending(), "row") + " of " + name + " to send");
                Thread.sleep(LOOK.toMillis());
            }
        }
    }

    private void requireTime(long begin, String otherwise) {
        if (timeout != null && System.nanoTime() - begin > timeout.toNanos()) {
            throw new TryLaterException(otherwise + " after " + Durations.shown(timeout)
                    + ". New rows wait meanwhile, and nothing is lost: run the command again to go on"
                    + (undo ? "." : ", or with --undo to go back."));
        }
    }

    private int adopted(Adoption adoption, String name, String into, long waited) {
        Output.say("The table " + name + " is adopted; " + Output.count(waited, "row")
                + " had waited. The old relay has nothing to send any more: switch it off.");
        if (!adoption.hasReaders(into)) {
            Output.say("Nobody reads log '" + into + "' yet: start a relay, which sends what is there, in order.");
        }
        return done(name, "adopted");
    }

    private int done(String name, String state) {
        if (json) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put("table", name);
            map.put("state", state);
            Output.json(map);
        } else {
            Output.line(state + " " + name);
        }
        return ExitCode.DONE;
    }

    private int giveBack(Adoption adoption, Adoption.@Nullable State state) throws IOException, InterruptedException {
        if (state == null) {
            throw new UsageException("The table " + table + " is not adopted; there is nothing to undo.");
        }
        if (!state.is("draining") && !adoption.hasReaders(state.log())) {
            throw new UsageException("Nobody reads log '" + state.log()
                    + "', so what is in it would never be sent: start its relay first, and let it send that.");
        }
        if (!state.is("returning")) {
            if (!confirmation.given(
                    state.is("draining")
                            ? "This gives the table " + table + " back to the old relay at once, with "
                                    + Output.count(state.waiting(), "row") + " that waited."
                            : "This gives the table " + table + " back to the old relay, as soon as log '" + state.log()
                                    + "' has been sent; rows that are inserted meanwhile wait.")) {
                return ExitCode.NEGATIVE;
            }
            adoption.beginReturn(table);
        }
        awaitSent(adoption);
        Output.say("The table " + table + " is the old relay's again, and as it was.");
        return done(table, "given back");
    }

    private void awaitSent(Adoption adoption) throws InterruptedException {
        long begin = System.nanoTime();
        try (Countdown countdown = new Countdown()) {
            for (Adoption.State now = adoption.state(table); now != null; now = adoption.state(table)) {
                long unsent = now.unsent() == null ? 0 : now.unsent();
                countdown.show(
                        Output.count(unsent, "message") + " left in log '" + now.log() + "'", unsent, now.waiting());
                if (now.unsent() != null && unsent == 0 && adoption.finishReturn(table)) {
                    return;
                }
                requireTime(
                        begin,
                        "Log '" + now.log() + "' still has " + Output.count(unsent, "message")
                                + " to be sent; 'baton parked list' shows what is stuck");
                Thread.sleep(LOOK.toMillis());
            }
        }
    }
}
