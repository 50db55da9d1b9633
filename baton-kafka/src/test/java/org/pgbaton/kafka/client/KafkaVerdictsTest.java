package org.pgbaton.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.pgbaton.subscription.Verdict;

class KafkaVerdictsTest {

    @Test
    void whatAMessageIsToBlameForParksIt() {
        assertVerdict(
                Verdict.PARK,
                new RecordTooLargeException(),
                new InvalidTopicException("a b"),
                new InvalidRecordException("no key"),
                new SerializationException(),
                new TransactionAbortableException("aborted", new RecordTooLargeException()),
                new KafkaException("there was an error", new RecordTooLargeException()));
    }

    @Test
    void whatConcernsAllIsAnOutage() {
        assertVerdict(
                Verdict.OUTAGE,
                new TimeoutException("expired"),
                new DisconnectException(),
                new NetworkException(),
                new NotEnoughReplicasException(),
                new NotEnoughReplicasAfterAppendException("too few"),
                new LeaderNotAvailableException("none"),
                new NotLeaderOrFollowerException(),
                new KafkaStorageException(),
                new BufferExhaustedException("full"),
                new SaslAuthenticationException("who?"),
                new SslAuthenticationException("who?"),
                new ClusterAuthorizationException("no"),
                new ProducerFencedException("fenced"),
                new InvalidProducerEpochException("old"),
                new OutOfOrderSequenceException("gap"),
                new UnknownProducerIdException("unknown"),
                new TransactionAbortedException(),
                new KafkaException("closed"),
                new IllegalStateException("closed"));
    }

    @Test
    void whatMayBeTheMessagesFaultIsTriedAgain() {
        assertVerdict(
                Verdict.RETRY,
                new PolicyViolationException("not so"),
                new InvalidTimestampException("too early"),
                new IllegalArgumentException("a partitioner's"));
    }

    @Test
    void troubleWithATopicIsEverybodysOnlyIfAllHaveTheSame() {
        for (Throwable failure : List.of(
                new UnknownTopicOrPartitionException(),
                new TimeoutException("not in metadata", new UnknownTopicOrPartitionException()),
                new ExecutionException(new UnknownTopicOrPartitionException()),
                new TopicAuthorizationException(Set.of("t")))) {
            assertThat(KafkaVerdicts.verdict(failure, false)).isEqualTo(Verdict.RETRY);
            assertThat(KafkaVerdicts.verdict(failure, true)).isEqualTo(Verdict.OUTAGE);
        }
    }

    @Test
    void onlyWhatTimeCanHealIsWaitedFor() {
        assertThat(KafkaVerdicts.passes(new TimeoutException("nothing known yet")))
                .isTrue();
        assertThat(KafkaVerdicts.passes(new TimeoutException("no", new UnknownTopicOrPartitionException())))
                .isTrue();
        assertThat(KafkaVerdicts.passes(new TimeoutException("no", new TopicAuthorizationException(Set.of("t")))))
                .isFalse();
        assertThat(KafkaVerdicts.passes(new RecordTooLargeException())).isFalse();
    }

    private static void assertVerdict(Verdict expected, Throwable... failures) {
        for (Throwable failure : failures) {
            assertThat(KafkaVerdicts.verdict(failure, false))
                    .as(failure.toString())
                    .isEqualTo(expected);
        }
    }
}
