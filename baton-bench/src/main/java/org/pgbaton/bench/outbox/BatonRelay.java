package org.pgbaton.bench.outbox;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.Options;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.SubscriptionBuilder;

/** Baton with its defaults, unless options say otherwise: {@code batch}, and those of the producer. It ends with the process. */
final class BatonRelay implements Runnable {
    private final Map<String, String> options;

    BatonRelay(Map<String, String> options) {
        this.options = options;
    }

    @Override
    public void run() {
        String servers = Options.of(options, "servers");
        String topic = Options.of(options, "topic");
        Baton baton = Baton.builder(Options.of(options, "url"))
                .who(Options.of(options, "who"))
                .migrate(false)
                .open();
        // Kafka knows relays by their names, and each measurement has one of its own, also if the log is the same.
        SubscriptionBuilder relay =
                baton.subscription("relay-" + topic).on("outbox").from(Start.origin());
        if (options.containsKey("batch")) {
            relay.batch(Integer.parseInt(Options.of(options, "batch")));
        }
        if (Boolean.parseBoolean(Options.of(options, "exactlyOnce"))) {
            relay.publish(KafkaTransactionalPublisher.to(servers)
                    .topic(topic)
                    .properties(ofProducer())
                    .build());
        } else {
            relay.publish(KafkaPublisher.to(servers)
                    .topic(topic)
                    .properties(ofProducer())
                    .build());
        }
        relay.start();
    }

    private Map<String, String> ofProducer() {
        Map<String, String> settings = new LinkedHashMap<>();
        options.forEach((name, value) -> {
            if (name.startsWith(Producer.SETTING)) {
                settings.put(name.substring(Producer.SETTING.length()), value);
            }
        });
        return settings;
    }
}
