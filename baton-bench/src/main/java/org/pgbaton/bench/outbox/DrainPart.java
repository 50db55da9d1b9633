package org.pgbaton.bench.outbox;

import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Check;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Place;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Race;
import org.pgbaton.bench.Series;
import org.pgbaton.bench.Shown;

/** Measures how quickly a backlog gets to Kafka. */
final class DrainPart implements Part {
    private final Peers peers;

    DrainPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String title() {
        return "Draining a backlog";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        List<Contestant> contestants = Contestants.ofDrain(arena.isQuick());
        peers.buildWhatIsMissing(Contestants.modules());
        Map<String, Check> checks = new HashMap<>();
        Map<Outbox, Place> backlogs = new EnumMap<>(Outbox.class);
        Race race = new Race(arena, into);
        try (Kafka kafka = new Kafka()) {
            for (Contestant contestant : contestants) {
                Check check = new Check();
                checks.put(contestant.name(), check);
                race.add(contestant.name(), () -> drain(arena, kafka, contestant, backlogs, check));
            }
            arena.progress("warming up");
            drain(arena, kafka, contestants.get(0), backlogs, new Check());
            race.run(arena.isQuick() ? 1 : arena.rounds());
        } finally {
            for (Place place : backlogs.values()) {
                place.close();
            }
        }
        report(arena, into, contestants, race, checks);
    }

    private static int messages(Arena arena, Contestant contestant) {
        return (int) arena.sized(contestant.backlog(), contestant.backlog() / 4);
    }

    private double drain(Arena arena, Kafka kafka, Contestant contestant, Map<Outbox, Place> backlogs, Check check)
            throws Exception {
        int messages = messages(arena, contestant);
        int seconds = (int) arena.sized(15, 6);
        Player reader = arena.player("reader");
        try (Stage stage =
                new Stage(kafka, peers, contestant, filled(arena, contestant, messages, backlogs), messages)) {
            if (contestant.outbox() == null && contestant.kind() != Contestant.Kind.LIMIT) {
                stage.fill(messages);
            }
            stage.execute("CHECKPOINT");
            reader.ask(Duration.ofMinutes(1), "watch", kafka.servers(), stage.topic(), messages);
            stage.begin();
            Player.Words seen = reader.ask(Duration.ofSeconds(seconds + 30), "await", seconds);
            check.add(seen);
            if (seen.number(0) == 0) {
                throw new IllegalStateException("nothing arrived within " + seconds + " s");
            }
            return seen.number(5) * 1e9 / seen.number(6);
        }
    }

    /** A database with the backlog in it: copied, where it can be, from one that was filled before. */
    private static Place filled(Arena arena, Contestant contestant, int messages, Map<Outbox, Place> backlogs)
            throws SQLException {
        Outbox outbox = contestant.outbox();
        if (outbox == null) {
            return arena.emptyPlace();
        }
        if (!outbox.canBeCopied()) {
            Place place = outbox.empty(arena);
            outbox.fill(place, messages);
            return place;
        }
        Place original = backlogs.get(outbox);
        if (original == null) {
            arena.progress("filling " + Shown.count(messages) + " messages");
            original = outbox.empty(arena);
            outbox.fill(original, messages);
            backlogs.put(outbox, original);
        }
        return arena.copy(original);
    }

    private static void report(
            Arena arena, Finding into, List<Contestant> contestants, Race race, Map<String, Check> checks) {
        into.say("A backlog over " + Messages.KEYS + " portfolios, payload " + Messages.PAYLOAD_BYTES
                + " bytes, to a topic of " + Kafka.PARTITIONS
                + " partitions. Messages per second that a consumer with `read_committed` sees, until the last; the first fifth, when "
                + "processes join and code is compiled, does not count. *Order*: what that consumer found compared with what was written, in "
                + "all rounds. Ratios round by round: median (range).");
        into.header("", "settings", "backlog", "messages/s", "of the limit", "order per key");
        Series limit = race.of(Contestants.LIMIT);
        double bestPolling = 0;
        for (Contestant contestant : contestants) {
            String name = contestant.name();
            Series series = race.of(name);
            Check check = checks.getOrDefault(name, new Check());
            into.row(
                    name,
                    contestant.settings(),
                    Shown.count(messages(arena, contestant)),
                    Shown.rate(series.median()),
                    contestant.kind() == Contestant.Kind.LIMIT
                            ? "1"
                            : series.dividedBy(limit).shownAsRatio(),
                    check.shown());
            into.number(name + ", messages/s", series.median());
            if (contestant.kind() == Contestant.Kind.ORDERED_POLLING && check.isInOrder()) {
                bestPolling = Math.max(bestPolling, series.median());
            }
        }
        Series wal = new Series();
        for (Contestant contestant : contestants) {
            if (contestant.kind() == Contestant.Kind.WAL) {
                wal = race.of(contestant.name());
            }
        }
        for (String mode : new String[] {Contestants.EXACTLY_ONCE, Contestants.AT_LEAST_ONCE}) {
            Series baton = race.of(Contestants.inProcesses(mode, 1));
            into.atLeast(
                    mode + ", 1 process, beside the bare producer",
                    baton.dividedBy(limit).median(),
                    0.5);
            into.atLeast(
                    mode + ", 1 process, beside the best polling outbox that kept the order",
                    bestPolling == 0 ? Double.NaN : baton.median() / bestPolling,
                    10);
            into.atLeast(
                    mode + ", 1 process, beside Debezium", baton.dividedBy(wal).median(), 2);
        }
        for (Contestant contestant : contestants) {
            if (contestant.kind() == Contestant.Kind.BATON) {
                Check check = checks.getOrDefault(contestant.name(), new Check());
                check.judge(contestant.name(), contestant.isExactlyOnce(), into);
            }
        }
    }
}
