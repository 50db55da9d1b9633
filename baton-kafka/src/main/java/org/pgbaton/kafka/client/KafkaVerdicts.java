package org.pgbaton.kafka.client;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.TransactionCoordinatorFencedException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** What Kafka's exceptions mean. No other class decides that. */
public final class KafkaVerdicts {
    private KafkaVerdicts() {}

    /**
     * For a message that was not published.
     *
     * @param oneTopic whether all messages go to the same topic, so that its trouble concerns all of them
     */
    public static Verdict verdict(Throwable failure, boolean oneTopic) {
        Throwable root = root(failure);
        if (isOfTheClock(root)) {
            return oneTopic ? Verdict.OUTAGE : Verdict.RETRY;
        }
        if (root instanceof RecordTooLargeException
                || root instanceof RecordBatchTooLargeException
                || root instanceof InvalidTopicException
                || root instanceof InvalidRecordException
                || root instanceof SerializationException) {
            return Verdict.PARK;
        }
        if (isOfTheTopic(root)) {
            return oneTopic ? Verdict.OUTAGE : Verdict.RETRY;
        }
        boolean ofAll = root instanceof RetriableException
                || root instanceof AuthenticationException
                || root instanceof AuthorizationException
                || root instanceof TransactionAbortedException
                || root instanceof TransactionAbortableException
                || (root instanceof KafkaException && !(root instanceof ApiException))
                || endsProducer(root);
        return ofAll ? Verdict.OUTAGE : Verdict.RETRY;
    }

    /**
     * For a feed that could not be opened.
     *
     * @return what somebody has to change; null if the trouble may pass by itself
     */
    static @Nullable String advice(Throwable failure) {
        Throwable root = root(failure);
        String text = String.valueOf(root.getMessage());
        // In some places clients throw no specific exception for it.
        if (root instanceof InvalidTxnTimeoutException || text.contains("transaction.max.timeout.ms")) {
            return "the time-out plus 15 s is more than the brokers' transaction.max.timeout.ms: give a shorter 'timeout', or raise "
                    + "that setting";
        }
        if (root instanceof InvalidTopicException) {
            return "another relay's progress topic may have a name that differs only in '.' and '_', which Kafka does not tell apart: "
                    + "use another name for the relay, or another prefix";
        }
        if (root instanceof PolicyViolationException) {
            return "create the progress topic by hand, as the documentation says";
        }
        if (root instanceof UnsupportedVersionException) {
            return "these brokers cannot do transactions: publish at least once";
        }
        if (root instanceof AuthorizationException) {
            return "allow this user the progress topic and its transactional ids, as the documentation says, or publish at least once";
        }
        if (root instanceof ClassNotFoundException
                || (root instanceof ConfigException
                        && !text.contains("bootstrap"))) { // a name that cannot be resolved now may be resolved later
            return "correct the settings of the publisher, or add the missing jar";
        }
        return null;
    }

    /** A feed could not be opened: an outage, unless somebody has to change something. */
    public static HandlerException notOpened(String what, Throwable failure) {
        String advice = advice(failure);
        return new HandlerException(
                advice == null ? Verdict.OUTAGE : Verdict.STOP,
                what + ": " + words(failure) + (advice == null ? "." : "; " + advice + "."),
                failure);
    }

    /** The time on this machine, or on the broker, is further off than the topic allows. Not every broker says it by its own exception. */
    private static boolean isOfTheClock(Throwable root) {
        return root instanceof InvalidTimestampException
                || (root instanceof InvalidRecordException
                        && String.valueOf(root.getMessage()).startsWith("Timestamp "));
    }

    /** It concerns this topic alone. */
    public static boolean isOfTheTopic(Throwable root) {
        return isUnknownTopic(root) || root instanceof TopicAuthorizationException;
    }

    public static boolean isUnknownTopic(@Nullable Throwable failure) {
        if (failure == null) {
            return false;
        }
        Throwable root = root(failure);
        return root instanceof UnknownTopicOrPartitionException || root instanceof UnknownTopicIdException;
    }

    /** A producer refused a record because it knows nothing of the topic yet, or has no room. It may take it later. */
    public static boolean passes(Throwable failure) {
        return failure instanceof TimeoutException && root(failure) instanceof RetriableException;
    }

    /** After this a producer cannot be used any more, or not without risk for the order. */
    public static boolean endsProducer(Throwable failure) {
        Throwable root = root(failure);
        return root instanceof ProducerFencedException
                || root instanceof InvalidProducerEpochException
                || root instanceof OutOfOrderSequenceException
                || root instanceof InvalidPidMappingException
                || root instanceof InvalidTxnStateException
                || root instanceof TransactionCoordinatorFencedException
                || root instanceof TransactionalIdAuthorizationException
                || root instanceof ClusterAuthorizationException
                || root instanceof AuthenticationException
                || root instanceof UnsupportedVersionException
                || root instanceof InterruptException
                || root instanceof IllegalStateException;
    }

    /** Kafka hides the cause behind "it took too long" and "the transaction has to be aborted". */
    public static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && isWrapping(root)) {
            root = root.getCause();
        }
        return root;
    }

    private static boolean isWrapping(Throwable failure) {
        return failure instanceof ExecutionException
                || failure instanceof TimeoutException
                || failure instanceof TransactionAbortableException
                || failure.getClass() == KafkaException.class;
    }

    /** What happened, in Kafka's words. */
    public static String words(Throwable failure) {
        Throwable root = root(failure);
        if (isUnknownTopic(root)) {
            return "the topic does not exist, or may not be seen; create it, or allow it";
        }
        String message = root.getMessage();
        if (isOfTheClock(root)) {
            return "the clocks of this machine and of the broker differ by more than the topic allows; correct them: "
                    + withoutStop(String.valueOf(message));
        }
        return message == null || message.isBlank() ? root.getClass().getSimpleName() : withoutStop(message);
    }

    private static String withoutStop(String sentence) {
        String text = sentence.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
