package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class ALaneIsReadAlongItsIndexTest {
    private static final int LANES = 8;
    private static final int MANY = 20_000;
    private static final String READ = "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)"
            + " FROM pg_stat_user_tables WHERE relid = 'baton.narrow'::regclass";

    private final AtomicInteger handled = new AtomicInteger();

    /** Each member owns one lane. If each went along the positions, the rows would be read once for each lane. */
    @Test
    void membersWithOneLaneEachReadEveryRowOnce(TestDatabase database) throws Exception {
        List<Baton> members = new ArrayList<>();
        List<Subscription> subscriptions = new ArrayList<>();
        long before;
        try {
            for (int i = 0; i < LANES; i++) {
                members.add(database.baton("member-" + i));
            }
            Baton first = members.get(0);
            first.logs().create("narrow", LogOptions.defaults().lanes(LANES));
            members.forEach(member -> subscriptions.add(start(member)));
            Eventually.isTrue(
                    Duration.ofSeconds(60),
                    () -> subscriptions.stream().allMatch(one -> one.stats().lanes() == 1));
            first.subscriptions().pause("apart", "until the planner knows the rows");
            Eventually.isTrue(
                    Duration.ofSeconds(60),
                    () -> subscriptions.stream().noneMatch(one -> one.state() == SubscriptionState.RUNNING));
            database.execute("INSERT INTO baton.narrow (key, payload) SELECT 'k' || g, to_json(repeat('x', 180))"
                    + " FROM generate_series(1, " + MANY + ") g");
            database.execute("VACUUM (ANALYZE) baton.narrow");
            before = Long.parseLong(database.one(READ));
            first.subscriptions().resume("apart", "the planner knows the rows");
            Eventually.isTrue(Duration.ofSeconds(60), () -> handled.get() == MANY);
        } finally {
            members.forEach(Baton::close);
        }
        // A session tells what it read at the latest when it ends.
        Eventually.isTrue(
                Duration.ofSeconds(60),
                () -> database.one("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name LIKE 'baton%'")
                        .equals("0"));
        assertThat(Long.parseLong(database.one(READ)) - before).isLessThan(2 * MANY);
    }

    private Subscription start(Baton baton) {
        return baton.subscription("apart")
                .on("narrow")
                .from(Start.now())
                .reactToBatches((messages, delivery) -> handled.addAndGet(messages.size()))
                .start();
    }
}
