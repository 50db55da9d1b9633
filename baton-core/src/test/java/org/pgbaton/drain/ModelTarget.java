package org.pgbaton.drain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.pgbaton.drain.NoInterleavingSendsToKafkaTwiceTest.Mistake;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Model;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.Verdict;

/**
 * A target with transactions, and consumers that read what is committed. It assumes of Kafka: messages and marks of a transaction become
 * visible together; whoever opens the feed makes sure that nobody who opened it before can commit, and then reads the marks; a
 * commit without an answer has happened or not before that.
 *
 * <p>The consumers claim: each message comes once, and once more for each rewind to before it; and none before an earlier one of its key.
 */
final class ModelTarget {
    private final Mistake mistake;
    private final Choices choices;
    private final ModelDatabase database;
    private final Map<String, String> marks = new TreeMap<>();
    private final List<String> visible = new ArrayList<>();
    private final Set<ModelDatabase.Due> seen = new HashSet<>();
    private int opened;

    /** How often a message is still refused. */
    private final Map<UUID, Integer> refusals = new HashMap<>();

    private int outages = 1;
    private int unanswered = 2;

    ModelTarget(Mistake mistake, Choices choices, ModelDatabase database) {
        this.mistake = mistake;
        this.choices = choices;
        this.database = database;
    }

    void refuses(UUID message, int times) {
        refusals.put(message, times);
    }

    void calmDown() {
        outages = 0;
        unanswered = 0;
    }

    Map<String, String> marks() {
        return Map.copyOf(marks);
    }

    /** @param found what was recorded */
    Feed open(Map<String, String> found) {
        int number = ++opened;
        return new Feed() {
            private boolean isLost;

            @Override
            public Map<String, String> marks() {
                return found;
            }

            @Override
            public void publish(List<Message> messages, Delivery delivery, Map<String, String> newMarks) {
                refuse(messages);
                boolean isFenced = number != opened && mistake != Mistake.A_FORMER_PRODUCER_IS_NOT_FENCED;
                if (isLost || isFenced) {
                    isLost = true;
                    throw lost("somebody else has the feed");
                }
                if (outages > 0 && choices.oneIn(12)) {
                    outages--;
                    throw FeedException.outage("away", new IllegalStateException());
                }
                if (unanswered > 0 && choices.oneIn(6)) {
                    unanswered--;
                    if (choices.oneIn(2)) {
                        boolean apart = mistake == Mistake.THE_MARK_IS_NOT_COMMITTED_WITH_THE_MESSAGES;
                        commit(messages, apart ? Map.of() : newMarks, generation(newMarks));
                    }
                    if (mistake == Mistake.A_COMMIT_WITHOUT_AN_ANSWER_COUNTS_AS_FAILED) {
                        throw FeedException.outage("no answer", new IllegalStateException());
                    }
                    isLost = true;
                    throw lost("no answer");
                }
                commit(messages, newMarks, generation(newMarks));
            }

            @Override
            public void close() {
                isLost = true;
            }
        };
    }

    private static FeedException lost(String why) {
        return FeedException.lost(why, new IllegalStateException());
    }

    private void refuse(List<Message> messages) {
        for (Message message : messages) {
            int left = refusals.getOrDefault(message.id(), 0);
            if (left > 0) {
                refusals.put(message.id(), left - 1);
                Verdict verdict = choices.oneIn(3) ? Verdict.PARK : Verdict.RETRY;
                throw FeedException.of(message, verdict, "refused", new IllegalStateException());
            }
        }
    }

    private static int generation(Map<String, String> newMarks) {
        return newMarks.values().stream()
                .filter(mark -> !mark.isEmpty())
                .mapToInt(mark -> Integer.parseInt(mark.substring(mark.indexOf('.') + 1, mark.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }

    private void commit(List<Message> messages, Map<String, String> newMarks, int generation) {
        newMarks.forEach((name, mark) -> {
            if (mark.isEmpty()) {
                marks.remove(name);
            } else {
                marks.put(name, mark);
            }
        });
        messages.forEach(message -> show(message, generation));
    }

    private void show(Message message, int generation) {
        visible.add(message.key() + message.position());
        if (!database.isPromised(message)) {
            return;
        }
        ModelDatabase.Due due = database.due(message, generation);
        Model.require(seen.add(due), () -> message + " was sent twice.");
        for (Message earlier : database.read(0, message.position() - 1, Integer.MAX_VALUE)) {
            if (earlier.key().equals(message.key()) && database.isPromised(earlier)) {
                ModelDatabase.Due before = database.due(earlier, generation);
                Model.require(
                        seen.contains(before) || database.isSkipped(before),
                        () -> message + " was sent before " + earlier + '.');
            }
        }
    }

    /** Everything is there that should be. */
    void requireAll() {
        for (Message message : database.promised()) {
            Model.require(
                    seen.contains(database.due(message, database.generation())), () -> message + " was never sent.");
        }
    }

    @Override
    public String toString() {
        return "visible " + visible + ", marks " + new LinkedHashMap<>(marks);
    }
}
