package org.pgbaton.bench.capture;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.Arrivals;
import org.pgbaton.bench.Options;
import org.pgbaton.bench.PlayerLoop;
import org.pgbaton.bench.Writing;

/**
 * The process of a contestant: {@code CLASS [name=value…]}. The class need not know this program. Its constructor takes
 * the map of options and, if it wants them, a sink for keys and JSON texts and an action to run after each batch. It is
 * a {@link Runnable}, which returns when it has started, and, if it does not use the sink, a {@link LongSupplier} of
 * the number of changes that have arrived. A class that writes is an {@link IntConsumer}. This program needs nothing
 * but the JDK and the driver, because it runs with the class path of each peer.
 *
 * <ul>
 *   <li>{@code drain ROWS SECONDS}: a new one begins; answers, when all have arrived, or nothing comes any more, or the time is over, {@link
 *       Arrivals#words} and 1 if it was in time
 *   <li>{@code begin}: a new one begins
 *   <li>{@code await ROWS SECONDS}: the rest of {@code drain}
 *   <li>{@code latency FILE}: {@link Arrivals#latency}
 *   <li>{@code write FROM TO RATE FILE}: writes these at so many a second, and then to the file when each was committed
 *   <li>{@code footprint}: bytes of the heap that are in use after a collection, and of memory at most
 * </ul>
 */
final class ContestantProgram {
    static final int WRITERS = 5;

    private static final long SILENCE = 8_000_000_000L;
    /** Time for duplicates to arrive. */
    private static final long AFTERWARDS = 300;

    private final String mainClass;
    private final Map<String, String> options;
    private Arrivals arrivals = new Arrivals(0, 1);
    private @Nullable Steps steps;
    private @Nullable Object contestant;
    private LongSupplier arrived = () -> 0;

    private ContestantProgram(String mainClass, Map<String, String> options) {
        this.mainClass = mainClass;
        this.options = options;
    }

    public static void main(String[] arguments) throws IOException {
        PlayerLoop.run(new ContestantProgram(arguments[0], Options.parse(arguments, 1))::play);
    }

    private String play(String[] words) throws Exception {
        return switch (words[0]) {
            case "drain" -> {
                begin();
                yield await(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            }
            case "begin" -> begin();
            case "await" -> await(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "latency" -> arrivals.latency(Path.of(words[1]));
            case "write" -> write(words);
            case "footprint" -> footprint();
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        };
    }

    private String begin() throws ReflectiveOperationException, SQLException {
        arrivals = new Arrivals(number("arrivals", 0), number("keys", 1));
        Object made = make();
        contestant = made;
        ((Runnable) made).run();
        if (Boolean.parseBoolean(options.get("steps"))) {
            steps = new Steps(arrived);
        }
        return "";
    }

    private int number(String option, int otherwise) {
        return Integer.parseInt(options.getOrDefault(option, Integer.toString(otherwise)));
    }

    private Object make() throws ReflectiveOperationException, SQLException {
        Constructor<?> constructor = Class.forName(mainClass).getDeclaredConstructors()[0];
        if (constructor.getParameterCount() == 1) {
            Object made = constructor.newInstance(options);
            arrived = made instanceof LongSupplier own ? own : () -> 0;
            return made;
        }
        BiConsumer<String, String> sink = "table".equals(options.get("into"))
                ? new TableSink(Options.of(options, "url"), arrivals)
                : new CountingSink(arrivals);
        Object made = constructor.newInstance(options, sink, sink);
        boolean bySink = !(made instanceof LongSupplier) || Boolean.parseBoolean(options.get("handler"));
        arrived = (LongSupplier) (bySink ? sink : made);
        return made;
    }

    /**
     * The first fifth, when connections are made and code is compiled, does not count. With {@code whole=true} it does.
     * A contestant that is as fast as the server would otherwise read, in the time that counts, changes that the server
     * sent ahead in the time that does not count.
     */
    private String await(int rows, int seconds) throws Exception {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long count = 0;
        long last = System.nanoTime();
        long firstCount = 0;
        long firstAt = Boolean.parseBoolean(options.get("whole")) ? last : 0;
        boolean inTime = false;
        while (!inTime && System.nanoTime() < end) {
            Thread.sleep(1);
            long now = arrived.getAsLong();
            long time = System.nanoTime();
            last = now > count ? time : last;
            count = now;
            if (firstAt == 0 && count >= rows / 5) {
                firstAt = time;
                firstCount = count;
            }
            inTime = count >= rows || (count > 0 && time - last > SILENCE);
        }
        Thread.sleep(AFTERWARDS);
        if (steps != null && rows >= number("arrivals", 0)) {
            steps.tell(arrivals, Options.of(options, "url"));
        }
        String rate = Math.max(0, count - firstCount) + "\t" + Math.max(1, last - firstAt) + "\t" + (inTime ? 1 : 0);
        return number("arrivals", 0) == 0
                ? count + "\t" + Math.max(0, rows - count) + "\t0\t0\t0\t" + rate
                : Stream.of(arrivals.words().split("\t", -1)).limit(5).reduce("", (all, word) -> all + word + "\t")
                        + rate;
    }

    private String write(String[] words) throws Exception {
        if (contestant == null) {
            contestant = make();
        }
        IntConsumer writer = (IntConsumer) contestant;
        Writing.run(WRITERS, Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]), writer)
                .save(Path.of(words[4]));
        return "";
    }

    private static String footprint() throws IOException, InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return heap + "\t" + peak();
    }

    private static long peak() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmHWM"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        }
    }
}
