package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.hub.Sight;
import org.pgbaton.hub.Watcher;
import org.pgbaton.log.Message;
import org.pgbaton.member.FairShare;
import org.pgbaton.member.Part;
import org.pgbaton.member.Tenure;
import org.pgbaton.session.Backoff;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's part in one subscription: which lanes it owns, and who works for them.
 *
 * <pre>
 *   lane:  free ── lock, epoch, checkpoint ──► owned, idle ◄──► claimed by a worker (busy)
 *            ▲                                    │                   │ fenced, or the session lost
 *            └───────── surplus, between batches ─┴───────────────────┘
 * </pre>
 *
 * <p>Everything that happens (a look, a lane taken, a batch done, a timer) changes the state under one monitor and then calls
 * {@link #dispatch}, which hands out whatever can be worked on. Nobody waits in here, and nobody talks to the database under the monitor.
 */
final class Member implements Watcher, Part {
    private static final Logger log = LoggerFactory.getLogger(Member.class);

    /** Lanes further apart than so many batches are not read together. */
    private static final int IN_STEP = 20;
    /** Other lanes want their turn. */
    private static final Duration LONGEST_CLAIM = Duration.ofMillis(200);

    private static final Duration UNPARK_AGAIN = Duration.ofMillis(5);
    /** Whatever was missed is read again; in seconds. */
    private static final int RELOAD_EVERY = 30;

    private final Crew crew;
    private final Workshop shop;
    private final Options options;
    private final Executor workers;
    private final Map<Integer, Store.Row> checkpoints;
    private final Backoff outagePause = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));
    private final CompletableFuture<Sight> firstSight = new CompletableFuture<>();
    private final Object reloading = new Object();

    // Guarded by this.
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final Map<Claim, Running> working = new HashMap<>();
    private final Map<String, Suspect> suspects = new HashMap<>();
    private final Map<Running, Draining> draining = new HashMap<>();
    /** Taken, but not yet among our lanes. */
    private final Set<Integer> coming = new HashSet<>();

    private long askAgainAt;
    private int ticks;
    private SubscriptionState state = SubscriptionState.STARTING;
    private @Nullable String note;
    private @Nullable Sight sight;
    private int number;
    private boolean asking;
    private boolean closing;
    private long pausedUntil;
    private long knownActions = -1;
    private long serving;
    /** When {@link #dispatch} is called next by the clock; far away if it is not. */
    private long alarm = Long.MAX_VALUE;

    Member(Crew crew, Workshop shop, Executor workers, Map<Integer, Store.Row> checkpoints) {
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.workers = workers;
        this.checkpoints = checkpoints;
        this.pausedUntil = shop.nanos.getAsLong();
        this.askAgainAt = pausedUntil;
    }

    Options options() {
        return options;
    }

    Counters counters() {
        return shop.counters;
    }

    CompletableFuture<Sight> firstSight() {
        return firstSight;
    }

    synchronized Sight lastSight(Sight otherwise) {
        Sight seen = sight;
        return seen == null ? otherwise : seen;
    }

    @Override
    public int subscription() {
        return shop.subscription;
    }

    synchronized SubscriptionState state() {
        return state;
    }

    synchronized @Nullable String note() {
        return note;
    }

    synchronized int ownedLanes() {
        return lanes.size();
    }

    synchronized int keysAside() {
        return lanes.values().stream().mapToInt(lane -> lane.parked.size()).sum();
    }

    synchronized int keysParked() {
        return (int) lanes.values().stream()
                .flatMap(lane -> lane.parked.values().stream())
                .filter(key -> key.parked)
                .count();
    }

    /** Positions between what our lanes have read and the end of the log. */
    synchronized long behind() {
        Sight seen = sight;
        return seen == null
                ? 0
                : lanes.values().stream()
                        .mapToLong(lane -> Math.max(0, seen.end() - lane.reached))
                        .max()
                        .orElse(0);
    }

    // ---- what others tell us

    @Override
    public void joined(int ours) {
        synchronized (this) {
            number = ours;
            asking = false;
        }
        crew.hub().stir();
    }

    @Override
    public void looked(Sight seen) {
        boolean reload;
        synchronized (this) {
            sight = seen;
            lanes.values().forEach(this::seeFrontier);
            reload = knownActions != seen.actions();
            knownActions = seen.actions();
            rebalance(seen);
        }
        firstSight.complete(seen);
        if (reload) {
            crew.execute(this::reload);
        }
        dispatch();
    }

    @Override
    public void blind() {
        synchronized (this) {
            sight = null;
            for (Lane lane : lanes.values()) {
                lane.frontier = 0;
                // Without a lock nothing tells us that the server was away; so it is taken anew, from what is stored.
                lane.leaving |= options.mode() == InstanceMode.SINGLE;
            }
        }
        dispatch();
    }

    private void seeFrontier(Lane lane) {
        Sight seen = sight;
        if (seen != null
                && seen.startedAt() - lane.takenAt > 0
                && seen.timeline().equals(lane.tenure.timeline())) {
            lane.frontier = Math.max(lane.frontier, options.frontier(seen, lane.number));
        }
    }

    @Override
    public synchronized boolean isHungry() {
        return !lanes.isEmpty() && working.size() < options.workers();
    }

    private void rebalance(Sight seen) {
        if (number == 0 || closing || options.mode() == InstanceMode.SINGLE) {
            return;
        }
        Set<Integer> alive = crew.aliveIn(shop.subscription, seen.members());
        alive.add(number);
        int share = FairShare.of(checkpoints.size(), alive, number);
        List<Lane> staying =
                lanes.values().stream().filter(lane -> !lane.leaving).toList();
        if (staying.size() > share) {
            staying.stream()
                    .sorted(Comparator.comparing((Lane lane) -> lane.busy)
                            .thenComparing(lane -> lane.checkpoint(), Comparator.reverseOrder()))
                    .limit(staying.size() - share)
                    .forEach(lane -> lane.leaving = true);
            shop.counters.rebalances.increment();
        } else if (staying.size() < share && !asking && runs() && shop.nanos.getAsLong() - askAgainAt >= 0) {
            ask(seen, share - lanes.size() - coming.size(), alive);
        }
    }

    /** Each member begins elsewhere, so that two who come at the same time do not try the same. */
    private void ask(Sight seen, int wanted, Set<Integer> alive) {
        List<Integer> free = new ArrayList<>(checkpoints.keySet());
        free.removeIf(checkpoint ->
                lanes.containsKey(checkpoint) || seen.owned().contains(checkpoint) || coming.contains(checkpoint));
        if (free.isEmpty() || wanted <= 0) {
            return;
        }
        long older = alive.stream().filter(other -> other < number).count();
        java.util.Collections.rotate(free, (int) -(older * free.size() / Math.max(1, alive.size())));
        asking = true;
        crew.session().take(this, free.subList(0, Math.min(wanted, free.size())));
    }

    @Override
    public void took(Tenure tenure) {
        synchronized (this) {
            coming.add(tenure.checkpoint());
        }
        crew.execute(() -> own(tenure));
    }

    /** Its parked keys must be known before anything of the lane is handled. */
    private void own(Tenure tenure) {
        Store.Row row = checkpoints.get(tenure.checkpoint());
        if (row == null) {
            return;
        }
        Lane lane = new Lane(row.lane(), tenure, shop.nanos.getAsLong());
        try {
            crew.store().parked(List.of(tenure.checkpoint())).forEach(parked -> remember(lane, parked));
            openFeed(lane);
        } catch (Throwable trouble) {
            log.warn("{}: lane {} is given back: {}", options, row.lane(), trouble.getMessage());
            lane.closeFeed();
            synchronized (this) {
                note = trouble.getMessage();
                coming.remove(tenure.checkpoint());
                askAgainAt = shop.nanos.getAsLong() + outagePause.next().toNanos();
            }
            crew.session().release(this, List.of(tenure));
            return;
        }
        synchronized (this) {
            coming.remove(tenure.checkpoint());
            if (!tenure.isTrusted() || closing) {
                crew.execute(lane::closeFeed);
                crew.session().release(this, List.of(tenure));
                return;
            }
            lanes.put(tenure.checkpoint(), lane);
            shop.counters.rebalances.increment();
        }
        log.debug(
                "{}: owns lane {} under epoch {} from position {}", options, lane.number, tenure.epoch(), lane.stored);
        crew.hub().stir(); // how far it may be read
    }

    /** Whoever had the lane before cannot publish any more; then the target tells how far he came. */
    private void openFeed(Lane lane) throws Exception {
        TransactionalPublisher publisher = options.handling().transactional();
        if (publisher == null) {
            return;
        }
        lane.generation = crew.store().generation(lane.tenure);
        lane.open(publisher.open(options.name(), Math.max(0, lane.number)));
        new CatchUp(shop, crew.store(), lane).run();
    }

    private void remember(Lane lane, Store.ParkedRow row) {
        long dueAt = shop.nanos.getAsLong() + row.waitNanos();
        Parked known = lane.parked.get(row.key());
        if (known == null) {
            lane.parked.put(row.key(), new Parked(row.key(), row.parked(), row.attempts(), dueAt));
        } else if (!known.draining) {
            known.parked = row.parked();
            known.attempts = row.attempts();
            known.dueAt = dueAt;
        }
    }

    @Override
    public void tookAll() {
        synchronized (this) {
            asking = false;
        }
        crew.hub().stir();
    }

    @Override
    public boolean wantsToBeAlone() {
        return options.mode() == InstanceMode.FAIL || options.mode() == InstanceMode.SKIP;
    }

    @Override
    public void ended(String why) {
        log.warn("{} ends here: {}", options, why);
        synchronized (this) {
            if (!closing) {
                state = SubscriptionState.FENCED;
                note = why;
            }
        }
    }

    @Override
    public void lost(String why) {
        synchronized (this) {
            lanes.values().forEach(this::abandon);
            lanes.clear();
            coming.clear();
            suspects.clear();
            number = 0;
            asking = false;
        }
    }

    /** An operator did something: to us, perhaps. */
    private void reload() {
        synchronized (reloading) { // one that read earlier must not have the last word
            reloadNow();
        }
    }

    private void reloadNow() {
        try {
            List<Integer> owned;
            synchronized (this) {
                owned = List.copyOf(lanes.keySet());
            }
            Store.Everything stored = crew.store().everything(shop.subscription, owned);
            synchronized (this) {
                setState(stored.state());
                lanes.values().forEach(lane -> lane.leaving |= isOthers(lane, stored.checkpoints()));
                for (Store.ParkedRow row : stored.parked()) {
                    Lane lane = lanes.get(row.checkpoint());
                    if (lane != null && lane.parked.containsKey(row.key())) {
                        remember(lane, row);
                    }
                }
            }
            dispatch();
        } catch (BatonException trouble) {
            synchronized (this) {
                knownActions = -1; // again with the next look
            }
        }
    }

    /** Rewound, or taken by somebody without a lock: to be taken again, from where it is now. */
    private static boolean isOthers(Lane lane, Map<Integer, Store.Row> rows) {
        Store.Row row = rows.get(lane.checkpoint());
        return row == null || row.epoch() > lane.tenure.epoch();
    }

    private void setState(Store.State stored) {
        if (closing || state == SubscriptionState.FENCED) {
            return;
        }
        SubscriptionState before = state;
        state = switch (stored.name()) {
            case "paused" -> SubscriptionState.PAUSED;
            case "retired" -> SubscriptionState.RETIRED;
            case "stopped", "deleted" -> SubscriptionState.STOPPED;
            default -> SubscriptionState.RUNNING;
        };
        note = state == SubscriptionState.RUNNING
                ? null
                : stored.note() == null ? "it is " + stored.name() : stored.note();
        if (before != state && before != SubscriptionState.STARTING) {
            log.info("{} is {}{}", options, state, note == null ? "" : ": " + note);
        }
    }

    private boolean runs() {
        return state == SubscriptionState.RUNNING || state == SubscriptionState.STARTING;
    }

    // ---- handing out work

    void dispatch() {
        List<Runnable> tasks = new ArrayList<>();
        synchronized (this) {
            releaseLeaving();
            long now = shop.nanos.getAsLong();
            if (state == SubscriptionState.RUNNING && !closing) {
                if (now - pausedUntil >= 0) {
                    for (Claim claim = claim(); claim != null; claim = claim()) {
                        Claim mine = claim;
                        Running running = new Running();
                        working.put(mine, running);
                        tasks.add(() -> execute(() -> work(mine, running), () -> unclaim(mine)));
                    }
                    drains(tasks, now);
                } else {
                    dispatchAt(pausedUntil, now);
                }
            }
        }
        tasks.forEach(Runnable::run);
    }

    /** One alarm is enough: the earliest. */
    private void dispatchAt(long when, long now) {
        if (alarm == Long.MAX_VALUE || when - alarm < 0) {
            alarm = when;
            crew.later(
                    () -> {
                        synchronized (this) {
                            alarm = Long.MAX_VALUE;
                        }
                        dispatch();
                    },
                    Duration.ofNanos(Math.max(0, when - now)));
        }
    }

    /** @param undo if the executor, or the machine, has no thread for it */
    private void execute(Runnable task, Runnable undo) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException | Error refused) {
            undo.run();
            if (!shop.stopping) {
                trouble(new HandlerException(Verdict.OUTAGE, "The executor refuses work: " + refused, refused));
            }
        }
    }

    private synchronized void unclaim(Claim claim) {
        working.remove(claim);
        claim.lanes().forEach(lane -> lane.busy = false);
    }

    private synchronized void undrain(Running running) {
        Draining given = draining.remove(running);
        if (given != null) {
            given.key.draining = false;
        }
    }

    private void releaseLeaving() {
        List<Lane> released = lanes.values().stream()
                .filter(lane -> lane.leaving && !lane.busy && !lane.hasCallInFlight())
                .filter(lane -> lane.parked.values().stream().noneMatch(key -> key.draining))
                .toList();
        if (!released.isEmpty()) {
            released.forEach(this::drop);
            release(released);
        }
    }

    /** Who owns by the epoch alone has nothing to give back. */
    private void release(List<Lane> dropped) {
        if (closing) {
            return;
        }
        if (options.mode() == InstanceMode.SINGLE) {
            crew.execute(() -> retakeOrEnd(dropped));
        } else {
            crew.session()
                    .release(this, dropped.stream().map(lane -> lane.tenure).toList());
            crew.hub().stir();
        }
    }

    /** Without locks: rewound, or given up by ourselves, it is still in our name. In another's name it is another's. */
    private void retakeOrEnd(List<Lane> dropped) {
        Map<Integer, Store.Row> stored = storedCheckpoints();
        for (Lane lane : dropped) {
            Store.Row row = stored.get(lane.checkpoint());
            if (row == null || !crew.database().who().equals(row.owner())) {
                ended("another instance took over");
                return;
            }
        }
        List<Lane> left = new ArrayList<>(dropped);
        try {
            while (!left.isEmpty() && !shop.stopping) {
                take(left.get(0).checkpoint());
                left.remove(0);
            }
        } catch (BatonException trouble) {
            if (Verdicts.byDefault(trouble) == Verdict.OUTAGE) {
                crew.later(() -> retakeOrEnd(left), Duration.ofMillis(200));
            } else {
                ended("a lane could not be taken again: " + trouble.getMessage());
            }
        }
    }

    private void abandon(Lane lane) {
        lane.gone = true;
        if (lane.hasFeed()) {
            crew.execute(lane::closeFeed);
        }
    }

    /** @return false if it was not ours any more: perhaps there is a later tenure of the same lane */
    private boolean drop(Lane lane) {
        abandon(lane);
        if (!lanes.remove(lane.checkpoint(), lane)) {
            return false;
        }
        suspects.keySet().removeIf(key -> options.partOf(options.log().laneOf(key)) == lane.number);
        return true;
    }

    /** The lane that was served longest ago, and others that can be read together with it. Null if there is nothing to do. */
    private @Nullable Claim claim() {
        if (working.size() >= options.workers()) {
            return null;
        }
        List<Lane> ready = lanes.values().stream()
                .filter(lane -> !lane.busy && !lane.leaving && lane.unparking == 0)
                .filter(lane -> lane.hasWork() && lane.tenure.isTrusted())
                .filter(lane -> !options.isTotal() || lane.parked.isEmpty())
                .sorted(Comparator.comparingLong((Lane lane) -> lane.servedAt).thenComparingLong(lane -> lane.reached))
                .toList();
        if (ready.isEmpty()) {
            return null;
        }
        Lane first = ready.get(0);
        long step = (long) options.batch() * IN_STEP;
        List<Lane> inStep = ready.stream()
                .filter(lane -> Math.abs(lane.reached - first.reached) <= step)
                .toList();
        boolean little = first.frontier - first.reached <= options.batch();
        int most = first.hasFeed()
                ? 1
                : little ? inStep.size() : (lanes.size() + options.workers() - 1) / options.workers();
        List<Lane> claimed = inStep.subList(0, Math.min(inStep.size(), Math.max(1, most)));
        serving++;
        for (Lane lane : claimed) {
            lane.busy = true;
            lane.servedAt = serving;
        }
        return new Claim(claimed, options);
    }

    /** Batch after batch, as long as there is more of what was claimed and nobody else wants the lanes. */
    private void work(Claim claim, Running running) {
        long until = shop.nanos.getAsLong() + LONGEST_CLAIM.toNanos();
        RowReader.@Nullable Rows ahead = null;
        try {
            do {
                Batch batch = batch(claim, running, ahead);
                ahead = batch == null || shop.nanos.getAsLong() > until ? null : batch.ahead();
            } while (ahead != null && keeps(claim));
        } finally {
            if (!running.isGivenUp()) { // else somebody else works for these lanes now
                unclaim(claim);
                dispatch();
            }
        }
    }

    private synchronized boolean keeps(Claim claim) {
        return state == SubscriptionState.RUNNING
                && !closing
                && claim.lanes().stream()
                        .allMatch(lane -> !lane.gone
                                && !lane.leaving
                                && lane.unparking == 0
                                && (!options.isTotal() || lane.parked.isEmpty()));
    }

    /** @return null unless it went well */
    private @Nullable Batch batch(Claim claim, Running running, RowReader.@Nullable Rows ahead) {
        long start = shop.nanos.getAsLong();
        Map<String, Suspect> known;
        synchronized (this) {
            known = Map.copyOf(suspects);
        }
        Batch batch = Batch.of(shop, claim, running, known, ahead);
        @Nullable Throwable failure = null;
        try {
            batch.run();
            failure = batch.interruption();
        } catch (Throwable trouble) {
            failure = trouble;
        }
        boolean done = failure == null || failure == batch.interruption();
        if (running.isGivenUp()) {
            return null;
        }
        if (!done) {
            resync(claim.lanes(), true);
        }
        shop.counters.batches.increment();
        shop.counters.batchNanos.add(shop.nanos.getAsLong() - start);
        synchronized (this) {
            if (done) {
                advance(claim, batch);
            }
            boolean leaving =
                    batch.givesLanesUp() || (Verdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE);
            claim.lanes().forEach(lane -> lane.leaving |= leaving);
            if (failure == null && !batch.outcome().todo().isEmpty()) {
                shop.setProbing(false);
            }
            if (failure == null) {
                outagePause.reset();
                note = state == SubscriptionState.RUNNING ? null : note;
            }
        }
        if (failure != null) {
            trouble(failure);
            return null;
        }
        return batch;
    }

    private void advance(Claim claim, Batch batch) {
        Attempt outcome = batch.outcome();
        for (Lane lane : claim.lanes()) {
            lane.reached = claim.reached(lane, outcome.upTo());
            lane.confirmed.removeIf(position -> position <= lane.reached);
            Long stored = batch.closed().get(lane);
            if (stored != null) {
                lane.stored = stored;
            }
        }
        long now = shop.nanos.getAsLong();
        for (Aside aside : outcome.asides().values()) {
            Parked parked =
                    new Parked(aside.key(), aside.isForGood(), aside.attempts(), now + aside.waitMillis() * 1_000_000);
            parked.inFlight = outcome.inFlight(aside.key());
            if (parked.inFlight != null) {
                parked.inFlight.whenDone(() -> crew.execute(this::dispatch));
            }
            aside.lane().parked.put(aside.key(), parked);
            suspects.remove(aside.key());
            if (aside.error() != null) {
                log.warn(
                        "{}: key '{}' is set aside ({}): {}",
                        options,
                        aside.key(),
                        aside.state().stored(),
                        aside.error());
            }
        }
    }

    /**
     * Something went wrong between us and the database, and a transaction whose end we do not know may have been committed: what is
     * stored tells the truth. Positions first, parked keys later: who parks moves the position, and would be noticed by the next close.
     *
     * @param claimed whether the lanes are the caller's to change
     */
    private void resync(List<Lane> troubled, boolean claimed) {
        Map<Integer, Store.Row> stored = storedCheckpoints();
        List<Store.ParkedRow> parked = stored.isEmpty() || !claimed ? List.of() : storedParked(troubled);
        List<Lane> released = new ArrayList<>();
        synchronized (this) {
            for (Lane lane : troubled) {
                Store.Row row = stored.get(lane.checkpoint());
                if (row != null && row.epoch() == lane.tenure.epoch() && parked != null) {
                    if (claimed) {
                        lane.stored = row.position();
                        lane.reached = Math.max(row.position(), lane.published);
                        rememberOnly(lane, parked);
                    }
                    continue;
                }
                if (row != null && row.epoch() != lane.tenure.epoch()) {
                    shop.counters.fenced.increment();
                    log.info(
                            "{}: lane {} belongs to epoch {} now, ours was {}",
                            options,
                            lane.number,
                            row.epoch(),
                            lane.tenure.epoch());
                }
                if (drop(lane)) {
                    released.add(lane);
                }
            }
            if (!released.isEmpty()) {
                release(released);
            }
        }
    }

    private void rememberOnly(Lane lane, List<Store.ParkedRow> parked) {
        Set<String> keys = new HashSet<>();
        for (Store.ParkedRow row : parked) {
            if (row.checkpoint() == lane.checkpoint()) {
                keys.add(row.key());
                remember(lane, row);
            }
        }
        lane.parked.values().removeIf(known -> !known.draining && !keys.contains(known.key));
    }

    /** Null if they cannot be read. */
    private @Nullable List<Store.ParkedRow> storedParked(List<Lane> of) {
        while (true) {
            try {
                return crew.store().parked(of.stream().map(Lane::checkpoint).toList());
            } catch (BatonException trouble) {
                log.debug("{}: the parked keys cannot be read", options, trouble);
                if (options.mode() != InstanceMode.SINGLE || shop.stopping) {
                    return null;
                }
            }
            java.util.concurrent.locks.LockSupport.parkNanos(
                    Duration.ofMillis(200).toNanos());
        }
    }

    /** Nothing, if they cannot be read: then the lanes are given back, and taken again later. Without locks there is nothing to give back. */
    private Map<Integer, Store.Row> storedCheckpoints() {
        while (true) {
            try {
                return crew.store().checkpoints(shop.subscription);
            } catch (BatonException trouble) {
                log.debug("{}: the checkpoints cannot be read", options, trouble);
                if (options.mode() != InstanceMode.SINGLE || shop.stopping) {
                    return Map.of();
                }
            }
            java.util.concurrent.locks.LockSupport.parkNanos(
                    Duration.ofMillis(200).toNanos());
        }
    }

    private void trouble(Throwable failure) {
        UnitFailed failed = UnitFailed.in(failure);
        Verdict verdict = failed != null ? failed.verdict : Verdicts.onOurOwn(failure);
        if (verdict == Verdict.STOP) {
            stop(Workshop.describe(failure));
            return;
        }
        if (Verdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE) {
            return;
        }
        shop.setProbing(true);
        Duration pause;
        synchronized (this) {
            pause = outagePause.next();
            if (failed != null && failed.pause().compareTo(pause) > 0) {
                pause = failed.pause();
            }
            pausedUntil = shop.nanos.getAsLong() + pause.toNanos();
            note = failure.getMessage();
        }
        log.warn("{} pauses for {} ms: {}", options, pause.toMillis(), failure.getMessage());
        if (!(failure instanceof BatonException)) {
            log.debug("{}", options, failure);
        }
    }

    private void stop(String why) {
        log.error("{} stops: {}", options, why);
        synchronized (this) {
            if (closing) {
                return;
            }
            state = SubscriptionState.STOPPED;
            note = why;
        }
        try {
            crew.store().stop(shop.subscription, why);
        } catch (BatonException trouble) {
            log.warn("{} stopped here, but the others could not be told: {}", options, trouble.getMessage());
        }
    }

    // ---- keys that were set aside

    private record Draining(Lane lane, Parked key) {}

    private void drains(List<Runnable> tasks, long now) {
        for (Lane lane : lanes.values()) {
            for (Parked key : lane.parked.values()) {
                if (key.parked || key.draining || lane.leaving) {
                    continue;
                }
                long dueAt = key.dueAt(options.limit());
                if (dueAt - now > 0) {
                    dispatchAt(dueAt, now);
                } else if (draining.size() < Math.max(2, options.workers())) {
                    key.draining = true;
                    Running running = new Running();
                    draining.put(running, new Draining(lane, key));
                    tasks.add(() -> execute(() -> drain(lane, key, running), () -> undrain(running)));
                }
            }
        }
    }

    private void drain(Lane lane, Parked key, Running running) {
        @Nullable Throwable failure = null;
        Drain.End end = Drain.End.POSTPONED;
        try {
            end = new Drain(shop, lane, key, running).run();
        } catch (Throwable trouble) {
            failure = trouble;
        }
        if (running.isGivenUp()) {
            return;
        }
        synchronized (this) {
            draining.remove(running);
            if (failure != null) {
                key.dueAt = shop.nanos.getAsLong() + options.pauseAfter(3).toNanos();
            }
            if (end != Drain.End.EMPTY) {
                key.draining = false;
            }
        }
        if (failure != null && Verdicts.isFenced(failure)) {
            resync(List.of(lane), false);
        } else if (failure != null) {
            trouble(failure);
        } else if (end == Drain.End.EMPTY) {
            unpark(lane, key);
            return;
        }
        dispatch();
    }

    /**
     * Only while nobody works for the lane: a worker that has sorted its rows already would pass over a message of a key that is no longer
     * parked. So nobody claims the lane until it is done.
     */
    private void unpark(Lane lane, Parked key) {
        synchronized (this) {
            lane.unparking++;
        }
        unparkWhenIdle(lane, key);
    }

    private void unparkWhenIdle(Lane lane, Parked key) {
        synchronized (this) {
            if (lane.busy && !lane.gone) {
                crew.later(() -> unparkWhenIdle(lane, key), Duration.ofMillis(1));
                return;
            }
            lane.busy = true;
        }
        crew.execute(() -> {
            boolean unparked = false;
            try {
                boolean[] answer = new boolean[1];
                shop.inTransaction(connection -> {
                    shop.sql.fence(connection, shop.begin(connection, lane), shop.leaseMillis(), lane);
                    answer[0] = shop.sql.unpark(connection, shop.subscription, key.key);
                });
                unparked = answer[0];
            } catch (Exception trouble) {
                log.debug("{}: key '{}' is not unparked yet", options, key.key, trouble);
            } finally {
                unparked(lane, key, unparked);
                dispatch();
            }
        });
    }

    private synchronized void unparked(Lane lane, Parked key, boolean really) {
        lane.busy = false;
        lane.unparking--;
        key.draining = false;
        key.dueAt = shop.nanos.getAsLong() + UNPARK_AGAIN.toNanos();
        if (really) {
            lane.obsoleteMarks.add(Progress.ofKey(key.key));
            lane.parked.remove(key.key);
        }
    }

    // ---- what the clock does

    /** Interrupts handlers over their limit, gives up those that do not return, and writes down how far idle lanes are. */
    void tick() {
        long now = shop.nanos.getAsLong();
        Map<Claim, Running> busy;
        List<Running> drains;
        synchronized (this) {
            busy = new HashMap<>(working);
            drains = List.copyOf(draining.keySet());
        }
        busy.forEach((claim, running) -> hurry(running, now, unit -> giveUp(claim, unit)));
        drains.forEach(running -> hurry(running, now, unit -> giveUp(running, unit)));
        flush();
        ticks++;
        if (ticks % RELOAD_EVERY == 0) {
            reload();
        }
    }

    private void hurry(Running running, long now, java.util.function.Consumer<List<Message>> onGivenUp) {
        if (running.isOver(options.limit().plus(Workshop.GRACE), now)) {
            String doing = running.describe(now);
            List<Message> unit = running.giveUp();
            if (unit != null) {
                log.error("{}: a handler does not return, and is given up: it {}", options, doing);
                onGivenUp.accept(unit);
            }
        } else if (running.isOver(options.limit(), now)) {
            log.warn("{}: a handler is over its limit, and is interrupted: it {}", options, running.describe(now));
            running.interrupt();
        }
    }

    /** Its transaction is aborted; the lanes' rows are worked on again, without the message if it is known which one it was. */
    private void giveUp(Claim claim, List<Message> unit) {
        resync(claim.lanes(), true);
        synchronized (this) {
            working.remove(claim);
            String key = unit.get(0).key();
            if (unit.stream().allMatch(message -> message.key().equals(key))) {
                suspects.put(
                        key,
                        new Suspect(
                                unit.get(0).position(), Verdict.RETRY, "The handler did not return within its limit."));
            }
            claim.lanes().forEach(lane -> {
                lane.busy = false;
                lane.careful = true;
            });
        }
        dispatch();
    }

    /** The attempt counts, and the lane gets another epoch. */
    private void giveUp(Running running, List<Message> unit) {
        Draining stuck;
        synchronized (this) {
            stuck = draining.remove(running);
        }
        if (stuck == null) {
            return;
        }
        try {
            new Drain(shop, stuck.lane, stuck.key, running)
                    .postpone(new UnitFailed(
                            unit,
                            Verdict.RETRY,
                            "The handler did not return within its limit.",
                            new IllegalStateException("stuck")));
        } catch (Exception trouble) {
            log.warn(
                    "{}: the attempt of key '{}' could not be recorded: {}",
                    options,
                    stuck.key.key,
                    trouble.getMessage());
        }
        synchronized (this) {
            stuck.key.draining = false;
            stuck.lane.leaving = true;
        }
        dispatch();
    }

    /** Lanes that read on without finding anything of ours. So that retention and status see it; not for safety. */
    private void flush() {
        List<Lane> idle;
        synchronized (this) {
            if (state != SubscriptionState.RUNNING) {
                return;
            }
            idle = lanes.values().stream()
                    .filter(lane -> !lane.busy && !lane.leaving && lane.reached > lane.stored)
                    .sorted(Comparator.comparingInt(Lane::checkpoint))
                    .toList();
            idle.forEach(lane -> lane.busy = true);
        }
        if (!idle.isEmpty()) {
            crew.execute(() -> flush(idle));
        }
    }

    private void flush(List<Lane> idle) {
        Map<Lane, Long> reached = new LinkedHashMap<>();
        idle.forEach(lane -> reached.put(lane, lane.reached));
        boolean stored = false;
        try {
            shop.closeAtOnce(reached);
            stored = true;
        } catch (Exception trouble) {
            log.debug("{}: idle lanes could not be written down", options, trouble);
            resync(idle, true);
        } finally {
            synchronized (this) {
                if (stored) {
                    reached.forEach((lane, position) -> lane.stored = position);
                }
                idle.forEach(lane -> lane.busy = false);
            }
            dispatch();
        }
    }

    // ---- beginning and ending

    void begin(Store.State stored) {
        synchronized (this) {
            setState(stored);
        }
        dispatch();
    }

    /** No locks: every lane at once, by its epoch. */
    void takeAll() {
        checkpoints.keySet().forEach(this::take);
    }

    private void take(int checkpoint) {
        Optional<Tenure> tenure = crew.store().take(checkpoint);
        while (tenure.isEmpty()) {
            tenure = crew.store().take(checkpoint);
        }
        if (tenure.get().epoch() < 0) {
            throw new SubscriptionException("The " + options + " has just been deleted.");
        }
        own(tenure.get());
    }

    /** Nothing new is begun; blocks until what was begun has ended, or is given up. */
    void finish() {
        long patience = shop.nanos.getAsLong()
                + options.limit().plus(Workshop.GRACE).plusSeconds(1).toNanos();
        shop.stopping = true;
        synchronized (this) {
            closing = true;
            while ((!working.isEmpty() || !draining.isEmpty() || shop.isCalling())
                    && shop.nanos.getAsLong() < patience) {
                try {
                    wait(10);
                } catch (InterruptedException inAHurry) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            lanes.values().forEach(this::abandon);
            lanes.clear();
            state = SubscriptionState.CLOSED;
        }
        shop.interruptCalls();
    }

    synchronized List<String> stuck() {
        long now = shop.nanos.getAsLong();
        List<String> all = new ArrayList<>(shop.overdue());
        for (Running running : working.values()) {
            if (running.isOver(options.limit(), now)) {
                all.add(String.valueOf(running.describe(now)));
            }
        }
        return all;
    }
}
