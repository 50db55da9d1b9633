package org.pgbaton.proofs.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Verdict;

/** A target with transactions in this JVM, which fails before or after its commit, as it is told. */
final class Ledger implements TransactionalPublisher {
    /** The failure that a transaction meets. */
    interface Trouble {
        void meet(List<Message> messages, Map<String, String> marks);
    }

    private final int groups;
    private final List<Message> committed = new ArrayList<>();
    private final Map<Integer, Map<String, String>> marks = new HashMap<>();
    private final Map<Integer, Integer> owners = new HashMap<>();
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    volatile Trouble beforeCommit = (messages, marks) -> {};
    volatile Trouble afterCommit = (messages, marks) -> {};
    volatile Runnable beforeOpen = () -> {};

    Ledger() {
        this(4);
    }

    Ledger(int groups) {
        this.groups = groups;
    }

    synchronized List<Message> committed() {
        return List.copyOf(committed);
    }

    List<String> of(String key) {
        return committed().stream()
                .filter(message -> message.key().equals(key))
                .map(Message::text)
                .toList();
    }

    synchronized Map<String, String> marks(int group) {
        return marks.computeIfAbsent(group, number -> new HashMap<>());
    }

    static FeedException lost() {
        return FeedException.lost("nobody knows what became of it", new IllegalStateException());
    }

    static FeedException outage() {
        return FeedException.outage("the ledger is away", new IllegalStateException());
    }

    @Override
    public String target() {
        return "ledger";
    }

    @Override
    public int groups() {
        return groups;
    }

    @Override
    public Feed open(String subscription, int group) {
        beforeOpen.run();
        return takeOver(group);
    }

    private synchronized Feed takeOver(int group) {
        int owner = owners.merge(group, 1, Integer::sum);
        Map<String, String> found = Map.copyOf(marks(group));
        return new Feed() {
            @Override
            public Map<String, String> marks() {
                return found;
            }

            @Override
            public void publish(List<Message> messages, Delivery delivery, Map<String, String> newMarks) {
                Ledger.this.publish(group, owner, messages, newMarks);
            }

            @Override
            public void close() {}
        };
    }

    private void publish(int group, int owner, List<Message> messages, Map<String, String> newMarks) {
        for (Message message : messages) {
            if (refused.contains(message.text())) {
                throw FeedException.of(message, Verdict.PARK, "refused", new IllegalStateException());
            }
        }
        beforeCommit.meet(messages, newMarks);
        synchronized (this) {
            if (owners.getOrDefault(group, 0) != owner) {
                throw FeedException.lost("somebody else has it", new IllegalStateException());
            }
            committed.addAll(messages);
            newMarks.forEach((name, mark) -> {
                if (mark.isEmpty()) {
                    marks(group).remove(name);
                } else {
                    marks(group).put(name, mark);
                }
            });
        }
        afterCommit.meet(messages, newMarks);
    }

    @Override
    public void close() {}
}
