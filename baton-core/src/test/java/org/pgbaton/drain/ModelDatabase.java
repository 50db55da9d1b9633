package org.pgbaton.drain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.pgbaton.batch.BatchAttempt;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.FeedProgress;
import org.pgbaton.lane.Generation;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.lane.StoredAside;
import org.pgbaton.lane.Tenure;
import org.pgbaton.log.Message;
import org.pgbaton.table.SomeMessage;

/** PostgreSQL, as a relay of one lane sees it. Each method is a transaction, or a statement. */
final class ModelDatabase {
    /** The lane is not ours any more, or something was changed under our hands. */
    static final class Fenced extends RuntimeException {
        private static final long serialVersionUID = 1;

        Fenced() {
            super("fenced", null, false, false);
        }
    }

    /** A row of the table of keys that are set aside, and the messages that wait. */
    private static final class Waiting {
        boolean isForGood;
        int attempts;
        final TreeSet<Long> messages = new TreeSet<>();
    }

    /** A message, and how often rewinds have asked for it: so often may it come. */
    record Due(UUID id, int pass) {}

    private List<Message> log = new ArrayList<>();
    private Map<String, Waiting> parked = new TreeMap<>();
    private long position;
    private long epoch;
    /** By generation; the first has none. */
    private List<Long> rewinds = new ArrayList<>(List.of(0L));

    private int history;
    /** Never given out twice: they jump when a history begins. */
    private long epochs;

    private int written;
    private final Set<Due> skipped = new HashSet<>();
    /** Nothing is promised of them: the database has lost its end since. */
    private final Set<UUID> unpromised = new HashSet<>();

    // ---- the log

    UUID write(String key) {
        UUID id = new UUID(history, ++written);
        log.add(SomeMessage.of(log.size() + 1L, 0, key, id));
        return id;
    }

    long end() {
        return log.size();
    }

    List<Message> read(long after, long upTo, int most) {
        return log.stream()
                .filter(message -> message.position() > after && message.position() <= upTo)
                .limit(most)
                .toList();
    }

    boolean has(FeedProgress progress) {
        return progress.position() <= log.size()
                && log.get((int) progress.position() - 1).id().equals(progress.id());
    }

    // ---- owners

    Tenure take() {
        epoch = ++epochs;
        return new Tenure(new CheckpointId(1), epoch, position, history(), null);
    }

    String history() {
        return Integer.toString(history);
    }

    boolean isOf(Tenure tenure) {
        return tenure.epoch() == epoch;
    }

    Generation generation(Tenure tenure) {
        if (!isOf(tenure)) {
            throw new Fenced();
        }
        return new Generation(
                "model",
                generation(),
                rewinds.subList(1, rewinds.size()).stream().toList());
    }

    long position() {
        return position;
    }

    List<StoredAside> parked() {
        List<StoredAside> rows = new ArrayList<>();
        parked.forEach((key, waiting) ->
                rows.add(new StoredAside(new CheckpointId(1), key, waiting.isForGood, waiting.attempts, 0)));
        return rows;
    }

    private void fence(Tenure tenure) {
        if (!isOf(tenure) || !tenure.timeline().equals(history())) {
            throw new Fenced();
        }
    }

    /** As {@code set_aside}: perhaps more than once. */
    void setAside(Tenure tenure, BatchAttempt attempt) {
        fence(tenure);
        for (Message message : attempt.passed()) {
            if (!parked.containsKey(message.key()) && !attempt.isAside(message.key())) {
                throw new Fenced();
            }
        }
        for (AsideEntry aside : attempt.asides().values()) {
            Waiting waiting = parked.computeIfAbsent(aside.key(), key -> new Waiting());
            waiting.isForGood = aside.isParked();
            waiting.attempts = aside.attempts();
        }
        for (Message message : attempt.passed()) {
            parked.computeIfAbsent(message.key(), key -> new Waiting()).messages.add(message.position());
        }
    }

    /** Moves the checkpoint; and these keys flow again. */
    void close(Tenure tenure, long from, long to, Set<String> again) {
        fence(tenure);
        boolean wait = again.stream().anyMatch(this::waits);
        if (position != from || to > log.size() || wait) {
            throw new Fenced();
        }
        position = to;
        again.forEach(parked::remove);
    }

    List<Message> heads(String key, long upTo, int most) {
        List<Message> heads = new ArrayList<>();
        Waiting waiting = parked.get(key);
        if (waiting != null) {
            waiting.messages.headSet(upTo, true).stream()
                    .limit(most)
                    .forEach(head -> heads.add(log.get(head.intValue() - 1)));
        }
        return heads;
    }

    boolean waits(String key) {
        Waiting waiting = parked.get(key);
        return waiting != null && !waiting.messages.isEmpty();
    }

    void forgetUpTo(Tenure tenure, Map<String, Long> published) {
        fence(tenure);
        published.forEach((key, upTo) -> {
            Waiting waiting = parked.get(key);
            if (waiting != null) {
                waiting.messages.headSet(upTo, true).clear();
            }
        });
    }

    void postpone(Tenure tenure, PostponedKey failed) {
        fence(tenure);
        Waiting waiting = parked.get(failed.key());
        if (waiting != null) {
            waiting.isForGood = failed.state() == AsideEntry.State.PARKED;
            waiting.attempts = failed.attempts();
        }
    }

    // ---- operators

    boolean hasAnythingThatWaits() {
        return parked.keySet().stream().anyMatch(this::waits);
    }

    /** The first message of a key that waits; and the key is to be tried again. */
    void skip() {
        for (Waiting waiting : parked.values()) {
            Long first = waiting.messages.pollFirst();
            if (first != null) {
                skipped.add(due(log.get(first.intValue() - 1)));
                waiting.isForGood = false;
                waiting.attempts = 0;
                return;
            }
        }
    }

    void retryAll() {
        parked.values().forEach(waiting -> {
            waiting.isForGood = false;
            waiting.attempts = 0;
        });
    }

    boolean isAnythingForGood() {
        return parked.values().stream().anyMatch(waiting -> waiting.isForGood);
    }

    void rewind(long to) {
        position = Math.min(position, to);
        epoch = ++epochs;
        rewinds.add(to);
        parked.values().forEach(waiting -> waiting.messages.tailSet(to, false).clear());
        parked.values().removeIf(waiting -> waiting.messages.isEmpty());
    }

    // ---- a standby

    /** What a standby has. */
    ModelDatabase copy() {
        ModelDatabase copy = new ModelDatabase();
        copy.log = new ArrayList<>(log);
        parked.forEach((key, waiting) -> {
            Waiting same = new Waiting();
            same.isForGood = waiting.isForGood;
            same.attempts = waiting.attempts;
            same.messages.addAll(waiting.messages);
            copy.parked.put(key, same);
        });
        copy.position = position;
        copy.epoch = epoch;
        copy.rewinds = new ArrayList<>(rewinds);
        return copy;
    }

    /** The end is lost. */
    void goOnAs(ModelDatabase standby) {
        log.forEach(message -> unpromised.add(message.id()));
        log = standby.log;
        parked = standby.parked;
        position = standby.position;
        epoch = standby.epoch;
        rewinds = standby.rewinds;
        history++;
    }

    // ---- what is promised

    boolean isPromised(Message message) {
        return !unpromised.contains(message.id());
    }

    private Due due(Message message) {
        return due(message, generation());
    }

    /** @param generation of whoever sends it */
    Due due(Message message, int generation) {
        int pass = 0;
        for (int rewind = 1; rewind < Math.min(generation, generation()); rewind++) {
            pass = rewinds.get(rewind) < message.position() ? rewind : pass;
        }
        return new Due(message.id(), pass);
    }

    boolean isSkipped(Due due) {
        return skipped.contains(due);
    }

    /** Those that are promised now, and were not skipped. */
    List<Message> promised() {
        return log.stream()
                .filter(message -> isPromised(message) && !isSkipped(due(message)))
                .toList();
    }

    boolean isSettled() {
        return parked.isEmpty();
    }

    int generation() {
        return rewinds.size();
    }

    @Override
    public String toString() {
        Map<String, Set<Long>> waiting = new TreeMap<>();
        parked.forEach((key, each) -> waiting.put(key, each.messages));
        return "log " + log + ", waiting " + waiting + ", skipped " + skipped + ", position " + position + ", epoch "
                + epoch + ", rewound to " + rewinds.subList(1, rewinds.size());
    }
}
