package org.pgbaton.bench.outbox;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.Options;
import org.pgbaton.subscription.Start;

/** A limit: a subscription on the outbox whose handler only counts. It ends with the process. */
final class NoOpReader implements Runnable, LongSupplier {
    private final Map<String, String> options;
    private final AtomicLong handled = new AtomicLong();

    NoOpReader(Map<String, String> options) {
        this.options = options;
    }

    @Override
    public void run() {
        Baton.builder(Options.of(options, "url"))
                .who(Options.of(options, "who"))
                .migrate(false)
                .open()
                .subscription("reader-" + Options.of(options, "topic"))
                .on("outbox")
                .from(Start.origin())
                .reactToBatches((messages, delivery) -> handled.addAndGet(messages.size()))
                .start();
    }

    @Override
    public long getAsLong() {
        return handled.get();
    }
}
