package org.pgbaton.chaos.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.device.Cable;
import org.pgbaton.chaos.device.SmallDisk;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/** Something that goes wrong while there is traffic. It is put right again if it would not get better by itself. */
public enum Fault {
    /** Nothing at all: what is found then is the scenario's own. */
    NONE((world, random) -> Wait.between(random, 200, 800)),

    // What happens to the processes of Baton.
    /** {@code kill -9} of a process, which is started again. */
    KILL(ProcessFaults::kill),
    /** All processes at once. */
    KILL_ALL(ProcessFaults::killAll),
    /** SIGSTOP for up to five leases. */
    FREEZE(ProcessFaults::freeze),
    /** Each process is ended in good order and started again, one after the other. */
    ROLLING_RESTART(ProcessFaults::rollingRestart),
    /** More processes join and leave, in good order or not. */
    COME_AND_GO(ProcessFaults::comeAndGo),
    /** A process ends between two steps of a protocol. */
    CRASH_INSIDE((world, random) -> InsideFaults.strike(world, random, "crash", null)),
    /** A process stops between two steps of a protocol, for up to five leases. */
    FREEZE_INSIDE((world, random) -> InsideFaults.strike(world, random, "freeze", null)),
    /** One thread stops between two steps of a protocol, for longer than the lease; the others go on. */
    DELAY_INSIDE((world, random) -> InsideFaults.strike(world, random, "delay", null)),
    /** A step of a protocol fails for no reason. */
    ERROR_INSIDE((world, random) -> InsideFaults.strike(world, random, "error", null)),
    /** A process whose clock is wrong. */
    WRONG_CLOCK(ProcessFaults::wrongClock),
    /** A process gets no more memory for a moment. */
    HEAP_FULL(ProcessFaults::heapFull),
    /** The pool of a process gives out no connection. */
    POOL_REFUSES(ProcessFaults::poolRefuses),

    // What happens to PostgreSQL.
    /** {@code pg_terminate_backend} of sessions of every kind. */
    TERMINATE(DatabaseFaults::terminate),
    /** {@code kill -9} of a server process, after which PostgreSQL ends all others and recovers. */
    KILL_BACKEND(DatabaseFaults::killBackend),
    /** PostgreSQL ends its sessions and restarts. */
    RESTART_FAST(DatabaseFaults::restartFast),
    /** PostgreSQL crashes and recovers. */
    RESTART_IMMEDIATE(DatabaseFaults::restartImmediate),
    /** A standby is promoted while the old primary lives on. */
    PROMOTE(DatabaseFaults::promote, scenario -> !scenario.has(Part.CAPTURE)),
    /** The database refuses to write, as an administrator makes it. */
    READ_ONLY(DatabaseFaults::readOnly),
    /** Statements end after a few milliseconds. */
    STATEMENT_TIMEOUT(DatabaseFaults::statementTimeout),
    /** Statements do not wait for locks, and somebody holds one after the other. */
    LOCK_TIMEOUT(DatabaseFaults::lockTimeout),
    /** Somebody locks a table of Baton for seconds. */
    TABLE_LOCKED(DatabaseFaults::tableLocked),
    /** No connection is left for anybody. */
    NO_CONNECTIONS(DatabaseFaults::noConnections),
    /** A transaction that wrote to the log stays open, and others of its keys commit. */
    LONG_TRANSACTION(DatabaseFaults::longTransaction),
    /** Everything that Baton rests on is rewritten, with locks that nobody passes. */
    VACUUM_FULL(DatabaseFaults::vacuumFull),
    /** The disk that the tables lie on has no room. */
    DISK_FULL(DiskFaults::full),
    /** Every commit takes long, and in between none ends at all. */
    SLOW_DISK(DiskFaults::slow),
    /** Tables that handlers write to, and those that are captured, are altered. */
    DDL(DatabaseFaults::ddl, scenario -> scenario != Scenario.LEADERSHIP),

    // What happens to the network between them.
    /** Commits whose answer does not arrive. */
    REPLY_LOST(NetworkFaults::replyLost),
    /** All connections break. */
    HANG_UP(NetworkFaults::hangUp),
    /** The network lets nothing through for a while, and nobody is told. */
    STALL(NetworkFaults::stall),
    /** Everything takes its time. */
    LATENCY(NetworkFaults::latency),
    /** One process after the other is cut off from PostgreSQL, and from nothing else: packets are dropped. */
    CUT(NetworkFaults::cut),
    /** Packets between the processes and PostgreSQL wait and get lost. */
    LOSS(NetworkFaults::loss),

    // What happens to targets and handlers.
    /** A target takes messages, and answers nobody. */
    TARGET_SILENT(TargetFaults::silent, Scenario::hasTarget),
    /** A target is away: killed, or it refuses everything. */
    TARGET_AWAY(TargetFaults::away, Scenario::hasTarget),
    /** A partition of a topic has no leader. */
    PARTITION_AWAY(TargetFaults::leaderless, scenario -> scenario.has(Part.KAFKA) || scenario.has(Part.KAFKA_AGAIN)),
    /** An endpoint takes messages, and says so after the caller's time-out. */
    TARGET_LATE(TargetFaults::late, Scenario::hasEndpoint),
    /** An endpoint takes messages, and resets connections in the middle of its answers. */
    TARGET_RESETS(TargetFaults::resets, Scenario::hasEndpoint),
    /** A tenth of all keys fails, and recovers at once. */
    STORM(TargetFaults::storm, scenario -> scenario.has(Part.PROJECTION)),
    /** A tenth of all keys takes seconds for each message. */
    SLOW_KEYS(TargetFaults::slowKeys, scenario -> scenario.has(Part.PROJECTION) || scenario.has(Part.REACTION)),

    // What operators do.
    /** An operator pauses, resumes, retries, skips, moves back, deletes: while keys fail, at random. */
    OPERATOR(OperatorFaults::operate, scenario -> scenario != Scenario.LEADERSHIP),
    /** An operator moves subscriptions back. */
    REWIND(OperatorFaults::rewind, Scenario::mayComeAgain),

    // What others do.
    /** A role without rights lays traps in the schema {@code public}, and holds locks that mean something to Baton. */
    STRANGER(StrangerFaults::strike),
    /** Two of all these at the same time. */
    MIXED(MixedFaults::strike);

    private static final String INSIDE = "-inside";

    @SuppressWarnings("ImmutableEnumChecker") // method references
    private final Strike strike;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final Predicate<Scenario> applies;

    Fault(Strike strike) {
        this(strike, scenario -> true);
    }

    Fault(Strike strike, Predicate<Scenario> applies) {
        this.strike = strike;
        this.applies = applies;
    }

    /** Does it, lets it last, and undoes it. */
    void strike(World world, Random random) throws Exception {
        strike.on(world, random);
    }

    /**
     * The same, between two given steps of a protocol.
     *
     * @param moment one of {@link #moments}
     */
    void strikeAt(String moment, World world, Random random) throws Exception {
        InsideFaults.strike(world, random, title().replace(INSIDE, ""), moment);
    }

    /** Whether it strikes between two steps of a protocol. */
    public boolean isInside() {
        return title().endsWith(INSIDE);
    }

    /** The moments between two steps at which it can strike, if it {@link #isInside}. */
    public static List<String> moments() {
        return InsideFaults.allMoments();
    }

    /** Why it cannot be brought about on this machine; null if it can. */
    public @Nullable String missing() throws InterruptedException {
        return switch (this) {
            case CUT -> Cable.missing();
            case DISK_FULL -> SmallDisk.missing();
            case LOSS -> Cable.missingBad();
            default -> null;
        };
    }

    boolean isPossible() {
        try {
            return missing() == null;
        } catch (InterruptedException told) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether it can strike while another one does: it touches no process, and what it leaves behind if it fails is harmless. */
    public boolean canBeBeside() {
        return switch (this) {
            case TERMINATE,
                    LONG_TRANSACTION,
                    TABLE_LOCKED,
                    VACUUM_FULL,
                    DDL,
                    REPLY_LOST,
                    HANG_UP,
                    LATENCY,
                    TARGET_SILENT,
                    TARGET_AWAY,
                    TARGET_LATE,
                    TARGET_RESETS,
                    STORM,
                    SLOW_KEYS,
                    STRANGER -> true;
            default -> false;
        };
    }

    public boolean applies(Scenario scenario) {
        return applies.test(scenario);
    }

    /** Whether it strikes a part of what goes on, so that the rest has to go on meanwhile. */
    public boolean isPartial() {
        return switch (this) {
            case STORM, TARGET_SILENT, TARGET_AWAY, TARGET_LATE, TARGET_RESETS -> true;
            default -> false;
        };
    }

    /** As on the command line. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static List<String> titles() {
        List<String> titles = new ArrayList<>();
        for (Fault each : values()) {
            titles.add(each.title());
        }
        return titles;
    }
}
