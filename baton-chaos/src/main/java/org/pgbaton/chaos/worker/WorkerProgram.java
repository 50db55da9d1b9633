package org.pgbaton.chaos.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;

/**
 * A process that does with Baton what the scenario says: {@code URL NAME [-Dname=value]… PART[=ADDRESS]…}. It ends with its standard input, and does what
 * that says: see {@link Commands}. Without arguments it waits to be told them, and when it is told to close, for the next ones.
 */
public final class WorkerProgram {
    public static final Duration LEASE = Duration.ofSeconds(2);
    /** The property that names the log which subscriptions read. */
    public static final String LOG = "baton.chaos.log";

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** With arguments behind it, and tabs between them. */
    public static final String OPEN = "open";

    public static final String CLOSE = "close";
    /** The answer. */
    public static final String CLOSED = "CLOSED";

    private WorkerProgram() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (arguments.length > 0) {
            live(arguments, input);
            return;
        }
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split("\t", -1);
            if (words[0].equals(OPEN)) {
                live(Arrays.copyOfRange(words, 1, words.length), input);
                System.out.println(CLOSED);
            }
        }
    }

    private static void live(String[] arguments, BufferedReader input) throws Exception {
        setProperties(arguments);
        String url = arguments[0];
        // The witnesses of the round know by this name who commits.
        DatabaseUrl parsed = DatabaseUrl.parse(url).withDefault("ApplicationName", arguments[1]);
        AtomicBoolean isOver = new AtomicBoolean();
        try (Pool pool = new Pool(parsed.connector());
                Baton baton = open(parsed, pool, arguments, isOver)) {
            System.out.println("RUNNING");
            obey(new Commands(baton, pool), input);
        } finally {
            isOver.set(true);
        }
    }

    /** What fails while something is wrong with the database is tried again, as if the process had been restarted. */
    private static Baton open(DatabaseUrl url, Pool pool, String[] arguments, AtomicBoolean isOver)
            throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return openOnce(url, pool, arguments, isOver);
            } catch (DatabaseException disturbed) {
                if (System.nanoTime() - end > 0) {
                    throw disturbed;
                }
                Thread.sleep(200);
            }
        }
    }

    private static Baton openOnce(DatabaseUrl url, Pool pool, String[] arguments, AtomicBoolean isOver) {
        String name = arguments[1];
        Baton baton =
                builder(url, pool, name).who(name).lease(LEASE).migrate(false).open();
        try {
            Parts parts = new Parts(baton, arguments[0], name, isOver::get);
            for (int i = 2; i < arguments.length; i++) {
                if (!arguments[i].startsWith("-D")) {
                    String[] part = arguments[i].split("=", 2);
                    parts.start(Part.valueOf(part[0]), part.length > 1 ? part[1] : "");
                }
            }
            return baton;
        } catch (RuntimeException failed) {
            baton.close();
            throw failed;
        }
    }

    /** Before a class of Baton looks at them. */
    private static void setProperties(String[] arguments) {
        for (String argument : arguments) {
            if (argument.startsWith("-D")) {
                String[] property = argument.substring(2).split("=", 2);
                System.setProperty(property[0], property[1]);
            }
        }
    }

    /** Some get a URL, the others a pool, as the applications of users do. */
    private static Baton.Builder builder(DatabaseUrl url, Pool pool, String name) {
        return name.endsWith("0")
                ? Baton.builder(url)
                : Baton.builder(pool, url.connector()).replication(url);
    }

    private static void obey(Commands commands, BufferedReader input) throws IOException {
        for (String line = input.readLine(); line != null && !line.equals(CLOSE); line = input.readLine()) {
            commands.run(line);
        }
    }
}
