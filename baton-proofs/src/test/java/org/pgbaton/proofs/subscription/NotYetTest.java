package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.BatchReaction;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A handler that says "later" for a key, or asks for a pause, has not failed: nothing is lost, parked or counted. */
@BatonTest
class NotYetTest {
    private static HandlerException later(Duration pause) {
        return new HandlerException(Verdict.LATER, "not yet", null, pause);
    }

    private static void append(Baton baton, String key, int... numbers) {
        baton.log("events")
                .append(IntStream.of(numbers)
                        .mapToObj(n -> Draft.json(Integer.toString(n)).key(key))
                        .toList());
    }

    private static Subscription start(Baton baton, BatchReaction reaction) {
        return baton.subscription("s")
                .on("events")
                .attempts(1)
                .reactToKeyBatches(reaction)
                .start();
    }

    private static String texts(List<Message> unit) {
        return unit.get(0).key() + unit.stream().map(Message::text).toList();
    }

    @Test
    void aKeyThatIsForLaterComesBackWithAllThatFollowed(TestDatabase database) throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        AtomicBoolean due = new AtomicBoolean();
        try (Baton baton = database.baton()) {
            Subscription subscription = start(baton, (unit, delivery) -> {
                if (unit.get(0).key().equals("a") && !due.get()) {
                    throw later(Duration.ofMillis(200));
                }
                handled.add(texts(unit) + delivery.attempt());
            });
            append(baton, "a", 1);
            append(baton, "b", 1);
            Eventually.isTrue(
                    () -> handled.contains("b[1]1") && subscription.stats().keysAside() == 1);
            append(baton, "a", 2, 3);
            append(baton, "b", 2);
            Eventually.isTrue(() -> handled.size() == 2);
            assertThat(database.one("SELECT state || ' ' || attempts || ' ' || coalesce(error, '-') FROM baton.parked"))
                    .isEqualTo("slow 0 -");
            assertThat(subscription.stats().failures()).isZero();
            assertThat(subscription.health().isHealthy()).isTrue();
            due.set(true);
            database.drain("s", Duration.ofSeconds(20));
            assertThat(handled).containsExactlyInAnyOrder("b[1]1", "b[2]1", "a[1, 2, 3]1");
        }
    }

    @Test
    void whoTakesOverKnowsWhenToComeBack(TestDatabase database) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        AtomicLong refused = new AtomicLong();
        try (Baton first = database.baton()) {
            Subscription subscription = start(first, (unit, delivery) -> {
                calls.incrementAndGet();
                refused.set(System.nanoTime());
                throw later(Duration.ofSeconds(3));
            });
            append(first, "a", 1);
            Eventually.isTrue(() -> subscription.stats().keysAside() == 1);
        }
        AtomicLong back = new AtomicLong();
        List<String> handled = new CopyOnWriteArrayList<>();
        try (Baton second = database.baton()) {
            start(second, (unit, delivery) -> {
                back.set(System.nanoTime());
                handled.add(texts(unit));
            });
            append(second, "a", 2);
            database.drain("s", Duration.ofSeconds(20));
        }
        assertThat(calls).hasValue(1);
        assertThat(handled).containsExactly("a[1, 2]");
        assertThat(Duration.ofNanos(back.get() - refused.get())).isGreaterThan(Duration.ofMillis(2900));
    }

    @Test
    void theOneMessageOfABatchThatIsWrongIsParkedWithoutThoseBeforeIt(TestDatabase database) throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        try (Baton baton = database.baton()) {
            append(baton, "a", 1, 2, 3, 4, 5);
            append(baton, "b", 1);
            Subscription subscription = start(baton, (unit, delivery) -> {
                for (Message message : unit) {
                    if (message.key().equals("a") && message.text().equals("4")) {
                        throw new HandlerException(Verdict.PARK, "four is wrong").about(message);
                    }
                }
                handled.add(texts(unit));
            });
            Eventually.isTrue(() -> subscription.stats().keysParked() == 1);
            Eventually.isTrue(() -> handled.size() == 2);
            assertThat(handled).containsExactlyInAnyOrder("a[1, 2, 3]", "b[1]");
            assertThat(database.one("SELECT count(*) FROM baton.parked_message"))
                    .isEqualTo("2");
            assertThat(database.one("SELECT error FROM baton.parked")).isEqualTo("four is wrong");
        }
    }

    /** Takes five messages, then asks for a pause. */
    private static final class Tired implements Publisher {
        static final Duration REST = Duration.ofMillis(100);

        final ConcurrentHashMap<Long, Integer> taken = new ConcurrentHashMap<>();
        final List<Duration> rests = new CopyOnWriteArrayList<>();
        private int left = 5;
        private @Nullable Long restsSince;

        @Override
        public String target() {
            return "somebody tired";
        }

        @Override
        public synchronized CompletionStage<?> publish(Message message, Delivery delivery) {
            if (restsSince != null) {
                rests.add(Duration.ofNanos(System.nanoTime() - restsSince));
                restsSince = null;
            }
            if (left == 0) {
                left = 5;
                restsSince = System.nanoTime();
                throw new HandlerException(Verdict.PAUSE, "a rest", null, REST);
            }
            left--;
            taken.merge(message.position(), delivery.attempt(), Integer::sum);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {}
    }

    @Test
    void aTargetThatWantsAPauseGetsItAndEachMessageOnce(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Tired target = new Tired()) {
            for (int key = 0; key < 8; key++) {
                append(baton, "k" + key, 1, 2, 3);
            }
            Subscription relay = baton.subscription("s")
                    .on("events")
                    .workers(1) // other workers would finish their batches
                    .attempts(1)
                    .backoff(Duration.ofSeconds(20), Duration.ofSeconds(20))
                    .publish(target)
                    .start();
            database.drain("s", Duration.ofSeconds(20));
            assertThat(target.taken)
                    .hasSize(24)
                    .allSatisfy((position, attempts) -> assertThat(attempts).isEqualTo(1));
            assertThat(target.rests)
                    .hasSize(4)
                    .allSatisfy(rest -> assertThat(rest).isGreaterThanOrEqualTo(Tired.REST));
            assertThat(relay.stats().keysParked()).isZero();
            assertThat(relay.stats().failures()).isZero();
            assertThat(relay.note()).isNull();
        }
    }
}
