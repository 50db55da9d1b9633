package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * While the database refuses to move checkpoints, messages that the target has, or that a reaction has handled, are remembered. They are
 * not sent or handled again at every attempt.
 */
@BatonTest
@ParameterizedClass(name = "together: {0}")
@ValueSource(booleans = {false, true})
class WhatHadItsEffectIsNotRepeatedTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Whether the target takes several messages of a key together. */
    @Parameter
    boolean together;

    private static final int MESSAGES = 60;

    private final List<String> done = new CopyOnWriteArrayList<>();

    @Test
    void whatATargetHasConfirmed(TestDatabase database) throws Exception {
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            refuseForAWhile(database, builder(baton).publish(endpoint));
            endpoint.arrived.forEach(message -> done.add(message.id().toString()));
            assertEachOnce();
        }
    }

    @Test
    void whatAReactionHasHandled(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            refuseForAWhile(
                    database,
                    builder(baton)
                            .react((message, delivery) -> done.add(message.id().toString())));
            assertEachOnce();
        }
    }

    private static SubscriptionBuilder builder(Baton baton) {
        return baton.subscription("relay").on("outbox").backoff(Duration.ofMillis(10), Duration.ofMillis(50));
    }

    /** Some messages are there before, some come meanwhile. */
    private static void refuseForAWhile(TestDatabase database, SubscriptionBuilder builder) throws Exception {
        database.execute("""
                CREATE SEQUENCE public.refusals;
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF to_regclass('public.refused') IS NULL THEN RETURN new; END IF;
                  PERFORM nextval('public.refusals');
                  RAISE EXCEPTION 'cannot execute UPDATE in a read-only transaction' USING ERRCODE = '25006';
                END $$;
                CREATE TRIGGER refuse BEFORE UPDATE OF position ON baton.checkpoint FOR EACH ROW EXECUTE FUNCTION public.refuse()""");
        Subscription subscription = builder.start();
        database.execute("CREATE TABLE public.refused ()");
        append(database, MESSAGES / 2);
        await().atMost(SOON).until(() -> refusals(database) >= 5);
        append(database, MESSAGES / 2);
        long before = refusals(database);
        await().atMost(SOON).until(() -> refusals(database) >= before + 5);
        assertThat(subscription.note()).contains("read-only");
        database.execute("DROP TABLE public.refused");
        database.drain("relay", SOON);
    }

    private static void append(TestDatabase database, int messages) throws Exception {
        database.execute(
                "INSERT INTO baton.outbox (topic, key, payload) SELECT 't', 'k' || n % 7, to_json(n) FROM generate_series(1, "
                        + messages + ") n");
    }

    private static long refusals(TestDatabase database) throws Exception {
        return Long.parseLong(database.one("SELECT last_value FROM public.refusals"));
    }

    private void assertEachOnce() {
        assertThat(new HashSet<>(done)).hasSize(MESSAGES);
        assertThat(done).hasSize(MESSAGES);
    }
}
