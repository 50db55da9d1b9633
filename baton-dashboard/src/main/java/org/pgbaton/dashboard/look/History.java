package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.LeaderStatus;

/**
 * What was seen while somebody looked: how far subscriptions were, and who took over from whom. It is memory of this process, kept for some
 * minutes; the database knows only the last change of each leadership. Thread-safe.
 */
public final class History {
    private static final int SAMPLES = 240;
    private static final int TAKEOVERS = 60;

    /** So many processes have colours of their own, even if they are gone. */
    private static final int FEW = 6;

    /** More names than that are not kept once they are gone: processes may have a new name at each start. */
    private static final int MANY = 100;

    private static final Duration PACE = Duration.ofSeconds(6);
    private static final Duration TOO_OLD = Duration.ofMinutes(10);

    private final Map<Integer, Deque<Sample>> samples = new HashMap<>();
    private final Deque<Takeover> takeovers = new ArrayDeque<>();
    private final Map<String, Long> leaderChanges = new HashMap<>();
    private final Map<String, Integer> colours = new LinkedHashMap<>();

    /** Lanes that have no owner now, as they were before. */
    private final Map<Long, Lane> lost = new HashMap<>();

    private @Nullable Snapshot before;

    synchronized void add(Snapshot now) {
        if (now.trouble() != null) {
            return;
        }
        Snapshot last = before;
        if (last != null && Duration.between(last.at(), now.at()).compareTo(TOO_OLD) > 0) {
            samples.clear();
            last = null;
        }
        now.subscriptions().forEach(each -> sample(each, now.at()));
        samples.keySet()
                .retainAll(now.subscriptions().stream().map(Subscription::id).toList());
        now.leaders().forEach(this::leader);
        if (last != null) {
            lanes(last, now);
        }
        forget(now);
        before = now;
        now.processes().keySet().forEach(this::colourOf);
    }

    private void forget(Snapshot now) {
        if (colours.size() > MANY) {
            colours.keySet().retainAll(now.processes().keySet());
        }
        if (leaderChanges.size() > MANY) {
            leaderChanges
                    .keySet()
                    .retainAll(now.leaders().stream().map(LeaderStatus::name).collect(Collectors.toSet()));
        }
        if (lost.size() > MANY) {
            lost.keySet()
                    .retainAll(now.subscriptions().stream()
                            .flatMap(each -> each.lanes().stream().map(lane -> id(each, lane)))
                            .collect(Collectors.toSet()));
        }
    }

    private static long id(Subscription subscription, Lane lane) {
        return ((long) subscription.id() << 32) + lane.number();
    }

    private void sample(Subscription subscription, Instant at) {
        Deque<Sample> all = samples.computeIfAbsent(subscription.id(), id -> new ArrayDeque<>());
        all.addLast(new Sample(
                at,
                subscription.meanPosition(),
                subscription.end(),
                subscription.behind(),
                subscription.lag(at).toNanos() / 1e9));
        if (all.size() > SAMPLES) {
            all.removeFirst();
        }
    }

    private void leader(LeaderStatus now) {
        Long known = leaderChanges.put(now.name(), now.changes());
        Instant at = now.takenOverAt();
        boolean isNew = known == null ? now.previousHolder() != null : known != now.changes();
        if (isNew && at != null && now.holder() != null) {
            remember(new Takeover(
                    at,
                    now.name(),
                    0,
                    now.previousHolder() == null ? List.of() : List.of(now.previousHolder()),
                    List.of(now.holder()),
                    false,
                    now.vacantFor(),
                    now.epoch()));
        } else if (isNew) {
            leaderChanges.put(now.name(), known == null ? -1 : known); // vacant: the next leader is news
        }
    }

    private void remember(Takeover takeover) {
        List<Takeover> sorted = new ArrayList<>(takeovers);
        sorted.add(takeover);
        sorted.sort((one, other) -> other.at().compareTo(one.at()));
        takeovers.clear();
        takeovers.addAll(sorted.subList(0, Math.min(TAKEOVERS, sorted.size())));
    }

    /** Lanes that another process owns now: those of one that has gone together, those that one has been given together. */
    private void lanes(Snapshot last, Snapshot now) {
        Map<Integer, Subscription> known = new HashMap<>();
        last.subscriptions().forEach(each -> known.put(each.id(), each));
        Map<String, MovedLanes> moved = new LinkedHashMap<>();
        for (Subscription subscription : now.subscriptions()) {
            Subscription old = known.get(subscription.id());
            if (old != null) {
                compare(old, subscription, last.at(), now.processes().keySet(), moved);
            }
        }
        moved.values().forEach(each -> remember(each.takeover()));
    }

    private void compare(
            Subscription old, Subscription now, Instant seen, Set<String> alive, Map<String, MovedLanes> moved) {
        Map<Integer, Lane> oldLanes = new HashMap<>();
        old.lanes().forEach(lane -> oldLanes.put(lane.number(), lane));
        for (Lane lane : now.lanes()) {
            long id = id(now, lane);
            Lane was = oldLanes.get(lane.number());
            if (was != null && was.owner() != null && lane.owner() == null) {
                lost.put(id, was);
            }
            Lane from = was == null || was.owner() != null ? was : lost.remove(id);
            if (lane.owner() == null
                    || from == null
                    || from.owner() == null
                    || lane.owner().equals(from.owner())) {
                continue;
            }
            boolean handedOver = alive.contains(from.owner());
            moved.computeIfAbsent(
                            handedOver ? "to " + lane.owner() : "from " + from.owner(),
                            any -> new MovedLanes(handedOver))
                    .add(now, from, lane, was != null && was.owner() != null ? seen : null);
        }
    }

    /** Of the last minutes, the oldest first. */
    public synchronized List<Sample> samples(Subscription subscription) {
        return List.copyOf(samples.getOrDefault(subscription.id(), new ArrayDeque<>()));
    }

    public synchronized Pace pace(Subscription subscription) {
        Deque<Sample> all = samples.get(subscription.id());
        if (all == null || all.size() < 2) {
            return Pace.UNKNOWN;
        }
        Iterator<Sample> backwards = all.descendingIterator();
        Sample last = backwards.next();
        Sample first = backwards.next(); // however old, since two are needed
        while (backwards.hasNext()) {
            Sample older = backwards.next();
            if (Duration.between(older.at(), last.at()).compareTo(PACE) > 0) {
                break;
            }
            first = older;
        }
        return Pace.between(first, last);
    }

    /** The latest first. */
    public synchronized List<Takeover> takeovers() {
        return List.copyOf(takeovers);
    }

    /** How many processes have one. */
    synchronized int colours() {
        return colours.size();
    }

    /** A small number for each process, by which its colour is chosen. Processes that live at the same time have different ones. */
    public synchronized int colourOf(String process) {
        Integer known = colours.get(process);
        if (known != null) {
            return known;
        }
        Snapshot last = before;
        Set<Integer> taken = new HashSet<>();
        if (last != null) {
            last.processes().keySet().forEach(each -> {
                Integer number = colours.get(each);
                if (number != null) {
                    taken.add(number);
                }
            });
        }
        int number = 0;
        while (taken.contains(number) || (colours.containsValue(number) && colours.size() < FEW)) {
            number++;
        }
        colours.put(process, number);
        return number;
    }
}
