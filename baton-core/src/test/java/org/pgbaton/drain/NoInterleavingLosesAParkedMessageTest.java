package org.pgbaton.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.batch.BatchAttempt;
import org.pgbaton.explore.Actor;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Explorer;
import org.pgbaton.explore.Model;
import org.pgbaton.handling.HandlerCalls;
import org.pgbaton.handling.Handling;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.SlowKeys;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.handling.TargetAnswers;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.lane.StoredAside;
import org.pgbaton.lane.Tenure;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.LogTable;
import org.pgbaton.table.SomeMessage;
import org.pgbaton.work.RowReader;

/**
 * Keys that are set aside, over interleavings: one lane of a projection whose messages fail, some so often that their key is parked for good;
 * its worker and two drains beside it; replies to COMMIT that are lost; another owner that takes the lane; an operator that skips and
 * retries; a writer that goes on writing.
 *
 * <p>Claims: the messages of a key are applied in order, each once, except those that an operator skipped; none by a former owner. When it
 * is calm nothing waits, and no key is set aside any more.
 *
 * <p>{@link Lane}, {@link AsideKey}, {@link Claim}, {@link BatchAttempt}, {@link KeyDrain} and {@link AfterDrain} are those of production. The order of
 * steps is that of {@code ProjectionBatch}, {@link ProjectionDrain}, {@code Claims}, {@code Drains}, {@code FailureResponse} and
 * {@code OperatorChanges}, written down here once more. PostgreSQL is a model. It assumes: whoever closes or settles holds the checkpoint's row until it
 * has ended, and others wait for that; what a transaction wrote is visible when it is committed, all at once. Pauses are over at
 * any time.
 */
class NoInterleavingLosesAParkedMessageTest {
    private static final int SCHEDULES = 6_000;

    private enum Mistake {
        A_DRAIN_DOES_NOT_ASK_FOR_THE_EPOCH,
        PARKED_KEYS_ARE_NOT_READ_ANEW_AFTER_A_LOST_REPLY,
        PARKED_KEYS_ARE_READ_BEFORE_THE_EPOCH_IS_RAISED,
        A_KEY_FLOWS_AGAIN_ALTHOUGH_MESSAGES_WAIT,
        NOBODY_NOTICES_THAT_A_MESSAGE_WAS_SKIPPED,
        WHAT_FOLLOWS_A_FAILED_MESSAGE_IS_NOT_PASSED_OVER,
        NONE
    }

    @Test
    void noneIsLostNoneComesTwiceAndNoneBeforeAnEarlierOne() {
        Explorer.holds(SCHEDULES, choices -> new OneLane(Mistake.NONE, choices));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) {
        assertThat(Explorer.finds(SCHEDULES, choices -> new OneLane(mistake, choices)))
                .containsAnyOf("was applied", "were applied", "do not come to rest", "set aside");
    }

    private static final int BATCH = 3;
    private static final int TOGETHER = 2;
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(
            "model",
            "",
            new LogTable("events", 1, 2, 1, "baton.events", null),
            MessageOrder.PER_KEY,
            Start.after(0),
            List.of(),
            null,
            BATCH,
            BATCH,
            1,
            null,
            InstanceMode.COORDINATED,
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            2,
            Duration.ofMillis(100),
            Duration.ofMinutes(5),
            null,
            failure -> Verdict.RETRY,
            Handling.projection((message, connection) -> {}));
    private static final HandlerCalls NO_CALLS =
            new HandlerCalls(OPTIONS, () -> 0, Runnable::run, new TargetAnswers(OPTIONS.slow(), () -> 0));

    /** A row of the table of keys that are set aside, and the messages that wait. */
    private static final class Waiting {
        boolean isForGood;
        int attempts;
        final TreeSet<Long> messages = new TreeSet<>();
    }

    /**
     * A transaction that has changed the checkpoint's row.
     *
     * @param key whose rows it has changed as well, so that an operator waits for it; null if there is none
     */
    private record Change(@Nullable String key, Runnable onCommit) {}

    private static final class OneLane extends Model {
        private final Mistake mistake;
        private final Choices choices;

        // What is stored.
        private final List<Message> log = new ArrayList<>();
        private final Map<String, Waiting> parked = new TreeMap<>();
        private final Map<String, List<Long>> applied = new TreeMap<>();
        private final Set<Long> skipped = new HashSet<>();
        private long epoch;
        private long position;
        private @Nullable Change changedBy;

        /** How often a message still fails. */
        private final Map<Long, Integer> failures = new HashMap<>();

        private Owner owner;
        private boolean isCalm;
        private int lostReplies = 2;

        OneLane(Mistake mistake, Choices choices) {
            this.mistake = mistake;
            this.choices = choices;
            int count = 4 + choices.of(4);
            Actor writer = actor("A writer");
            for (int i = 0; i < count; i++) {
                String key = choices.oneIn(3) ? "b" : "a";
                long next = i + 1L;
                if (choices.oneIn(3)) {
                    failures.put(next, 1 + choices.of(3));
                }
                writer.then("writes message " + next + " of key " + key, () -> log.add(SomeMessage.of(next, 0, key)));
            }
            this.owner = new Owner(0, stored());
            if (choices.oneIn(2)) {
                takeOver();
            }
            if (choices.oneIn(3)) {
                Actor operator = actor("An operator");
                operator.when(() -> toSkip() != null, "skips a message", this::skip);
            }
        }

        private List<StoredAside> stored() {
            List<StoredAside> rows = new ArrayList<>();
            parked.forEach((key, waiting) ->
                    rows.add(new StoredAside(new CheckpointId(1), key, waiting.isForGood, waiting.attempts, 0)));
            return rows;
        }

        // ---- others

        private void takeOver() {
            Actor next = actor("The next owner");
            List<StoredAside> early = new ArrayList<>();
            boolean wrong = mistake == Mistake.PARKED_KEYS_ARE_READ_BEFORE_THE_EPOCH_IS_RAISED;
            if (wrong) {
                next.then("reads the parked keys", () -> early.addAll(stored()));
            }
            next.when(() -> changedBy == null, "raises the epoch", () -> {
                epoch++;
                long reached = position;
                next.then(wrong ? "begins" : "reads the parked keys", () -> {
                    owner = new Owner(reached, wrong ? early : stored());
                });
            });
        }

        /** A key of which something waits, and whose rows nobody has changed. */
        private @Nullable Waiting toSkip() {
            for (Map.Entry<String, Waiting> entry : parked.entrySet()) {
                boolean changed = changedBy != null && entry.getKey().equals(changedBy.key());
                if (!changed && !entry.getValue().messages.isEmpty()) {
                    return entry.getValue();
                }
            }
            return null;
        }

        /** The first that waits; and the key is to be tried again. */
        private void skip() {
            Waiting waiting = toSkip();
            Long first = waiting == null ? null : waiting.messages.pollFirst();
            if (waiting != null && first != null) {
                skipped.add(first);
                waiting.isForGood = false;
                waiting.attempts = 0;
                owner.hear();
            }
        }

        private void retryAll() {
            parked.values().forEach(waiting -> {
                waiting.isForGood = false;
                waiting.attempts = 0;
            });
            owner.hear();
        }

        // ---- what a commit does

        private void apply(Message message) {
            require(!skipped.contains(message.position()), () -> message + " was applied, and was skipped before.");
            List<Long> before = applied.computeIfAbsent(message.key(), key -> new ArrayList<>());
            for (Message earlier : log) {
                if (earlier.key().equals(message.key()) && earlier.position() < message.position()) {
                    require(
                            before.contains(earlier.position()) || skipped.contains(earlier.position()),
                            () -> message + " was applied before message " + earlier.position() + '.');
                }
            }
            require(!before.contains(message.position()), () -> message + " was applied twice.");
            before.add(message.position());
        }

        private boolean fails(Message message) {
            int left = failures.getOrDefault(message.position(), 0);
            failures.put(message.position(), Math.max(0, left - 1));
            return left > 0;
        }

        /** One tenure: a worker, and two drains. */
        private final class Owner {
            private final Lane lane;
            private final Actor worker = actor("The worker under epoch " + epoch);
            private final Actor ear = actor("The ear under epoch " + epoch);

            Owner(long reached, List<StoredAside> known) {
                lane = new Lane(new LaneGroup(0), new Tenure(new CheckpointId(1), epoch, reached, "1", null), 0);
                known.forEach(row -> lane.asideKeys().remember(row, 0));
                work();
                for (int i = 0; i < 2; i++) {
                    drain(actor("Drain " + i + " under epoch " + epoch));
                }
            }

            private boolean isRowFree() {
                return changedBy == null;
            }

            private boolean isOurs() {
                return epoch == lane.tenure().epoch();
            }

            /** Reads what operators did. */
            private void hear() {
                ear.then("reads what operators did", () -> {
                    List<StoredAside> rows = stored();
                    ear.then(
                            "hears of it",
                            () -> rows.forEach(row -> lane.asideKeys().hear(row, 0)));
                });
            }

            // ---- the worker

            private boolean hasWork() {
                return !lane.isGone()
                        && (lane.reached() < log.size() || lane.asideKeys().hasRecovered());
            }

            private void work() {
                worker.when(this::hasWork, "claims the lane", () -> {
                    lane.setFrontier(log.size());
                    lane.setBusy(true);
                    Claim claim = new Claim(List.of(lane), OPTIONS);
                    Map<String, AsideKey> flowing = new HashMap<>();
                    lane.asideKeys().someRecovered(500).forEach(key -> flowing.put(key.key(), key));
                    worker.then("handles a batch", () -> handle(claim, flowing));
                });
            }

            private void handle(Claim claim, Map<String, AsideKey> flowing) {
                List<Message> messages = log.stream()
                        .filter(message -> message.position() > claim.from() && message.position() <= claim.upTo())
                        .limit(BATCH)
                        .toList();
                long upTo = messages.size() == BATCH ? messages.get(BATCH - 1).position() : claim.upTo();
                BatchAttempt attempt = new BatchAttempt(
                        OPTIONS,
                        NO_CALLS,
                        new SlowKeys(),
                        claim,
                        new RowReader.Rows(messages, upTo),
                        Map.of(),
                        flowing);
                for (Message message : List.copyOf(attempt.todo())) {
                    boolean follows = mistake != Mistake.WHAT_FOLLOWS_A_FAILED_MESSAGE_IS_NOT_PASSED_OVER;
                    if (follows && attempt.isAside(message.key())) {
                        attempt.pass(List.of(message));
                    } else if (fails(message)) {
                        Verdict verdict = choices.oneIn(3) ? Verdict.PARK : Verdict.RETRY;
                        attempt.setAside(List.of(message), new Suspect(message.position(), verdict, "failed"));
                    }
                }
                worker.when(this::isRowFree, "closes", () -> close(claim, attempt, flowing));
            }

            private void close(Claim claim, BatchAttempt attempt, Map<String, AsideKey> flowing) {
                Map<Lane, Long> closing = Map.copyOf(attempt.closing());
                if (closing.isEmpty()) {
                    advance(claim, attempt, flowing, closing);
                    return;
                }
                boolean free = flowing.keySet().stream().allMatch(this::nothingWaits);
                boolean known = attempt.passed().stream()
                        .allMatch(message -> attempt.isAside(message.key())
                                || (parked.containsKey(message.key()) && !flowing.containsKey(message.key())));
                boolean unknown = attempt.asides().keySet().stream()
                        .noneMatch(key -> parked.containsKey(key) && !flowing.containsKey(key));
                if (!isOurs() || position != lane.stored() || !free || !known || !unknown) {
                    worker.then("fails", this::resync);
                    return;
                }
                changedBy = new Change(null, () -> {
                    position = closing.getOrDefault(lane, position);
                    flowing.keySet().forEach(parked::remove);
                    attempt.asides().values().forEach(aside -> {
                        Waiting waiting = new Waiting();
                        waiting.isForGood = aside.isParked();
                        waiting.attempts = aside.attempts();
                        parked.put(aside.key(), waiting);
                    });
                    attempt.passed()
                            .forEach(
                                    message -> waitingOf(message.key()).messages.add(message.position()));
                    attempt.todo().forEach(OneLane.this::apply);
                });
                worker.then("commits", () -> {
                    commit();
                    if (isReplyLost()) {
                        worker.then("does not hear that it has committed", this::resync);
                    } else {
                        worker.then("writes down what it has done", () -> advance(claim, attempt, flowing, closing));
                    }
                });
            }

            private boolean nothingWaits(String key) {
                boolean wrong = mistake == Mistake.A_KEY_FLOWS_AGAIN_ALTHOUGH_MESSAGES_WAIT;
                return wrong
                        || !parked.containsKey(key)
                        || waitingOf(key).messages.isEmpty();
            }

            private Waiting waitingOf(String key) {
                return parked.getOrDefault(key, new Waiting());
            }

            private void commit() {
                Change change = changedBy;
                if (change != null) {
                    require(
                            isOurs(),
                            () -> "Something was applied by the owner under epoch "
                                    + lane.tenure().epoch() + '.');
                    changedBy = null;
                    change.onCommit().run();
                }
            }

            private boolean isReplyLost() {
                if (lostReplies > 0 && choices.oneIn(6)) {
                    lostReplies--;
                    return true;
                }
                return false;
            }

            private void advance(
                    Claim claim, BatchAttempt attempt, Map<String, AsideKey> flowing, Map<Lane, Long> closed) {
                lane.setReached(claim.reached(lane, attempt.upTo()));
                lane.setStored(closed.getOrDefault(lane, lane.stored()));
                flowing.keySet().forEach(lane.asideKeys()::forget);
                attempt.passed().forEach(message -> lane.asideKeys().passedOver(message.key(), 0));
                attempt.asides()
                        .values()
                        .forEach(
                                aside -> lane.asideKeys().setAside(aside.key(), aside.isParked(), aside.attempts(), 0));
                lane.setBusy(false);
                work();
            }

            /** What is stored tells the truth. */
            private void resync() {
                long reached = position;
                boolean ours = isOurs();
                List<StoredAside> rows = stored();
                worker.then("goes by what is stored", () -> {
                    if (!ours) {
                        lane.lose();
                        return;
                    }
                    lane.setStored(reached);
                    lane.setReached(reached);
                    if (mistake != Mistake.PARKED_KEYS_ARE_NOT_READ_ANEW_AFTER_A_LOST_REPLY) {
                        lane.asideKeys().rememberOnly(rows, 0);
                    }
                    lane.setBusy(false);
                    work();
                });
            }

            // ---- drains

            private void drain(Actor drain) {
                drain.when(
                        () -> lane.asideKeys().nextDue() != null && lane.mayDrain(), "takes a key that is due", () -> {
                            AsideKey key = lane.asideKeys().nextDue();
                            if (key == null) {
                                return;
                            }
                            lane.asideKeys().beginDraining(key);
                            KeyDrain course = new KeyDrain(key, TOGETHER);
                            drain.then("handles the heads of key " + key.key(), () -> handle(drain, course));
                        });
            }

            private void handle(Actor drain, KeyDrain course) {
                for (Long head : waitingOf(course.key()).messages) {
                    if (course.waiting.size() < course.most) {
                        course.waiting.add(log.get(head.intValue() - 1));
                    }
                }
                course.isAll = course.waiting.size() < course.most;
                for (Message message : course.waiting) {
                    if (course.failure == null && fails(message)) {
                        course.failure = new UnitFailed(
                                List.of(message), Verdict.RETRY, "failed", new IllegalArgumentException("failed"));
                    } else if (course.failure == null) {
                        course.handled.add(message);
                    }
                }
                AfterDrain next = course.next(OPTIONS, null);
                if (course.handled.isEmpty() && next.failure() == null) {
                    drain.then("has nothing to settle", () -> follow(drain, course.aside(), next));
                } else {
                    drain.when(this::isRowFree, "settles", () -> settle(drain, course, next));
                }
            }

            private void settle(Actor drain, KeyDrain course, AfterDrain next) {
                String key = course.key();
                List<Long> handled =
                        course.handled.stream().map(Message::position).toList();
                boolean there = waitingOf(key).messages.containsAll(handled)
                        || mistake == Mistake.NOBODY_NOTICES_THAT_A_MESSAGE_WAS_SKIPPED;
                if (!isOurs() && mistake != Mistake.A_DRAIN_DOES_NOT_ASK_FOR_THE_EPOCH) {
                    drain.then("finds itself fenced", () -> {
                        lane.lose();
                        follow(drain, course.aside(), null);
                    });
                    return;
                }
                if (!there) {
                    drain.then("fails", () -> follow(drain, course.aside(), null));
                    return;
                }
                changedBy = new Change(key, () -> {
                    Waiting waiting = waitingOf(key);
                    course.handled.forEach(OneLane.this::apply);
                    waiting.messages.removeAll(handled);
                    PostponedKey failure = next.failure();
                    if (failure != null) {
                        waiting.attempts = failure.attempts();
                        waiting.isForGood = failure.state() == AsideEntry.State.PARKED;
                    }
                });
                drain.then("commits", () -> {
                    commit();
                    AfterDrain heard = isReplyLost() ? null : next;
                    drain.then(
                            heard == null ? "does not hear that it has committed" : "writes down what comes next",
                            () -> follow(drain, course.aside(), heard));
                });
            }

            /** As in {@code Drains}. */
            private void follow(Actor drain, AsideKey key, @Nullable AfterDrain next) {
                PostponedKey failure = next == null ? null : next.failure();
                if (next != null) {
                    key.setAttempts(failure == null ? 0 : failure.attempts());
                }
                if (failure != null) {
                    lane.asideKeys().setParked(key, failure.state() == AsideEntry.State.PARKED);
                }
                boolean seenAll = !key.wasPassedOver() || mistake == Mistake.A_KEY_FLOWS_AGAIN_ALTHOUGH_MESSAGES_WAIT;
                if (next != null && next.isRecovered() && seenAll) {
                    lane.asideKeys().recover(key);
                } else {
                    lane.asideKeys().drainAgain(key, 0);
                }
                drain(drain);
            }
        }

        @Override
        protected boolean atRest() {
            if (!isCalm || parked.values().stream().anyMatch(waiting -> waiting.isForGood)) {
                isCalm = true;
                retryAll();
                return true;
            }
            require(
                    parked.isEmpty() && owner.lane.asideKeys().isEmpty(),
                    () -> "Keys are set aside, and nobody is at them.");
            long done = skipped.size()
                    + applied.values().stream().mapToLong(List::size).sum();
            require(done == log.size(), () -> "Only " + done + " of " + log.size() + " messages were applied.");
            return false;
        }

        @Override
        public String toString() {
            Map<String, Set<Long>> waiting = new TreeMap<>();
            parked.forEach((key, each) -> waiting.put(key, each.messages));
            return "applied " + applied + ", skipped " + skipped + ", waiting " + waiting + ", position " + position
                    + ", epoch " + epoch;
        }
    }
}
