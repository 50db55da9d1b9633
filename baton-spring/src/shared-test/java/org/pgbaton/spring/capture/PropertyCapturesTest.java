package org.pgbaton.spring.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Captures that properties describe bring row changes into a log, where listeners find them. */
@BatonTest
class PropertyCapturesTest {
    /** Hears of changes; the capture makes the log. */
    static class Heard {
        private final BlockingQueue<String> types = new LinkedBlockingQueue<>();

        @BatonListener(log = "row_changes", subscription = "heard", reaction = true)
        void hear(Message message) {
            types.add(message.type() + " " + message.key());
        }
    }

    @Test
    void rowChangesReachAListener(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY, portfolio text NOT NULL, hidden text)");
        database.execute("CREATE TABLE price (id int PRIMARY KEY, amount int)");
        try (ConfigurableApplicationContext context = Applications.start(
                database,
                List.of(
                        "baton.captures[row_changes].tables[0].name=public.alert",
                        "baton.captures[row_changes].tables[0].key=portfolio",
                        "baton.captures[row_changes].tables[0].columns=id,portfolio",
                        "baton.captures[row_changes].tables[1].name=public.price",
                        "baton.captures[row_changes].operations=insert"),
                Heard.class)) {
            awaitReading(context.getBean(Baton.class), "row_changes");
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            jdbc.sql("INSERT INTO alert VALUES (1, 'p7', 'x')").update();
            jdbc.sql("UPDATE alert SET hidden = 'y'").update();
            jdbc.sql("INSERT INTO price VALUES (5, 5)").update();

            BlockingQueue<String> heard = context.getBean(Heard.class).types;
            List<String> two = new ArrayList<>();
            two.add(heard.poll(60, TimeUnit.SECONDS));
            two.add(heard.poll(60, TimeUnit.SECONDS));
            assertThat(two).containsExactlyInAnyOrder("public.alert.insert p7", "public.price.insert 5");
        }
    }

    @Test
    void tablesCanBeWrittenInOneLineAndCapturesCanBeLeftToOthers(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY)");
        database.execute("CREATE TABLE price (id int PRIMARY KEY)");
        String tables = "baton.captures.changes.tables=public.alert,public.price";
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("baton.captures.enabled=false", tables))) {
            assertThat(context.getBean(Baton.class).health().captures()).isEmpty();
        }
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(tables))) {
            awaitReading(context.getBean(Baton.class), "changes");
            assertThat(context.getBean(JdbcClient.class)
                            .sql("SELECT tablename FROM pg_publication_tables ORDER BY 1")
                            .query(String.class)
                            .list())
                    .containsExactly("alert", "price");
        }
    }

    @Test
    void aCaptureWithoutTablesIsRefused(TestDatabase database) {
        assertThatThrownBy(() -> Applications.start(database, List.of("baton.captures.changes.log=changes")))
                .rootCause()
                .isInstanceOf(PropertyException.class)
                .hasMessage("baton.captures.changes has nothing to capture.");
        assertThatThrownBy(() -> Applications.start(database, List.of("baton.captures.changes.table=public.alert")))
                .hasStackTraceContaining("baton.captures.changes.table");
    }

    private static void awaitReading(Baton baton, String capture) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (baton.captures().list().stream()
                .noneMatch(each -> each.name().equals(capture) && each.state() != CaptureStatus.State.WAITING)) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }
}
