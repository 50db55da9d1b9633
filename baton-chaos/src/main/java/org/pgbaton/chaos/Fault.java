package org.pgbaton.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.Baton;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.subscription.SubscriptionStatus;

/** Something that goes wrong while there is traffic; and is put right again, if it would not get better by itself. */
enum Fault {
    /** Nothing at all: what is found then is the scenario's own. */
    NONE {
        @Override
        void strike(World world, Random random) {
            pause(random, 200, 800);
        }
    },
    /** {@code kill -9} of a process, which is started again. */
    KILL {
        @Override
        void strike(World world, Random random) throws Exception {
            int victim = random.nextInt(world.workers().size());
            world.events().add("kill -9 " + world.workers().get(victim).name());
            world.workers().get(victim).kill();
            pause(random, 0, 1500);
            world.replace(victim);
            world.events().add("started again");
        }
    },
    /** All processes at once. */
    KILL_ALL {
        @Override
        void strike(World world, Random random) throws Exception {
            world.events().add("kill -9 of all");
            for (Worker worker : world.workers()) {
                worker.kill();
            }
            for (int i = 0; i < world.workers().size(); i++) {
                world.replace(i);
            }
            world.events().add("started again");
        }
    },
    /** SIGSTOP for up to three leases. */
    FREEZE {
        @Override
        void strike(World world, Random random) throws Exception {
            Worker victim = any(world, random);
            world.events().add("SIGSTOP of " + victim.name());
            victim.freeze();
            pause(random, 500, (int) World.LEASE.multipliedBy(3).toMillis());
            victim.thaw();
            world.events().add("SIGCONT");
        }
    },
    /** Each process is ended in good order and started again, one after the other. */
    ROLLING_RESTART {
        @Override
        void strike(World world, Random random) throws Exception {
            for (int i = 0; i < world.workers().size(); i++) {
                world.events().add("end of " + world.workers().get(i).name());
                world.workers().get(i).end();
                world.replace(i);
            }
            world.events().add("all started again");
        }
    },
    /** {@code pg_terminate_backend} of sessions of every kind. */
    TERMINATE {
        @Override
        void strike(World world, Random random) throws Exception {
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                int per = 1 + random.nextInt(3);
                String ended = world.database()
                        .one(
                                "SELECT string_agg(application_name, ', ') FROM (SELECT application_name, pg_terminate_backend(pid)"
                                        + " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                                        + " AND application_name LIKE 'baton%' ORDER BY random() LIMIT ?) t",
                                per);
                world.events().add("pg_terminate_backend: " + ended);
                pause(random, 50, 500);
            }
        }
    },
    /** PostgreSQL ends its sessions and restarts. */
    RESTART_FAST {
        @Override
        void strike(World world, Random random) {
            world.events().add("PostgreSQL restarts (fast)");
            restart(world, StopMode.FAST);
            world.events().add("PostgreSQL is back");
        }
    },
    /** PostgreSQL crashes and recovers. */
    RESTART_IMMEDIATE {
        @Override
        void strike(World world, Random random) {
            world.events().add("PostgreSQL restarts (immediate)");
            restart(world, StopMode.IMMEDIATE);
            world.events().add("PostgreSQL is back");
        }
    },
    /** Commits whose answer does not arrive. */
    REPLY_LOST {
        @Override
        void strike(World world, Random random) throws Exception {
            int answers = 1 + random.nextInt(8);
            world.events().add("the answers to " + answers + " commits are lost");
            world.proxy().loseAnswers(answers);
            World.await(Duration.ofSeconds(3), () -> world.proxy().answersToLose() == 0);
            world.proxy().loseAnswers(0);
        }
    },
    /** All connections break. */
    HANG_UP {
        @Override
        void strike(World world, Random random) throws Exception {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                world.events().add("all connections break");
                world.proxy().hangUp();
                pause(random, 50, 1000);
            }
        }
    },
    /** The network lets nothing through for a while, and nobody is told. */
    STALL {
        @Override
        void strike(World world, Random random) {
            world.events().add("nothing comes through");
            world.proxy().stop();
            pause(random, 300, (int) World.LEASE.multipliedBy(2).toMillis());
            world.proxy().goOn();
            world.events().add("everything comes through");
        }
    },
    /** The database refuses to write, as a full disk or an administrator makes it. */
    READ_ONLY {
        @Override
        void strike(World world, Random random) throws Exception {
            world.events().add("read only");
            world.set("default_transaction_read_only", "on");
            pause(random, 500, 2500);
            world.reset("default_transaction_read_only");
            world.events().add("writable");
        }
    },
    /** Statements end after a few milliseconds. */
    STATEMENT_TIMEOUT {
        @Override
        void strike(World world, Random random) throws Exception {
            int millis = 2 + random.nextInt(20);
            world.events().add("statement_timeout of " + millis + " ms");
            world.set("statement_timeout", Integer.toString(millis));
            pause(random, 500, 2500);
            world.reset("statement_timeout");
            world.events().add("no statement_timeout");
        }
    },
    /** No connection is left for anybody. */
    NO_CONNECTIONS {
        @Override
        void strike(World world, Random random) throws Exception {
            List<Connection> taken = new ArrayList<>();
            try {
                world.events().add("somebody takes all connections");
                try {
                    while (taken.size() < 1000) {
                        taken.add(world.database().connect());
                    }
                } catch (SQLException full) {
                    world.events().add("no connection is left");
                }
                world.proxy().hangUp();
                pause(random, 500, 3000);
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
                world.events().add("connections are free again");
            }
        }
    },
    /** A transaction that wrote to the log stays open, and others of its keys commit. */
    LONG_TRANSACTION {
        @Override
        void strike(World world, Random random) throws Exception {
            try (Connection connection = world.database().connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute(
                        "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(0, 9) n");
                world.events().add("a writer's transaction stays open");
                pause(random, 500, 3000);
                if (random.nextBoolean()) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                world.events().add("it ends");
            }
        }
    },
    /** Everything that Baton rests on is rewritten, with locks that nobody passes. */
    VACUUM_FULL {
        @Override
        void strike(World world, Random random) throws Exception {
            for (String table : List.of("checkpoint", "parked", "leadership", "events", "member")) {
                world.events().add("VACUUM FULL baton." + table);
                world.database().execute("VACUUM FULL baton." + table);
            }
        }
    },
    /** A tenth of all keys fails, and recovers at once. */
    STORM {
        @Override
        boolean applies(Scenario scenario) {
            return scenario.has(Part.PROJECTION);
        }

        @Override
        void strike(World world, Random random) throws Exception {
            world.events().add("a tenth of the keys fails");
            world.database()
                    .execute("INSERT INTO public.failing SELECT 'key-' || n FROM generate_series(0, "
                            + (Traffic.KEYS / 10 - 1) + ") n");
            pause(random, 500, 2500);
            world.database().execute("TRUNCATE public.failing");
            world.events().add("they recover");
        }
    },
    /** The endpoint takes messages, and answers nobody. */
    SILENT_ENDPOINT {
        @Override
        boolean applies(Scenario scenario) {
            return scenario.has(Part.WEBHOOK);
        }

        @Override
        void strike(World world, Random random) {
            world.events().add("the endpoint is silent");
            world.endpoint().fallSilent();
            pause(random, 500, 6000);
            world.endpoint().answerAgain();
            world.events().add("the endpoint answers");
        }
    },
    /** The endpoint is away. */
    ENDPOINT_AWAY {
        @Override
        boolean applies(Scenario scenario) {
            return scenario.has(Part.WEBHOOK);
        }

        @Override
        void strike(World world, Random random) {
            world.events().add("the endpoint is away");
            world.endpoint().answer(503);
            pause(random, 500, 3000);
            world.endpoint().answer(204);
            world.events().add("the endpoint is back");
        }
    },
    /** An operator pauses, resumes, and takes processes down in between. */
    OPERATOR {
        @Override
        boolean applies(Scenario scenario) {
            return scenario != Scenario.LEADERSHIP;
        }

        @Override
        void strike(World world, Random random) throws Exception {
            try (Baton baton = world.database().baton("operator")) {
                for (SubscriptionStatus each : baton.subscriptions().list()) {
                    world.events().add("pause " + each.name());
                    baton.subscriptions().pause(each.name(), "chaos");
                    pause(random, 50, 700);
                    baton.subscriptions().resume(each.name(), "chaos");
                    world.events().add("resume " + each.name());
                }
            }
        }
    };

    /** Does it, lets it last, and undoes it. */
    abstract void strike(World world, Random random) throws Exception;

    boolean applies(Scenario scenario) {
        return true;
    }

    /** As on the command line. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void restart(World world, StopMode how) {
        world.server().postgres().stop(how);
        world.server().postgres().start();
    }

    private static Worker any(World world, Random random) {
        return world.workers().get(random.nextInt(world.workers().size()));
    }

    /** For how long it lasts; drawn from the seed. */
    private static void pause(Random random, int fromMillis, int toMillis) {
        LockSupport.parkNanos((fromMillis + random.nextInt(Math.max(1, toMillis - fromMillis))) * 1_000_000L);
    }

    static List<String> titles() {
        List<String> titles = new ArrayList<>();
        for (Fault each : values()) {
            titles.add(each.title());
        }
        return titles;
    }
}
