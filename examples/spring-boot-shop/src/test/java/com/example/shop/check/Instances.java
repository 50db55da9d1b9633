package com.example.shop.check;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

/** The instances of the shop. One thread kills and restarts them, others ask for their addresses. */
final class Instances implements AutoCloseable {
    private final List<Instance> all = new CopyOnWriteArrayList<>();
    private final String database;
    private final URI webhook;
    private final String kafka;

    private Instances(String database, URI webhook, String kafka) {
        this.database = database;
        this.webhook = webhook;
        this.kafka = kafka;
    }

    static Instances start(int count, String database, URI webhook, String kafka) throws Exception {
        Instances instances = new Instances(database, webhook, kafka);
        try {
            // The first one makes the tables.
            instances.all.add(instances.begin(0, "--spring.sql.init.mode=always").awaitStart());
            List<Instance> starting = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                starting.add(instances.begin(i, "--spring.sql.init.mode=never"));
            }
            instances.all.addAll(starting);
            for (Instance each : starting) {
                each.awaitStart();
            }
            return instances;
        } catch (Exception failed) {
            instances.close();
            throw failed;
        }
    }

    /** Each is asked in its turn; whoever gets no answer asks again. */
    URI address(int turn) {
        return all.get(Math.floorMod(turn, all.size())).address();
    }

    void kill(int index) throws InterruptedException {
        all.get(index).kill();
    }

    void restart(int index) throws Exception {
        Instance next = begin(index, "--spring.sql.init.mode=never");
        try {
            all.set(index, next.awaitStart());
        } catch (ExecutionException failed) {
            next.kill();
            throw failed;
        }
    }

    private Instance begin(int index, String option) throws Exception {
        return Instance.begin(
                option,
                "--server.port=0",
                "--spring.datasource.url=" + database,
                "--shop.webhook.address=" + webhook,
                "--baton.relays.orders-kafka.kafka.bootstrap-servers=" + kafka,
                "--baton.name=shop-" + (index + 1),
                "--baton.lease=3s");
    }

    @Override
    public void close() throws InterruptedException {
        for (Instance each : all) {
            each.kill();
        }
    }
}
