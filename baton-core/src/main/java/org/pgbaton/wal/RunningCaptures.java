package org.pgbaton.wal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.PlanBuilder;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;

/** Starts captures in this process, and knows those that run. Thread-safe. */
public final class RunningCaptures implements AutoCloseable {
    private final DatabaseAccess database;
    private final Function<String, Leadership> leaderships;
    private final LongSupplier nanos;
    private final CaptureStatuses statuses;
    private final List<Capture> running = new CopyOnWriteArrayList<>();
    private final List<Consumer<Capture>> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param leaderships gives the leadership of a name
     * @param nanos the monotonic clock
     */
    public RunningCaptures(DatabaseAccess database, Function<String, Leadership> leaderships, LongSupplier nanos) {
        this.database = database;
        this.leaderships = leaderships;
        this.nanos = nanos;
        this.statuses = new CaptureStatuses(database);
    }

    public CaptureBuilder builder(String name) {
        return new PlanBuilder(database.schema(), this::start, plan -> new Preparation(database, plan).check(), name);
    }

    private Capture start(CapturePlan plan, Lease lease, boolean wait) {
        if (database.replication() == null) {
            throw new CaptureException(
                    "Capture '" + plan.name()
                            + "' cannot connect: Baton was opened with a pool, so tell it where to read the WAL with replication(url).");
        }
        CaptureDuty duty = new CaptureDuty(database, plan, lease, nanos);
        duty.checkAndMakeLog();
        Leadership leadership = leaderships.apply(plan.leadership()).lease(lease.length());
        Capture capture = new RunningCapture(plan.name(), duty, leadership, running::remove);
        running.add(capture);
        listeners.forEach(listener -> listener.accept(capture));
        if (wait) {
            new CaptureStart(plan, capture, duty, statuses, nanos).await();
        }
        return capture;
    }

    /** Tells the listener every capture, now or later; one that starts at this very moment perhaps twice. */
    public void addListener(Consumer<Capture> listener) {
        listeners.add(listener);
        running.forEach(listener);
    }

    public List<Capture> all() {
        return List.copyOf(running);
    }

    @Override
    public void close() {
        running.forEach(Capture::close);
    }
}
