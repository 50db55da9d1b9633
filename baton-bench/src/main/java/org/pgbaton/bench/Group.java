package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Three processes of one contender that compete for one lock. One of them leads; the round ends it in some way. */
final class Group implements AutoCloseable {
    private static final int SIZE = 3;
    private static final long PATIENCE_SECONDS = 120;

    /** How a leader ends: {@code kill -9}, SIGSTOP, SIGTERM. */
    enum End {
        KILL,
        FREEZE,
        TERMINATE
    }

    private record Leading(Instance who, long at) {}

    private final Contender contender;
    private final String url;
    private final String lock;
    private final List<Instance> instances = new ArrayList<>();
    private final BlockingQueue<Leading> leadings = new LinkedBlockingQueue<>();
    private int started;
    private Instance leader;

    Group(Contender contender, String url, String lock) throws IOException, InterruptedException {
        this.contender = contender;
        this.url = url;
        this.lock = lock;
        for (int i = 0; i < SIZE; i++) {
            start();
        }
        this.leader = next().who();
        awaitReady();
    }

    private void start() throws IOException {
        String name = lock + "-" + ++started;
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        instances.add(new Instance(
                name,
                contender.command(java, List.of(url, "postgres", "none", lock, name)),
                (who, at) -> leadings.add(new Leading(who, at))));
    }

    String leader() {
        return leader.name();
    }

    List<String> names() {
        return instances.stream().map(Instance::name).toList();
    }

    /**
     * Ends the leader, takes the time until another one leads, and replaces it.
     *
     * @return milliseconds
     */
    double round(End end) throws IOException, InterruptedException {
        // Peers renew at intervals: strike at a random moment within an interval.
        TimeUnit.MILLISECONDS.sleep(
                contender.quick()
                        ? ThreadLocalRandom.current().nextLong(50, 400)
                        : ThreadLocalRandom.current().nextLong(500, 5000));
        Instance old = leader;
        long begin = System.nanoTime();
        switch (end) {
            case KILL -> old.kill();
            case FREEZE -> old.freeze();
            case TERMINATE -> old.terminate();
        }
        Leading next = next();
        leader = next.who();
        old.kill();
        instances.remove(old);
        start();
        awaitReady();
        return (next.at() - begin) / 1e6;
    }

    private Leading next() throws InterruptedException {
        Leading leading = leadings.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (leading == null) {
            throw new IllegalStateException(
                    "nobody of " + contender.name() + " took over in " + PATIENCE_SECONDS + " s");
        }
        return leading;
    }

    private void awaitReady() throws InterruptedException {
        for (Instance instance : instances) {
            instance.awaitReady();
        }
    }

    @Override
    public void close() {
        for (Instance instance : instances) {
            instance.kill();
        }
    }
}
