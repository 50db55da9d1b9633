package org.pgbaton.subscription;

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
import org.pgbaton.explore.Actor;
import org.pgbaton.log.Message;
import org.pgbaton.member.Tenure;
import org.pgbaton.subscription.NoInterleavingSendsToKafkaTwiceTest.Mistake;

/**
 * One tenure of a lane with a feed: it takes the lane over, publishes batches, and drains keys that are set aside. The order of steps is
 * that of {@link Ownership}, {@link CatchUp}, {@link FeedBatch}, {@link Claims}, {@link Drain}, {@link Drains} and {@link Trouble}. No lease
 * protects it: it goes on until it finds itself fenced.
 */
final class ModelOwner {
    /** Where it lives. */
    interface Place {
        Actor actor(String name);

        Mistake mistake();

        ModelDatabase database();

        ModelTarget target();

        Workshop shop();

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
    private final Actor crew;
    private final Actor worker;
    private final Actor[] drains = new Actor[2];

    private boolean isFrozen;
    private boolean hasBegun;
    private boolean isGone;

    // What it knows while it takes over.
    private Map<String, String> marks = Map.of();
    private List<Store.ParkedRow> parked = List.of();
    private Generation generation = new Generation("", 1, List.of());
    private @Nullable Feed opened;
    private @Nullable Tenure tenure;

    private @Nullable Lane laneOrNull;

    ModelOwner(Place place, int number) {
        this.place = place;
        this.mistake = place.mistake();
        this.database = place.database();
        this.name = "Owner " + number;
        this.crew = place.actor(name);
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
        crew.stop();
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
        return hasBegun && !isGone && lane().parked.isEmpty();
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
            step(crew, "reads which keys are set aside", () -> parked = database.parked());
        }
        if (early) {
            open();
        }
        step(crew, "raises the epoch", () -> tenure = database.take());
        if (!known) {
            step(crew, "reads which keys are set aside", () -> parked = database.parked());
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
        step(crew, "looks which marks count", this::catchUp);
    }

    private void open() {
        boolean early = mistake == Mistake.MARKS_ARE_READ_BEFORE_THE_FORMER_PRODUCER_IS_FENCED;
        if (early) {
            step(crew, "reads the marks", () -> marks = place.target().marks());
        }
        step(crew, "opens the feed", () -> {
            marks = early ? marks : place.target().marks();
            opened = place.target().open(marks);
        });
    }

    private void askForTheGeneration() {
        step(crew, "asks for generation and epoch", () -> {
            try {
                generation = tenure == null ? generation : database.generation(tenure);
            } catch (ModelDatabase.Fenced fenced) {
                giveUpTakingOver();
            }
        });
    }

    private void giveUpTakingOver() {
        crew.stop();
        if (opened != null) {
            opened.close();
        }
        end();
    }

    private void catchUp() {
        if (tenure == null || opened == null) {
            throw new IllegalStateException("not taken");
        }
        Lane lane = new Lane(0, tenure, 0);
        laneOrNull = lane;
        parked.forEach(row -> lane.remember(row, 0));
        lane.open(new LaneFeed(opened, generation));
        boolean anyGeneration = mistake == Mistake.ALL_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS;
        boolean oneGeneration = mistake == Mistake.NOTHING_OF_A_MARK_OF_BEFORE_A_REWIND_COUNTS;
        boolean anyMessage = mistake == Mistake.A_MARK_COUNTS_WHOSE_MESSAGE_THE_LOG_DOES_NOT_HAVE;
        Marks found = new Marks(
                anyGeneration ? ofThisGeneration(marks) : marks,
                oneGeneration ? new Generation("model", generation.number(), List.of()) : generation,
                progress -> anyMessage || database.has(progress));
        long ofGroup = found.ofGroup(lane.stored);
        if (ofGroup > lane.stored && mistake != Mistake.THE_MARK_OF_THE_GROUP_IS_IGNORED) {
            lane.reached = ofGroup;
            lane.published = ofGroup;
        }
        Map<String, Long> published = found.ofKeys(lane.parked.keySet());
        Set<String> removable = found.removable();
        if (published.isEmpty() || mistake == Mistake.THE_MARK_OF_A_DRAINED_KEY_IS_IGNORED) {
            begin(removable);
        } else {
            transact(
                    crew,
                    "tells PostgreSQL what the target has of keys",
                    () -> database.forgetUpTo(lane.tenure, published),
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
        step(crew, () -> lane().leaving && !lane().busy && !lane().isCalling(), "gives the lane back", this::drop);
    }

    private void drop() {
        lane().gone = true;
        lane().closeFeed();
        end();
    }

    /** Reads what operators did. */
    void hear(Actor ear) {
        step(ear, () -> hasBegun || isGone, "tells " + name + " what operators did", () -> {
            if (hasBegun && !isGone) {
                database.parked().forEach(row -> lane().hear(row, 0));
                lane().leaving |= !database.isOf(lane().tenure);
            }
        });
    }

    // ---- batches

    /** What became of a batch so far. */
    private static final class Work {
        final Claim claim;
        final RowReader.Rows rows;
        final Map<String, Parked> flowing;
        final Map<String, Suspect> suspects = new HashMap<>();
        Attempt attempt;

        Work(Workshop shop, Claim claim, RowReader.Rows rows, Map<String, Parked> flowing) {
            this.claim = claim;
            this.rows = rows;
            this.flowing = flowing;
            this.attempt = new Attempt(shop, claim, rows, suspects, flowing);
        }

        void suspect(Workshop shop, FeedException failed) {
            for (Message troubled : failed.allTroubled()) {
                suspects.put(troubled.key(), new Suspect(troubled.position(), failed.verdict(), "refused"));
            }
            attempt = new Attempt(shop, claim, rows, suspects, flowing);
        }
    }

    private boolean mayWork() {
        return !lane().gone && !lane().leaving;
    }

    private boolean hasWork() {
        return lane().reached < database.end() || !lane().recovered.isEmpty();
    }

    private void work() {
        step(worker, () -> mayWork() && (hasWork() || lane().reached > lane().stored), "looks for messages", () -> {
            Lane lane = lane();
            if (!hasWork()) {
                flush();
                return;
            }
            boolean anyHistory = mistake == Mistake.MESSAGES_OF_ANOTHER_HISTORY_ARE_READ;
            lane.busy = true;
            if (!anyHistory && !lane.tenure.timeline().equals(database.history())) {
                resync(true);
                return;
            }
            lane.frontier = database.end();
            Claim claim = new Claim(List.of(lane), place.shop().options);
            Map<String, Parked> flowing = new HashMap<>();
            lane.someRecovered(500).forEach(key -> flowing.put(key.key, key));
            List<Message> messages = database.read(claim.from(), claim.upTo(), BATCH);
            long upTo = messages.size() == BATCH ? messages.get(BATCH - 1).position() : claim.upTo();
            attempt(new Work(place.shop(), claim, new RowReader.Rows(messages, upTo), flowing));
        });
    }

    /** As {@link EverySecond}. */
    private void flush() {
        Lane lane = lane();
        long to = lane.reached;
        lane.busy = true;
        transact(
                worker,
                "moves the checkpoint to " + to,
                () -> database.close(lane.tenure, lane.stored, to, Set.of()),
                () -> {
                    lane.stored = to;
                    lane.busy = false;
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
                () -> database.setAside(lane().tenure, work.attempt),
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
            if (lane().gone) {
                resync(true);
                return;
            }
            Message last = FeedBatch.last(work.attempt);
            try {
                lane().feed().publish(todo, place.shop().delivery(lane(), 1), last);
                step(worker, "hears that it is published", () -> {
                    lane().published = last.position();
                    closeOrRecord(work);
                });
            } catch (FeedException failed) {
                step(worker, "hears that it is not: " + failed.getMessage(), () -> failed(work, failed));
            }
        });
    }

    private void failed(Work work, FeedException failed) {
        if (failed.kind() == FeedException.Kind.MESSAGE) {
            work.suspect(place.shop(), failed);
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
        long to = closing.getOrDefault(lane, lane.stored);
        transact(
                worker,
                "moves the checkpoint to " + to,
                () -> database.close(lane.tenure, lane.stored, to, again),
                () -> advance(work, closing),
                this::resync);
    }

    /** As in {@link Claims}. */
    private void advance(Work work, Map<Lane, Long> closed) {
        Lane lane = lane();
        lane.reached = work.claim.reached(lane, work.attempt.upTo());
        lane.stored = closed.getOrDefault(lane, lane.stored);
        work.flowing.keySet().forEach(lane::forget);
        work.attempt.passed().forEach(message -> lane.passedOver(message.key(), 0));
        work.attempt
                .asides()
                .values()
                .forEach(aside -> lane.setAside(aside.key(), aside.isForGood(), aside.attempts(), 0));
        lane.busy = false;
        work();
    }

    /** What is stored tells the truth. */
    private void resync(boolean leaves) {
        step(worker, "reads what is stored", () -> {
            boolean isOurs = database.isOf(lane().tenure);
            long position = database.position();
            List<Store.ParkedRow> rows = database.parked();
            step(worker, "goes by what is stored", () -> {
                Lane lane = lane();
                lane.leaving |= leaves;
                lane.busy = false;
                if (!isOurs) {
                    lane.leaving = true;
                    drop();
                    return;
                }
                lane.stored = position;
                lane.reached = mistake == Mistake.WHAT_THE_TARGET_HAS_IS_FORGOTTEN_WHEN_THE_CHECKPOINT_IS_NOT_MOVED
                        ? position
                        : Math.max(position, lane.published);
                lane.rememberOnly(rows, 0);
                work();
            });
        });
    }

    // ---- keys that are set aside

    private void drain(Actor drain) {
        step(drain, () -> lane().mayDrain() && lane().nextDue() != null, "takes a key that is due", () -> {
            Parked key = lane().nextDue();
            if (key == null) {
                throw new IllegalStateException("none is due");
            }
            lane().beginDraining(key);
            key.passesSeen = key.passes;
            new Draining(drain, key).goOn();
        });
    }

    /** As {@link Drain}. */
    private final class Draining {
        private final Actor drain;
        private final Parked key;
        private int most = TOGETHER;
        private int attempts;

        Draining(Actor drain, Parked key) {
            this.drain = drain;
            this.key = key;
            this.attempts = key.attempts;
        }

        void goOn() {
            Lane lane = lane();
            if (lane.gone || lane.leaving) {
                end(Next.again(Duration.ZERO, 0));
            } else if (mistake == Mistake.WHAT_THE_TARGET_HAS_OF_A_KEY_IS_FORGOTTEN_WHEN_POSTGRESQL_REFUSES) {
                readHeads();
            } else {
                settle(this::readHeads);
            }
        }

        private void settle(Runnable then) {
            LaneFeed feed = lane().feed();
            long upTo = feed.unsettled(key.key);
            if (upTo == 0) {
                then.run();
                return;
            }
            transact(
                    drain,
                    "tells PostgreSQL that key " + key.key + " is sent up to " + upTo,
                    () -> database.forgetUpTo(lane().tenure, Map.of(key.key, upTo)),
                    () -> {
                        feed.settled(key.key, upTo);
                        then.run();
                    },
                    this::failed);
        }

        private void failed(boolean fenced) {
            if (fenced && !database.isOf(lane().tenure)) {
                lane().leaving = true;
            }
            end(null);
        }

        private void readHeads() {
            boolean anything = mistake == Mistake.WHAT_IS_RECORDED_IS_DRAINED_BEFORE_IT_IS_PASSED_OVER;
            step(drain, "reads what waits of key " + key.key, () -> {
                long upTo = anything ? Long.MAX_VALUE : lane().drainable();
                List<Message> unit = database.heads(key.key, upTo, most);
                if (unit.isEmpty()) {
                    lookForMore();
                } else {
                    publish(unit);
                }
            });
        }

        private void lookForMore() {
            step(drain, "looks whether more waits of key " + key.key, () -> {
                boolean anyEpoch = mistake == Mistake.A_KEY_IS_FOUND_EMPTY_WITHOUT_ASKING_FOR_THE_EPOCH;
                if (!anyEpoch && !database.isOf(lane().tenure)) {
                    failed(true);
                    return;
                }
                boolean more = database.waits(key.key);
                step(drain, "has found " + (more ? "more" : "nothing"), () -> {
                    end(more ? Next.again(Duration.ZERO, 0) : Next.recovered(false));
                });
            });
        }

        private void publish(List<Message> unit) {
            step(drain, "publishes " + unit, () -> {
                try {
                    lane().feed().publishOf(key.key, unit, place.shop().delivery(lane(), 1));
                    if (mistake == Mistake.THE_MARK_OF_A_KEY_IS_REMOVED_BEFORE_POSTGRESQL_HAS_COMMITTED) {
                        lane().feed().obsolete(Progress.ofKey(key.key));
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
            lane().leaving |= failed.kind() == FeedException.Kind.LOST;
            Message troubled = failed.troubled();
            UnitFailed failure =
                    new UnitFailed(troubled == null ? unit : List.of(troubled), failed.verdict(), "failed", failed);
            boolean isHead = failure.isAboutTheFirst()
                    && failure.unit.get(0).position() == unit.get(0).position();
            if (!isHead) {
                most = Math.max(1, failure.at());
                goOn();
                return;
            }
            Next next = Next.failed(failure, key.key, attempts, place.shop().options);
            WorkSql.Postponed postponed = next.failure();
            if (postponed == null) {
                end(next);
            } else {
                transact(
                        drain,
                        "postpones key " + key.key,
                        () -> database.postpone(lane().tenure, postponed),
                        () -> end(next),
                        this::failed);
            }
        }

        /** As in {@link Drains}. */
        private void end(@Nullable Next next) {
            Lane lane = lane();
            WorkSql.Postponed failure = next == null ? null : next.failure();
            if (next != null) {
                key.attempts = failure == null ? 0 : failure.attempts();
            }
            if (failure != null) {
                lane.setForGood(key, failure.state() == Aside.State.PARKED);
            }
            lane.endDraining(key);
            if (next != null && next.isRecovered() && key.passes == key.passesSeen) {
                lane.recover(key);
            } else if (lane.parked.get(key.key) == key) {
                lane.schedule(key, 0);
            }
            drain(drain);
        }
    }
}
