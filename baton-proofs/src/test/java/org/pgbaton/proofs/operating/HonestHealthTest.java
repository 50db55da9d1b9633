package org.pgbaton.proofs.operating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.log.Message;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Reaction;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Health and metrics say "running" only while something runs: the database answers, and lanes are owned. */
@BatonTest
class HonestHealthTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void whileTheDatabaseIsAwayNothingIsSaidToRun() throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                Baton baton = Baton.builder(database.url()).lease(LEASE).open()) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            new BatonMetrics(baton).bindTo(meters);
            database.execute("CREATE TABLE alert (id int PRIMARY KEY)");
            Subscription subscription = baton.subscription("notes")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            Capture capture = baton.capture("alerts")
                    .table("alert")
                    .into("events")
                    .lease(LEASE)
                    .start();
            Candidate candidate = baton.leadership("reports")
                    .lease(LEASE)
                    .campaign(term -> term.whenOver().join());
            soon(() -> subscription.state() == SubscriptionState.RUNNING
                    && capture.isReading()
                    && candidate.state() == LeadershipState.LEADING
                    && baton.health().isHealthy());
            assertThat(gauge(meters, "subscription.running")).isOne();
            assertThat(gauge(meters, "subscription.lanes")).isEqualTo(16);

            server.postgres().stop(StopMode.IMMEDIATE);
            soon(() -> subscription.state() == SubscriptionState.SUSPENDED);
            soon(() -> !capture.isReading() && candidate.state() == LeadershipState.STANDBY);
            soon(() -> candidate.health().problem() != null && capture.health().problem() != null);
            assertThat(gauge(meters, "subscription.running")).isZero();
            assertThat(gauge(meters, "subscription.lanes")).isZero();
            assertThat(gauge(meters, "subscription.behind")).isNaN();
            assertThat(gauge(meters, "capture.reading")).isZero();
            assertThat(gauge(meters, "capture.trouble")).isOne();
            assertThat(meters.get("baton.leadership.role")
                            .tag("leadership", "reports")
                            .tag("role", "leading")
                            .gauge()
                            .value())
                    .isZero();
            assertThat(subscription.health().isHealthy()).isFalse();
            assertThat(subscription.health().trouble()).isNotBlank();
            assertThat(capture.health().isHealthy()).isFalse();
            assertThat(candidate.health().isHealthy()).isFalse();

            server.postgres().start();
            soon(() -> subscription.state() == SubscriptionState.RUNNING
                    && capture.isReading()
                    && candidate.state() == LeadershipState.LEADING
                    && baton.health().isHealthy());
            assertThat(gauge(meters, "subscription.running")).isOne();
        }
    }

    @Test
    void aMemberThatGetsNoLaneIsSuspendedAndSaysSo(TestDatabase database) throws Exception {
        try (Baton maker = database.baton()) {
            maker.subscription("notes")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
        }
        try (Connection stranger = database.connect();
                Statement locks = stranger.createStatement();
                Baton baton = Baton.builder(database.url()).lease(LEASE).open()) {
            locks.execute(
                    "SELECT pg_advisory_lock(baton.lock_class('baton.checkpoint'::regclass), id) FROM baton.checkpoint");
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            new BatonMetrics(baton).bindTo(meters);
            Subscription subscription = baton.subscription("notes")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            assertThat(subscription.state()).isIn(SubscriptionState.STARTING, SubscriptionState.SUSPENDED);
            soon(() -> subscription.state() == SubscriptionState.SUSPENDED);
            assertThat(subscription.health().isHealthy()).isFalse();
            assertThat(subscription.health().trouble()).containsAnyOf("owns no lane", "held by somebody else");
            assertThat(gauge(meters, "subscription.running")).isZero();

            locks.execute("SELECT pg_advisory_unlock_all()");
            soon(() -> subscription.state() == SubscriptionState.RUNNING
                    && subscription.health().isHealthy());
            assertThat(gauge(meters, "subscription.running")).isOne();
        }
    }

    @Test
    void whoHasNothingToDoBecauseOthersDoItStandsByAndIsHealthy(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = total(one);
            soon(() -> first.state() == SubscriptionState.RUNNING);
            Subscription second = total(two);
            soon(() -> second.state() == SubscriptionState.STANDBY);
            assertThat(second.health().isHealthy()).isTrue();
            first.close();
            soon(() -> second.state() == SubscriptionState.RUNNING);
        }
    }

    private static Subscription total(Baton baton) {
        return baton.subscription("notes")
                .on("events")
                .order(MessageOrder.TOTAL)
                .react((message, delivery) -> {})
                .start();
    }

    private static double gauge(SimpleMeterRegistry meters, String name) {
        return meters.get("baton." + name).gauge().value();
    }

    /** The lane that failed belongs to another member now, which is healthy. */
    @Test
    void whoHasLostTheLaneThatWasInTroubleIsWellAgain(TestDatabase database) throws Exception {
        try (Baton first = database.baton("first");
                Baton second = database.baton("second")) {
            Subscription troubled = inTotalOrder(first, (message, delivery) -> {
                throw new HandlerException(Verdict.OUTAGE, "the target is away");
            });
            database.execute("INSERT INTO baton.events (payload) VALUES ('1')");
            soon(() -> !troubled.health().isHealthy());
            Subscription well = inTotalOrder(second, (message, delivery) -> {});
            soon(() -> {
                if (well.health().lanes() == 0) {
                    database.terminate("baton session first");
                }
                return well.health().lanes() == 1;
            });
            database.drain("total", Duration.ofSeconds(30));
            // It must happen soon: every half a minute the stored state is read again, which would also correct it.
            await().atMost(Duration.ofSeconds(15))
                    .until(() -> troubled.state() == SubscriptionState.STANDBY
                            && troubled.health().isHealthy());
        }
    }

    /** The other members are healthy and idle; that does not make this one healthy. */
    @Test
    void aLaneThatCannotBeOpenedIsAlwaysATrouble(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription("feed")
                    .on("events")
                    .publish(new OneFeedMissing())
                    .start();
            soon(() -> subscription.health().lanes() == OneFeedMissing.GROUPS - 1
                    && !subscription.health().isHealthy());
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> !subscription.health().isHealthy());
        }
    }

    private static Subscription inTotalOrder(Baton baton, Reaction reaction) {
        return baton.subscription("total")
                .on("events")
                .order(MessageOrder.TOTAL)
                .react(reaction)
                .start();
    }

    private static void soon(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30)).until(condition);
    }

    /** A target that takes everything, except that one of its groups cannot be opened. */
    private static final class OneFeedMissing implements TransactionalPublisher {
        static final int GROUPS = 4;

        @Override
        public String target() {
            return "nowhere";
        }

        @Override
        public int groups() {
            return GROUPS;
        }

        @Override
        public Feed open(String subscription, int group) {
            if (group == 1) {
                throw new HandlerException(Verdict.OUTAGE, "this group is away");
            }
            return new Feed() {
                @Override
                public Map<String, String> marks() {
                    return Map.of();
                }

                @Override
                public void publish(List<Message> messages, Delivery delivery, Map<String, String> marks) {}

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }
}
