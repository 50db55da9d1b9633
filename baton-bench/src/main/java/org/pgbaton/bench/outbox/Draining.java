package org.pgbaton.bench.outbox;

import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Check;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.Trace;

/**
 * Lets contestants drain backlogs, each in processes of its own that end afterwards, and takes down how far each had come when and
 * with how much CPU time. Closing drops the backlogs. Not thread-safe.
 */
final class Draining implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long SILENCE = 8_000_000_000L;
    /** How long a contestant may take. */
    static final int SECONDS = 45;

    /** The same for those that poll, of which some would never come to an end. */
    private static final int SECONDS_OF_POLLING = 15;

    private static final long MILLIS_BETWEEN_POINTS = 100;

    private final Arena arena;
    private final Peers peers;
    private final Kafka kafka;
    private final Map<Outbox, Place> backlogs = new EnumMap<>(Outbox.class);

    Draining(Arena arena, Peers peers, Kafka kafka) {
        this.arena = arena;
        this.peers = peers;
        this.kafka = kafka;
    }

    /** The size of a contestant's backlog. */
    static int messages(Arena arena, Contestant contestant) {
        int full = contestant.backlog();
        return (int) arena.sized(full, full >= 100_000 ? full / 25 : full / 4);
    }

    /** So that the broker is warm, without transactions and with. */
    void warmUp() throws Exception {
        arena.progress("warming up the broker");
        for (String name : new String[] {Contestants.LIMIT, Contestants.inProcesses(Contestants.EXACTLY_ONCE, 1)}) {
            drain(Contestants.named(name), new Check());
        }
    }

    /**
     * From just before its processes start until all has arrived, or nothing comes any more, or the time is over.
     *
     * @param check gets what the consumer has seen
     */
    Trace drain(Contestant contestant, Check check) throws Exception {
        int messages = messages(arena, contestant);
        int seconds = contestant.isPolling() ? SECONDS_OF_POLLING : SECONDS;
        boolean counts = contestant.kind() == Contestant.Kind.READING;
        Player reader = arena.player("reader");
        try (Stage stage = new Stage(kafka, peers, contestant, filled(contestant, messages), messages)) {
            stage.execute("CHECKPOINT");
            reader.ask(PATIENCE, "watch", kafka.direct(), stage.topic(), counts ? 0 : messages);
            Trace trace = new Trace();
            trace.add(point(0, stage));
            stage.start();
            if (contestant.outbox() == null && contestant.kind() != Contestant.Kind.LIMIT) {
                stage.fill();
            }
            stage.begin();
            Progress progress = counts
                    ? stage::count
                    : () -> reader.ask(PATIENCE, "arrived").number(0);
            boolean finished = follow(trace, stage, messages, seconds, progress);
            Player.Words seen = reader.ask(PATIENCE, "end", finished ? 1 : 0);
            if (!counts) {
                check.add(seen);
            }
            if (trace.done() == 0) {
                throw new IllegalStateException("nothing arrived within " + seconds + " s");
            }
            return trace;
        }
    }

    /** A number that grows. */
    private interface Progress {
        long done() throws Exception;
    }

    /** @return whether nothing more can come */
    private boolean follow(Trace trace, Stage stage, int messages, int seconds, Progress progress) throws Exception {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long last = System.nanoTime();
        while (true) {
            long before = trace.done();
            long now = System.nanoTime();
            long done = progress.done();
            trace.add(point(done, stage));
            last = done > before ? now : last;
            if (done >= messages || (done > 0 && now - last > SILENCE)) {
                return true;
            }
            if (now > end) {
                return false;
            }
            Thread.sleep(MILLIS_BETWEEN_POINTS);
        }
    }

    private Trace.Point point(long done, Stage stage) {
        return new Trace.Point(System.nanoTime(), done, stage.cpu(), arena.serverCpu(), kafka.cpu());
    }

    /**
     * A database with the backlog in it. Baton's can be read again and again, by relays with other names; others are copied, where
     * they can be, from one that was filled before.
     */
    private Stage.Ground filled(Contestant contestant, int messages) throws SQLException {
        Outbox outbox = contestant.outbox();
        if (outbox == null) {
            return Stage.Ground.own(arena.emptyPlace());
        }
        if (!outbox.canBeCopied()) {
            Place place = outbox.empty(arena);
            outbox.fill(place, messages);
            return Stage.Ground.own(place);
        }
        Place original = backlogs.get(outbox);
        if (original == null) {
            arena.progress("filling " + Shown.count(messages) + " messages");
            original = outbox.empty(arena);
            outbox.fill(original, messages);
            backlogs.put(outbox, original);
        }
        return outbox == Outbox.BATON ? Stage.Ground.shared(original) : Stage.Ground.own(arena.copy(original));
    }

    @Override
    public void close() throws SQLException {
        for (Place place : backlogs.values()) {
            place.close();
        }
    }
}
