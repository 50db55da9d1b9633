package org.pgbaton.server.serve;

import java.time.Duration;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.database.DatabaseException;

/** A capture that runs in this process, or stands by, until it is closed. Thread-safe. */
final class RunningCapture implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final CaptureConfig config;
    private final Capture capture;

    private RunningCapture(CaptureConfig config, Capture capture) {
        this.config = config;
        this.capture = capture;
    }

    /** Creates its log if there is none. Channels subscribe to the log before the capture starts, so that they miss nothing. */
    static void prepare(CaptureConfig config, Baton baton) {
        if (!baton.logs().names().contains(config.log())) {
            baton.logs().create(config.log());
        }
    }

    /**
     * Returns when the capture has begun, in this process or another: what is committed from now on is captured. Returns also when something
     * is in the way, or when it takes too long; {@link #health} says why.
     *
     * @throws org.pgbaton.capture.CaptureException if the tables cannot be captured
     * @throws IllegalArgumentException if a name makes no sense
     */
    static RunningCapture start(CaptureConfig config, Baton baton) {
        RunningCapture started =
                new RunningCapture(config, described(config, baton).startWithoutWaiting());
        started.awaitBegun(baton);
        return started;
    }

    /**
     * Changes nothing.
     *
     * @throws org.pgbaton.capture.CaptureException if the tables cannot be captured
     * @throws IllegalArgumentException if a name makes no sense
     */
    static void check(CaptureConfig config, Baton baton) {
        described(config, baton).check();
    }

    private static CaptureBuilder described(CaptureConfig config, Baton baton) {
        CaptureBuilder builder = baton.capture(config.name()).into(config.log());
        for (CaptureConfig.Table table : config.tables()) {
            builder.table(new CapturedTable(table.name(), table.columns(), table.where(), table.key()));
        }
        CapturedOperation[] operations =
                config.operations().stream().map(RunningCapture::operation).toArray(CapturedOperation[]::new);
        if (operations.length > 0) {
            builder.operations(operations[0], operations);
        }
        if (!config.key().isEmpty()) {
            builder.key(config.key().toArray(String[]::new));
        }
        if (config.messages() != null) {
            builder.messages(config.messages());
        }
        if (config.publication() != null) {
            builder.publication(config.publication());
        }
        if (config.slot() != null) {
            builder.slot(config.slot());
        }
        if (config.snapshot()) {
            builder.existingRows();
        }
        return builder;
    }

    private void awaitBegun(Baton baton) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (System.nanoTime() < end && capture.health().problem() == null && isWaiting(baton)) {
                Thread.sleep(20);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isWaiting(Baton baton) {
        try {
            return baton.captures().list().stream()
                    .filter(status -> status.name().equals(capture.name()))
                    .allMatch(status -> status.state() == CaptureStatus.State.WAITING);
        } catch (DatabaseException away) {
            return away.fault().passes(); // the capture runs, and waits for the database by itself
        }
    }

    private static CapturedOperation operation(String word) {
        for (CapturedOperation each : CapturedOperation.values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        throw new IllegalArgumentException("There is no operation '" + word + "'.");
    }

    /** Whether it runs what is configured so. */
    boolean isFor(CaptureConfig wanted) {
        return config.sameAs(wanted);
    }

    ServedHealth health() {
        return new ServedHealth.OfCapture(capture.health());
    }

    @Override
    public void close() {
        capture.close();
    }
}
