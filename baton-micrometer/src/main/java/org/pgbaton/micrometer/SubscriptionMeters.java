package org.pgbaton.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.pgbaton.subscription.Subscription;

/**
 * The subscription meters of one Baton in one registry. All are read from the subscriptions that run in this process; several of
 * one name and target, one after the other or at the same time, are one meter. Thread-safe.
 *
 * <p>The registry refers to them weakly. This listener keeps them alive, and the Baton keeps the listener.
 */
final class SubscriptionMeters {
    private static final String PREFIX = "baton.subscription.";

    private final MeterRegistry registry;
    private final Tags extra;
    private final Lags lags;
    private final Map<Lags.Name, Parts> shown = new ConcurrentHashMap<>();

    SubscriptionMeters(MeterRegistry registry, Tags extra, Lags lags) {
        this.registry = registry;
        this.extra = extra;
        this.lags = lags;
    }

    /** Makes the meters of this subscription appear, or adds it to the existing ones. A second call changes nothing. */
    void show(Subscription subscription) {
        show(subscription.name(), subscription.target(), Part.of(subscription));
    }

    void show(String name, String target, Part part) {
        shown.computeIfAbsent(new Lags.Name(name, target), this::register).add(part);
    }

    private Parts register(Lags.Name name) {
        Parts parts = new Parts();
        Tags tags = extra.and("subscription", name.subscription(), "target", name.target());
        counter("handled", "Messages handled", tags, parts, all -> all.sum().handled());
        counter("batches", "Batches of messages", tags, parts, all -> all.sum().batches());
        counter(
                "failures",
                "Failures of the handler",
                tags,
                parts,
                all -> all.sum().failures());
        counter(
                "set.aside",
                "How often a key was set aside",
                tags,
                parts,
                all -> all.sum().setAside());
        counter(
                "rebalances",
                "How often lanes were taken or given back",
                tags,
                parts,
                all -> all.sum().rebalances());
        counter(
                "fenced",
                "How often a lane turned out to be somebody else's",
                tags,
                parts,
                all -> all.sum().fenced());
        FunctionTimer.builder(
                        PREFIX + "batch.time",
                        parts,
                        all -> all.sum().batches(),
                        all -> all.sum().batchTime().toNanos(),
                        TimeUnit.NANOSECONDS)
                .description("How long batches took")
                .tags(tags)
                .register(registry);
        gauge(
                "running",
                "1 while it owns lanes in this process and sees what is new in them",
                tags,
                parts,
                all -> all.isRunning() ? 1 : 0);
        gauge(
                "trouble",
                "1 while it does not do here what it was told to do: a target is away, a handler hangs, it was stopped",
                tags,
                parts,
                all -> all.isInTrouble() ? 1 : 0);
        gauge(
                "lanes",
                "Lanes that this process owns",
                tags,
                parts,
                all -> all.sum().lanes());
        gauge(
                "behind",
                "Positions from the slowest lane here to the end of the log",
                tags,
                parts,
                all -> all.isSuspended() ? Double.NaN : all.sum().behind());
        gauge(
                "keys.aside",
                "Keys that are set aside, the parked among them",
                tags,
                parts,
                all -> all.sum().keysAside());
        gauge(
                "keys.parked",
                "Keys that wait for an operator",
                tags,
                parts,
                all -> all.sum().keysParked());
        Gauge.builder(PREFIX + "lag.seconds", lags, all -> all.of(name))
                .description("How long the oldest waiting message has waited, in all processes")
                .tags(tags)
                .register(registry);
        return parts;
    }

    private void counter(String name, String description, Tags tags, Parts parts, ToDoubleFunction<Parts> value) {
        FunctionCounter.builder(PREFIX + name, parts, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private void gauge(String name, String description, Tags tags, Parts parts, ToDoubleFunction<Parts> value) {
        Gauge.builder(PREFIX + name, parts, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
