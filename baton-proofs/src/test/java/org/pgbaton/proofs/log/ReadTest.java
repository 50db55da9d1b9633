package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Reading gives what was asked for, in order, and leaves nothing out. */
@BatonTest
class ReadTest {
    @Test
    void theWholeLogIsReadInPages(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = filled(baton, 1203);
            assertThat(positions(log.read().list()))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 1203).boxed().toList());
            assertThat(positions(log.read().pageSize(7).after(1190).list()))
                    .containsExactly(
                            1191L, 1192L, 1193L, 1194L, 1195L, 1196L, 1197L, 1198L, 1199L, 1200L, 1201L, 1202L, 1203L);
            assertThat(positions(log.read().from(5).limit(3).list())).containsExactly(5L, 6L, 7L);
            assertThat(positions(log.read().backwards().limit(3).list())).containsExactly(1203L, 1202L, 1201L);
            assertThat(positions(log.read().backwards().pageSize(2).after(6).list()))
                    .containsExactly(5L, 4L, 3L, 2L, 1L);
            assertThat(positions(log.read().backwards().from(2).list())).containsExactly(2L, 1L);
            assertThat(log.read().limit(0).list()).isEmpty();
            assertThat(log.read().after(1203).list()).isEmpty();
            assertThat(log.read().from(Long.MAX_VALUE).list()).isEmpty();
        }
    }

    @Test
    void anEmptyLogIsEmpty(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThat(baton.log("events").read().list()).isEmpty();
            assertThat(baton.log("events").read().backwards().list()).isEmpty();
            assertThat(baton.log("events").read().types("x").list()).isEmpty();
            assertThat(baton.log("events").read().backwards().types("x").list()).isEmpty();
            assertThat(baton.log("events").read().stream("x").list()).isEmpty();
        }
    }

    @Test
    void filtersFindWhatIsRare(TestDatabase database) throws Exception {
        database.execute("""
                INSERT INTO baton.events (key, type, payload)
                SELECT CASE WHEN n % 20000 = 0 THEN 'rare/' || n ELSE 'k_' || n END,
                       CASE WHEN n % 15000 = 0 THEN 'Rare' ELSE 'Common' END, '1' FROM generate_series(1, 45000) n""");
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            assertThat(positions(log.read().types("Rare").list())).containsExactly(15000L, 30000L, 45000L);
            assertThat(positions(log.read().types("Rare", "Other").backwards().list()))
                    .containsExactly(45000L, 30000L, 15000L);
            assertThat(positions(log.read().keyPrefix("rare/").list())).containsExactly(20000L, 40000L);
            assertThat(positions(log.read().keyPrefix("k%").list())).isEmpty();
            assertThat(positions(log.read()
                            .types("Common")
                            .keyPrefix("rare/")
                            .limit(1)
                            .list()))
                    .containsExactly(20000L);
            assertThat(log.read().types("Common").pageSize(100).messages().count())
                    .isEqualTo(44997);
        }
    }

    @Test
    void aStreamIsReadBothWays(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            log.appendTo("a", ExpectedVersion.none(), drafts(5));
            log.appendTo("ab", ExpectedVersion.none(), drafts(5));
            log.append(Draft.json("1").key("a"));
            assertThat(versions(log.read().stream("a").pageSize(2).list())).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(versions(log.read().stream("a").backwards().pageSize(2).list()))
                    .containsExactly(5L, 4L, 3L, 2L, 1L);
            assertThat(versions(log.read().stream("a").from(4).list())).containsExactly(4L, 5L);
            assertThat(versions(log.read().stream("a").after(4).list())).containsExactly(5L);
            assertThat(versions(log.read().stream("a").backwards().limit(1).list()))
                    .containsExactly(5L);
        }
    }

    @Test
    void aStreamIsReadInTheCallersTransactionWithWhatItAppended(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            connection.setAutoCommit(false);
            log.appendTo(connection, "a", ExpectedVersion.none(), drafts(3));
            assertThat(log.read().stream("a").messages(connection)).hasSize(3);
            assertThat(log.read().stream("a").list()).isEmpty();
            assertThatThrownBy(() -> log.read().messages(connection)).hasMessageContaining("Only a stream can be read");
            connection.rollback();
        }
    }

    @Test
    void aReadWaitsForAnOpenWriterAndLeavesNothingOut(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.setAutoCommit(false);
            log.append(open, Draft.json("\"slow\""));
            log.append(Draft.json("\"fast\""));
            CompletableFuture<List<Message>> read = Background.run(
                    () -> log.read().patience(Duration.ofSeconds(20)).list());
            // The reader has looked, and waits. Rows that are written now are behind its end.
            awaitLook(database);
            log.append(Draft.json("\"later\""));
            assertThat(read).isNotDone();
            open.commit();

            assertThat(read.get(20, TimeUnit.SECONDS)).extracting(Message::text).startsWith("\"slow\"", "\"fast\"");
        }
    }

    @Test
    void withoutWaitingTheSlowRowWouldBeLeftOutSoTheTestCanFail(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.setAutoCommit(false);
            log.append(open, Draft.json("\"slow\""));
            log.append(Draft.json("\"fast\""));
            assertThat(log.read().unsettled().list()).extracting(Message::text).containsExactly("\"fast\"");
            open.commit();
        }
    }

    @Test
    void whoDoesNotEndInTimeIsNamed(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            open.createStatement().execute("SET application_name = 'sleepy'");
            open.setAutoCommit(false);
            log.append(open, Draft.json("\"slow\""));
            log.append(Draft.json("\"fast\""));
            assertThatThrownBy(() -> log.read().patience(Duration.ZERO).list())
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("Log 'events' cannot be read to its end: rows of sleepy (process ")
                    .hasMessageContaining("can still appear in between");
            // Another log has nothing to do with it.
            assertThat(baton.log("outbox").read().patience(Duration.ZERO).list())
                    .isEmpty();
            open.rollback();
        }
    }

    @Test
    void writersThatComeAndGoDoNotKeepAReaderWaiting(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection one = database.connect();
                Connection two = database.connect()) {
            Log log = baton.log("events");
            one.setAutoCommit(false);
            two.setAutoCommit(false);
            log.append(one, Draft.json("1"));
            CompletableFuture<List<Message>> read = Background.run(
                    () -> log.read().patience(Duration.ofSeconds(20)).list());
            awaitLook(database);
            log.append(two, Draft.json("2"));
            one.commit();
            assertThat(read.get(20, TimeUnit.SECONDS)).extracting(Message::text).containsExactly("1");
            two.commit();
        }
    }

    @Test
    void messagesAreReadAsTheyAreNeededAndNothingIsHeldInBetween(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = filled(baton, 1000);
            Iterator<Message> messages = log.read().pageSize(10).messages().iterator();
            for (int i = 0; i < 15; i++) {
                messages.next();
            }
            assertThat(database.one("""
                    SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()""")).isEqualTo("0");
            // Rows that were written since are behind the end of this read.
            log.append(Draft.json("1"));
            int rest = 0;
            while (messages.hasNext()) {
                messages.next();
                rest++;
            }
            assertThat(rest).isEqualTo(985);
        }
    }

    @Test
    void badOptionsAreSentences(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            assertThatThrownBy(() -> log.read().limit(-1)).hasMessageContaining("give 0 or more");
            assertThatThrownBy(() -> log.read().pageSize(0)).hasMessageContaining("give 1 to 10000 (default 500)");
            assertThatThrownBy(() -> log.read().patience(Duration.ofSeconds(-1)))
                    .hasMessageContaining("default 5 s");
        }
    }

    /** Whether the reader's last statement was the look at the locks, and its transaction is open. */
    private static void awaitLook(TestDatabase database) {
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> !database.one("""
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                   AND query LIKE '%virtualtransaction%' AND state = 'idle in transaction'""").equals("0"));
    }

    private static Log filled(Baton baton, int rows) {
        Log log = baton.log("events");
        log.append(drafts(rows));
        return log;
    }

    private static List<Draft> drafts(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> Draft.json(Integer.toString(i)))
                .toList();
    }

    private static List<Long> positions(List<Message> messages) {
        return messages.stream().map(Message::position).toList();
    }

    private static List<Long> versions(List<Message> messages) {
        return messages.stream().map(Message::version).toList();
    }
}
