package org.pgbaton.dashboard.page;

import java.util.List;
import java.util.Locale;

/** A small line over time, as SVG without styles of its own. */
final class Chart {
    private static final int WIDTH = 240;
    private static final int HEIGHT = 48;
    private static final int FEWEST = 3;

    private Chart() {}

    /** @param label what it shows, for those who do not see it */
    static Markup line(List<Double> values, String label) {
        if (values.size() < FEWEST) {
            return Markup.of("<p class=\"chart-wait\">The chart begins in a moment …</p>");
        }
        double most = Math.max(
                1e-9, values.stream().mapToDouble(Double::doubleValue).max().orElse(1));
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            double x = (double) i * WIDTH / (values.size() - 1);
            double y = HEIGHT - 2 - values.get(i) / most * (HEIGHT - 6);
            points.append(String.format(Locale.ROOT, "%s%.1f,%.1f", i == 0 ? "" : " ", x, y));
        }
        return Markup.of("""
                <svg class="chart" viewBox="0 0 240 48" preserveAspectRatio="none" role="img" aria-label="{}">\
                <polygon class="chart-area" points="0,48 {} 240,48"></polygon>\
                <polyline class="chart-line" points="{}"></polyline></svg>""", label, points, points);
    }
}
