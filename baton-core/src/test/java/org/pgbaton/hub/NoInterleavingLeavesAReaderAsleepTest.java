package org.pgbaton.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.explore.Actor;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Explorer;
import org.pgbaton.explore.Model;
import org.pgbaton.frontier.Frontier;
import org.pgbaton.table.LogTable;

/**
 * The doorbell over interleavings: writers that commit or roll back, readers that fall asleep and are woken.
 *
 * <p>Claims. Without the look of every second: one reader has seen every committed row before it sleeps for ever. Several readers have, too, if
 * a ring reaches all sleepers, and who holds the bell gives it back, before another one has lingered and sleeps again. Where that is not so,
 * or the one with the bell dies, one look of every second is enough.
 *
 * <p>What a reader makes of a look is {@link WatchedLog}, as it is in production, with its frontier. The order of what it says to the server
 * is that of {@link Hub} and of the function {@code look}, written down here once more. PostgreSQL is a model. It assumes: a bell is
 * tried in one step; a writer that shares it does so until its transaction has ended; a commit makes its rows visible, then frees its
 * locks, then delivers its notification; who listens gets every notification, also one that comes while it is awake.
 */
class NoInterleavingLeavesAReaderAsleepTest {
    private enum Mistake {
        THE_BELL_IS_TAKEN_AFTER_THE_END_IS_READ(Conditions.ALONE),
        NO_LOOK_AFTER_THE_BELL(Conditions.ALONE),
        A_READER_SLEEPS_WHILE_A_LANE_IS_HELD_BACK(Conditions.ALONE),
        A_WRITER_TRIES_THE_BELL_BEFORE_IT_LOCKS(Conditions.ALONE),
        A_RING_FROM_BEFORE_THE_LAST_LOOK_IS_HEARD(Conditions.TOGETHER),
        NOBODY_IS_TOLD_THAT_THE_BELL_IS_FREE(Conditions.TOGETHER),
        NONE(Conditions.ALONE);

        private final Conditions matters;

        Mistake(Conditions matters) {
            this.matters = matters;
        }
    }

    /** What else may happen. */
    private enum Conditions {
        ALONE(5_000),
        TOGETHER(10_000),
        SLOW_AND_MORTAL(5_000);

        private final int schedules;

        Conditions(int schedules) {
            this.schedules = schedules;
        }
    }

    @Test
    void aReaderThatIsAloneNeverOversleeps() {
        holds(Conditions.ALONE);
    }

    @Test
    void readersTogetherNeverOversleep() {
        holds(Conditions.TOGETHER);
    }

    @Test
    void slowReadersAndDeadOnesCostTheOthersOneSecond() {
        holds(Conditions.SLOW_AND_MORTAL);
    }

    private static void holds(Conditions conditions) {
        Explorer.holds(conditions.schedules, choices -> new Log(Mistake.NONE, conditions, choices));
    }

    @Test
    void aReaderThatIsAloneNeverOversleepsInAnyOrder() {
        int schedules = Explorer.holdsInAll(200_000, choices -> new Log(choices));

        assertThat(schedules).isGreaterThan(2_000);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) {
        assertThat(Explorer.finds(mistake.matters.schedules, choices -> new Log(mistake, mistake.matters, choices)))
                .contains("sleeps, and has not seen");
    }

    private static final LogTable TABLE = new LogTable("events", 1, 2, 2, "baton.events", null);

    private record Row(long position, int lane) {}

    private static final class Transaction {
        final String name;
        final List<Row> rows = new ArrayList<>();
        final List<Integer> lanes = new ArrayList<>();
        boolean sharesTheBell;
        boolean rings;

        Transaction(String name) {
            this.name = name;
        }
    }

    /** One log, its writers and its readers. */
    private static final class Log extends Model {
        private final Mistake mistake;
        private final Conditions conditions;
        private final List<Transaction> open = new ArrayList<>();
        private final List<Row> visible = new ArrayList<>();
        private final List<Reader> readers = new ArrayList<>();
        private @Nullable Reader bell;
        private long drawn;
        /** Grows with everything that a look could show. */
        private int changes;

        private boolean isTheSecondOver;

        /** A small one, for all schedules. */
        Log(Choices choices) {
            this.mistake = Mistake.NONE;
            this.conditions = Conditions.ALONE;
            write(0, 1, true, choices);
            readers.add(new Reader(0, false));
        }

        Log(Mistake mistake, Conditions conditions, Choices choices) {
            this.mistake = mistake;
            this.conditions = conditions;
            boolean alone = conditions == Conditions.ALONE;
            int writers = alone ? 1 + choices.of(3) : 2 + choices.of(2);
            for (int i = 0; i < writers; i++) {
                write(i, alone ? 1 + choices.of(2) : 1, !choices.oneIn(8), choices);
            }
            int many = alone ? 1 : choices.oneIn(8) ? 3 : 2;
            boolean oneSleeps = choices.oneIn(2);
            for (int i = 0; i < many; i++) {
                readers.add(new Reader(i, oneSleeps && i == many - 1));
            }
            if (!alone && choices.oneIn(2)) {
                Reader first = readers.get(0);
                actor("Somebody").then("stirs reader 0", () -> first.isStirred = true);
            }
            if (conditions == Conditions.SLOW_AND_MORTAL && choices.oneIn(2)) {
                Reader first = readers.get(0);
                actor("Reader 0").then("dies", first::die);
            }
        }

        // ---- writers

        private void write(int number, int rows, boolean commits, Choices choices) {
            Transaction writer = new Transaction("transaction " + number);
            Actor actor = actor("Writer " + number);
            for (int i = 0; i < rows; i++) {
                write(actor, writer, choices.of(TABLE.lanes()));
            }
            if (commits) {
                actor.then("has committed", () -> {
                    visible.addAll(writer.rows);
                    changes++;
                });
            }
            actor.then(commits ? "loses its locks" : "rolls back", () -> {
                open.remove(writer);
                changes++;
                if (commits && writer.rings) {
                    actor.then("wakes the sleepers", () -> ring(null));
                }
            });
        }

        private void write(Actor actor, Transaction writer, int lane) {
            Runnable tryBell = () -> {
                begun(writer);
                writer.sharesTheBell |= bell == null;
                writer.rings |= bell != null;
            };
            boolean early = mistake == Mistake.A_WRITER_TRIES_THE_BELL_BEFORE_IT_LOCKS;
            if (early) {
                actor.then("tries the bell", tryBell);
            }
            actor.then("locks lane " + lane, () -> {
                begun(writer);
                writer.lanes.add(lane);
                changes++;
            });
            actor.then("draws a position", () -> {
                writer.rows.add(new Row(++drawn, lane));
                changes++;
            });
            if (!early) {
                actor.then("tries the bell", tryBell);
            }
        }

        private void begun(Transaction writer) {
            if (!open.contains(writer)) {
                open.add(writer);
            }
        }

        private void ring(@Nullable Reader by) {
            readers.stream().filter(reader -> reader != by && !reader.isDead).forEach(reader -> reader.isRung = true);
        }

        // ---- readers

        /** What {@link Hub} does on its thread, for one log. */
        private final class Reader {
            private final int number;
            private final Actor actor;
            private final WatchedLog eye = new WatchedLog(TABLE);
            private boolean isAwake = true;
            private boolean isAsleep;
            private boolean isRung;
            /** It came before the reader wanted to sleep. */
            private boolean isRingOld;

            private boolean isStirred;
            private boolean isDead;
            /** Was rung, and has not given its bell back yet. */
            private boolean isWaking;

            private boolean isNew;
            private long end;
            private int seen = -1;

            Reader(int number, boolean sleeps) {
                this.number = number;
                this.actor = actor("Reader " + number);
                readEnd();
                readWriters();
                isNew = false;
                if (sleeps) {
                    isAwake = false;
                    takeBell();
                    fallAsleep();
                } else {
                    goOn();
                }
            }

            private void goOn() {
                if (seen != changes) {
                    look(this::lookedAwake);
                } else {
                    lookedAwake();
                }
            }

            /** Nothing new for as long as it lingers: it wants to sleep. To look again at what has not changed changes nothing. */
            private void lookedAwake() {
                boolean mayNotSleep = eye.isHeldBack() && mistake != Mistake.A_READER_SLEEPS_WHILE_A_LANE_IS_HELD_BACK;
                if (isNew) {
                    isNew = false;
                    actor.then("lingers", this::goOn);
                } else if (mayNotSleep) {
                    actor.when(() -> seen != changes, "looks again", this::goOn);
                } else {
                    actor.when(this::mayLingerEnd, "wants to sleep", this::sleep);
                }
            }

            private boolean mayLingerEnd() {
                return conditions == Conditions.SLOW_AND_MORTAL
                        || readers.stream().noneMatch(other -> other != this && other.isAboutToWake());
            }

            private boolean isAboutToWake() {
                return isWaking || (!isAwake && isRung && !isRingOld);
            }

            private void sleep() {
                isStirred = false;
                isAwake = false;
                if (mistake == Mistake.A_RING_FROM_BEFORE_THE_LAST_LOOK_IS_HEARD) {
                    isRingOld = isRung;
                } else {
                    isRung = false;
                }
                if (mistake == Mistake.NO_LOOK_AFTER_THE_BELL) {
                    actor.then("takes the bell", this::takeBell).then("sleeps", this::fallAsleep);
                    return;
                }
                boolean late = mistake == Mistake.THE_BELL_IS_TAKEN_AFTER_THE_END_IS_READ;
                if (!late) {
                    actor.then("takes the bell", this::takeBell);
                }
                actor.then("reads the end", this::readEnd);
                if (late) {
                    actor.then("takes the bell", this::takeBell);
                }
                actor.then("reads the writers", () -> {
                    readWriters();
                    boolean heldBack = eye.isHeldBack() && mistake != Mistake.A_READER_SLEEPS_WHILE_A_LANE_IS_HELD_BACK;
                    if (isNew || heldBack) {
                        giveBack(true);
                    } else {
                        fallAsleep();
                    }
                });
            }

            private void takeBell() {
                boolean shared = open.stream().anyMatch(writer -> writer.sharesTheBell);
                if (bell == null && !shared) {
                    bell = this;
                }
            }

            private void fallAsleep() {
                isAsleep = true;
                actor.when(this::isWoken, "wakes up", () -> {
                    isAsleep = false;
                    if (isRung) {
                        heard();
                    } else if (isStirred) {
                        giveBack(true);
                    } else {
                        sleep(); // the second is over: it looks, and tries the bell again
                    }
                });
            }

            private boolean isWoken() {
                return isRung || isStirred || (isTheSecondOver && seen != changes);
            }

            private void heard() {
                isRung = false;
                isWaking = true;
                look(() -> giveBack(false));
            }

            private void giveBack(boolean tellsOthers) {
                actor.then("gives the bell back", () -> {
                    isWaking = false;
                    isAwake = true;
                    if (bell == this) {
                        bell = null;
                        if (tellsOthers && mistake != Mistake.NOBODY_IS_TOLD_THAT_THE_BELL_IS_FREE) {
                            ring(this);
                        }
                    }
                    goOn();
                });
            }

            private void look(Runnable then) {
                actor.then("reads the end", this::readEnd).then("reads the writers", () -> {
                    readWriters();
                    then.run();
                });
            }

            private void readEnd() {
                end = drawn;
                seen = changes;
            }

            private void readWriters() {
                List<Frontier.Writer> writers = new ArrayList<>();
                for (Transaction transaction : open) {
                    transaction.lanes.forEach(lane -> writers.add(new Frontier.Writer(transaction.name, lane)));
                }
                isNew |= eye.see(new Look(List.of(), List.of(end), 0, "1", List.of(writers), Set.of(), Set.of()), 0, 0);
            }

            private void die() {
                isDead = true;
                actor.stop();
                bell = bell == this ? null : bell;
            }

            private boolean hasSeen(Row row) {
                Sight last = eye.last;
                return last != null && last.frontier()[row.lane()] >= row.position();
            }
        }

        @Override
        protected boolean atRest() {
            if (conditions == Conditions.SLOW_AND_MORTAL && !isTheSecondOver) {
                isTheSecondOver = true;
                return true;
            }
            for (Reader reader : readers) {
                require(reader.isDead || reader.isAsleep, () -> "Reader " + reader.number + " stands still.");
                for (Row row : visible) {
                    require(
                            reader.isDead || reader.hasSeen(row),
                            () -> "Reader " + reader.number + " sleeps, and has not seen " + row + '.');
                }
            }
            return false;
        }

        @Override
        public String toString() {
            return "visible " + visible + ", the bell is with " + (bell == null ? "nobody" : "reader " + bell.number);
        }
    }
}
