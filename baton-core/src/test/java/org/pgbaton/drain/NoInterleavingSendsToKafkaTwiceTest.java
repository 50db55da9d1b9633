package org.pgbaton.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.batch.BatchAttempt;
import org.pgbaton.explore.Actor;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Explorer;
import org.pgbaton.explore.Model;
import org.pgbaton.handling.Handling;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.FeedMarks;
import org.pgbaton.lane.FeedProgress;
import org.pgbaton.lane.Generation;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.LaneFeed;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.LogTable;

/**
 * Exactly once to Kafka, over interleavings: a relay with transactions, whose messages are refused now and then, so that their keys are set
 * aside and drained; transactions of the target that fail, and commits without an answer; transactions of PostgreSQL that are refused, and
 * whose answers are lost; owners that crash at any step, or freeze, also while they take over, and go on when others have the lane; an
 * operator that skips, and one that rewinds; a database that loses its end.
 *
 * <p>Claims: each message becomes visible once, and once more for each rewind to before it; one that was skipped at most so often; the
 * messages of a key in order. When it is calm nothing waits. After the database has lost its end they hold for what is written then.
 *
 * <p>{@link LaneFeed}, {@link FeedMarks}, {@link Generation}, {@link FeedProgress}, {@link Lane}, {@link AsideKey}, {@link Claim}, {@link BatchAttempt} and {@link AfterDrain} are
 * those of production. The order of steps is written down once more in {@link ModelOwner}; {@link ModelDatabase} and {@link ModelTarget}
 * say what is assumed of PostgreSQL and Kafka. A call of {@link LaneFeed} is one step: its transactions are made one after the other.
 */
class NoInterleavingSendsToKafkaTwiceTest {
    private static final int SCHEDULES = 2_000;

    /** What a schedule is about, besides crashes, freezes and failures. */
    enum Scene {
        NOTHING_ELSE,
        MESSAGES_ARE_WRITTEN_WHILE_OTHERS_WAIT,
        AN_OWNER_FREEZES_WHILE_IT_TAKES_OVER,
        AN_OPERATOR_REWINDS,
        THE_DATABASE_LOSES_ITS_END
    }

    private static final List<Scene> SCENES = List.of(Scene.values());

    enum Mistake {
        THE_MARK_IS_NOT_COMMITTED_WITH_THE_MESSAGES(Scene.NOTHING_ELSE),
        THE_MARK_OF_THE_GROUP_IS_IGNORED(Scene.NOTHING_ELSE),
        THE_MARK_OF_A_DRAINED_KEY_IS_IGNORED(Scene.NOTHING_ELSE),
        THE_MARK_OF_A_KEY_IS_REMOVED_BEFORE_POSTGRESQL_HAS_COMMITTED(Scene.MESSAGES_ARE_WRITTEN_WHILE_OTHERS_WAIT),
        ALL_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS(Scene.AN_OPERATOR_REWINDS),
        NOTHING_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS(Scene.AN_OPERATOR_REWINDS),
        A_KEY_IS_FOUND_EMPTY_WITHOUT_ASKING_FOR_THE_EPOCH(Scene.AN_OPERATOR_REWINDS),
        A_MARK_COUNTS_WHOSE_MESSAGE_THE_LOG_DOES_NOT_HAVE(Scene.THE_DATABASE_LOSES_ITS_END),
        MESSAGES_OF_ANOTHER_HISTORY_ARE_READ(Scene.THE_DATABASE_LOSES_ITS_END),
        MARKS_ARE_READ_BEFORE_THE_FORMER_PRODUCER_IS_FENCED(Scene.NOTHING_ELSE),
        A_FORMER_PRODUCER_IS_NOT_FENCED(Scene.NOTHING_ELSE),
        THE_FEED_IS_OPENED_BEFORE_THE_EPOCH_IS_RAISED(Scene.AN_OWNER_FREEZES_WHILE_IT_TAKES_OVER),
        NOBODY_ASKS_FOR_THE_EPOCH_AFTER_THE_FEED_IS_OPEN(Scene.AN_OWNER_FREEZES_WHILE_IT_TAKES_OVER),
        PARKED_KEYS_ARE_READ_BEFORE_THE_EPOCH_IS_RAISED(Scene.AN_OWNER_FREEZES_WHILE_IT_TAKES_OVER),
        A_COMMIT_WITHOUT_AN_ANSWER_COUNTS_AS_FAILED(Scene.NOTHING_ELSE),
        WHAT_THE_TARGET_HAS_IS_FORGOTTEN_WHEN_THE_CHECKPOINT_IS_NOT_MOVED(Scene.NOTHING_ELSE),
        WHAT_THE_TARGET_HAS_OF_A_KEY_IS_FORGOTTEN_WHEN_POSTGRESQL_REFUSES(Scene.NOTHING_ELSE),
        WHAT_IS_PASSED_OVER_IS_RECORDED_AFTERWARDS(Scene.NOTHING_ELSE),
        WHAT_IS_RECORDED_IS_DRAINED_BEFORE_IT_IS_PASSED_OVER(Scene.NOTHING_ELSE),
        /** In every scene. */
        NONE(Scene.NOTHING_ELSE);

        final Scene scene;

        Mistake(Scene scene) {
            this.scene = scene;
        }
    }

    @Test
    void eachIsVisibleOnceAndInTheOrderOfItsKey() {
        Explorer.holds(SCHEDULES, choices -> new Relay(Mistake.NONE, choices));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) {
        assertThat(Explorer.finds(SCHEDULES, choices -> new Relay(mistake, choices)))
                .containsAnyOf("was sent", "was never sent", "do not come to rest", "set aside");
    }

    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(
            "model",
            "",
            new LogTable("outbox", 1, 2, 1, "baton.outbox", null),
            MessageOrder.PER_KEY,
            Start.after(0),
            List.of(),
            null,
            3,
            3,
            1,
            null,
            InstanceMode.COORDINATED,
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            3,
            Duration.ofMillis(100),
            Duration.ofMinutes(5),
            null,
            failure -> Verdict.RETRY,
            Handling.publisher(new Nowhere()));

    /** Only says that there is one group. */
    private static final class Nowhere implements TransactionalPublisher {
        @Override
        public String target() {
            return "nowhere";
        }

        @Override
        public int groups() {
            return 1;
        }

        @Override
        public Feed open(String subscription, int group) {
            throw new IllegalStateException("a model opens its own");
        }

        @Override
        public void close() {}
    }

    private static final class Relay extends Model {
        private final Mistake mistake;
        private final Choices choices;
        private final Scene scene;
        private final ModelDatabase database = new ModelDatabase();
        private final ModelTarget target;
        private final List<ModelOwner> owners = new ArrayList<>();
        private final Actor ear = actor("A look");
        private int refusals = 2;
        private int lostReplies = 2;
        private boolean isCalm;

        Relay(Mistake mistake, Choices choices) {
            this.mistake = mistake;
            this.choices = choices;
            this.target = new ModelTarget(mistake, choices, database);
            this.scene = mistake == Mistake.NONE ? SCENES.get(choices.of(SCENES.size())) : mistake.scene;
            write(3 + choices.of(5));
            takeOver();
            int troubles = 1 + choices.of(2);
            for (int i = 0; i < troubles; i++) {
                trouble(i);
            }
            if (choices.oneIn(4)) {
                actor("An operator").when(database::hasAnythingThatWaits, "skips a message", () -> {
                    database.skip();
                    latest().hear(ear);
                });
            }
            switch (scene) {
                case AN_OWNER_FREEZES_WHILE_IT_TAKES_OVER -> freezeWhileTakingOver();
                case AN_OPERATOR_REWINDS -> rewind();
                case THE_DATABASE_LOSES_ITS_END -> loseTheEnd();
                default -> {}
            }
        }

        private void write(int count) {
            Actor writer = actor("A writer");
            for (int i = 0; i < count; i++) {
                String key = choices.oneIn(3) ? "b" : "a";
                int refused = choices.oneIn(3) ? 1 + choices.of(3) : 0;
                BooleanSupplier late = choices.oneIn(2) ? () -> true : this::isTimeToWrite;
                writer.when(i < 2 ? () -> true : late, "writes a message of key " + key, () -> {
                    UUID id = database.write(key);
                    target.refuses(id, refused);
                });
            }
        }

        private boolean isTimeToWrite() {
            return switch (scene) {
                case MESSAGES_ARE_WRITTEN_WHILE_OTHERS_WAIT -> database.hasAnythingThatWaits();
                case AN_OPERATOR_REWINDS -> database.generation() > 1;
                default -> true;
            };
        }

        private ModelOwner latest() {
            return owners.get(owners.size() - 1);
        }

        private void takeOver() {
            owners.add(new ModelOwner(new Here(), owners.size() + 1));
        }

        private void trouble(int number) {
            Actor trouble = actor("Trouble " + number);
            BooleanSupplier when = sometimeOrWhileSomethingWaits();
            switch (choices.of(4)) {
                case 0 -> trouble.when(when, "ends the owner's process", () -> latest().crash());
                case 1 -> trouble.when(when, "ends the owner's session", this::takeOver);
                default ->
                    trouble.when(when, "freezes the owner, and ends its session", () -> freeze(latest(), trouble));
            }
        }

        private void freezeWhileTakingOver() {
            Actor trouble = actor("More trouble");
            trouble.when(
                    () -> latest().isTakingOver(),
                    "freezes the owner, and ends its session",
                    () -> freeze(latest(), trouble));
        }

        private void freeze(ModelOwner owner, Actor trouble) {
            owner.freeze(true);
            takeOver();
            // The others do all they can before some of them wake up.
            if (choices.oneIn(2)) {
                trouble.then("wakes it up", () -> owner.freeze(false));
            }
        }

        /** Most can go wrong while keys are set aside. */
        private BooleanSupplier sometimeOrWhileSomethingWaits() {
            return choices.oneIn(4) ? () -> true : database::hasAnythingThatWaits;
        }

        private void rewind() {
            Actor operator = actor("Another operator");
            for (int i = choices.of(2); i < 2; i++) {
                operator.when(sometimeOrWhileSomethingWaits(), "rewinds", () -> {
                    // Other lanes may be further.
                    database.rewind(choices.of((int) database.end() + 1));
                    if (choices.oneIn(4)) {
                        latest().hear(ear);
                    }
                });
            }
        }

        private void loseTheEnd() {
            Actor standby = actor("A standby");
            standby.then("copies", () -> {
                ModelDatabase copy = database.copy();
                standby.when(() -> database.end() > copy.end(), "is promoted", () -> {
                    database.goOnAs(copy);
                    write(2 + choices.of(3));
                    standby.then("has a new owner", this::takeOver);
                });
            });
        }

        /** Where its owners live. */
        private final class Here implements ModelOwner.Place {
            @Override
            public Actor actor(String name) {
                return Relay.this.actor(name);
            }

            @Override
            public Mistake mistake() {
                return mistake;
            }

            @Override
            public ModelDatabase database() {
                return database;
            }

            @Override
            public ModelTarget target() {
                return target;
            }

            @Override
            public SubscriptionOptions options() {
                return OPTIONS;
            }

            @Override
            public boolean isRefused() {
                if (refusals > 0 && choices.oneIn(8)) {
                    refusals--;
                    return true;
                }
                return false;
            }

            @Override
            public boolean isReplyLost() {
                if (lostReplies > 0 && choices.oneIn(8)) {
                    lostReplies--;
                    return true;
                }
                return false;
            }

            @Override
            public void gone(ModelOwner owner) {
                if (owner == latest()) {
                    takeOver();
                }
            }
        }

        @Override
        protected boolean atRest() {
            if (owners.stream().anyMatch(ModelOwner::isFrozen)) {
                owners.forEach(owner -> owner.freeze(false));
                return true;
            }
            if (!isCalm || database.isAnythingForGood()) {
                isCalm = true;
                refusals = 0;
                lostReplies = 0;
                target.calmDown();
                database.retryAll();
                latest().hear(ear);
                return true;
            }
            require(database.isSettled() && latest().isAtRest(), () -> "Keys are set aside, and nobody is at them.");
            target.requireAll();
            return false;
        }

        @Override
        public String toString() {
            return database + ", " + target;
        }
    }
}
