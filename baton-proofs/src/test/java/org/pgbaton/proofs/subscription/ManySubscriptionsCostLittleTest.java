package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** What a process does over and over again is done once for all its subscriptions and logs. */
@BatonTest
class ManySubscriptionsCostLittleTest {
    private static final int MANY = 8;
    private static final Pattern LOCKS_READ = Pattern.compile("Function Scan on pg_lock_status.*loops=(\\d+)");

    @Test
    void theStatusOfManyLanesReadsTheLocksOnce(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            subscribe(baton, "events", 1);
            int few = readsOfLocks(database);
            subscribe(baton, "events", MANY);
            assertThat(readsOfLocks(database)).isEqualTo(few).isLessThan(10);
            assertThat(database.one("SELECT sum(lanes_owned) FROM baton.subscription_status"))
                    .isEqualTo(Integer.toString(16 * (MANY + 1)));
        }
    }

    private static int readsOfLocks(TestDatabase database) throws Exception {
        int reads = 0;
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet plan = statement.executeQuery(
                        "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT * FROM baton.subscription_status")) {
            while (plan.next()) {
                Matcher matcher = LOCKS_READ.matcher(plan.getString(1));
                reads += matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
            }
        }
        assertThat(reads).isPositive();
        return reads;
    }

    /** Counted by the functions' own calls: {@code unsafe} is the check of a log. */
    @Test
    void allLogsAreCheckedInOneTransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.checked (transaction xid8)");
        database.execute("ALTER FUNCTION baton.unsafe(text) RENAME TO unsafe_before");
        database.execute(
                "CREATE FUNCTION baton.unsafe(log_name text) RETURNS TABLE (grave boolean, problem text, remedy text)"
                        + " LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.checked VALUES (pg_current_xact_id());"
                        + " RETURN QUERY SELECT * FROM baton.unsafe_before(log_name); END $$");
        try (Baton baton = database.baton()) {
            for (int i = 0; i < MANY; i++) {
                baton.logs().create("log_" + i, LogOptions.defaults());
                subscribe(baton, "log_" + i, 1);
            }
            String atOnce =
                    "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM public.checked GROUP BY transaction) c";
            Eventually.isTrue(Duration.ofSeconds(60), () -> Integer.parseInt(database.one(atOnce)) == MANY);
        }
    }

    /** The view that is looked at for it is counted by the sequence that it draws from. */
    @Test
    void strangersLocksAreLookedForOncePerProcess(TestDatabase database) throws Exception {
        database.execute("CREATE SEQUENCE public.looked");
        database.execute("ALTER VIEW baton.foreign_lock RENAME TO foreign_lock_before");
        database.execute(
                "CREATE FUNCTION public.look() RETURNS SETOF baton.foreign_lock_before LANGUAGE plpgsql AS $$"
                        + " BEGIN PERFORM nextval('public.looked'); RETURN QUERY SELECT * FROM baton.foreign_lock_before; END $$");
        database.execute("CREATE VIEW baton.foreign_lock AS SELECT * FROM public.look()");
        try (Baton baton = database.baton()) {
            List<Subscription> all = subscribe(baton, "events", MANY);
            Eventually.isTrue(
                    Duration.ofSeconds(60),
                    () -> all.stream().allMatch(each -> each.health().isHealthy()));
            long from = looked(database);
            long begin = System.nanoTime();
            Eventually.isTrue(Duration.ofMinutes(2), () -> looked(database) >= from + 3);
            double seconds = (System.nanoTime() - begin) / 1e9;
            // Two and a half seconds lie between two looks, whoever asks: eight members that looked for themselves
            // would be far faster.
            assertThat(seconds).isGreaterThan(4.9);
        }
    }

    private static long looked(TestDatabase database) throws Exception {
        return Long.parseLong(database.one("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.looked"));
    }

    private static List<Subscription> subscribe(Baton baton, String log, int number) throws Exception {
        List<Subscription> started = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            started.add(baton.subscription("many-" + log + "-" + number + "-" + i)
                    .on(log)
                    .react((message, delivery) -> {})
                    .start());
        }
        for (Subscription subscription : started) {
            Eventually.isTrue(Duration.ofSeconds(60), () -> subscription.stats().lanes() == 16);
        }
        return started;
    }
}
