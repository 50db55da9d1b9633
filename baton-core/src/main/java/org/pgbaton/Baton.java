package org.pgbaton;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.campaign.Leaderships;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.Captures;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.DatabaseWork;
import org.pgbaton.database.SchemaName;
import org.pgbaton.inbox.Inbox;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipListener;
import org.pgbaton.log.Log;
import org.pgbaton.log.Logs;
import org.pgbaton.migration.SchemaMigrations;
import org.pgbaton.migration.SchemaScript;
import org.pgbaton.operator.CaptureOperations;
import org.pgbaton.operator.SubscriptionOperations;
import org.pgbaton.outbox.Outbox;
import org.pgbaton.schema.Schema;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.KeptConnections;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.Subscriptions;
import org.pgbaton.table.LogOutbox;
import org.pgbaton.table.TableLogs;
import org.pgbaton.wal.RunningCaptures;

/**
 * The front door. One Baton is one process's part in one schema of one database; several of them, for several schemas or
 * databases, live side by side in a JVM and know nothing of each other.
 *
 * <pre>{@code
 * try (Baton baton = Baton.open("postgres://app@db.example.com/shop")) {
 *     baton.leadership("nightly-report").run(Contention.SKIP, term -> System.out.println("leading, epoch " + term.epoch()));
 * }
 * }</pre>
 *
 * <p>Opening connects once, brings the schema up to date (unless told not to), and starts no thread that needs the database.
 * {@link #close} ends everything it started and blocks until that is done; it can be called twice. Thread-safe.
 */
public final class Baton implements AutoCloseable {
    private static final AtomicInteger OPENED = new AtomicInteger();

    private final DatabaseAccess database;
    private final Leaderships leaderships;
    private final BackgroundTasks background = new BackgroundTasks();
    private final RunningSubscriptions subscriptions;
    private final RunningCaptures captures;

    private Baton(DatabaseAccess database, Lease lease) {
        this.database = database;
        this.leaderships = new Leaderships(database, System::nanoTime);
        this.subscriptions = new RunningSubscriptions(database, lease, System::nanoTime, background);
        this.captures = new RunningCaptures(database, this::leadership, System::nanoTime);
    }

    /**
     * Opens with all defaults; see {@link DatabaseUrl} for the forms of the URL.
     *
     * @throws org.pgbaton.database.DatabaseException if the database cannot be reached, or refuses
     * @throws org.pgbaton.schema.SchemaException if the schema is too new for this program
     */
    public static Baton open(String url) {
        return builder(url).open();
    }

    /** Every connection, ordinary and dedicated, is opened from the URL. */
    public static Builder builder(String url) {
        return builder(DatabaseUrl.parse(url));
    }

    /** Every connection, ordinary and dedicated, is opened from the URL. */
    public static Builder builder(DatabaseUrl url) {
        return addresses(url, url);
    }

    /**
     * Ordinary work goes to one address, which may be that of a pooler in transaction mode; sessions and captures go to the other,
     * straight to PostgreSQL. The driver prepares no statements on the server for the first, unless its URL says so
     * ({@code prepareThreshold}).
     *
     * @param pooled for ordinary work
     * @param direct the same database, for sessions and captures
     */
    public static Builder builder(DatabaseUrl pooled, DatabaseUrl direct) {
        return addresses(pooled.withDefault("prepareThreshold", "0"), direct);
    }

    private static Builder addresses(DatabaseUrl ordinary, DatabaseUrl direct) {
        Connector kept = patient(ordinary).withDefault("socketTimeout", "300").connector();
        return new Builder(
                        new KeptConnections(kept, System::nanoTime),
                        patient(direct).connector())
                .replication(patient(direct));
    }

    private static DatabaseUrl patient(DatabaseUrl url) {
        return url.withDefault("connectTimeout", "10")
                .withDefault("loginTimeout", "15")
                .withDefault("tcpKeepAlive", "true")
                .withDefault("ApplicationName", "baton");
    }

    /**
     * Ordinary work runs on the application's pool, which may be behind a pooler; sessions, which must be connections of
     * their own straight to PostgreSQL, come from the connector. Captures also need {@link Builder#replication}.
     *
     * <pre>{@code
     * DatabaseUrl direct = DatabaseUrl.parse("postgres://app@db.example.com/shop");
     * Baton baton = Baton.builder(dataSource, direct.connector()).replication(direct).open();
     * }</pre>
     */
    public static Builder builder(DataSource pool, Connector dedicated) {
        return new Builder(pool::getConnection, dedicated);
    }

    /**
     * Baton's schema from nothing to the newest step, as one script for a migration tool of your own. Touches no database;
     * see {@link Builder#migrate} for a Baton that only checks the schema.
     */
    public static String schemaScript(SchemaName schema) {
        return SchemaScript.all(schema);
    }

    /**
     * The steps of Baton's schema after a given one, as a script for a migration tool of your own that has applied the others already. It
     * refuses a schema that is at another step. Touches no database.
     *
     * @param from the step that the schema is at
     * @throws IllegalArgumentException if there is no later step
     */
    public static String schemaScript(SchemaName schema, int from) {
        return SchemaScript.after(schema, from);
    }

    /**
     * A script that creates roles for the owner, for appending, for workers, for reading and for replication, and grants
     * them their rights. Touches no database.
     */
    public static String rolesScript(SchemaName schema) {
        return SchemaScript.roles(schema);
    }

    /** A job that only one process may do at a time. Nothing happens until it is bid for. */
    public Leadership leadership(String name) {
        return leaderships.named(name);
    }

    /** A named reader of a log, to be given a handler and started. */
    public SubscriptionBuilder subscription(String name) {
        return subscriptions.builder(name);
    }

    /** What operators do with subscriptions: look, pause, rewind, retry what is parked; and waiting for one's own write. */
    public Subscriptions subscriptions() {
        return new SubscriptionOperations(database, background);
    }

    /** A reader of row changes, to be told which, and started. */
    public CaptureBuilder capture(String name) {
        return captures.builder(name);
    }

    /** What operators do with captures: look, pause, resume, drop. */
    public Captures captures() {
        return new CaptureOperations(database, captures);
    }

    /** Is told every change of every leadership this Baton takes part in. */
    public void addLeadershipListener(LeadershipListener listener) {
        leaderships.addListener(listener);
    }

    /** Is told every subscription that runs in this process, now or later; one that starts at this very moment perhaps twice. */
    public void addSubscriptionListener(Consumer<Subscription> listener) {
        subscriptions.addListener(listener);
        subscriptions.all().forEach(listener);
    }

    /** How busy this process's hub has been, so far. Does not ask the database. */
    public HubStats hubStats() {
        return new HubStats(subscriptions.hub().looks(), subscriptions.hub().wakeUps());
    }

    /** Every leadership of the database: who leads, who waits, since when. Asks the database. */
    public List<LeaderStatus> leaderStatus() {
        return leaderships.status();
    }

    /**
     * Forgets a leadership that nobody uses any more, with its times of the last runs. If it is used again, its epochs go on above all that
     * were given out. Recorded as an action.
     *
     * @throws org.pgbaton.leadership.LeadershipNameException if there is none of that name
     * @throws org.pgbaton.leadership.LeadershipHeldException if somebody leads it, or stands by for it
     */
    public void deleteLeadership(String name, String reason) {
        leaderships.delete(name, reason);
    }

    /**
     * A log to append to and to read. Asks the database.
     *
     * @throws org.pgbaton.log.LogException if there is no log of that name
     */
    public Log log(String name) {
        return logs().named(name);
    }

    /**
     * The outbox named {@code outbox}, which is there from the start. Asks the database.
     */
    public Outbox outbox() {
        return outbox("outbox");
    }

    /**
     * A log to send from. Asks the database.
     *
     * @throws org.pgbaton.log.LogException if there is no log of that name, or it is not an outbox
     */
    public Outbox outbox(String name) {
        return new LogOutbox(log(name));
    }

    /** For receivers: which messages were here before. Different receivers have different names. */
    public Inbox inbox(String name) {
        return Inbox.named(database.schema(), name);
    }

    /** All logs: to create, to look at, to look after. */
    public Logs logs() {
        return new TableLogs(database);
    }

    /** How this process's part is doing. Does not ask the database. */
    public Health health() {
        return new Health(
                leaderships.health(),
                subscriptions.all().stream().map(Subscription::health).toList(),
                captures.all().stream().map(Capture::health).toList());
    }

    /** How others see this process. */
    public String who() {
        return database.who();
    }

    /** The schema that holds Baton's tables. */
    public SchemaName schema() {
        return database.schema();
    }

    /** The migrations of that schema, to look at or to run. */
    public Schema migrations() {
        return new SchemaMigrations(database);
    }

    /**
     * Runs statements about Baton's own tables in one short READ COMMITTED transaction, on an ordinary connection: for modules
     * that build on the core, such as schedules. Names without a schema are PostgreSQL's. Work of the application belongs on
     * the application's own connections.
     *
     * @param doing what is done, for error messages: "claim a due time"
     * @throws org.pgbaton.database.DatabaseException if the database cannot be reached, or refuses
     */
    public <T extends @Nullable Object> T transact(String doing, DatabaseWork<T> work) {
        return database.call(doing, work::on);
    }

    /**
     * The same for those who would rather fail than wait: a server that does not answer a statement within that time is taken for
     * lost, with the connection.
     */
    public <T extends @Nullable Object> T transact(String doing, Duration answer, DatabaseWork<T> work) {
        return database.call(doing, answer, work::on);
    }

    @Override
    public void close() {
        captures.close();
        subscriptions.close();
        background.close();
        leaderships.close();
        if (database.ordinary() instanceof KeptConnections kept) {
            kept.close();
        }
    }

    /**
     * Options, all with good defaults. Not thread-safe.
     *
     * <pre>{@code
     * Baton baton = Baton.builder("postgres://app@db.example.com/shop")
     *         .schema("shop_baton")
     *         .who("reports-1")
     *         .migrate(false)
     *         .open();
     * }</pre>
     */
    public static final class Builder {
        private final Connector ordinary;
        private final Connector dedicated;
        private SchemaName schema = SchemaName.DEFAULT;
        private @Nullable String who;
        private boolean migrate = true;
        private Lease lease = Lease.DEFAULT;
        private @Nullable Connector replication;

        private Builder(Connector ordinary, Connector dedicated) {
            this.ordinary = Objects.requireNonNull(ordinary, "ordinary");
            this.dedicated = Objects.requireNonNull(dedicated, "dedicated");
        }

        /** Another schema than {@code baton}. */
        public Builder schema(String name) {
            this.schema = new SchemaName(name);
            return this;
        }

        /** How others see this process: in status, logs and {@code application_name}. Default: host and process id. */
        public Builder who(String name) {
            if (name.isBlank() || name.length() > 100) {
                throw new IllegalArgumentException("'" + name.substring(0, Math.min(40, name.length()))
                        + "' cannot name this process: give 1 to 100 characters (default: host/pid).");
            }
            this.who = name;
            return this;
        }

        /**
         * How long a member of subscriptions that froze, or lost its network, keeps its lanes. At least 2 s; default 10 s. A
         * leadership has a lease of its own.
         */
        public Builder lease(Duration length) {
            this.lease = new Lease(length);
            return this;
        }

        /** Where captures read the WAL: straight from PostgreSQL, as a role with REPLICATION. Default: the URL, if one was given. */
        public Builder replication(DatabaseUrl url) {
            this.replication = url.replicating().connector();
            return this;
        }

        /** Off: never change the schema, only check that it fits. */
        public Builder migrate(boolean onOpen) {
            this.migrate = onOpen;
            return this;
        }

        /** The migrations of that database, to look at or to run without opening a Baton. */
        public Schema migrations() {
            return new SchemaMigrations(database());
        }

        /**
         * Opens a session as a leader would, with all its checks, and closes it.
         *
         * @throws org.pgbaton.database.DatabaseException that says why this database cannot be used
         */
        public void checkSession() {
            Session.open(database(), Lease.DEFAULT, System::nanoTime, "check").close();
        }

        /**
         * Connects once, and migrates or checks the schema.
         *
         * @throws org.pgbaton.database.DatabaseException if the database cannot be reached, or refuses
         * @throws org.pgbaton.schema.SchemaException if the schema does not fit this program
         */
        public Baton open() {
            DatabaseAccess database = database();
            Schema migrations = new SchemaMigrations(database);
            if (migrate) {
                migrations.migrate();
            } else {
                migrations.require();
            }
            return new Baton(database, lease);
        }

        /**
         * Opens without asking the database, for a program that may start before it. Calls that need the schema fail until
         * {@link Baton#migrations} were applied or checked, which is the caller's to do.
         */
        public Baton openUnchecked() {
            return new Baton(database(), lease);
        }

        private DatabaseAccess database() {
            return new DatabaseAccess(ordinary, dedicated, replication, schema, who == null ? hostAndProcess() : who);
        }
    }

    /** Several Batons in one JVM are told apart by a number. */
    private static String hostAndProcess() {
        int number = OPENED.incrementAndGet();
        String process = hostName() + "/" + ProcessHandle.current().pid();
        return number == 1 ? process : process + "#" + number;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "localhost";
        }
    }
}
