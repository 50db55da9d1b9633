package org.pgbaton.chaos.report;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Who owned what, and how much waited, in the course of a round. Made of {@link Look looks}, in their resolution. */
public record TimeLine(List<Track> tracks) {
    /** Looks that are farther apart say nothing about the time between them. */
    private static final long HOLE_MILLIS = 500;

    private static final int MOST_POINTS = 60;

    /**
     * A subscription or a leadership.
     *
     * @param runs by lane, then by time
     * @param lag by time; empty for a leadership
     */
    public record Track(Look.@Nullable Kind kind, String name, List<Run> runs, List<Lag> lag) {
        public Track {
            runs = runs == null ? List.of() : List.copyOf(runs);
            lag = lag == null ? List.of() : List.copyOf(lag);
        }

        List<Integer> lanes() {
            return runs.stream().map(Run::lane).distinct().toList();
        }
    }

    /**
     * A time in which nothing changed.
     *
     * @param owner null: nobody
     * @param to when something else was seen, or when it was seen for the last time
     */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    @JsonPropertyOrder({"lane", "owner", "epoch", "from", "to"})
    public record Run(int lane, @Nullable String owner, long epoch, long from, long to) {
        private boolean goesOnWith(Look look) {
            return Objects.equals(owner, look.owner()) && epoch == look.epoch();
        }

        private Run until(long millis) {
            return new Run(lane, owner, epoch, from, millis);
        }
    }

    /** How many messages waited. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    @JsonPropertyOrder({"millis", "messages"})
    public record Lag(long millis, long messages) {}

    public TimeLine {
        tracks = tracks == null ? List.of() : List.copyOf(tracks);
    }

    /** Of a round that nobody looked at. */
    public static TimeLine empty() {
        return new TimeLine(List.of());
    }

    /** Both in the order of time. */
    public static TimeLine of(List<Look> looks, List<Look.Waiting> waiting) {
        Map<String, Look.Kind> kinds = new LinkedHashMap<>();
        Map<String, Map<Integer, List<Run>>> lanes = new LinkedHashMap<>();
        for (Look look : looks) {
            String id = look.kind() + " " + look.of();
            kinds.put(id, look.kind());
            add(
                    look,
                    lanes.computeIfAbsent(id, track -> new TreeMap<>())
                            .computeIfAbsent(look.lane(), lane -> new ArrayList<>()));
        }
        List<Track> tracks = new ArrayList<>();
        lanes.forEach((id, byLane) -> {
            Look.Kind kind = kinds.get(id);
            String name = id.substring(id.indexOf(' ') + 1);
            List<Run> runs = byLane.values().stream().flatMap(List::stream).toList();
            tracks.add(new Track(kind, name, runs, kind == Look.Kind.SUBSCRIPTION ? lag(name, waiting) : List.of()));
        });
        return new TimeLine(tracks);
    }

    private static void add(Look look, List<Run> runs) {
        int last = runs.size() - 1;
        if (last >= 0 && look.millis() - runs.get(last).to() <= HOLE_MILLIS) {
            Run before = runs.get(last).until(look.millis());
            runs.set(last, before);
            if (before.goesOnWith(look)) {
                return;
            }
        }
        runs.add(new Run(look.lane(), look.owner(), look.epoch(), look.millis(), look.millis()));
    }

    private static List<Lag> lag(String of, List<Look.Waiting> waiting) {
        List<Lag> all = waiting.stream()
                .filter(each -> each.of().equals(of))
                .map(each -> new Lag(each.millis(), each.messages()))
                .toList();
        return all.size() <= MOST_POINTS ? all : thinned(all);
    }

    /** The first, the last, and in between the highest of each stretch: a peak is what one looks for. */
    private static List<Lag> thinned(List<Lag> all) {
        List<Lag> kept = new ArrayList<>();
        kept.add(all.get(0));
        int stretches = MOST_POINTS - 2;
        int inner = all.size() - 2;
        for (int i = 0; i < stretches; i++) {
            int from = 1 + (int) ((long) i * inner / stretches);
            int to = 1 + (int) ((long) (i + 1) * inner / stretches);
            Lag highest = all.get(from);
            for (Lag each : all.subList(from, to)) {
                highest = each.messages() > highest.messages() ? each : highest;
            }
            kept.add(highest);
        }
        kept.add(all.get(all.size() - 1));
        return kept;
    }
}
