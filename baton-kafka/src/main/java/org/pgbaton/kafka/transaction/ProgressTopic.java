package org.pgbaton.kafka.transaction;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Deadline;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic in which a relay keeps its marks. It is compacted and has a partition for each group, so that no group's open transaction
 * hides what another one has written. It is created when it is first needed, and never changed or removed.
 *
 * <p>Thread-safe.
 */
public final class ProgressTopic {
    private static final Logger log = LoggerFactory.getLogger(ProgressTopic.class);

    /** A reader that takes longer could miss that a mark was removed. The limit for reading is far below. */
    private static final Duration REMOVALS_STAY = Duration.ofMinutes(5);

    private static final int SEGMENT = 4 * 1024 * 1024;

    private final int groups;
    private final Set<String> checked = ConcurrentHashMap.newKeySet();

    public ProgressTopic(int groups) {
        this.groups = groups;
    }

    /** @throws HandlerException if it is not there and cannot be made, or is not as it must be */
    public void ensure(Admin admin, String topic, Deadline deadline) {
        if (checked.contains(topic)) {
            return;
        }
        try {
            TopicDescription found = find(admin, topic, deadline);
            if (found == null) {
                create(admin, topic, deadline);
                found = find(admin, topic, deadline);
            }
            if (found != null) {
                check(topic, found, policy(admin, topic, deadline));
                checked.add(topic);
            }
        } catch (ExecutionException refused) {
            throw KafkaVerdicts.notOpened("The progress topic '" + topic + "' could not be looked up or made", refused);
        }
    }

    private static @Nullable TopicDescription find(Admin admin, String topic, Deadline deadline)
            throws ExecutionException {
        try {
            return await(
                    admin.describeTopics(List.of(topic)).topicNameValues().get(topic), deadline, "looking up " + topic);
        } catch (ExecutionException refused) {
            if (KafkaVerdicts.isUnknownTopic(refused)) {
                return null;
            }
            throw refused;
        }
    }

    private void create(Admin admin, String topic, Deadline deadline) throws ExecutionException {
        int brokers = await(admin.describeCluster().nodes(), deadline, "asking for the brokers")
                .size();
        short copies = (short) Math.min(3, brokers);
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
        // A process that takes a group over reads its partition from the beginning, so it is kept short. Every
        // transaction adds at least the marker of its end; those go when they have been cleaned and this time is over.
        settings.put(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SEGMENT));
        settings.put(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1");
        settings.put(TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(REMOVALS_STAY.toMillis()));
        if (copies == 3) {
            settings.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "2");
        }
        try {
            await(
                    admin.createTopics(List.of(new NewTopic(topic, groups, copies).configs(settings)))
                            .all(),
                    deadline,
                    "creating " + topic);
        } catch (ExecutionException refused) {
            if (!(refused.getCause() instanceof TopicExistsException)) {
                throw refused;
            }
        }
        while (find(admin, topic, deadline) == null) {
            deadline.pause(Duration.ofMillis(20), "creating " + topic);
        }
    }

    /** @return null if we have no right to know */
    private static @Nullable String policy(Admin admin, String topic, Deadline deadline) throws ExecutionException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config = await(
                    admin.describeConfigs(List.of(resource)).values().get(resource), deadline, "looking up " + topic);
            ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
            return policy == null ? null : policy.value();
        } catch (ExecutionException refused) {
            if (refused.getCause() instanceof AuthorizationException) {
                return null;
            }
            throw refused;
        }
    }

    private void check(String topic, TopicDescription found, @Nullable String policy) {
        int partitions = found.partitions().size();
        if (partitions != groups) {
            throw new HandlerException(
                    Verdict.STOP,
                    "The progress topic '" + topic + "' has " + partitions + " partitions, but this publisher has "
                            + groups
                            + " groups: say groups(" + partitions
                            + "), as when the relay began; or use another prefix, and see the documentation first.");
        }
        if (policy != null && !policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new HandlerException(
                    Verdict.STOP,
                    "The progress topic '" + topic + "' has cleanup.policy=" + policy
                            + " and would forget what was published: set it to compact.");
        }
    }

    /**
     * Reads the marks of one group. Call it when nobody else can write there any more.
     *
     * @param consumer for this call alone, reading committed records; closed here
     */
    public Map<String, String> read(
            Admin admin, Consumer<byte[], byte[]> consumer, TopicPartition partition, Deadline deadline) {
        try {
            // Not the end of the committed records: an open transaction would hide what is behind it.
            long end = await(
                            admin.listOffsets(
                                            Map.of(partition, OffsetSpec.latest()),
                                            new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                                    .partitionResult(partition),
                            deadline,
                            "asking for the end of " + partition)
                    .offset();
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            Map<String, String> marks = new LinkedHashMap<>();
            while (consumer.position(partition, deadline.left()) < end) {
                deadline.check("reading " + partition);
                for (ConsumerRecord<byte[], byte[]> mark : consumer.poll(Duration.ofMillis(100))) {
                    if (isForged(mark)) {
                        log.warn(
                                "{} has a record at offset {} that no relay has written as a mark: it is ignored",
                                partition,
                                mark.offset());
                    } else if (mark.value() == null) {
                        marks.remove(Records.text(mark.key()));
                    } else {
                        marks.put(Records.text(mark.key()), Records.text(mark.value()));
                    }
                }
            }
            return marks;
        } catch (ExecutionException refused) {
            throw KafkaVerdicts.notOpened("The progress in " + partition + " could not be read", refused);
        } finally {
            close(consumer);
        }
    }

    /** Every message that a relay publishes has this header, and no mark has it. Other headers may come from tracing, on both. */
    private static boolean isForged(ConsumerRecord<byte[], byte[]> mark) {
        return mark.key() == null || mark.headers().lastHeader(Records.ID) != null;
    }

    /** In a way that clients of 3.9 have, too. */
    @SuppressWarnings("deprecation")
    private static void close(Consumer<byte[], byte[]> consumer) {
        consumer.close(Duration.ZERO);
    }

    private static <T> T await(@Nullable KafkaFuture<T> future, Deadline deadline, String what)
            throws ExecutionException {
        if (future == null) {
            throw new IllegalStateException("Kafka's client did not answer: " + what);
        }
        try {
            return future.get(deadline.left().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw deadline.isOver(what, late);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new HandlerException(Verdict.OUTAGE, "Interrupted while " + what + ".", stop);
        }
    }
}
