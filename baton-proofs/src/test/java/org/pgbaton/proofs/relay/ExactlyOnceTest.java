package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Failures between each step of the target's transaction and ours: nothing is published twice, nothing is lost. */
@BatonTest
class ExactlyOnceTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private static void append(TestDatabase database, String key, String... texts) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 't', '" + key + "', to_json(n) "
                + "FROM unnest(ARRAY['" + String.join("','", texts) + "']) n");
    }

    private static void append(TestDatabase database, int keys, int each) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 't', 'k' || k, to_json(n) "
                + "FROM generate_series(1, " + each + ") n, generate_series(1, " + keys + ") k ORDER BY n, k");
    }

    private static SubscriptionBuilder relay(Baton baton, Ledger ledger) {
        return baton.subscription("relay")
                .on("outbox")
                .backoff(Duration.ofMillis(20), Duration.ofMillis(100))
                .publish(ledger);
    }

    private static void assertEachOnceInOrder(TestDatabase database, Ledger ledger) throws Exception {
        List<UUID> ids = ledger.committed().stream().map(Message::id).toList();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo(String.valueOf(ids.size()));
        ledger.committed().stream()
                .map(Message::key)
                .distinct()
                .forEach(key -> assertThat(ledger.committed().stream()
                                .filter(message -> message.key().equals(key))
                                .map(Message::position))
                        .as("order of %s", key)
                        .isSorted());
    }

    @Test
    void nothingBreaksAndEverythingIsThereOnce(TestDatabase database) throws Exception {
        append(database, 30, 20);
        Ledger ledger = new Ledger();
        try (Baton baton = database.baton()) {
            relay(baton, ledger).start();
            database.drain("relay", SOON);
            append(database, 30, 5);
            database.drain("relay", SOON);
            assertEachOnceInOrder(database, ledger);
        }
    }

    /** The target has committed, and our checkpoint has not moved: as after a crash between the two. */
    @Test
    void whatWasCommittedWithoutAnAnswerIsNotPublishedAgain(TestDatabase database) throws Exception {
        append(database, 30, 20);
        Ledger ledger = new Ledger();
        AtomicInteger torn = new AtomicInteger(6);
        ledger.afterCommit = (messages, marks) -> {
            if (torn.getAndDecrement() > 0) {
                throw Ledger.lost();
            }
        };
        try (Baton baton = database.baton()) {
            relay(baton, ledger).batch(20).start();
            database.drain("relay", SOON);
            assertThat(torn.get()).isLessThan(0);
            assertEachOnceInOrder(database, ledger);
        }
    }

    @Test
    void whatWasNotCommittedIsNotLost(TestDatabase database) throws Exception {
        append(database, 30, 20);
        Ledger ledger = new Ledger();
        AtomicInteger torn = new AtomicInteger(10);
        ledger.beforeCommit = (messages, marks) -> {
            if (torn.getAndDecrement() > 0) {
                throw torn.get() % 2 == 0 ? Ledger.lost() : Ledger.outage();
            }
        };
        try (Baton baton = database.baton()) {
            relay(baton, ledger).batch(20).start();
            database.drain("relay", SOON);
            assertEachOnceInOrder(database, ledger);
        }
    }

    /**
     * The message is recorded as set aside, and the target goes away before it has passed over the message. The message
     * will be read from the log again.
     */
    @Test
    void whatAnOperatorWasToldIsSkippedIsNotPublished(TestDatabase database) throws Exception {
        append(database, "bad", "1", "2");
        append(database, "good", "3");
        Ledger ledger = new Ledger(1);
        AtomicBoolean away = new AtomicBoolean(true);
        ledger.refused.add("\"1\"");
        ledger.beforeCommit = (messages, marks) -> {
            if (away.get()) {
                throw Ledger.outage();
            }
        };
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            await().atMost(SOON)
                    .until(() -> baton.subscriptions().parked("relay").size() == 1);
            AtomicBoolean skipped = new AtomicBoolean(skip(baton));
            away.set(false);
            await().atMost(SOON).until(() -> ledger.of("good").size() == 1);
            await().atMost(SOON).until(() -> skipped.get() || skip(baton));
            ledger.refused.clear();
            await().atMost(SOON).until(() -> {
                baton.subscriptions().retry("relay", "bad", "it is taken now");
                return ledger.of("bad").contains("\"2\"");
            });
            database.drain("relay", SOON);
            assertThat(ledger.of("bad")).containsExactly("\"2\"");
            assertThat(relay.stats().keysParked()).isZero();
        }
    }

    /** @return whether it was done */
    private static boolean skip(Baton baton) {
        long head = baton.subscriptions().parked("relay").get(0).head();
        try {
            baton.subscriptions().skip("relay", "bad", head, "nobody needs it");
            return true;
        } catch (SubscriptionException notYet) {
            assertThat(notYet).hasMessageContaining("cannot be skipped yet");
            return false;
        }
    }

    @Test
    void aRefusedMessageParksItsKeyAndIsDrainedOnceAlthoughTheAnswerIsLost(TestDatabase database) throws Exception {
        append(database, 10, 2);
        append(database, "bad", "1", "2", "3");
        append(database, 10, 2);
        Ledger ledger = new Ledger();
        ledger.refused.add("\"2\"");
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            await().atMost(SOON)
                    .until(() -> relay.stats().keysParked() == 1
                            && ledger.committed().size() == 41);
            assertThat(ledger.of("bad")).containsExactly("\"1\"");
            append(database, "bad", "4");

            ledger.refused.clear();
            AtomicBoolean torn = new AtomicBoolean();
            ledger.afterCommit = (messages, marks) -> {
                if (messages.get(0).key().equals("bad") && torn.compareAndSet(false, true)) {
                    throw Ledger.lost();
                }
            };
            baton.subscriptions().retry("relay", "bad", "it is taken now");
            database.drain("relay", SOON);
            assertThat(torn).isTrue();
            assertThat(ledger.of("bad")).containsExactly("\"1\"", "\"2\"", "\"3\"", "\"4\"");
            assertEachOnceInOrder(database, ledger);
        }
    }

    /**
     * A message of a parked key is recorded before the target passes over it. If the target's transaction fails, the
     * message comes again from the log.
     */
    @Test
    void whatIsRecordedButNotPassedOverIsNotDrainedEarly(TestDatabase database) throws Exception {
        append(database, "bad", "1", "2");
        Ledger ledger = new Ledger();
        ledger.refused.add("\"2\"");
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).attempts(1000).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);

            // Transactions of groups fail, those of keys succeed. So the message is recorded, and not passed over.
            AtomicBoolean closed = new AtomicBoolean(true);
            AtomicInteger groupTried = new AtomicInteger();
            ledger.beforeCommit = (messages, marks) -> {
                if (closed.get() && marks.containsKey("group")) {
                    groupTried.incrementAndGet();
                    throw Ledger.outage();
                }
            };
            int group = baton.log("outbox").laneOf("bad") % 4;
            String beside = IntStream.range(0, 1000)
                    .mapToObj(i -> "x" + i)
                    .filter(key -> baton.log("outbox").laneOf(key) % 4 == group)
                    .findFirst()
                    .orElseThrow();
            database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'bad', '\"3\"'), ('t', '"
                    + beside + "', '\"beside\"')");
            await().atMost(SOON)
                    .until(() -> database.one("SELECT count(*) FROM baton.parked_message")
                            .equals("2"));
            ledger.refused.clear();
            baton.subscriptions().retry("relay", "bad", "it is taken now");
            await().atMost(SOON).until(() -> ledger.of("bad").size() >= 2);
            // Gives time for a drain that must not happen.
            int tried = groupTried.get();
            await().atMost(SOON).until(() -> groupTried.get() >= tried + 5);
            assertThat(ledger.of("bad")).containsExactly("\"1\"", "\"2\"");

            closed.set(false);
            database.drain("relay", SOON);
            assertThat(ledger.of("bad")).containsExactly("\"1\"", "\"2\"", "\"3\"");
            assertEachOnceInOrder(database, ledger);
        }
    }

    /** The owner is frozen before its commit and thawed when another has the lane. The target refuses its commit. */
    @Test
    void aFormerOwnerPublishesNothingAnyMore(TestDatabase database) throws Exception {
        append(database, 20, 5);
        Ledger ledger = new Ledger();
        CountDownLatch frozen = new CountDownLatch(1);
        CountDownLatch thaw = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        ledger.beforeCommit = (messages, marks) -> {
            if (first.getAndSet(false)) {
                frozen.countDown();
                awaitUnlessInterrupted(thaw);
            }
        };
        try (Baton one = database.baton("one");
                Baton other = database.baton("other")) {
            relay(one, ledger).start();
            frozen.await();
            relay(other, ledger).start();
            assertThat(database.terminate("baton % one")).isPositive();
            await().atMost(SOON).until(() -> ledger.committed().size() == 100);
            thaw.countDown();
            append(database, 20, 1);
            database.drain("relay", SOON);
            assertEachOnceInOrder(database, ledger);
        } finally {
            thaw.countDown();
        }
    }

    /**
     * Without locks an owner does not notice that another owner came while it opens its feed. The later owner has set a
     * key aside.
     */
    @Test
    void whoOpensItsFeedAfterALaterOwnerDoesNotUseIt(TestDatabase database) throws Exception {
        append(database, "bad", "1", "2");
        Ledger ledger = new Ledger(1);
        ledger.refused.add("\"1\"");
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        ledger.beforeOpen = () -> {
            if (first.getAndSet(false)) {
                opening.countDown();
                awaitUnlessInterrupted(goOn);
            }
        };
        try (Baton one = database.baton("one");
                Baton other = database.baton("other")) {
            CompletableFuture<Subscription> late = CompletableFuture.supplyAsync(
                    () -> relay(one, ledger).mode(InstanceMode.SINGLE).start());
            opening.await();
            Subscription later = relay(other, ledger).mode(InstanceMode.SINGLE).start();
            await().atMost(SOON).until(() -> later.stats().keysParked() == 1);
            ledger.refused.clear();
            goOn.countDown();
            Subscription former = late.get();
            await().atMost(SOON).until(() -> former.state() == SubscriptionState.FENCED);
            other.subscriptions().retry("relay", "bad", "it is taken now");
            database.drain("relay", SOON);
            assertThat(ledger.of("bad")).containsExactly("\"1\"", "\"2\"");
        } finally {
            goOn.countDown();
        }
    }

    /** A crash of the server must not undo the record of a message that the target has passed over since. */
    @Test
    void whateverTheRolesOwnSettingIsWhatIsPassedOverIsRecordedDurably(TestDatabase database) throws Exception {
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
        database.execute("""
                CREATE TABLE seen (durable text);
                CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  INSERT INTO public.seen VALUES (current_setting('synchronous_commit'));
                  RETURN NULL;
                END $$;
                CREATE TRIGGER see AFTER INSERT ON baton.parked_message FOR EACH STATEMENT EXECUTE FUNCTION see()""");
        append(database, "bad", "1");
        Ledger ledger = new Ledger();
        ledger.refused.add("\"1\"");
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);
            assertThat(database.one("SELECT string_agg(DISTINCT durable, ', ') FROM seen"))
                    .isEqualTo("on");
        }
    }

    private static void awaitUnlessInterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aRewindCountsAlthoughTheTargetSaysOtherwise(TestDatabase database) throws Exception {
        append(database, 5, 4);
        Ledger ledger = new Ledger();
        try (Baton baton = database.baton()) {
            relay(baton, ledger).start();
            database.drain("relay", SOON);
            baton.subscriptions().rewind("relay", 0, "once more");
            database.drain("relay", SOON);
            assertThat(ledger.of("k3")).containsExactly("1", "2", "3", "4", "1", "2", "3", "4");
            assertThat(ledger.committed()).hasSize(40);
        }
    }

    /**
     * The target has a message of a parked key, PostgreSQL does not know it yet, and an operator rewinds to a position
     * behind that message.
     */
    @Test
    void aRewindRepeatsNothingThatIsBeforeItsPosition(TestDatabase database) throws Exception {
        append(database, "bad", "1");
        Ledger ledger = new Ledger(1);
        ledger.refused.add("\"1\"");
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);
            long position = Long.parseLong(database.one("SELECT max(position) FROM baton.outbox"));
            await().atMost(SOON)
                    .until(() ->
                            Long.parseLong(database.one("SELECT max(position) FROM baton.checkpoint")) >= position);
            AtomicBoolean rewound = new AtomicBoolean();
            ledger.afterCommit = (messages, marks) -> {
                if (rewound.compareAndSet(false, true)) {
                    baton.subscriptions().rewind("relay", position, "what follows once more");
                }
            };
            ledger.refused.clear();
            baton.subscriptions().retry("relay", "bad", "it is taken now");
            await().atMost(SOON).until(rewound::get);
            append(database, "bad", "2");
            database.drain("relay", SOON);
            assertThat(ledger.of("bad")).containsExactly("\"1\"", "\"2\"");
        }
    }

    /** The key was about to flow again, so its row exists already. */
    @Test
    void aKeyThatFailsAgainIsSetAsideAnew(TestDatabase database) throws Exception {
        append(database, "bad", "1");
        Ledger ledger = new Ledger(1);
        ledger.refused.add("\"1\"");
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);
            relay.close();
            database.one(
                    "SELECT baton.set_aside(p.subscription, 'outbox', p.checkpoint, ARRAY['bad'], ARRAY['retrying'],"
                            + " ARRAY['another failure'], ARRAY[0], ARRAY['bad'], ARRAY[m.position])"
                            + " FROM baton.parked p JOIN baton.parked_message m ON m.parked = p.id");
            assertThat(database.one("SELECT concat_ws(', ', state, error, count(m)) FROM baton.parked p"
                            + " JOIN baton.parked_message m ON m.parked = p.id GROUP BY p.id"))
                    .isEqualTo("retrying, another failure, 1");
        }
    }

    /** After a failover that lost rows, the position exists again with another message. */
    @Test
    void aRecordOfAMessageThatIsNotThereDoesNotCount(TestDatabase database) throws Exception {
        Ledger ledger = new Ledger();
        append(database, 8, 1);
        try (Baton baton = database.baton()) {
            Subscription relay = relay(baton, ledger).start();
            database.drain("relay", SOON);
            relay.close();
        }
        for (int group = 0; group < 4; group++) {
            String mark = ledger.marks(group).get("group");
            if (mark != null) {
                String[] words = mark.split(" ", -1);
                ledger.marks(group).put("group", words[0] + " 30 " + UUID.randomUUID());
            }
        }
        append(database, 8, 4);
        try (Baton baton = database.baton()) {
            relay(baton, ledger).start();
            database.drain("relay", SOON);
            assertEachOnceInOrder(database, ledger);
        }
    }

    @Test
    void inTotalOrder(TestDatabase database) throws Exception {
        append(database, 10, 10);
        Ledger ledger = new Ledger();
        try (Baton baton = database.baton()) {
            relay(baton, ledger).order(MessageOrder.TOTAL).batch(7).start();
            database.drain("relay", SOON);
            assertThat(ledger.committed().stream().map(Message::position))
                    .isSorted()
                    .hasSize(100);
        }
    }

    @Test
    void anotherNumberOfGroupsIsRefused(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            relay(baton, new Ledger()).start();
            assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                            SubscriptionException.class,
                            () -> baton.subscription("relay")
                                    .on("outbox")
                                    .react((message, delivery) -> {})
                                    .start()))
                    .hasMessageContaining("number of groups");
        }
    }
}
