package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class FirstStepsTest {
    @Test
    void anInsertReachesAProjection(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE seen (position bigint PRIMARY KEY, key text)");
        AtomicInteger count = new AtomicInteger();
        try (Baton baton = database.baton()) {
            var sub = baton.subscription("s")
                    .on("events")
                    .project((message, connection) -> {
                        try (var insert = connection.prepareStatement("INSERT INTO seen VALUES (?, ?)")) {
                            insert.setLong(1, message.position());
                            insert.setString(2, message.key());
                            insert.executeUpdate();
                        }
                        count.incrementAndGet();
                    })
                    .start();
            long begin = System.nanoTime();
            for (int i = 0; i < 2000; i++) {
                database.execute("INSERT INTO baton.events (key, payload) VALUES ('k" + i % 50 + "', '{}')");
            }
            System.out.println("inserted in " + (System.nanoTime() - begin) / 1000000);
            long end = System.nanoTime() + 20_000_000_000L;
            while (count.get() < 2000 && System.nanoTime() < end) {
                Thread.sleep(10);
            }
            System.out.println(
                    "handled in " + (System.nanoTime() - begin) / 1000000 + " " + sub.stats() + sub.health());
            System.out.println(database.one("select row_to_json(s)::text from baton.subscription_status s"));
            assertThat(database.one("SELECT count(*) FROM seen")).isEqualTo("2000");
        }
    }
}
