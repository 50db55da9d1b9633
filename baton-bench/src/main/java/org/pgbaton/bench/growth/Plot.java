package org.pgbaton.bench.growth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines in a picture: an SVG that needs nothing else, and follows the reader's light or dark theme. Steps are evenly spaced.
 * The vertical axis begins at 0, or is logarithmic if the values differ by more than 20 times. Not thread-safe.
 */
final class Plot {
    private record Line(String name, List<Double> values) {}

    private static final int WIDTH = 800;
    private static final int HEIGHT = 380;
    private static final int LEFT = 64;
    private static final int RIGHT = 250;
    private static final int TOP = 48;
    private static final int BOTTOM = 56;
    private static final int MOST_LABELS = 12;
    private static final double LOGARITHMIC_FROM = 20;

    /** Distinguishable for all kinds of colour vision, on white and on near-black. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a7fd6", "#a6761d", "#56b4e9");
    /** Lines differ by their dashes as well. */
    private static final List<String> DASHES = List.of("", "8 4", "2 4", "10 3 2 3", "4 2", "14 4", "1 3");

    private final String title;
    private final String across;
    private final String upwards;
    private final List<String> labels = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private double limit = Double.NaN;

    Plot(String title, String across, String upwards) {
        this.title = title;
        this.across = across;
        this.upwards = upwards;
    }

    void steps(List<String> names) {
        labels.addAll(names);
    }

    /** @param values one for each step; where it is not a number the line has a gap */
    void line(String name, List<Double> values) {
        lines.add(new Line(name, List.copyOf(values)));
    }

    /** Draws a thin line at this value: the aim. */
    Plot limit(double value) {
        limit = value;
        return this;
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, svg());
    }

    String svg() {
        Axis axis = axis();
        StringBuilder svg = new StringBuilder();
        add(svg, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
                <style>
                  svg { font: 13px system-ui, sans-serif; }
                  .paper { fill: #ffffff; } text { fill: #1f2328; } .grid { stroke: #d1d9e0; } .limit { stroke: #1f2328; }
                  @media (prefers-color-scheme: dark) {
                    .paper { fill: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #3d444d; } .limit { stroke: #e6edf3; }
                  }
                </style>
                <rect class="paper" width="%d" height="%d" rx="6"/>
                <text x="%d" y="26" font-size="16" font-weight="600">%s</text>
                """, WIDTH, HEIGHT, WIDTH, HEIGHT, escaped(title), WIDTH, HEIGHT, LEFT, escaped(title));
        for (double mark : axis.marks()) {
            double y = axis.y(mark);
            add(svg, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, WIDTH - RIGHT, y, y);
            add(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4, mark(mark));
        }
        if (Double.isFinite(limit)) {
            add(
                    svg,
                    "<line class=\"limit\" stroke-dasharray=\"3 3\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                    LEFT,
                    WIDTH - RIGHT,
                    axis.y(limit),
                    axis.y(limit));
        }
        int every = Math.max(1, (labels.size() + MOST_LABELS - 1) / MOST_LABELS);
        for (int i = 0; i < labels.size(); i += every) {
            add(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                    x(i),
                    HEIGHT - BOTTOM + 20,
                    escaped(labels.get(i)));
        }
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 12,
                escaped(across));
        add(
                svg,
                "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                (TOP + HEIGHT - BOTTOM) / 2,
                escaped(upwards));
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), i, axis);
        }
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Line line, int index, Axis axis) {
        String colour = COLOURS.get(index % COLOURS.size());
        String dashes = DASHES.get(index % DASHES.size());
        StringBuilder path = new StringBuilder();
        boolean gap = true;
        for (int i = 0; i < line.values.size(); i++) {
            if (!axis.shows(line.values.get(i))) {
                gap = true;
                continue;
            }
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f ", gap ? "M" : "L", x(i), axis.y(line.values.get(i))));
            if (labels.size() <= 2 * MOST_LABELS) {
                add(
                        svg,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                        x(i),
                        axis.y(line.values.get(i)),
                        colour);
            }
            gap = false;
        }
        String style = String.format(
                Locale.ROOT,
                "fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s",
                colour,
                dashes.isEmpty() ? "" : " stroke-dasharray=\"" + dashes + '"');
        add(svg, "<path d=\"%s\" %s/>\n", path.toString().strip(), style);
        int y = TOP + 10 + index * 22;
        int x = WIDTH - RIGHT + 14;
        add(svg, "<path d=\"M%d %d L%d %d\" %s/>\n", x, y, x + 26, y, style);
        add(svg, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 32, y + 4, escaped(line.name));
    }

    private double x(int step) {
        double width = WIDTH - RIGHT - LEFT - 24.0;
        return LEFT + 12 + (labels.size() < 2 ? width / 2 : width * step / (labels.size() - 1));
    }

    private Axis axis() {
        double least = Double.MAX_VALUE;
        double most = Double.isFinite(limit) ? limit : 0;
        for (Line line : lines) {
            for (double value : line.values) {
                if (Double.isFinite(value)) {
                    most = Math.max(most, value);
                    least = value > 0 ? Math.min(least, value) : least;
                }
            }
        }
        return least < most && most / least > LOGARITHMIC_FROM
                ? new Axis(true, Math.floor(Math.log10(least)), Math.ceil(Math.log10(most)))
                : new Axis(false, 0, most > 0 ? most * 1.1 : 1);
    }

    /** @param from the least value that is shown, or the logarithm of it */
    private record Axis(boolean logarithmic, double from, double to) {
        boolean shows(double value) {
            return Double.isFinite(value) && (!logarithmic || value > 0);
        }

        double y(double value) {
            double at = logarithmic ? Math.log10(value) : value;
            return HEIGHT - BOTTOM - (at - from) / (to - from) * (HEIGHT - BOTTOM - TOP);
        }

        List<Double> marks() {
            List<Double> marks = new ArrayList<>();
            if (logarithmic) {
                for (double power = from; power <= to; power++) {
                    marks.add(Math.pow(10, power));
                }
                return marks;
            }
            double step = Math.pow(10, Math.floor(Math.log10(to)));
            step = to / step < 2.5 ? step / 4 : to / step < 5 ? step / 2 : step;
            for (double mark = 0; mark <= to; mark += step) {
                marks.add(mark);
            }
            return marks;
        }
    }

    private static String mark(double value) {
        return value >= 1000 || value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%s", (float) value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static void add(StringBuilder to, String format, Object... values) {
        to.append(String.format(Locale.ROOT, format, values));
    }
}
