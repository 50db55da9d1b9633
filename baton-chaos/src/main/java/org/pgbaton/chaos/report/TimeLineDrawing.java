package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time line of a round as SVG. Horizontally everything is in percent, so that it fits any width with letters of one size. What was long
 * before the first event is left out.
 */
final class TimeLineDrawing {
    private static final long BEFORE_THE_FIRST_EVENT = 1_500;
    /** More than these have a line, and are told below the drawing. */
    private static final int MOST_TOLD = 8;

    private static final int LONGEST_TEXT = 30;
    private static final int COLOURS = 6;
    private static final Pattern NUMBERED = Pattern.compile(".*?(\\d{1,9})");
    private static final int TEXT = 15;
    private static final int LAG = 30;
    private static final int AXIS = 18;

    private final RoundEntry round;
    private final List<String> owners;
    private final long from;
    private final long to;
    private final StringBuilder svg = new StringBuilder();
    private int y;

    private TimeLineDrawing(RoundEntry round, long from, long to) {
        this.round = round;
        this.from = from;
        this.to = Math.max(to, from + 1);
        TreeSet<String> names = new TreeSet<>();
        round.timeLine().tracks().stream()
                .flatMap(track -> track.runs().stream())
                .map(TimeLine.Run::owner)
                .filter(Objects::nonNull)
                .forEach(names::add);
        this.owners = List.copyOf(names);
    }

    static String of(RoundEntry round) {
        List<TimeLine.Run> runs = new ArrayList<>();
        round.timeLine().tracks().forEach(track -> runs.addAll(track.runs()));
        if (runs.isEmpty()) {
            return "";
        }
        long first = runs.stream().mapToLong(TimeLine.Run::from).min().orElse(0);
        long last = runs.stream().mapToLong(TimeLine.Run::to).max().orElse(0);
        long strike = round.events().stream()
                .mapToLong(RoundEntry.Event::millis)
                .min()
                .orElse(first);
        long end = round.events().stream()
                .mapToLong(RoundEntry.Event::millis)
                .max()
                .orElse(last);
        return new TimeLineDrawing(round, Math.max(first, strike - BEFORE_THE_FIRST_EVENT), Math.max(last, end))
                .drawn();
    }

    private String drawn() {
        List<RoundEntry.Event> flags = flags();
        y = flags.size() * TEXT + 4;
        round.timeLine().tracks().forEach(this::track);
        int bottom = y;
        axis(bottom);
        for (int i = 0; i < round.events().size(); i++) {
            line(round.events().get(i).millis(), Math.min(i, MOST_TOLD - 1) * TEXT + 2, bottom, "event");
        }
        Long violated = round.violatedAtMillis();
        if (violated != null) {
            line(violated, (flags.size() - 1) * TEXT + 2, bottom, "violation");
        }
        for (int i = 0; i < flags.size(); i++) {
            boolean isViolation = violated != null && i == flags.size() - 1;
            flag(flags.get(i), i * TEXT + 11, isViolation ? "flag violation" : "flag");
        }
        String what = "Owners and lag from " + from + " to " + to + " ms of the round";
        return legend() + "<svg class=\"line\" height=\"" + (bottom + AXIS) + "\" role=\"img\" aria-label=\"" + what
                + "\">\n" + svg + "</svg>\n";
    }

    private List<RoundEntry.Event> flags() {
        List<RoundEntry.Event> flags = new ArrayList<>(
                round.events().subList(0, Math.min(MOST_TOLD, round.events().size())));
        if (round.violatedAtMillis() != null) {
            flags.add(new RoundEntry.Event(round.violatedAtMillis(), "first violation, about here"));
        }
        return flags;
    }

    private String legend() {
        StringBuilder legend = new StringBuilder("<p class=\"legend\">");
        for (int i = 0; i < owners.size(); i++) {
            legend.append("<span><i class=\"o")
                    .append(colour(owners.get(i)))
                    .append("\"></i>")
                    .append(Html.text(owners.get(i)))
                    .append("</span>");
        }
        return legend.append("<span><i class=\"nobody\"></i>nobody</span></p>\n")
                .toString();
    }

    /** The same in all rounds, if names end with numbers. */
    private int colour(String owner) {
        Matcher numbered = NUMBERED.matcher(owner);
        return (numbered.matches() ? Integer.parseInt(numbered.group(1)) : owners.indexOf(owner)) % COLOURS;
    }

    private void track(TimeLine.Track track) {
        List<Integer> lanes = track.lanes();
        boolean leadership = track.kind() == Look.Kind.LEADERSHIP;
        int height = leadership ? 16 : lanes.size() <= 4 ? 12 : 7;
        List<TimeLine.Lag> lag =
                track.lag().stream().filter(each -> each.millis() >= from).toList();
        long most = lag.stream().mapToLong(TimeLine.Lag::messages).max().orElse(0);
        text(0, y + 11, "title", "start", 0, leadership ? "leadership " + track.name() : track.name());
        if (!leadership) {
            text(100, y + 11, "note", "end", 0, "up to " + Numbers.grouped(most) + " waiting");
        }
        y += TEXT + 1;
        for (int lane : lanes) {
            svg.append("<rect class=\"lane\" x=\"0\" y=\"")
                    .append(y)
                    .append("\" width=\"100%\" height=\"")
                    .append(height)
                    .append("\"/>\n");
            track.runs().stream()
                    .filter(run -> run.lane() == lane && run.to() >= from)
                    .forEach(run -> run(track, run, height));
            y += height + 1;
        }
        if (!lag.isEmpty()) {
            y += 2;
            lag(lag, Math.max(1, most));
            y += LAG;
        }
        y += 8;
    }

    private void run(TimeLine.Track track, TimeLine.Run run, int height) {
        double left = x(run.from());
        double width = Math.max(0.15, x(run.to()) - left);
        String style = run.owner() == null ? "nobody" : "o" + colour(run.owner());
        String lane = track.kind() == Look.Kind.LEADERSHIP ? "" : "lane " + run.lane() + ", ";
        svg.append(Html.format(
                "<rect class=\"run %s\" x=\"%.2f%%\" y=\"%d\" width=\"%.2f%%\" height=\"%d\"><title>%s</title></rect>%n",
                style,
                left,
                y,
                width,
                height,
                Html.text(lane + (run.owner() == null ? "nobody" : run.owner()) + ", epoch " + run.epoch() + ", from "
                        + run.from() + " to " + run.to() + " ms")));
        if (track.kind() == Look.Kind.LEADERSHIP && run.owner() != null && width > 9) {
            text(left, y + 12, "epoch", "start", 4, "epoch " + run.epoch());
        }
    }

    private void lag(List<TimeLine.Lag> lag, long most) {
        StringBuilder path = new StringBuilder();
        for (TimeLine.Lag each : lag) {
            path.append(Html.format(
                    "%s%.1f %.1f",
                    path.isEmpty() ? "M" : "L", x(each.millis()) * 10, LAG - 1 - (LAG - 3.0) * each.messages() / most));
        }
        svg.append(Html.format(
                "<svg x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 1000 %d\" preserveAspectRatio=\"none\">"
                        + "<path class=\"lag\" vector-effect=\"non-scaling-stroke\" d=\"%s\"/></svg>%n",
                y, LAG, LAG, path));
    }

    private void axis(int bottom) {
        long step = 500;
        for (long next : new long[] {1_000, 2_000, 5_000, 10_000, 20_000, 50_000}) {
            step = (to - from) / step > 7 ? next : step;
        }
        for (long tick = (from + step - 1) / step * step; tick <= to; tick += step) {
            svg.append(Html.format(
                    "<line class=\"tick\" x1=\"%1$.2f%%\" x2=\"%1$.2f%%\" y1=\"%2$d\" y2=\"%3$d\"/>%n",
                    x(tick), bottom, bottom + 4));
            String anchor = x(tick) < 4 ? "start" : x(tick) > 96 ? "end" : "middle";
            text(
                    x(tick),
                    bottom + 15,
                    "note",
                    anchor,
                    0,
                    Html.format(step < 1_000 ? "%.1f s" : "%.0f s", tick / 1000.0));
        }
    }

    private void line(long millis, int top, int bottom, String style) {
        svg.append(Html.format(
                "<line class=\"%1$s\" x1=\"%2$.2f%%\" x2=\"%2$.2f%%\" y1=\"%3$d\" y2=\"%4$d\"/>%n",
                style, x(millis), top, bottom));
    }

    /** On the side with more space. */
    private void flag(RoundEntry.Event event, int baseline, String style) {
        boolean left = x(event.millis()) > 50;
        text(
                x(event.millis()),
                baseline,
                style,
                left ? "end" : "start",
                left ? -5 : 5,
                Html.shortened(event.what(), LONGEST_TEXT));
    }

    private void text(double x, int baseline, String style, String anchor, int shift, String what) {
        svg.append(Html.format(
                "<text class=\"%s\" x=\"%.2f%%\" dx=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                style, x, shift, baseline, anchor, Html.text(what)));
    }

    private double x(long millis) {
        return 100.0 * Math.max(0, Math.min(to, millis) - from) / (to - from);
    }
}
