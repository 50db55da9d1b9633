package org.pgbaton.kafka.transaction;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.KafkaVerdicts;

/**
 * Which topics, and which of their partitions, can be written to right now.
 *
 * <p>A producer waits as long as it may for a topic that does not exist, and for a partition without a leader. All other messages of the
 * group would wait with it. So topics are looked up before they are used, all of them in one request. A partition that did not answer is
 * refused from then on, until it has another leader or a pause is over. As long as there is such a partition, a thread of our own looks up
 * the leaders once a second.
 *
 * <p>Thread-safe.
 */
public final class Topics {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    /** For a silent partition whose leader has not changed. Brokers need some seconds to notice that one of them is gone. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /** @param leader when it was silent; -1: there was none */
    private record Silent(int leader, long until, Duration pause) {}

    private final Supplier<Admin> admin;
    private final Duration patience;
    private final ScheduledThreadPoolExecutor thread;

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final Map<String, RuntimeException> missing = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Silent> silent = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();

    /** @param thread remains the caller's */
    public Topics(Supplier<Admin> admin, Duration patience, ScheduledThreadPoolExecutor thread) {
        this.admin = admin;
        this.patience = patience;
        this.thread = thread;
    }

    /**
     * Returns when the producer knows all topics but those that cannot be written to.
     *
     * @return why, in Kafka's words, for each that cannot
     * @throws RuntimeException if Kafka does not answer
     */
    Map<String, RuntimeException> unwritable(Set<String> topics, Producer<byte[], byte[]> producer) {
        Set<String> inQuestion = new LinkedHashSet<>(topics);
        inQuestion.removeAll(known);
        if (!inQuestion.isEmpty()) {
            ask(inQuestion, producer);
        }
        Map<String, RuntimeException> refused = new LinkedHashMap<>();
        for (String topic : topics) {
            RuntimeException why = missing.get(topic);
            if (why == null) {
                why = unknownTo(producer, topic);
            }
            if (why != null) {
                refused.put(topic, why);
            }
        }
        return refused;
    }

    private void ask(Set<String> topics, Producer<byte[], byte[]> producer) {
        Map<String, KafkaFuture<TopicDescription>> answers =
                admin.get().describeTopics(topics).topicNameValues();
        long end = System.nanoTime() + patience.toNanos();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> each : answers.entrySet()) {
            try {
                each.getValue().get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                isThere(each.getKey());
            } catch (ExecutionException refused) {
                if (KafkaVerdicts.isOfTheTopic(KafkaVerdicts.root(refused))
                        && refused.getCause() instanceof RuntimeException why
                        && missing.put(each.getKey(), why) == null) {
                    wish(each.getKey(), producer);
                }
            } catch (TimeoutException noAnswer) {
                return; // the producer will not get an answer either, and will say so
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void isThere(String topic) {
        missing.remove(topic);
        known.add(topic);
    }

    /** Brokers that create topics by themselves do so when a producer asks. The producer waits then, so it asks on a thread of its own. */
    private void wish(String topic, Producer<byte[], byte[]> producer) {
        try {
            thread.execute(() -> {
                try {
                    producer.partitionsFor(topic);
                } catch (RuntimeException noSuchBroker) {
                    // The next message for that topic asks again.
                }
            });
        } catch (RejectedExecutionException closed) {
            // It is closed, and nothing is published any more.
        }
    }

    private @Nullable RuntimeException unknownTo(Producer<byte[], byte[]> producer, String topic) {
        try {
            producer.partitionsFor(topic);
            return null;
        } catch (RuntimeException refused) {
            if (!KafkaVerdicts.isOfTheTopic(KafkaVerdicts.root(refused))) {
                throw refused;
            }
            known.remove(topic);
            missing.put(topic, refused);
            return refused;
        }
    }

    // ---- partitions

    /** Whether all partitions answered when they were last asked. */
    boolean allAnswer() {
        return silent.isEmpty();
    }

    boolean isSilent(TopicPartition partition) {
        return silent.containsKey(partition);
    }

    /** They did not answer, while others did. */
    void areSilent(Map<TopicPartition, Integer> leaders) {
        leaders.forEach((partition, leader) -> silent.compute(partition, (same, before) -> {
            Duration pause = before == null ? FIRST_PAUSE : longer(before.pause());
            return new Silent(leader, System.nanoTime() + pause.toNanos(), pause);
        }));
        if (!silent.isEmpty() && looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void lookLater() {
        try {
            thread.schedule(this::look, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            looking.set(false);
        }
    }

    /** Looks at all topics in use: if one partition has lost its leader, others may have, and are found before somebody waits for them. */
    private void look() {
        try {
            Map<TopicPartition, Integer> leaders = leaders();
            leaders.forEach((partition, leader) -> {
                if (leader < 0) {
                    silent.put(partition, new Silent(-1, Long.MAX_VALUE, FIRST_PAUSE));
                }
            });
            long now = System.nanoTime();
            silent.forEach((partition, was) -> {
                Integer leader = leaders.get(partition);
                boolean another = leader != null && leader >= 0 && leader != was.leader();
                boolean over = was.leader() >= 0 && now - was.until() >= 0;
                if (another || over) {
                    silent.remove(partition, was);
                }
            });
        } catch (RuntimeException notNow) {
            // The next look may succeed.
        }
        if (silent.isEmpty()) {
            looking.set(false);
        } else {
            lookLater();
        }
    }

    private Map<TopicPartition, Integer> leaders() {
        Set<String> topics = new HashSet<>(known);
        silent.keySet().forEach(partition -> topics.add(partition.topic()));
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        long end = System.nanoTime() + patience.toNanos();
        admin.get().describeTopics(topics).topicNameValues().forEach((topic, answer) -> {
            try {
                List<TopicPartitionInfo> all = answer.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS)
                        .partitions();
                all.forEach(each -> leaders.put(
                        new TopicPartition(topic, each.partition()),
                        each.leader() == null || each.leader().isEmpty()
                                ? -1
                                : each.leader().id()));
            } catch (ExecutionException | TimeoutException notThisOne) {
                // Nothing is known of it.
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        return leaders;
    }
}
