package org.pgbaton.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.explore.Actor;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Explorer;
import org.pgbaton.explore.Model;

/**
 * The frontier over interleavings: writers that commit, roll back, roll back to a savepoint or prepare, in any order; a server that restarts
 * between any two steps; a reader that looks, and reads up to the frontier.
 *
 * <p>Claims. A row never becomes visible at or below a frontier that was computed before. A reader that reads up to the frontier has
 * read every committed row in the end, in order. A lane is held up by its own open writers alone: without them its frontier is the end,
 * and a writer that came after a look does not hold it below the end which that look read.
 *
 * <p>The arithmetic is {@link Frontier}, as it is in production. PostgreSQL is a model. It assumes: a position is drawn in one step; all
 * lane locks are read in one step, as pg_locks does, which holds every partition meanwhile; the rows of a commit become visible
 * together, and before the locks go; a rollback to a savepoint takes the locks with it that were taken since; a restart ends every
 * transaction but the prepared ones, which keep their locks and get another name, and it ends the reader's connection.
 */
class NoInterleavingLosesARowTest {
    private static final int SCHEDULES = 20_000;

    private enum Mistake {
        THE_END_IS_READ_AFTER_THE_WRITERS,
        A_WRITER_DRAWS_BEFORE_IT_LOCKS,
        A_NEW_WRITER_GETS_THE_END_OF_THE_SAME_LOOK,
        NOTHING_IS_FORGOTTEN_AFTER_A_RESTART,
        ROWS_ARE_READ_IN_A_SNAPSHOT_FROM_BEFORE_THE_LOOK,
        LOCKS_GO_BEFORE_ROWS_ARE_VISIBLE,
        NONE
    }

    @Test
    void noRowAppearsBehindAReader() {
        Explorer.holds(SCHEDULES, choices -> new Log(Mistake.NONE, choices, 3, 4));
    }

    @Test
    void noRowAppearsBehindAReaderInAnyOrderOfTwoWritersAndTwoLooks() {
        int schedules = Explorer.holdsInAll(100_000, choices -> new Log());

        assertThat(schedules).isGreaterThan(30_000);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) {
        assertThat(Explorer.finds(SCHEDULES, choices -> new Log(mistake, choices, 3, 4)))
                .containsAnyOf("became visible", "was never read");
    }

    private record Row(long position, int lane) {}

    private static final class Transaction {
        String name = "";
        final List<Row> rows = new ArrayList<>();
        /** For each lane, the end of the last look before it was locked. */
        final Map<Integer, Long> locks = new HashMap<>();

        boolean isPrepared;
    }

    /** One log, its writers and its reader. */
    private static final class Log extends Model {
        private final Mistake mistake;
        private final int lanes;
        private final List<Actor> writers = new ArrayList<>();
        private final Actor reader = actor("The reader");
        private final Frontier frontier;

        private final List<Transaction> open = new ArrayList<>();
        private final Map<Transaction, Actor> actors = new HashMap<>();
        private final List<Row> visible = new ArrayList<>();
        private final List<Row> read = new ArrayList<>();
        private final long[] reached;
        private long drawn;
        private int names;
        private int looks;
        private boolean isDisconnected;
        private boolean isCalm;
        private long end;
        /** Of the last look that was complete. */
        private long lastEnd;

        private List<Frontier.Writer> seen = List.of();
        private Map<Frontier.Writer, Long> known = Map.of();
        private List<Row> snapshot = List.of();

        /** A small one, for all schedules. */
        Log() {
            this.mistake = Mistake.NONE;
            this.lanes = 1;
            this.reached = new long[lanes];
            this.frontier = new Frontier(lanes);
            for (int i = 0; i < 2; i++) {
                Transaction writer = begin("Writer " + i);
                write(writer, 0);
                commit(writer);
            }
            looks = 2;
            look();
        }

        Log(Mistake mistake, Choices choices, int most, int looks) {
            this.mistake = mistake;
            this.lanes = 2;
            this.reached = new long[lanes];
            this.frontier = new Frontier(lanes);
            this.looks = looks;
            int count = 2 + choices.of(most - 1);
            for (int i = 0; i < count; i++) {
                write(begin("Writer " + i), choices);
            }
            if (choices.oneIn(3)) {
                actor("The server").then("restarts", this::restart);
            }
            look();
        }

        // ---- writers

        private Transaction begin(String name) {
            Transaction transaction = new Transaction();
            Actor actor = actor(name);
            writers.add(actor);
            actors.put(transaction, actor);
            return transaction;
        }

        private void write(Transaction writer, Choices choices) {
            Actor actor = actorOf(writer);
            write(writer, choices.of(lanes));
            switch (choices.of(6)) {
                case 0 -> write(writer, choices.of(lanes));
                case 1 -> {
                    List<Row> rows = new ArrayList<>();
                    Map<Integer, Long> locks = new HashMap<>();
                    actor.then("sets a savepoint", () -> {
                        rows.addAll(writer.rows);
                        locks.putAll(writer.locks);
                    });
                    write(writer, choices.of(lanes));
                    actor.then("rolls back to its savepoint", () -> {
                        writer.rows.retainAll(rows);
                        writer.locks.keySet().retainAll(locks.keySet());
                    });
                    if (choices.oneIn(2)) {
                        write(writer, choices.of(lanes));
                    }
                }
                default -> {}
            }
            switch (choices.of(6)) {
                case 0 -> actor.then("rolls back", () -> open.remove(writer));
                case 1, 2 -> {
                    actor.then("prepares", () -> writer.isPrepared = true);
                    commit(writer);
                }
                default -> commit(writer);
            }
        }

        private void write(Transaction writer, int lane) {
            Actor actor = actorOf(writer);
            Runnable lock = () -> {
                begun(writer);
                // Who was seen in the lane by the last look keeps its floor, also when it has let the lane go in
                // between.
                Long before = known.get(new Frontier.Writer(writer.name, lane));
                writer.locks.putIfAbsent(lane, before == null ? lastEnd : before);
            };
            Runnable draw = () -> {
                begun(writer);
                writer.rows.add(new Row(++drawn, lane));
            };
            if (mistake == Mistake.A_WRITER_DRAWS_BEFORE_IT_LOCKS) {
                actor.then("draws a position", draw).then("locks lane " + lane, lock);
            } else {
                actor.then("locks lane " + lane, lock).then("draws a position", draw);
            }
        }

        private void begun(Transaction writer) {
            if (writer.name.isEmpty()) {
                writer.name = "transaction " + names++;
                open.add(writer);
            }
        }

        private void commit(Transaction writer) {
            Actor actor = actorOf(writer);
            Runnable unlock = () -> open.remove(writer);
            Runnable show = () -> {
                for (Row row : writer.rows) {
                    require(
                            row.position() > reached[row.lane()],
                            () -> row + " became visible, and the frontier was " + reached[row.lane()] + " before.");
                    visible.add(row);
                }
                // From here on a restart does not undo it.
                writer.isPrepared = true;
            };
            if (mistake == Mistake.LOCKS_GO_BEFORE_ROWS_ARE_VISIBLE) {
                actor.then("loses its locks", unlock).then("has committed", show);
            } else {
                actor.then("has committed", show).then("loses its locks", unlock);
            }
        }

        private Actor actorOf(Transaction writer) {
            return actors.getOrDefault(writer, reader);
        }

        private void restart() {
            isDisconnected = true;
            known = Map.of();
            lastEnd = 0;
            for (Transaction transaction : List.copyOf(open)) {
                if (transaction.isPrepared) {
                    transaction.name = "transaction " + names++;
                } else {
                    open.remove(transaction);
                    actorOf(transaction).stop();
                }
                transaction.locks.replaceAll((lane, before) -> 0L);
            }
        }

        // ---- the reader

        private void look() {
            looks--;
            if (mistake == Mistake.THE_END_IS_READ_AFTER_THE_WRITERS) {
                step("reads the writers", this::readWriters);
                step("reads the end", () -> {
                    readEnd();
                    advance();
                });
            } else {
                step("reads the end", this::readEnd);
                step("reads the writers", () -> {
                    readWriters();
                    advance();
                });
            }
        }

        /** On its connection. When that has ended, it begins anew on another one. */
        private void step(String what, Runnable body) {
            reader.then(what, () -> {
                if (!isDisconnected) {
                    body.run();
                    return;
                }
                isDisconnected = false;
                reader.stop();
                if (mistake != Mistake.NOTHING_IS_FORGOTTEN_AFTER_A_RESTART) {
                    frontier.forget();
                }
                look();
            });
        }

        private void readEnd() {
            end = drawn;
            snapshot = List.copyOf(visible);
        }

        private void readWriters() {
            seen = new ArrayList<>();
            Map<Frontier.Writer, Long> before = new HashMap<>();
            for (Transaction transaction : open) {
                transaction.locks.forEach((lane, last) -> {
                    seen.add(new Frontier.Writer(transaction.name, lane));
                    before.put(new Frontier.Writer(transaction.name, lane), last);
                });
            }
            known = before;
        }

        private void advance() {
            if (mistake == Mistake.A_NEW_WRITER_GETS_THE_END_OF_THE_SAME_LOOK) {
                frontier.advance(end, List.of());
            }
            long[] safe = frontier.advance(end, seen);
            if (mistake == Mistake.NONE) {
                requireHeldUpByItsOwnAlone(safe);
            }
            lastEnd = end;
            for (int lane = 0; lane < lanes; lane++) {
                if (safe[lane] > reached[lane]) {
                    int number = lane;
                    long from = reached[lane];
                    reached[lane] = safe[lane];
                    reader.then("reads lane " + lane, () -> readRows(number, from, safe[number]));
                }
            }
            if (looks > 0) {
                look();
            }
        }

        private void requireHeldUpByItsOwnAlone(long[] safe) {
            long[] least = new long[lanes];
            Arrays.fill(least, end);
            known.forEach((writer, before) -> least[writer.lane()] = Math.min(least[writer.lane()], before));
            for (int lane = 0; lane < lanes; lane++) {
                int number = lane;
                require(safe[lane] >= least[lane], () -> "Lane " + number + " is held up at " + safe[number] + ".");
            }
        }

        private void readRows(int lane, long from, long upTo) {
            boolean old = mistake == Mistake.ROWS_ARE_READ_IN_A_SNAPSHOT_FROM_BEFORE_THE_LOOK;
            (old ? snapshot : visible)
                    .stream()
                            .filter(row -> row.lane() == lane && row.position() > from && row.position() <= upTo)
                            .forEach(read::add);
        }

        @Override
        protected boolean atRest() {
            if (!isCalm) {
                isCalm = true;
                look();
                return true;
            }
            for (Row row : visible) {
                require(read.contains(row), () -> row + " was never read.");
            }
            require(read.size() == visible.size(), () -> "A row was read twice.");
            for (int lane = 0; lane < lanes; lane++) {
                int number = lane;
                require(reached[lane] == drawn, () -> "Lane " + number + " is held up, and nobody writes.");
            }
            return false;
        }

        @Override
        public String toString() {
            return "visible " + visible + ", read " + read + ", open "
                    + open.stream()
                            .map(transaction -> transaction.name + transaction.rows)
                            .toList() + ", frontier "
                    + Arrays.toString(reached);
        }
    }
}
