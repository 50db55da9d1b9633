package org.pgbaton.bench.outbox;

import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.pgbaton.bench.Options;

/** The limit: the same messages from memory, without a database. */
final class BareProducer implements Runnable, BiConsumer<String, String> {
    private final BiFunction<String, String, Future<?>> producer;
    private final int messages;

    BareProducer(Map<String, String> options, BiFunction<String, String, Future<?>> producer) {
        this.producer = producer;
        this.messages = Integer.parseInt(Options.of(options, "messages"));
    }

    @Override
    public void run() {
        Thread sender = new Thread(
                () -> {
                    for (int n = 0; n < messages; n++) {
                        accept(Messages.key(n), Messages.payload(n));
                    }
                },
                "sender");
        sender.setDaemon(true);
        sender.start();
    }

    /** If a message is lost on the way, the consumer notices. */
    @Override
    public void accept(String key, String payload) {
        var unused = producer.apply(key, payload);
    }
}
