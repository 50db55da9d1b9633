package org.pgbaton.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One group's producer, which has taken over from whoever had its transactional id before.
 *
 * <p>Guarantee: a {@link #publish} that returns has made everything visible to those who read what is committed; one that fails with
 * MESSAGE or OUTAGE nothing; one that fails with LOST all or nothing, and this feed is over: the next one to be opened for the group finds
 * out which.
 *
 * <p>Protocol: 1. what can be refused without Kafka is refused, and all topics are known; 2. begin; 3. send the messages and then the marks,
 * in order, until something fails; 4. commit, which waits for all of them. A commit without an answer is asked for again, because nothing
 * else may follow it; without an answer in the end the feed is lost. 5. If anything failed before that: abort; if that fails, too, lost.
 *
 * <p>The limit is cut into six slices. A call that blocks takes one at most; sending is begun within two, committing within four.
 *
 * <p>Thread-safe: one transaction after the other. {@link #close} does not wait for its turn: Kafka aborts what is under way, or ends what
 * is being committed.
 */
final class KafkaFeed implements Feed {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final String name;
    private final Producer<byte[], byte[]> producer;
    private final TopicPartition progress;
    private final Map<String, String> marks;
    private final Records records;
    private final Topics topics;
    private final Duration limit;
    private final ReentrantLock turn = new ReentrantLock();

    private volatile boolean closed;
    private volatile boolean lost;

    /** @param name for people */
    KafkaFeed(
            String name,
            Producer<byte[], byte[]> producer,
            TopicPartition progress,
            Map<String, String> marks,
            Records records,
            Topics topics,
            Duration limit) {
        this.name = name;
        this.producer = producer;
        this.progress = progress;
        this.marks = Map.copyOf(marks);
        this.records = records;
        this.topics = topics;
        this.limit = limit;
    }

    /** How long one call of a producer with this limit may block. */
    static Duration slice(Duration limit) {
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
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            throw FeedException.outage("Interrupted while waiting for " + name + ".", inAHurry);
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
        requireTopics(messages, all);
        Failures failures = new Failures();
        try {
            producer.beginTransaction();
        } catch (RuntimeException refused) {
            throw lost("refuses another transaction", refused);
        }
        try {
            send(messages, all, newMarks, failures, sending);
            if (!failures.isEmpty()) {
                throw abort(failures);
            }
            commit(committing);
        } catch (InDoubt noAnswer) {
            throw lost("got no answer to its commit, which may have happened or not", noAnswer.why);
        } catch (FeedException decided) {
            throw decided;
        } catch (RuntimeException thrown) {
            // Often only "there was an error before": what the call-backs were told goes first.
            failures.add(null, thrown);
            throw abort(failures);
        }
    }

    /** Before the transaction, because here a producer waits longest, and afterwards nothing has to be aborted. */
    private void requireTopics(List<Message> messages, List<ProducerRecord<byte[], byte[]>> all) {
        Map<String, Message> first = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            first.putIfAbsent(all.get(i).topic(), messages.get(i));
        }
        first.forEach((topic, message) -> {
            try {
                topics.require(topic, producer);
            } catch (RuntimeException refused) {
                if (Troubles.endsProducer(refused)) {
                    throw lost("is over", refused);
                }
                throw because(message, refused);
            }
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the call-backs are told the same
    private void send(
            List<Message> messages,
            List<ProducerRecord<byte[], byte[]>> all,
            Map<String, String> newMarks,
            Failures failures,
            Deadline deadline) {
        for (int i = 0; i < all.size() && failures.isEmpty(); i++) {
            Message message = messages.get(i);
            producer.send(all.get(i), (metadata, failure) -> failures.add(message, failure));
            if (deadline.isPast()) {
                throw new TimeoutException("the messages could not be handed to the producer in time");
            }
        }
        newMarks.forEach((mark, text) -> {
            if (failures.isEmpty()) {
                byte[] value = text.isEmpty() ? null : Records.bytes(text);
                producer.send(
                        new ProducerRecord<>(progress.topic(), progress.partition(), Records.bytes(mark), value),
                        (metadata, failure) -> failures.add(null, failure));
            }
        });
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
            } catch (InterruptException inAHurry) {
                throw new InDoubt(inAHurry);
            } catch (RuntimeException refused) {
                // At the first call Kafka was not asked before all messages were there; later, who knows.
                throw asked ? new InDoubt(refused) : refused;
            }
        }
    }

    /** @return what to throw when it is aborted */
    private FeedException abort(Failures failures) {
        Failures.Failure worst = failures.worst(records.haveOneTopic());
        if (closed || failures.endProducer()) {
            return lost("is over", worst.why());
        }
        try {
            producer.abortTransaction();
        } catch (RuntimeException refused) {
            return lost("could not abort a transaction that failed (" + Troubles.words(worst.why()) + ")", refused);
        }
        return because(worst.message(), worst.why());
    }

    /** @param message the one that was being dealt with, if it was one */
    private FeedException because(@Nullable Message message, Throwable why) {
        Verdict verdict = Troubles.verdict(why, records.haveOneTopic());
        if (message == null || verdict == Verdict.OUTAGE) {
            return FeedException.outage("Nothing was published by " + name + ": " + Troubles.words(why) + ".", why);
        }
        return FeedException.of(
                message,
                verdict,
                message + " was not published to topic '" + records.topic(message) + "' by " + name + ": "
                        + Troubles.words(why) + ".",
                why);
    }

    private FeedException lost(String what, Throwable why) {
        lost = true;
        Clients.close(producer, Duration.ZERO);
        return closed
                ? gone()
                : FeedException.lost(
                        name + " " + what + ": " + Troubles.words(why) + "; it has to be opened again.", why);
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

    /** Nobody knows whether it was committed. */
    private static final class InDoubt extends RuntimeException {
        private static final long serialVersionUID = 1L;
        final transient RuntimeException why;

        InDoubt(RuntimeException why) {
            super(why);
            this.why = why;
        }
    }
}
