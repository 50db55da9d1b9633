package org.pgbaton.kafka;

import java.io.IOException;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.kafka.client.Settings;

/** Leaves a feed's transaction open, with everything sent: {@code SERVERS TRANSACTIONAL-ID TOPIC PROGRESS-TOPIC}. */
final class OpenTransactionProcess {
    private OpenTransactionProcess() {}

    public static void main(String... arguments) throws IOException {
        Settings settings = Settings.of(arguments[0], Map.of());
        Producer<byte[], byte[]> producer =
                Clients.producer(settings.producer(Map.of("transactional.id", arguments[1]), Map.of()));
        producer.initTransactions();
        producer.beginTransaction();
        var message = producer.send(new ProducerRecord<>(arguments[2], Records.bytes("a"), Records.bytes("open")));
        var mark = producer.send(new ProducerRecord<>(arguments[3], 0, Records.bytes("at"), Records.bytes("open")));
        producer.flush();
        System.out.println("open " + message.isDone() + " " + mark.isDone());
        while (System.in.read() >= 0) {
            // Until it is killed.
        }
    }
}
