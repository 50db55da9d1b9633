package org.pgbaton.bench.capture;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Arrivals;
import org.pgbaton.bench.Check;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Race;
import org.pgbaton.bench.Series;
import org.pgbaton.bench.Shown;
import org.pgbaton.bench.capture.Contestant.Kind;

/** Measures how quickly a backlog is read from the WAL and written to a log. */
final class DrainPart implements Part {
    private final Peers peers;
    private final Stage stage;
    private final int rows;

    /** The WAL of a round, for all contestants of the round. */
    private @Nullable Wal wal;

    private final Map<String, Integer> turns = new HashMap<>();
    private int round;

    DrainPart(Peers peers, int rows) {
        this.peers = peers;
        this.stage = new Stage(peers);
        this.rows = rows;
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
        peers.buildWhatIsMissing(List.of(Contestants.MODULE));
        Optional<RecvLogical> client = RecvLogical.find();
        List<Contestant> contestants = Contestants.ofDrain(client.isPresent());
        Map<String, Check> checks = new HashMap<>();
        Race race = new Race(arena, into);
        for (Contestant contestant : contestants) {
            Check check = new Check();
            checks.put(contestant.name(), check);
            race.add(contestant.name(), () -> {
                Wal same = sameForAll(arena, contestants, contestant.name());
                return contestant.mainClass().isEmpty()
                        ? (rows - 1) * 1e9 / client.orElseThrow().drain(same, same.slot(contestant.slot()), seconds())
                        : drain(same, contestant, check);
            });
        }
        try {
            race.run(arena.rounds());
        } finally {
            if (wal != null) {
                wal.close();
            }
        }
        report(
                into,
                contestants,
                race,
                checks,
                client.isPresent() ? client.get().version() : "");
    }

    private int seconds() {
        return 20 + rows / 5000;
    }

    /** The first contestant of a round makes the round's WAL. */
    private Wal sameForAll(Arena arena, List<Contestant> contestants, String who)
            throws SQLException, InterruptedException {
        int turn = turns.merge(who, 1, Integer::sum);
        Wal same = wal;
        if (same != null && turn <= round) {
            return same;
        }
        if (same != null) {
            wal = null;
            same.close();
        }
        round = turn;
        Wal next = Wal.prepare(arena, Contestants.slots(contestants));
        wal = next;
        next.fill(rows);
        return next;
    }

    private double drain(Wal same, Contestant contestant, Check check) throws Exception {
        boolean tracked = contestant.options().containsKey("tracked");
        Map<String, String> options = Map.of(
                "rows",
                Integer.toString(rows),
                "arrivals",
                tracked ? Integer.toString(rows) : "0",
                "whole",
                Boolean.toString(contestant.canRepeat()));
        try (Player player = stage.process(same, contestant, options)) {
            Duration patience = Duration.ofSeconds(seconds() + 30);
            if (contestant.canRepeat()) {
                player.ask(patience, "drain", rows, seconds());
            }
            Player.Words seen = player.ask(patience, "drain", rows, seconds());
            if (seen.number(0) == 0) {
                throw new IllegalStateException("nothing arrived within " + seconds() + " s");
            }
            String table = contestant.table();
            if (table != null) {
                Arrivals written = same.read(table, rows);
                check.add(Player.Words.of(written.words() + "\t" + seen.number(7)));
            } else {
                check.add(seen);
            }
            return seen.number(5) * 1e9 / seen.number(6);
        }
    }

    private void report(
            Finding into, List<Contestant> contestants, Race race, Map<String, Check> checks, String clientVersion) {
        into.say(Shown.count(rows)
                + " changes of a table with ten columns by one writer (six inserts, three updates and a delete of each ten; transactions "
                + "of 1 to 1,000 rows), there before anybody reads; in each round all read the same WAL, each from a slot of its own, with "
                + "the same publication. Changes per second until the last; the first fifth, when connections are made and code is "
                + "compiled, does not count. Of the limits and of decoding alone all counts, from the start: they are no slower than the server, "
                + "which sends ahead; in exchange the JVMs among them read everything twice, and the second time counts. *Order*: what arrived, in the log or the table or at the consumer, compared with what was written, in all "
                + "rounds. Ratios round by round: median (range). Decoding does all that a bare stream does, and more, so it cannot "
                + "really be faster: where it comes out so, for a reason not known yet, take it for no more than that it keeps up with the server."
                + (clientVersion.isEmpty()
                        ? " There is no `pg_recvlogical` on this machine."
                        : " `pg_recvlogical` is of PostgreSQL " + clientVersion + "."));
        into.header("", "settings", "changes/s", "of the limit", "order");
        Contestant first = contestants.get(0);
        Series limit = race.of(first.name());
        for (Contestant contestant : contestants) {
            Series series = race.of(contestant.name());
            into.row(
                    contestant.name(),
                    contestant.settings(),
                    Shown.rate(series.median()),
                    contestant.equals(first) ? "1" : series.dividedBy(limit).shownAsRatio(),
                    contestant.kind() == Kind.LIMIT
                            ? "–"
                            : checks.getOrDefault(contestant.name(), new Check())
                                    .shown());
            into.number(contestant.name() + ", changes/s", series.median());
        }
        Series baton = race.of(Contestants.BATON.name());
        Series fastest = limit;
        for (Contestant contestant : contestants) {
            fastest = contestant.kind() == Kind.LIMIT ? fastest.orMore(race.of(contestant.name())) : fastest;
        }
        Series decoding = race.of(Contestants.DECODING.name());
        into.atLeast(
                "decoding alone, beside " + first.name().replaceAll(" \\(limit.*", ""),
                decoding.dividedBy(limit).median(),
                0.5);
        into.atLeast(
                "decoding alone, beside the fastest limit of each round",
                decoding.dividedBy(fastest).median(),
                0.5);
        into.atLeast(
                "into the log, beside Debezium into a table",
                baton.dividedBy(race.of(Contestants.DEBEZIUM_TABLE.name())).median(),
                1.5);
        for (Contestant contestant : List.of(Contestants.DECODING, Contestants.BATON)) {
            checks.getOrDefault(contestant.name(), new Check()).judge(contestant.name(), true, into);
        }
    }
}
