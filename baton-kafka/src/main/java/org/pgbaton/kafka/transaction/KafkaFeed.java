package org.pgbaton.kafka.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.Deadline;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One group's producer, which has taken over the group's transactional id.
 *
 * <p>Guarantee: if {@link #publish} returns, consumers that read committed records see everything. If it fails with MESSAGE or OUTAGE, they
 * see nothing. If it fails with LOST, they see all or nothing, and this feed is over: the next feed of the group finds out which.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>Refuse what can be refused without Kafka; make sure that all topics are known and that no partition is known to be silent.
 *   <li>Begin the transaction.
 *   <li>Send the messages and then the marks, in order, until something fails.
 *   <li>Wait for all answers, but not for a partition that is silent while others answer.
 *   <li>Commit. A commit without an answer is repeated, because nothing else may follow it; if there is no answer in the end, the feed is
 *       lost.
 *   <li>If anything failed before the commit: abort. If that fails, too, the feed is lost.
 * </ol>
 *
 * <p>The time limit is cut into six slices. A call that blocks takes one at most; sending begins within two, committing within four.
 *
 * <p>Thread-safe: one transaction after the other. {@link #close} does not wait for its turn: Kafka aborts the transaction that is under
 * way, or completes the one that is being committed.
 */
public final class KafkaFeed implements Feed {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final String name;
    private final Producer<byte[], byte[]> producer;
    private final TopicPartition progress;
    private final Map<String, String> marks;
    private final Records records;
    private final Topics topics;
    private final boolean ownPartitioner;
    private final ScheduledThreadPoolExecutor clock;
    private final Duration limit;
    private final ReentrantLock turn = new ReentrantLock();

    private volatile boolean closed;
    private volatile boolean lost;

    /**
     * @param name for people
     * @param ownPartitioner whether the application chooses partitions
     * @param clock remains the caller's
     */
    public KafkaFeed(
            String name,
            Producer<byte[], byte[]> producer,
            TopicPartition progress,
            Map<String, String> marks,
            Records records,
            Topics topics,
            boolean ownPartitioner,
            ScheduledThreadPoolExecutor clock,
            Duration limit) {
        this.name = name;
        this.producer = producer;
        this.progress = progress;
        this.marks = Map.copyOf(marks);
        this.records = records;
        this.topics = topics;
        this.ownPartitioner = ownPartitioner;
        this.clock = clock;
        this.limit = limit;
    }

    /** How long one call of a producer with this limit may block. */
    public static Duration slice(Duration limit) {
        return limit.dividedBy(6);
    }

    @Override
    public Map<String, String> marks() {
        return marks;
    }

    @Override
    public void publish(List<Message> messages, Delivery delivery, Map<String, String> newMarks) {
        if (messages.isEmpty() && newMarks.isEmpty()) {
            return;
        }
        takeTurn();
        try {
            if (lost || closed) {
                throw gone();
            }
            transact(messages, records(messages, delivery), newMarks);
        } finally {
            turn.unlock();
        }
    }

    private void takeTurn() {
        try {
            if (!turn.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw FeedException.outage(
                        name + " was busy with another transaction for " + limit.toSeconds() + " s.",
                        new TimeoutException());
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw FeedException.outage("Interrupted while waiting for " + name + ".", stop);
        }
    }

    private List<ProducerRecord<byte[], byte[]>> records(List<Message> messages, Delivery delivery) {
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>(messages.size());
        for (Message message : messages) {
            try {
                all.add(records.of(message, delivery));
            } catch (HandlerException refused) {
                throw FeedException.of(message, refused.verdict(), refused.getMessage(), refused);
            }
        }
        return all;
    }

    private void transact(
            List<Message> messages, List<ProducerRecord<byte[], byte[]>> all, Map<String, String> newMarks) {
        Deadline sending = Deadline.in(slice(limit).multipliedBy(2));
        Deadline committing = Deadline.in(slice(limit).multipliedBy(4));
        refuseUnwritable(messages, all);
        TransactionFailures failures = new TransactionFailures();
        AnsweredRecords answers = new AnsweredRecords(messages, slice(limit));
        try {
            producer.beginTransaction();
        } catch (RuntimeException refused) {
            throw lost("refuses another transaction", refused);
        }
        try {
            send(messages, all, newMarks, failures, answers, sending);
            List<Message> silent = failures.isEmpty() ? answers.await(producer, clock) : List.of();
            if (!failures.isEmpty()) {
                throw abort(failures);
            }
            if (!silent.isEmpty()) {
                throw abortWithout(silent, messages, all, answers.any());
            }
            commit(committing);
        } catch (InDoubt noAnswer) {
            throw lost("got no answer to its commit, which may have happened or not", noAnswer.why);
        } catch (FeedException decided) {
            throw decided;
        } catch (RuntimeException thrown) {
            // It often only says that there was an error before. The call-backs were told which.
            failures.add(null, thrown);
            throw abort(failures);
        }
    }

    /** Done before the transaction begins: this is where a producer waits longest, and there is nothing to abort yet. */
    private void refuseUnwritable(List<Message> messages, List<ProducerRecord<byte[], byte[]>> all) {
        Set<String> names = new LinkedHashSet<>();
        all.forEach(each -> names.add(each.topic()));
        Map<String, RuntimeException> refused;
        try {
            refused = topics.unwritable(names, producer);
        } catch (RuntimeException noAnswer) {
            throw KafkaVerdicts.endsProducer(noAnswer) ? lost("is over", noAnswer) : because(null, noAnswer);
        }
        if (!refused.isEmpty()) {
            List<Message> troubled = matching(messages, all, each -> refused.containsKey(each.topic()));
            throw because(troubled, Objects.requireNonNull(refused.get(records.topic(troubled.get(0)))));
        }
        if (!topics.allAnswer()) {
            Map<String, Integer> partitions = new HashMap<>();
            names.forEach(
                    topic -> partitions.put(topic, producer.partitionsFor(topic).size()));
            List<Message> troubled = matching(messages, all, each -> {
                TopicPartition to = partitionOf(each, partitions.getOrDefault(each.topic(), 0));
                return to != null && topics.isSilent(to);
            });
            if (!troubled.isEmpty()) {
                throw silence(troubled);
            }
        }
    }

    private static List<Message> matching(
            List<Message> messages,
            List<ProducerRecord<byte[], byte[]>> all,
            Predicate<ProducerRecord<byte[], byte[]>> condition) {
        List<Message> matching = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (condition.test(all.get(i))) {
                matching.add(messages.get(i));
            }
        }
        return matching;
    }

    /** Null if the application chooses it, or any will do. */
    private @Nullable TopicPartition partitionOf(ProducerRecord<byte[], byte[]> record, int partitions) {
        return ownPartitioner ? null : Records.partition(record, partitions);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the call-backs are told the same
    private void send(
            List<Message> messages,
            List<ProducerRecord<byte[], byte[]>> all,
            Map<String, String> newMarks,
            TransactionFailures failures,
            AnsweredRecords answers,
            Deadline deadline) {
        for (int i = 0; i < all.size() && failures.isEmpty(); i++) {
            int number = i;
            producer.send(all.get(i), (metadata, failure) -> {
                failures.add(messages.get(number), failure);
                answers.add(number);
            });
            if (deadline.isPast()) {
                throw new TimeoutException("the messages could not be handed to the producer in time");
            }
        }
        newMarks.forEach((mark, text) -> {
            if (failures.isEmpty()) {
                byte[] value = text.isEmpty() ? null : Records.bytes(text);
                producer.send(
                        new ProducerRecord<>(progress.topic(), progress.partition(), Records.bytes(mark), value),
                        (metadata, failure) -> {
                            failures.add(null, failure);
                            answers.add();
                        });
            }
        });
    }

    /** @return what to throw: these messages got no answer, and the transaction is aborted */
    private FeedException abortWithout(
            List<Message> silent,
            List<Message> messages,
            List<ProducerRecord<byte[], byte[]>> all,
            boolean othersAnswered) {
        if (othersAnswered) {
            Set<Message> without = new HashSet<>(silent);
            Map<TopicPartition, Integer> leaders = new HashMap<>();
            for (int i = 0; i < all.size(); i++) {
                if (without.contains(messages.get(i))) {
                    List<PartitionInfo> partitions =
                            producer.partitionsFor(all.get(i).topic());
                    TopicPartition to = partitionOf(all.get(i), partitions.size());
                    if (to != null) {
                        leaders.put(to, leader(partitions, to.partition()));
                    }
                }
            }
            topics.areSilent(leaders);
        }
        TimeoutException noAnswer = new TimeoutException("no answer in time");
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            return lost("could not abort a transaction that got no answer", refused);
        }
        return othersAnswered ? silence(silent) : because(null, noAnswer);
    }

    private static int leader(List<PartitionInfo> partitions, int number) {
        return partitions.stream()
                .filter(each -> each.partition() == number && each.leader() != null)
                .mapToInt(each -> each.leader().id())
                .findFirst()
                .orElse(-1);
    }

    /** Only some partitions are away: messages for the others go on. */
    private FeedException silence(List<Message> troubled) {
        String text = troubled.get(0) + " was not published to topic '" + records.topic(troubled.get(0)) + "' by "
                + name + ": its partition does not answer, or has no leader; others do, and go on.";
        return FeedException.of(troubled, Verdict.OUTAGE, text, new TimeoutException(text));
    }

    private void commit(Deadline deadline) {
        boolean asked = false;
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException noAnswer) {
                asked = true;
                if (deadline.isPast() || closed) {
                    throw new InDoubt(noAnswer);
                }
            } catch (InterruptException stop) {
                throw new InDoubt(stop);
            } catch (RuntimeException refused) {
                // A first call that is refused has committed nothing. After a call without an answer, that is not
                // known.
                throw asked ? new InDoubt(refused) : refused;
            }
        }
    }

    /** @return what to throw: the transaction is aborted */
    private FeedException abort(TransactionFailures failures) {
        TransactionFailures.Failure worst = failures.worst(records.haveOneTopic());
        if (closed || failures.endProducer()) {
            return lost("is over", worst.why());
        }
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            return lost(
                    "could not abort a transaction that failed (" + KafkaVerdicts.words(worst.why()) + ")", refused);
        }
        Message message = worst.message();
        return because(message == null ? null : List.of(message), worst.why());
    }

    /** @param troubled the messages that it is about; null if it is about none */
    private FeedException because(@Nullable List<Message> troubled, Throwable why) {
        Verdict verdict = KafkaVerdicts.verdict(why, records.haveOneTopic());
        if (troubled == null || verdict == Verdict.OUTAGE) {
            return FeedException.outage(
                    "Nothing was published by " + name + ": " + KafkaVerdicts.words(why) + ".", why);
        }
        Message message = troubled.get(0);
        return FeedException.of(
                troubled,
                verdict,
                message + " was not published to topic '" + records.topic(message) + "' by " + name + ": "
                        + KafkaVerdicts.words(why) + ".",
                why);
    }

    private FeedException lost(String what, Throwable why) {
        lost = true;
        Clients.close(producer, Duration.ZERO);
        return closed
                ? gone()
                : FeedException.lost(
                        name + " " + what + ": " + KafkaVerdicts.words(why) + "; it has to be opened again.", why);
    }

    private FeedException gone() {
        String text = name + (closed ? " was closed." : " is over, and has to be opened again.");
        return FeedException.lost(text, new IllegalStateException(text));
    }

    @Override
    public void close() {
        closed = true;
        Clients.close(producer, CLOSING);
    }

    @Override
    public String toString() {
        return name;
    }

    /** It is not known whether the transaction was committed. */
    private static final class InDoubt extends RuntimeException {
        private static final long serialVersionUID = 1L;
        final transient RuntimeException why;

        InDoubt(RuntimeException why) {
            super(why);
            this.why = why;
        }
    }
}
