package org.pgbaton.drain;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.batch.BatchAttempt;
import org.pgbaton.drain.NoInterleavingSendsToKafkaTwiceTest.Mistake;
import org.pgbaton.explore.Actor;
import org.pgbaton.handling.HandlerCalls;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.SlowKeys;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.handling.TargetAnswers;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.FeedMarks;
import org.pgbaton.lane.FeedProgress;
import org.pgbaton.lane.Generation;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.LaneFeed;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.lane.StoredAside;
import org.pgbaton.lane.Tenure;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.work.RowReader;

/**
 * One tenure of a lane with a feed: it takes the lane over, publishes batches, and drains keys that are set aside. The order of steps is
 * that of {@code LaneOwnership}, {@code FeedCatchUp}, {@code FeedBatch}, {@code Claims}, {@link FeedDrain}, {@code Drains} and {@code FailureResponse}. No lease
 * protects it: it goes on until it finds itself fenced.
 */
final class ModelOwner {
    /** Where it lives. */
    interface Place {
        Actor actor(String name);

        Mistake mistake();

        ModelDatabase database();

        ModelTarget target();

        SubscriptionOptions options();

        /** Whether PostgreSQL does nothing this time. */
        boolean isRefused();

        /** Whether PostgreSQL has done it, and its answer is lost. */
        boolean isReplyLost();

        /** It has given the lane back, or lost it. */
        void gone(ModelOwner owner);
    }

    private static final int BATCH = 3;
    private static final int TOGETHER = 2;

    private final Place place;
    private final Mistake mistake;
    private final ModelDatabase database;
    private final String name;
    private final Actor background;
    private final Actor worker;
    private final Actor[] drains = new Actor[2];

    private boolean isFrozen;
    private boolean hasBegun;
    private boolean isGone;

    // What it knows while it takes over.
    private Map<String, String> marks = Map.of();
    private List<StoredAside> parked = List.of();
    private Generation generation = new Generation("", 1, List.of());
    private @Nullable Feed opened;
    private @Nullable Tenure tenure;

    private @Nullable Lane laneOrNull;

    ModelOwner(Place place, int number) {
        this.place = place;
        this.mistake = place.mistake();
        this.database = place.database();
        this.name = "Owner " + number;
        this.background = place.actor(name);
        this.worker = place.actor("The worker of owner " + number);
        for (int i = 0; i < drains.length; i++) {
            drains[i] = place.actor("Drain " + i + " of owner " + number);
        }
        takeOver();
    }

    boolean isTakingOver() {
        return (tenure != null || opened != null) && !hasBegun && !isGone;
    }

    boolean isFrozen() {
        return isFrozen;
    }

    void freeze(boolean frozen) {
        isFrozen = frozen;
    }

    void crash() {
        background.stop();
        worker.stop();
        for (Actor drain : drains) {
            drain.stop();
        }
        end();
    }

    private void end() {
        if (!isGone) {
            isGone = true;
            place.gone(this);
        }
    }

    boolean isAtRest() {
        return hasBegun && !isGone && lane().asideKeys().isEmpty();
    }

    private Lane lane() {
        if (laneOrNull == null) {
            throw new IllegalStateException("no lane yet");
        }
        return laneOrNull;
    }

    // ---- steps

    private void step(Actor actor, String what, Runnable body) {
        step(actor, () -> true, what, body);
    }

    private void step(Actor actor, BooleanSupplier ready, String what, Runnable body) {
        actor.when(() -> !isFrozen && ready.getAsBoolean(), what, body);
    }

    /**
     * A transaction of PostgreSQL.
     *
     * @param failed told whether the lane is not ours any more, or was changed under our hands
     */
    private void transact(Actor actor, String what, Runnable body, Runnable done, Consumer<Boolean> failed) {
        step(actor, what, () -> {
            if (place.isRefused()) {
                step(actor, "is refused by PostgreSQL", () -> failed.accept(false));
                return;
            }
            try {
                body.run();
            } catch (ModelDatabase.Fenced fenced) {
                step(actor, "finds that it is fenced", () -> failed.accept(true));
                return;
            }
            if (place.isReplyLost()) {
                step(actor, "does not hear that it is committed", () -> failed.accept(false));
            } else {
                step(actor, "hears that it is committed", done);
            }
        });
    }

    // ---- taking over

    private void takeOver() {
        boolean early = mistake == Mistake.THE_FEED_IS_OPENED_BEFORE_THE_EPOCH_IS_RAISED;
        boolean unasked = mistake == Mistake.NOBODY_ASKS_FOR_THE_EPOCH_AFTER_THE_FEED_IS_OPEN;
        boolean known = mistake == Mistake.PARKED_KEYS_ARE_READ_BEFORE_THE_EPOCH_IS_RAISED;
        if (known) {
            step(background, "reads which keys are set aside", () -> parked = database.parked());
        }
        if (early) {
            open();
        }
        step(background, "raises the epoch", () -> tenure = database.take());
        if (!known) {
            step(background, "reads which keys are set aside", () -> parked = database.parked());
        }
        if (unasked) {
            askForTheGeneration();
        }
        if (!early) {
            open();
        }
        if (!unasked) {
            askForTheGeneration();
        }
        step(background, "looks which marks count", this::catchUp);
    }

    private void open() {
        boolean early = mistake == Mistake.MARKS_ARE_READ_BEFORE_THE_FORMER_PRODUCER_IS_FENCED;
        if (early) {
            step(background, "reads the marks", () -> marks = place.target().marks());
        }
        step(background, "opens the feed", () -> {
            marks = early ? marks : place.target().marks();
            opened = place.target().open(marks);
        });
    }

    private void askForTheGeneration() {
        step(background, "asks for generation and epoch", () -> {
            try {
                generation = tenure == null ? generation : database.generation(tenure);
            } catch (ModelDatabase.Fenced fenced) {
                giveUpTakingOver();
            }
        });
    }

    private void giveUpTakingOver() {
        background.stop();
        if (opened != null) {
            opened.close();
        }
        end();
    }

    private void catchUp() {
        if (tenure == null || opened == null) {
            throw new IllegalStateException("not taken");
        }
        Lane lane = new Lane(new LaneGroup(0), tenure, 0);
        laneOrNull = lane;
        parked.forEach(row -> lane.asideKeys().remember(row, 0));
        lane.open(new LaneFeed(opened, generation));
        boolean anyGeneration = mistake == Mistake.ALL_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS;
        boolean oneGeneration = mistake == Mistake.NOTHING_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS;
        boolean anyMessage = mistake == Mistake.A_MARK_COUNTS_WHOSE_MESSAGE_THE_LOG_DOES_NOT_HAVE;
        FeedMarks found = new FeedMarks(
                anyGeneration ? ofThisGeneration(marks) : marks,
                oneGeneration ? new Generation("model", generation.number(), List.of()) : generation,
                progress -> anyMessage || database.has(progress));
        long ofGroup = found.ofGroup(lane.stored());
        if (ofGroup > lane.stored() && mistake != Mistake.THE_MARK_OF_THE_GROUP_IS_IGNORED) {
            lane.setReached(ofGroup);
            lane.setPublished(ofGroup);
        }
        Map<String, Long> published = found.ofKeys(lane.asideKeys().names());
        Set<String> removable = found.removable();
        if (published.isEmpty() || mistake == Mistake.THE_MARK_OF_A_DRAINED_KEY_IS_IGNORED) {
            begin(removable);
        } else {
            transact(
                    background,
                    "tells PostgreSQL what the target has of keys",
                    () -> database.forgetUpTo(lane.tenure(), published),
                    () -> begin(removable),
                    fenced -> giveUpTakingOver());
        }
    }

    private Map<String, String> ofThisGeneration(Map<String, String> all) {
        Map<String, String> changed = new TreeMap<>();
        all.forEach((mark, text) -> changed.put(mark, generation.recorded() + text.substring(text.indexOf(' '))));
        return changed;
    }

    private void begin(Set<String> removable) {
        removable.forEach(lane().feed()::obsolete);
        hasBegun = true;
        work();
        for (Actor drain : drains) {
            drain(drain);
        }
        step(
                background,
                () -> lane().isLeaving() && !lane().isBusy() && !lane().isCalling(),
                "gives the lane back",
                this::drop);
    }

    private void drop() {
        lane().lose();
        lane().closeFeed();
        end();
    }

    /** Reads what operators did. */
    void hear(Actor ear) {
        step(ear, () -> hasBegun || isGone, "tells " + name + " what operators did", () -> {
            if (hasBegun && !isGone) {
                database.parked().forEach(row -> lane().asideKeys().hear(row, 0));
                if (!database.isOf(lane().tenure())) {
                    lane().leave();
                }
            }
        });
    }

    // ---- batches

    /** What became of a batch so far. */
    private static final class Work {
        final Claim claim;
        final RowReader.Rows rows;
        final Map<String, AsideKey> flowing;
        final Map<String, Suspect> suspects = new HashMap<>();
        BatchAttempt attempt;

        Work(SubscriptionOptions options, Claim claim, RowReader.Rows rows, Map<String, AsideKey> flowing) {
            this.claim = claim;
            this.rows = rows;
            this.flowing = flowing;
            this.attempt = new BatchAttempt(options, noCalls(options), new SlowKeys(), claim, rows, suspects, flowing);
        }

        void suspect(SubscriptionOptions options, FeedException failed) {
            for (Message troubled : failed.allTroubled()) {
                suspects.put(troubled.key(), new Suspect(troubled.position(), failed.verdict(), "refused"));
            }
            attempt = new BatchAttempt(options, noCalls(options), new SlowKeys(), claim, rows, suspects, flowing);
        }
    }

    private static HandlerCalls noCalls(SubscriptionOptions options) {
        return new HandlerCalls(options, () -> 0, Runnable::run, new TargetAnswers(options.slow(), () -> 0));
    }

    private boolean mayWork() {
        return !lane().isGone() && !lane().isLeaving();
    }

    private boolean hasWork() {
        return lane().reached() < database.end() || lane().asideKeys().hasRecovered();
    }

    private void work() {
        step(worker, () -> mayWork() && (hasWork() || lane().reached() > lane().stored()), "looks for messages", () -> {
            Lane lane = lane();
            if (!hasWork()) {
                flush();
                return;
            }
            boolean anyHistory = mistake == Mistake.MESSAGES_OF_ANOTHER_HISTORY_ARE_READ;
            lane.setBusy(true);
            if (!anyHistory && !lane.tenure().timeline().equals(database.history())) {
                resync(true);
                return;
            }
            lane.setFrontier(database.end());
            Claim claim = new Claim(List.of(lane), place.options());
            Map<String, AsideKey> flowing = new HashMap<>();
            lane.asideKeys().someRecovered(500).forEach(key -> flowing.put(key.key(), key));
            List<Message> messages = database.read(claim.from(), claim.upTo(), BATCH);
            long upTo = messages.size() == BATCH ? messages.get(BATCH - 1).position() : claim.upTo();
            attempt(new Work(place.options(), claim, new RowReader.Rows(messages, upTo), flowing));
        });
    }

    /** As {@code IdleLanes}. */
    private void flush() {
        Lane lane = lane();
        long to = lane.reached();
        lane.setBusy(true);
        transact(
                worker,
                "moves the checkpoint to " + to,
                () -> database.close(lane.tenure(), lane.stored(), to, Set.of()),
                () -> {
                    lane.setStored(to);
                    lane.setBusy(false);
                    work();
                },
                this::resync);
    }

    private void attempt(Work work) {
        boolean early = mistake != Mistake.WHAT_IS_PASSED_OVER_IS_RECORDED_AFTERWARDS;
        if (work.attempt.isEmpty()) {
            advance(work, Map.of());
        } else if (early) {
            record(work, () -> publish(work));
        } else {
            publish(work);
        }
    }

    private void record(Work work, Runnable then) {
        if (work.attempt.passed().isEmpty()) {
            then.run();
            return;
        }
        transact(
                worker,
                "records that it passes over " + work.attempt.passed(),
                () -> database.setAside(lane().tenure(), work.attempt),
                then,
                this::resync);
    }

    private void publish(Work work) {
        List<Message> todo = List.copyOf(work.attempt.todo());
        if (todo.isEmpty()) {
            closeOrRecord(work);
            return;
        }
        step(worker, "publishes " + todo, () -> {
            if (lane().isGone()) {
                resync(true);
                return;
            }
            Message last = work.attempt.last();
            try {
                lane().feed().publish(todo, lane().delivery(place.options(), 1), last);
                step(worker, "hears that it is published", () -> {
                    lane().setPublished(last.position());
                    closeOrRecord(work);
                });
            } catch (FeedException failed) {
                step(worker, "hears that it is not: " + failed.getMessage(), () -> failed(work, failed));
            }
        });
    }

    private void failed(Work work, FeedException failed) {
        if (failed.kind() == FeedException.Kind.MESSAGE) {
            work.suspect(place.options(), failed);
            attempt(work);
        } else {
            resync(failed.kind() == FeedException.Kind.LOST);
        }
    }

    private void closeOrRecord(Work work) {
        if (mistake == Mistake.WHAT_IS_PASSED_OVER_IS_RECORDED_AFTERWARDS) {
            record(work, () -> close(work));
        } else {
            close(work);
        }
    }

    private void close(Work work) {
        Lane lane = lane();
        Map<Lane, Long> closing = Map.copyOf(work.attempt.closing());
        Set<String> again = new HashSet<>(work.flowing.keySet());
        again.removeAll(work.attempt.asides().keySet());
        long to = closing.getOrDefault(lane, lane.stored());
        transact(
                worker,
                "moves the checkpoint to " + to,
                () -> database.close(lane.tenure(), lane.stored(), to, again),
                () -> advance(work, closing),
                this::resync);
    }

    /** As in {@code Claims}. */
    private void advance(Work work, Map<Lane, Long> closed) {
        Lane lane = lane();
        lane.setReached(work.claim.reached(lane, work.attempt.upTo()));
        lane.setStored(closed.getOrDefault(lane, lane.stored()));
        work.flowing.keySet().forEach(lane.asideKeys()::forget);
        work.attempt.passed().forEach(message -> lane.asideKeys().passedOver(message.key(), 0));
        work.attempt
                .asides()
                .values()
                .forEach(aside -> lane.asideKeys().setAside(aside.key(), aside.isParked(), aside.attempts(), 0));
        lane.setBusy(false);
        work();
    }

    /** What is stored tells the truth. */
    private void resync(boolean leaves) {
        step(worker, "reads what is stored", () -> {
            boolean isOurs = database.isOf(lane().tenure());
            long position = database.position();
            List<StoredAside> rows = database.parked();
            step(worker, "goes by what is stored", () -> {
                Lane lane = lane();
                if (leaves) {
                    lane.leave();
                }
                lane.setBusy(false);
                if (!isOurs) {
                    lane.leave();
                    drop();
                    return;
                }
                lane.setStored(position);
                lane.setReached(
                        mistake == Mistake.WHAT_THE_TARGET_HAS_IS_FORGOTTEN_WHEN_THE_CHECKPOINT_IS_NOT_MOVED
                                ? position
                                : Math.max(position, lane.published()));
                lane.asideKeys().rememberOnly(rows, 0);
                work();
            });
        });
    }

    // ---- keys that are set aside

    private void drain(Actor drain) {
        step(drain, () -> lane().mayDrain() && lane().asideKeys().nextDue() != null, "takes a key that is due", () -> {
            AsideKey key = lane().asideKeys().nextDue();
            if (key == null) {
                throw new IllegalStateException("none is due");
            }
            lane().asideKeys().beginDraining(key);
            new Draining(drain, key).goOn();
        });
    }

    /** As {@link FeedDrain}. */
    private final class Draining {
        private final Actor drain;
        private final AsideKey key;
        private int most = TOGETHER;
        private int attempts;

        Draining(Actor drain, AsideKey key) {
            this.drain = drain;
            this.key = key;
            this.attempts = key.attempts();
        }

        void goOn() {
            Lane lane = lane();
            if (lane.isGone() || lane.isLeaving()) {
                end(AfterDrain.again(Duration.ZERO, 0));
            } else if (mistake == Mistake.WHAT_THE_TARGET_HAS_OF_A_KEY_IS_FORGOTTEN_WHEN_POSTGRESQL_REFUSES) {
                readHeads();
            } else {
                settle(this::readHeads);
            }
        }

        private void settle(Runnable then) {
            LaneFeed feed = lane().feed();
            long upTo = feed.unsettled(key.key());
            if (upTo == 0) {
                then.run();
                return;
            }
            transact(
                    drain,
                    "tells PostgreSQL that key " + key.key() + " is sent up to " + upTo,
                    () -> database.forgetUpTo(lane().tenure(), Map.of(key.key(), upTo)),
                    () -> {
                        feed.settled(key.key(), upTo);
                        then.run();
                    },
                    this::failed);
        }

        private void failed(boolean fenced) {
            if (fenced && !database.isOf(lane().tenure())) {
                lane().leave();
            }
            end(null);
        }

        private void readHeads() {
            boolean anything = mistake == Mistake.WHAT_IS_RECORDED_IS_DRAINED_BEFORE_IT_IS_PASSED_OVER;
            step(drain, "reads what waits of key " + key.key(), () -> {
                long upTo = anything ? Long.MAX_VALUE : lane().drainable();
                List<Message> unit = database.heads(key.key(), upTo, most);
                if (unit.isEmpty()) {
                    lookForMore();
                } else {
                    publish(unit);
                }
            });
        }

        private void lookForMore() {
            step(drain, "looks whether more waits of key " + key.key(), () -> {
                boolean anyEpoch = mistake == Mistake.A_KEY_IS_FOUND_EMPTY_WITHOUT_ASKING_FOR_THE_EPOCH;
                if (!anyEpoch && !database.isOf(lane().tenure())) {
                    failed(true);
                    return;
                }
                boolean more = database.waits(key.key());
                step(drain, "has found " + (more ? "more" : "nothing"), () -> {
                    end(more ? AfterDrain.again(Duration.ZERO, 0) : AfterDrain.recovered(false));
                });
            });
        }

        private void publish(List<Message> unit) {
            step(drain, "publishes " + unit, () -> {
                try {
                    lane().feed().publishOf(key.key(), unit, lane().delivery(place.options(), 1));
                    if (mistake == Mistake.THE_MARK_OF_A_KEY_IS_REMOVED_BEFORE_POSTGRESQL_HAS_COMMITTED) {
                        lane().feed().obsolete(FeedProgress.ofKey(key.key()));
                    }
                    step(
                            drain,
                            "hears that it is published",
                            () -> settle(() -> {
                                attempts = 0;
                                goOn();
                            }));
                } catch (FeedException failed) {
                    step(drain, "hears that it is not: " + failed.getMessage(), () -> failed(unit, failed));
                }
            });
        }

        private void failed(List<Message> unit, FeedException failed) {
            if (failed.kind() == FeedException.Kind.LOST) {
                lane().leave();
            }
            Message troubled = failed.troubled();
            UnitFailed failure =
                    new UnitFailed(troubled == null ? unit : List.of(troubled), failed.verdict(), "failed", failed);
            boolean isHead = failure.isAboutTheFirst()
                    && failure.unit().get(0).position() == unit.get(0).position();
            if (!isHead) {
                most = Math.max(1, failure.at());
                goOn();
                return;
            }
            AfterDrain next = AfterDrain.failed(failure, key.key(), attempts, place.options());
            PostponedKey postponed = next.failure();
            if (postponed == null) {
                end(next);
            } else {
                transact(
                        drain,
                        "postpones key " + key.key(),
                        () -> database.postpone(lane().tenure(), postponed),
                        () -> end(next),
                        this::failed);
            }
        }

        /** As in {@code Drains}. */
        private void end(@Nullable AfterDrain next) {
            Lane lane = lane();
            PostponedKey failure = next == null ? null : next.failure();
            if (next != null) {
                key.setAttempts(failure == null ? 0 : failure.attempts());
            }
            if (failure != null) {
                lane.asideKeys().setParked(key, failure.state() == AsideEntry.State.PARKED);
            }
            if (next != null && next.isRecovered() && !key.wasPassedOver()) {
                lane.asideKeys().recover(key);
            } else {
                lane.asideKeys().drainAgain(key, 0);
            }
            drain(drain);
        }
    }
}
