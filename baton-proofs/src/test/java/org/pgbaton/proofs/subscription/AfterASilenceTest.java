package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * If a target answers no message for a while, the relay waits for it. Afterwards the backlog is worked off soon, and no
 * key was set aside for it.
 */
@BatonTest
class AfterASilenceTest {
    private static final String NAME = "s";
    private static final int KEYS = 200;
    private static final Duration SILENCE = Duration.ofSeconds(4);
    private static final int PER_SECOND = 2000;

    @Test
    void theBacklogIsGoneWithinTwiceItsLength(TestDatabase database) throws Exception {
        AtomicLong written = new AtomicLong();
        AtomicBoolean writing = new AtomicBoolean(true);
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
        Target target = new Target(clock);
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .slowKey(Duration.ofMillis(500))
                    .publish(new Answering((message, delivery) -> target.take(message)))
                    .start();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(database, written, writing));
            Eventually.isTrue(() -> target.confirmed.get() > PER_SECOND);

            target.freeze();
            int aside = 0;
            long until = System.nanoTime() + SILENCE.toNanos();
            while (System.nanoTime() < until) {
                aside = Math.max(aside, subscription.stats().keysAside());
                Thread.sleep(20);
            }
            target.thaw();
            long thawed = System.nanoTime();
            Eventually.isTrue(Duration.ofSeconds(60), () -> written.get() - target.confirmed.get() < PER_SECOND / 2);
            double took = (System.nanoTime() - thawed) / 1e9;
            System.out.printf(
                    "silent for %d s at %d/s: the backlog was gone after %.1f s; at most %d of %d keys were set aside%n",
                    SILENCE.toSeconds(), PER_SECOND, took, aside, KEYS);
            assertThat(took).isLessThan(2.0 * SILENCE.toSeconds());
            assertThat(aside).as("keys set aside").isLessThan(KEYS); // on a slow machine some keys are slow
            writing.set(false);
            writer.join();
            Eventually.isTrue(() -> target.confirmed.get() >= written.get());
            assertThat(target.outOfOrder.get()).isZero();
        } finally {
            clock.shutdownNow();
        }
    }

    @Test
    void aKeyThatHangsWhileOthersAreAnsweredIsSlowAndHoldsUpNobody(TestDatabase database) throws Exception {
        CompletableFuture<Void> never = new CompletableFuture<>();
        Deliveries deliveries = new Deliveries();
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .slowKey(Duration.ofMillis(200))
                    .publish(new Answering((message, delivery) -> {
                        deliveries.begin(message);
                        return message.key().equals("key-7") ? never : CompletableFuture.completedFuture(null);
                    }))
                    .start();
            for (int i = 0; i < 3; i++) {
                int expected = 50 * (i + 1);
                database.execute(
                        "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 50) n");
                Eventually.isTrue(() -> deliveries.of("key-8").size() == expected / 50);
            }
            Eventually.isTrue(() -> subscription.stats().keysAside() == 1);
            assertThat(deliveries.of("key-7")).hasSize(1);
            never.complete(null);
            Eventually.isTrue(() -> deliveries.of("key-7").size() == 3);
            assertThat(deliveries.of("key-7")).isSorted();
        }
    }

    /**
     * A later batch reads the messages again and waits for the calls of the first batch. If these fail, the messages
     * must not count as confirmed.
     */
    @Test
    void whatFailsAfterItsBatchHasEndedIsSentAgain(TestDatabase database) throws Exception {
        Map<Long, CompletableFuture<Void>> first = new ConcurrentHashMap<>();
        Map<Long, Boolean> confirmed = new ConcurrentHashMap<>();
        try (Baton baton = database.baton()) {
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('a', '1'), ('b', '1'), ('c', '1')");
            baton.subscription(NAME)
                    .on("events")
                    .workers(1)
                    .slowKey(Duration.ofMillis(200))
                    .publish(new Answering((message, delivery) -> {
                        CompletableFuture<Void> answer = new CompletableFuture<>();
                        if (first.putIfAbsent(message.position(), answer) == null) {
                            return answer;
                        }
                        confirmed.put(message.position(), true);
                        return CompletableFuture.completedFuture(null);
                    }))
                    .start();
            Eventually.isTrue(() -> first.size() == 3);
            // Only a later batch sends this message.
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('d', '1')");
            Eventually.isTrue(() -> first.size() == 4);
            first.values()
                    .forEach(answer -> answer.completeExceptionally(
                            new HandlerException(Verdict.OUTAGE, "nobody answered in time")));
            database.drain(NAME, Duration.ofSeconds(30));
            assertThat(confirmed).containsOnlyKeys(first.keySet());
        }
    }

    /**
     * After a promotion or a restore, its position may belong to another message. So the next tenure waits for the
     * call, and sends the message again.
     */
    @Test
    void whatACallOfAnEarlierTenureAchievedDoesNotCount(TestDatabase database) throws Exception {
        CompletableFuture<Void> first = new CompletableFuture<>();
        AtomicLong published = new AtomicLong();
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .workers(1)
                    .slowKey(Duration.ofMillis(200))
                    .publish(new Answering((message, delivery) ->
                            published.incrementAndGet() == 1 ? first : CompletableFuture.completedFuture(null)))
                    .start();
            Eventually.isTrue(() -> subscription.stats().lanes() == 16);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('a', '1')");
            Eventually.isTrue(() -> published.get() == 1);
            long taken = subscription.stats().rebalances();

            database.execute("SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks k USING (pid) "
                    + "WHERE k.locktype = 'advisory' AND k.classid = 'baton.checkpoint'::regclass");
            Eventually.isTrue(() -> subscription.stats().rebalances() >= taken + 16);
            // Batches of the next tenure wait for the call, and end when the target has answered nothing for a while.
            long batches = subscription.stats().batches();
            Eventually.isTrue(() -> subscription.stats().batches() > batches + 2);
            assertThat(published).hasValue(1);

            first.complete(null);
            Eventually.isTrue(() -> published.get() == 2);
            database.drain(NAME, Duration.ofSeconds(30));
        }
    }

    /**
     * A target that confirms after some milliseconds. While it is frozen it confirms nothing; afterwards it confirms
     * what it got meanwhile.
     */
    private static final class Target {
        final AtomicLong confirmed = new AtomicLong();
        final AtomicLong outOfOrder = new AtomicLong();
        private final Map<String, Long> last = new ConcurrentHashMap<>();
        private final ScheduledExecutorService clock;
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        private volatile boolean frozen;

        Target(ScheduledExecutorService clock) {
            this.clock = clock;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // only the answer's future is used
        CompletionStage<?> take(Message message) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            Runnable confirm = () -> {
                Long before = last.put(message.key(), message.position());
                if (before != null && before > message.position()) {
                    outOfOrder.incrementAndGet();
                } else if (before == null || before < message.position()) {
                    confirmed.incrementAndGet();
                }
                answer.complete(null);
            };
            clock.schedule(
                    () -> {
                        if (frozen) {
                            waiting.add(confirm);
                        } else {
                            confirm.run();
                        }
                    },
                    5,
                    TimeUnit.MILLISECONDS);
            return answer;
        }

        void freeze() {
            frozen = true;
        }

        void thaw() {
            frozen = false;
            Runnable next = waiting.poll();
            while (next != null) {
                Runnable now = next;
                clock.execute(now);
                next = waiting.poll();
            }
        }
    }

    private static void write(TestDatabase database, AtomicLong written, AtomicBoolean writing) {
        long start = System.nanoTime();
        try {
            while (writing.get()) {
                long due = (long) ((System.nanoTime() - start) / 1e9 * PER_SECOND) - written.get();
                if (due > 0) {
                    database.execute("INSERT INTO baton.events (key, payload) SELECT 'key-' || (random() * " + KEYS
                            + ")::int, '{}' FROM generate_series(1, " + due + ")");
                    written.addAndGet(due);
                }
                Thread.sleep(20);
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
