package org.pgbaton.kafka;

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

/** Kafka itself, with a place to refuse messages before its transaction and one to act right after its commit. */
final class Watched implements TransactionalPublisher {
    interface Committed {
        void now(List<Message> messages);
    }

    private final TransactionalPublisher kafka;
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    volatile Committed afterCommit = messages -> {};

    Watched(TransactionalPublisher kafka) {
        this.kafka = kafka;
    }

    @Override
    public String target() {
        return kafka.target();
    }

    @Override
    public int groups() {
        return kafka.groups();
    }

    @Override
    public Feed open(String subscription, int group) {
        Feed feed = kafka.open(subscription, group);
        return new Feed() {
            @Override
            public Map<String, String> marks() {
                return feed.marks();
            }

            @Override
            public void publish(List<Message> messages, Delivery delivery, Map<String, String> marks) {
                for (Message message : messages) {
                    if (refused.contains(message.text())) {
                        throw FeedException.of(message, Verdict.PARK, "refused", new IllegalStateException());
                    }
                }
                feed.publish(messages, delivery, marks);
                afterCommit.now(messages);
            }

            @Override
            public void close() {
                feed.close();
            }
        };
    }

    @Override
    public void close() {
        kafka.close();
    }
}
