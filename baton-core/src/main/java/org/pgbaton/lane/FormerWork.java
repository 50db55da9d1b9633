package org.pgbaton.lane;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * Transactions that former owners of lanes have left open. They cannot commit, but what they wrote stays locked: a process that is
 * frozen in its handler would hold up the next owner for as long as the handler may take. So the next owner ends their sessions: at once
 * those that are idle, after a moment those that run a statement, which may be a commit that is about to end. Sessions of other roles it
 * may not end; it waits, and tells for whom.
 *
 * <p>Protocol: {@link #find} after a lane was taken, and before its new owner begins to work for it. Whoever shows itself then belongs to
 * an older epoch. From then on only those are ended, by their process numbers.
 *
 * <p>Belongs to the thread of its session.
 */
final class FormerWork {
    private static final Logger log = LineLogger.of(FormerWork.class);
    /** So long a statement that runs may go on. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    static final Duration AGAIN = Duration.ofMillis(100);

    private static final String END =
            "SELECT process, ended, refused, who FROM ${schema}.end_work(?::integer[], ?::integer[], ?)";

    /** Processes with open transactions for a lane, and since when we know of them. */
    private record Open(Set<Integer> processes, long since) {}

    private record Holder(int process, boolean refused, String who) {}

    private final LongSupplier nanos;
    private final BiConsumer<CheckpointId, String> waitsFor;
    private final Map<CheckpointId, Open> open = new HashMap<>();
    private final Set<Integer> told = new HashSet<>();
    private long againAt;

    /** @param waitsFor is told which lane waits for whom */
    FormerWork(LongSupplier nanos, BiConsumer<CheckpointId, String> waitsFor) {
        this.nanos = nanos;
        this.waitsFor = waitsFor;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    boolean knows(CheckpointId checkpoint) {
        return open.containsKey(checkpoint);
    }

    /** The lane was given back. Its next owner looks anew. */
    void forget(CheckpointId checkpoint) {
        open.remove(checkpoint);
    }

    void forget() {
        open.clear();
        told.clear();
    }

    /** Ends what shows itself. */
    void find(Session session, CheckpointId checkpoint) {
        Set<Integer> processes = new HashSet<>();
        end(session, checkpoint, null, false).forEach(holder -> processes.add(holder.process()));
        if (!processes.isEmpty()) {
            open.putIfAbsent(checkpoint, new Open(processes, nanos.getAsLong()));
            againAt = nanos.getAsLong() + AGAIN.toNanos();
        }
    }

    /** Ends the transactions that were found. To be called again and again until none is left. */
    void goOn(Session session) {
        if (open.isEmpty() || nanos.getAsLong() - againAt < 0) {
            return;
        }
        for (CheckpointId checkpoint : List.copyOf(open.keySet())) {
            Open found = open.get(checkpoint);
            if (found != null) {
                goOn(session, checkpoint, found);
            }
        }
        againAt = nanos.getAsLong() + AGAIN.toNanos();
    }

    private void goOn(Session session, CheckpointId checkpoint, Open found) {
        boolean hurry = nanos.getAsLong() - found.since > PATIENCE.toNanos();
        List<Holder> left = end(session, checkpoint, found.processes, hurry);
        if (left.isEmpty()) {
            open.remove(checkpoint);
        }
        left.stream().filter(Holder::refused).forEach(holder -> {
            String waiting = "A former owner still works for this lane: " + holder.who
                    + ". What it wrote stays locked until its transaction ends; this role may not end it. End it with SELECT "
                    + "pg_terminate_backend(" + holder.process + "), or wait.";
            if (told.add(holder.process)) {
                log.warn("Lane with checkpoint {}: {}", checkpoint, waiting);
            }
            waitsFor.accept(checkpoint, waiting);
        });
    }

    private static List<Holder> end(
            Session session, CheckpointId checkpoint, @Nullable Collection<Integer> processes, boolean hurry) {
        return session.query(
                "end what former owners left open",
                END,
                rows -> {
                    List<Holder> all = new ArrayList<>();
                    while (rows.next()) {
                        Holder holder = new Holder(rows.getInt(1), rows.getBoolean(3), rows.getString(4));
                        all.add(holder);
                        if (rows.getBoolean(2)) {
                            log.info(
                                    "Ended {}: it worked for a lane that is owned under a later epoch now", holder.who);
                        }
                    }
                    return all;
                },
                CheckpointId.array(List.of(checkpoint)),
                processes == null ? null : array(processes),
                hurry);
    }

    private static String array(Collection<Integer> numbers) {
        return numbers.toString().replace('[', '{').replace(']', '}');
    }
}
