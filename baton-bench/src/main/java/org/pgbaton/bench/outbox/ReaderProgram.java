package org.pgbaton.bench.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arrivals;
import org.pgbaton.bench.arena.PlayerLoop;

/**
 * A consumer that reads what is committed, in a JVM of its own.
 *
 * <ul>
 *   <li>{@code watch SERVERS TOPIC MESSAGES}: reads from now on
 *   <li>{@code await SECONDS}: until all have come, or nothing comes any more, or the time is over; answers {@link Arrivals#words}
 *   <li>{@code arrived}: how many have come so far
 *   <li>{@code end FINISHED}: reads no more; answers as {@code await} does, with the last word as given
 *   <li>{@code latency FILE}: of the messages in the file, with the moments of their commits; answers p50, p99 and the worst in
 *       microseconds
 * </ul>
 */
final class ReaderProgram {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long SILENCE = 8_000_000_000L;
    /** Time for duplicates to arrive. */
    private static final long AFTERWARDS = 300;

    private Arrivals arrivals = new Arrivals(0, 1);
    private volatile @Nullable Thread reading;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private ReaderProgram() {}

    public static void main(String[] arguments) throws IOException {
        PlayerLoop.run(new ReaderProgram()::play);
    }

    private String play(String[] words) throws Exception {
        return switch (words[0]) {
            case "watch" -> watch(words[1], words[2], Integer.parseInt(words[3]));
            case "await" -> await(Long.parseLong(words[1]) * 1_000_000_000L);
            case "arrived" -> arrived();
            case "end" -> end(words[1]);
            case "latency" -> arrivals.latency(Path.of(words[1]));
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        };
    }

    private String watch(String servers, String topic, int messages) throws InterruptedException {
        stop();
        failure.set(null);
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", "false");
        settings.put("max.poll.records", "5000");
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        partitions.forEach(consumer::position);
        Arrivals into = new Arrivals(messages, Messages.KEYS);
        arrivals = into;
        Thread thread = new Thread(() -> read(consumer, into), "reading");
        reading = thread;
        thread.start();
        return "";
    }

    private void read(KafkaConsumer<byte[], byte[]> consumer, Arrivals into) {
        try (consumer) {
            while (reading == Thread.currentThread()) {
                var records = consumer.poll(POLL);
                long now = System.nanoTime();
                add(into, records, now);
            }
        } catch (RuntimeException failed) {
            failure.set(failed);
        }
    }

    private void stop() throws InterruptedException {
        Thread thread = reading;
        reading = null;
        if (thread != null) {
            thread.join();
        }
    }

    private String await(long limit) throws InterruptedException {
        long end = System.nanoTime() + limit;
        boolean inTime = false;
        int before = 0;
        long last = System.nanoTime();
        while (!inTime && System.nanoTime() < end && failure.get() == null) {
            Thread.sleep(5);
            int now = arrivals.arrived();
            last = now > before ? System.nanoTime() : last;
            before = now;
            inTime = arrivals.isComplete() || (now > 0 && System.nanoTime() - last > SILENCE);
        }
        return end(inTime ? "1" : "0");
    }

    private String end(String finished) throws InterruptedException {
        Thread.sleep(AFTERWARDS);
        stop();
        failIfItFailed();
        return arrivals.words() + "\t" + finished;
    }

    private String arrived() {
        failIfItFailed();
        return Integer.toString(arrivals.arrived());
    }

    private void failIfItFailed() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the consumer failed: " + failed, failed);
        }
    }

    private static void add(Arrivals into, Iterable<ConsumerRecord<byte[], byte[]>> records, long now) {
        for (ConsumerRecord<byte[], byte[]> each : records) {
            try {
                into.add(Messages.numberIn(each.value()), now);
            } catch (IllegalArgumentException nobodys) {
                into.addStrange();
            }
        }
    }
}
