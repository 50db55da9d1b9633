package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.log.VersionConflict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** An append to a stream succeeds only if the stream has the version that the writer expects. */
@BatonTest
class StreamTest {
    @Test
    void aStreamIsNumberedFromOneWithoutAGap(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            log.appendTo("a", ExpectedVersion.none(), drafts(2));
            log.appendTo("a", ExpectedVersion.exact(2), drafts(1));
            List<Appended> last = log.appendTo("a", ExpectedVersion.exists(), drafts(1));
            assertThat(last.get(0).version()).isEqualTo(4);
            assertThat(log.appendTo("a", ExpectedVersion.any(), drafts(1))
                            .get(0)
                            .version())
                    .isEqualTo(5);
            assertThat(log.appendTo("b", ExpectedVersion.any(), drafts(1))
                            .get(0)
                            .version())
                    .isEqualTo(1);
            assertThat(log.appendTo("c", ExpectedVersion.exact(0), drafts(1))
                            .get(0)
                            .version())
                    .isEqualTo(1);
            assertThat(log.read().stream("a").list())
                    .extracting(Message::version)
                    .containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Test
    void aConflictSaysWhereTheStreamIs(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            log.appendTo("a", ExpectedVersion.none(), drafts(3));

            VersionConflict conflict = catchThrowableOfType(
                    VersionConflict.class, () -> log.appendTo("a", ExpectedVersion.exact(2), drafts(1)));
            assertThat(conflict.log()).isEqualTo("events");
            assertThat(conflict.stream()).isEqualTo("a");
            assertThat(conflict.actual()).isEqualTo(3);
            assertThat(conflict.expected()).hasToString("version 2");
            assertThat(conflict)
                    .hasMessage(
                            "Stream 'a' of log 'events' has version 3, and version 2 was expected: read it again and decide anew.");

            assertThatThrownBy(() -> log.appendTo("a", ExpectedVersion.none(), drafts(1)))
                    .hasMessageContaining("no message was expected");
            assertThatThrownBy(() -> log.appendTo("b", ExpectedVersion.exists(), drafts(1)))
                    .hasMessageContaining("has no message, and a message was expected");
            assertThat(log.read().list()).hasSize(3);
        }
    }

    @Test
    void ofTwoWritersTheSecondWaitsAndThenConflicts(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.setAutoCommit(false);
            log.appendTo(open, "a", ExpectedVersion.none(), drafts(1));
            CompletableFuture<List<Appended>> second =
                    Background.run(() -> log.appendTo("a", ExpectedVersion.none(), drafts(1)));
            Background.awaitWaiting(database, 1);
            open.commit();

            assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(VersionConflict.class);
            assertThat(log.read().list()).hasSize(1);
        }
    }

    @Test
    void ifTheFirstRollsBackTheSecondWrites(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.setAutoCommit(false);
            log.appendTo(open, "a", ExpectedVersion.none(), drafts(1));
            CompletableFuture<List<Appended>> second =
                    Background.run(() -> log.appendTo("a", ExpectedVersion.none(), drafts(1)));
            Background.awaitWaiting(database, 1);
            open.rollback();

            assertThat(second.get(20, TimeUnit.SECONDS).get(0).version()).isEqualTo(1);
        }
    }

    @Test
    void afterAConflictTheCallersTransactionGoesOnAndNothingOfTheCallIsLeft(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            log.appendTo("b", ExpectedVersion.none(), drafts(1));
            connection.setAutoCommit(false);
            log.append(connection, Draft.json("\"before\""));
            assertThatThrownBy(() -> log.streams()
                            .append("a", ExpectedVersion.none(), drafts(5))
                            .append("b", ExpectedVersion.none(), drafts(1))
                            .run(connection))
                    .isInstanceOf(VersionConflict.class);
            // The locks are gone as well: another may write at once.
            log.appendTo("a", ExpectedVersion.none(), drafts(1));
            log.append(connection, Draft.json("\"after\""));
            connection.commit();

            assertThat(log.read().list())
                    .extracting(Message::text)
                    .containsExactlyInAnyOrder("0", "0", "\"before\"", "\"after\"");
        }
    }

    @Test
    void aRaceWithPlainSqlIsAConflictThatLeavesNothingAndTheTransactionGoesOn(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection plain = database.connect();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            plain.setAutoCommit(false);
            plain.createStatement().execute("INSERT INTO baton.events (key, version, payload) VALUES ('a', 2, '1')");
            connection.setAutoCommit(false);
            log.append(connection, Draft.json("\"before\""));
            CompletableFuture<List<Appended>> mine =
                    Background.run(() -> log.appendTo(connection, "a", ExpectedVersion.none(), drafts(3)));
            Background.awaitWaiting(database, 1);
            plain.commit();

            assertThatThrownBy(() -> mine.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            VersionConflict.class, e -> assertThat(e.actual()).isEqualTo(2));
            connection.commit();
            assertThat(log.read().list()).extracting(Message::text).containsExactlyInAnyOrder("1", "\"before\"");
        }
    }

    @Test
    void anyVersionTriesAgainWhenPlainSqlWasFaster(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection plain = database.connect()) {
            Log log = baton.log("events");
            plain.setAutoCommit(false);
            plain.createStatement().execute("INSERT INTO baton.events (key, version, payload) VALUES ('a', 1, '1')");
            CompletableFuture<List<Appended>> mine =
                    Background.run(() -> log.appendTo("a", ExpectedVersion.any(), drafts(2)));
            Background.awaitWaiting(database, 1);
            plain.commit();

            assertThat(mine.get(20, TimeUnit.SECONDS))
                    .extracting(Appended::version)
                    .containsExactly(2L, 3L);
        }
    }

    @Test
    void eightWritersOfAnyVersionLeaveNoGap(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            List<CompletableFuture<Boolean>> writers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                writers.add(Background.run(() -> {
                    for (int n = 0; n < 25; n++) {
                        log.appendTo("a", ExpectedVersion.any(), drafts(1));
                    }
                    return true;
                }));
            }
            for (CompletableFuture<Boolean> writer : writers) {
                writer.get(60, TimeUnit.SECONDS);
            }
            assertThat(log.read().stream("a").list())
                    .extracting(Message::version)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 200)
                            .mapToObj(i -> (long) i)
                            .toList());
            assertThat(log.read().stream("a").list())
                    .extracting(Message::position)
                    .isSorted();
        }
    }

    @Test
    void severalStreamsAreAppendedToTogether(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            List<Appended> answers = log.streams()
                    .append("from", ExpectedVersion.none(), drafts(1))
                    .append("to", ExpectedVersion.any(), drafts(2))
                    .run();
            assertThat(answers).extracting(Appended::key).containsExactly("from", "to", "to");
            assertThat(answers).extracting(Appended::version).containsExactly(1L, 1L, 2L);
        }
    }

    @Test
    void whatIsOnlyRequiredStaysWhereItIsUntilTheCommit(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            log.appendTo("limits", ExpectedVersion.none(), drafts(1));
            open.setAutoCommit(false);
            log.streams()
                    .append("account", ExpectedVersion.none(), drafts(1))
                    .require("limits", ExpectedVersion.exact(1))
                    .run(open);
            CompletableFuture<List<Appended>> change =
                    Background.run(() -> log.appendTo("limits", ExpectedVersion.exact(1), drafts(1)));
            Background.awaitWaiting(database, 1);
            // Others may require the same at the same time.
            log.streams().append("other", ExpectedVersion.none(), drafts(1)).require("account", ExpectedVersion.any());
            assertThat(change).isNotDone();
            open.commit();
            assertThat(change.get(20, TimeUnit.SECONDS).get(0).version()).isEqualTo(2);

            assertThatThrownBy(() -> log.streams()
                            .append("account", ExpectedVersion.exact(1), drafts(1))
                            .require("limits", ExpectedVersion.exact(1))
                            .run())
                    .isInstanceOf(VersionConflict.class)
                    .hasMessageContaining("'limits'");
        }
    }

    @Test
    void twoThatRequireTheSameDoNotWaitForEachOther(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection one = database.connect();
                Connection two = database.connect()) {
            Log log = baton.log("events");
            one.setAutoCommit(false);
            two.setAutoCommit(false);
            log.streams()
                    .append("a", ExpectedVersion.none(), drafts(1))
                    .require("limits", ExpectedVersion.none())
                    .run(one);
            log.streams()
                    .append("b", ExpectedVersion.none(), drafts(1))
                    .require("limits", ExpectedVersion.none())
                    .run(two);
            one.commit();
            two.commit();
            assertThat(log.read().list()).hasSize(2);
        }
    }

    @Test
    void withoutTheRequirementTheDecisionWouldStandOnSandSoTheTestCanFail(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.setAutoCommit(false);
            log.appendTo(open, "account", ExpectedVersion.none(), drafts(1));
            log.appendTo("limits", ExpectedVersion.none(), drafts(1));
            open.commit();
            assertThat(log.read().list()).hasSize(2);
        }
    }

    @Test
    void twoThatNameTheSameStreamsInOppositeOrderDoNotDeadlock(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            List<CompletableFuture<Boolean>> writers = new ArrayList<>();
            for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
                writers.add(Background.run(() -> {
                    for (int i = 0; i < 100; i++) {
                        log.streams()
                                .append(order.get(0), ExpectedVersion.any(), drafts(1))
                                .append(order.get(1), ExpectedVersion.any(), drafts(1))
                                .run();
                    }
                    return true;
                }));
            }
            for (CompletableFuture<Boolean> writer : writers) {
                writer.get(60, TimeUnit.SECONDS);
            }
            assertThat(database.one("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                    .isEqualTo("0");
            assertThat(log.read().stream("a").list()).hasSize(200);
        }
    }

    @Test
    void anAppendThatIsRepeatedAddsNothingAndDoesNotConflict(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            List<Draft> drafts = drafts(2);
            List<Appended> first = log.appendTo("a", ExpectedVersion.none(), drafts);
            log.appendTo("a", ExpectedVersion.exact(2), drafts(1));

            List<Appended> again = log.appendTo("a", ExpectedVersion.none(), drafts);
            assertThat(again).allMatch(Appended::duplicate);
            assertThat(again)
                    .extracting(Appended::position)
                    .containsExactly(first.get(0).position(), first.get(1).position());

            List<Draft> more = new ArrayList<>(drafts);
            more.add(Draft.json("9"));
            assertThat(log.appendTo("a", ExpectedVersion.any(), more))
                    .extracting(Appended::version)
                    .containsExactly(1L, 2L, 4L);
        }
    }

    @Test
    void anOldSnapshotIsRefused(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> log.appendTo(connection, "a", ExpectedVersion.none(), drafts(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "needs the isolation level READ COMMITTED, and this transaction has repeatable read");
        }
    }

    @Test
    void aMistakeInTheCallIsFoundBeforeAnythingHappens(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            assertThatThrownBy(() -> log.appendTo(
                            "a", ExpectedVersion.any(), List.of(Draft.json("1").key("b"))))
                    .hasMessageContaining("cannot go to stream 'a'");
            assertThatThrownBy(() -> log.streams()
                            .append("a", ExpectedVersion.any(), drafts(1))
                            .require("a", ExpectedVersion.any()))
                    .hasMessageContaining("named twice");
            assertThatThrownBy(() -> ExpectedVersion.exact(-1)).hasMessageContaining("never at version -1");
        }
    }

    @Test
    void plainSqlCanTakePart(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection plain = database.connect()) {
            Log log = baton.log("events");
            plain.setAutoCommit(false);
            plain.createStatement().execute("""
                    INSERT INTO baton.events (key, version, payload)
                    SELECT key, coalesce(version, 0) + 1, '1' FROM baton.lock_streams('baton.events', '{a}', '{f}')""");
            CompletableFuture<List<Appended>> mine = Background.run(() -> log.streams()
                    .append("b", ExpectedVersion.any(), drafts(1))
                    .require("a", ExpectedVersion.none())
                    .run());
            Background.awaitWaiting(database, 1);
            plain.commit();
            assertThatThrownBy(() -> mine.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(VersionConflict.class);
        }
    }

    private static List<Draft> drafts(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> Draft.json(Integer.toString(i)))
                .toList();
    }
}
