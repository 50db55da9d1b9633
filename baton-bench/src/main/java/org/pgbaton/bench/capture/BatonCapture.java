package org.pgbaton.bench.capture;

import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.bench.Options;
import org.pgbaton.capture.Capture;

/** A capture with its defaults, and if {@code handler=true} a subscription that handles what it writes. It ends with the process. */
final class BatonCapture implements Runnable, LongSupplier {
    private final Map<String, String> options;
    private final BiConsumer<String, String> sink;
    private volatile @Nullable Capture capture;

    BatonCapture(Map<String, String> options, BiConsumer<String, String> sink, Runnable endOfBatch) {
        this.options = options;
        this.sink = sink;
    }

    static Capture start(Baton baton, String database) {
        return baton.capture(Wal.CAPTURE)
                .table(Orders.TABLE)
                .slot(database + "_" + Contestants.BATON_SLOT)
                .start();
    }

    @Override
    public void run() {
        Baton baton = Baton.builder(Options.of(options, "url")).migrate(false).open();
        if (Boolean.parseBoolean(options.get("handler"))) {
            baton.subscription("bench")
                    .on(Wal.CAPTURE)
                    .react((message, delivery) -> sink.accept(message.key(), message.text()))
                    .start();
        }
        capture = start(baton, Options.of(options, "database"));
    }

    /** The number of committed changes in the log. */
    @Override
    public long getAsLong() {
        Capture running = capture;
        return running == null ? 0 : running.health().changes();
    }
}
