package org.pgbaton.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStats;
import org.pgbaton.subscription.SubscriptionStatus;

class SubscriptionMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<Runnable> now = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private List<SubscriptionStatus> statuses = List.of(lagging("balances", 2.5));
    private int asked;
    private boolean unreachable;
    private final Lags lags = new Lags(this::statuses, now::add, later::add);
    private final SubscriptionMeters meters = new SubscriptionMeters(registry, Tags.of("app", "shop"), lags);

    /** A subscription as the test wants it. */
    private static final class Pretended implements Part {
        private SubscriptionState state = SubscriptionState.RUNNING;
        private SubscriptionStats stats;
        private boolean healthy = true;

        Pretended(long handled, int lanes, long behind) {
            stats = new SubscriptionStats(handled, 10, Duration.ofMillis(500), 1, 2, 3, 4, lanes, behind, 5, 6);
        }

        @Override
        public SubscriptionState state() {
            return state;
        }

        @Override
        public SubscriptionStats stats() {
            return stats;
        }

        @Override
        public boolean isHealthy() {
            return healthy;
        }
    }

    @Test
    void aSubscriptionThatStartsMakesItsMetersAppear() {
        assertThat(registry.getMeters()).isEmpty();
        meters.show("balances", "v2", new Pretended(0, 0, 0));

        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactlyInAnyOrder(
                        "baton.subscription.handled",
                        "baton.subscription.batches",
                        "baton.subscription.batch.time",
                        "baton.subscription.failures",
                        "baton.subscription.set.aside",
                        "baton.subscription.rebalances",
                        "baton.subscription.fenced",
                        "baton.subscription.running",
                        "baton.subscription.trouble",
                        "baton.subscription.lanes",
                        "baton.subscription.behind",
                        "baton.subscription.keys.aside",
                        "baton.subscription.keys.parked",
                        "baton.subscription.lag.seconds");
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .contains(Tag.of("app", "shop"), Tag.of("subscription", "balances"), Tag.of("target", "v2")));
    }

    @Test
    void whatItDidIsCountedAndWhatItDoesIsShown() {
        meters.show("balances", "", new Pretended(7000, 16, 42));

        assertThat(count("handled")).isEqualTo(7000);
        assertThat(count("batches")).isEqualTo(10);
        assertThat(count("failures")).isEqualTo(1);
        assertThat(count("set.aside")).isEqualTo(2);
        assertThat(count("rebalances")).isEqualTo(3);
        assertThat(count("fenced")).isEqualTo(4);
        var time = registry.get("baton.subscription.batch.time").functionTimer();
        assertThat(time.count()).isEqualTo(10);
        assertThat(time.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(500);
        assertThat(gauge("running")).isEqualTo(1);
        assertThat(gauge("lanes")).isEqualTo(16);
        assertThat(gauge("behind")).isEqualTo(42);
        assertThat(gauge("keys.aside")).isEqualTo(5);
        assertThat(gauge("keys.parked")).isEqualTo(6);
    }

    @Test
    void oneThatIsPausedDoesNotRun() {
        Pretended part = new Pretended(0, 16, 0);
        meters.show("balances", "", part);
        part.state = SubscriptionState.PAUSED;

        assertThat(gauge("running")).isZero();
    }

    @Test
    void troubleOfOnePartIsTroubleUntilItIsOver() {
        Pretended part = new Pretended(0, 16, 0);
        meters.show("balances", "", new Pretended(0, 0, 0));
        meters.show("balances", "", part);
        assertThat(gauge("trouble")).isZero();

        part.healthy = false;
        assertThat(gauge("trouble")).isEqualTo(1);

        part.healthy = true;
        assertThat(gauge("trouble")).isZero();
    }

    @Test
    void aSecondPartInTheSameProcessIsAddedAndBeingToldTwiceIsNot() {
        Pretended part = new Pretended(100, 10, 5);
        meters.show("balances", "", part);
        meters.show("balances", "", part);
        meters.show("balances", "", new Pretended(10, 6, 9));

        assertThat(count("handled")).isEqualTo(110);
        assertThat(gauge("lanes")).isEqualTo(16);
        assertThat(gauge("behind")).isEqualTo(9);
    }

    @Test
    void countsStayWhenItIsClosedAndGoOnWhenItIsStartedAgain() {
        Pretended part = new Pretended(100, 16, 5);
        meters.show("balances", "", part);
        part.state = SubscriptionState.CLOSED;

        assertThat(count("handled")).isEqualTo(100);
        assertThat(gauge("lanes")).isZero();
        assertThat(gauge("behind")).isZero();
        assertThat(gauge("running")).isZero();

        meters.show("balances", "", new Pretended(10, 16, 0));
        assertThat(count("handled")).isEqualTo(110);
        assertThat(gauge("running")).isEqualTo(1);
    }

    @Test
    void theLagIsAskedForInTheBackgroundHoweverOftenItIsRead() {
        meters.show("balances", "", new Pretended(0, 0, 0));
        assertThat(gauge("lag.seconds")).isNaN();
        assertThat(gauge("lag.seconds")).isNaN();
        assertThat(now).hasSize(1);
        assertThat(asked).isZero();

        now.remove(0).run();
        assertThat(gauge("lag.seconds")).isEqualTo(2.5);
        assertThat(gauge("lag.seconds")).isEqualTo(2.5);
        assertThat(asked).isEqualTo(1);
        assertThat(now).isEmpty();

        statuses = List.of(lagging("balances", 0));
        later.remove(0).run();
        assertThat(gauge("lag.seconds")).isZero();
        assertThat(later).hasSize(1);
    }

    @Test
    void aLagThatCannotBeReadIsUnknownUntilItCan() {
        meters.show("balances", "", new Pretended(0, 0, 0));
        unreachable = true;
        gauge("lag.seconds");
        now.remove(0).run();
        assertThat(gauge("lag.seconds")).isNaN();

        unreachable = false;
        later.remove(0).run();
        assertThat(gauge("lag.seconds")).isEqualTo(2.5);
    }

    @Test
    void ofASubscriptionThatWasDeletedTheLagIsUnknown() {
        meters.show("balances", "", new Pretended(0, 0, 0));
        statuses = List.of(lagging("others", 1));
        gauge("lag.seconds");
        now.remove(0).run();

        assertThat(gauge("lag.seconds")).isNaN();
    }

    private List<SubscriptionStatus> statuses() {
        asked++;
        if (unreachable) {
            throw new DatabaseException(Fault.OUTAGE, "gone");
        }
        return statuses;
    }

    private static SubscriptionStatus lagging(String name, double seconds) {
        return new SubscriptionStatus(
                name,
                "",
                true,
                "events",
                MessageOrder.PER_KEY,
                SubscriptionStatus.State.RUNNING,
                null,
                new SubscriptionStatus.Ownership(16, 16, List.of("a")),
                new SubscriptionStatus.Backlog(1, 1, Duration.ofMillis((long) (seconds * 1000)), null),
                new SubscriptionStatus.Keys(0, 0),
                1,
                Instant.EPOCH);
    }

    private double count(String name) {
        return registry.get("baton.subscription." + name).functionCounter().count();
    }

    private double gauge(String name) {
        return registry.get("baton.subscription." + name).gauge().value();
    }
}
