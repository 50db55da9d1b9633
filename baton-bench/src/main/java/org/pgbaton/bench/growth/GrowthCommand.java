package org.pgbaton.bench.growth;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Machine;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.PartsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton bench growth}: how cost grows as the work grows. */
@Command(
        name = "growth",
        mixinStandardHelpOptions = true,
        description = {
            "How the cost of one unit of work grows with rows, subscriptions, logs, processes, lanes, keys, parked keys, backlog and payload.",
            "Parts: rows, subscriptions, logs, processes, lanes, keys, parked, backlog, payload, retention; all of them if none is named."
        })
public final class GrowthCommand extends PartsCommand {
    private static final Pattern LENGTH = Pattern.compile("(\\d{1,5})(s|m|min|h)");

    @Option(
            names = "--scale",
            defaultValue = "full",
            description =
                    "small (for trying; writes nothing down), full (up to 30 M rows), huge (100 M rows); default: full.")
    private String scaleName = "full";

    @Option(
            names = "--for",
            defaultValue = "10m",
            description = "How long retention is watched, such as 10m or 1h (default: 10m).")
    private String length = "10m";

    private @Nullable List<GrowthPart> parts;

    private Scale scale() {
        if (isQuick()) {
            return Scale.SMALL;
        }
        return switch (scaleName) {
            case "small" -> Scale.SMALL;
            case "full" -> Scale.FULL;
            case "huge" -> Scale.HUGE;
            default -> throw wrong("--scale " + scaleName + " makes no sense: say small, full or huge (default full).");
        };
    }

    private Duration length() {
        Matcher matcher = LENGTH.matcher(length.toLowerCase(Locale.ROOT));
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw wrong("--for " + length + " makes no sense: say a time such as 90s, 10m or 1h (default 10m).");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofMinutes(number);
        };
    }

    @Override
    protected String family() {
        return "growth";
    }

    @Override
    protected boolean isWrittenDown() {
        return super.isWrittenDown() && scale() != Scale.SMALL;
    }

    @Override
    protected List<Part> parts(Path home) {
        Scale scale = scale();
        LongLog log = new LongLog(scale);
        List<GrowthPart> all = List.of(
                new RowsPart(scale, log),
                SubscriptionsPart.onOneLog(scale),
                SubscriptionsPart.onManyLogs(scale),
                new ProcessesPart(scale),
                new LanesPart(scale),
                new KeysPart(scale),
                new ParkedPart(scale),
                new BacklogPart(scale, log),
                new PayloadPart(scale),
                new RetentionPart(scale, log, length()));
        parts = all;
        return List.copyOf(all);
    }

    @Override
    protected Arena arena(boolean small, int times) throws SQLException {
        return new Arena(
                small,
                times,
                GrowthProgram.class,
                Map.of("max_connections", "400", "max_locks_per_transaction", "128"));
    }

    @Override
    protected String introduction(Arena arena) throws SQLException {
        return "## Growth\n\nHow the cost of one unit of work grows as there is more of something else. CPU time is that of all processes of "
                + "PostgreSQL, and of Baton's, from `/proc`; statements are counted in the server's log. A law is \"constant\" or \"linear\" if all "
                + "points are within 20 % of it.\n\nMachine: " + Machine.description() + "; " + arena.version()
                + ", fsync on, shared_buffers " + Arena.sharedBuffers() + ". Baton's part runs in JVMs of their own.\n";
    }

    @Override
    public Integer call() throws Exception {
        int code = super.call();
        if (isWrittenDown() && parts != null) {
            Path docs = Path.of(System.getProperty("baton.home", ".")).resolve("docs");
            for (GrowthPart part : parts) {
                part.writePlot(docs);
            }
        }
        return code;
    }
}
