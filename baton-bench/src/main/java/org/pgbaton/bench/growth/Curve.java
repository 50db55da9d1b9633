package org.pgbaton.bench.growth;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/**
 * Several values that were measured as one thing grew: a line for each value, a point for each step. Not thread-safe.
 */
final class Curve {
    private record Line(String name, String unit, List<Double> values) {}

    private final String variable;
    private final String each;
    private final List<Double> steps = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();

    /**
     * @param variable what grows, in the plural
     * @param each the same in the singular
     */
    Curve(String variable, String each) {
        this.variable = variable;
        this.each = each;
    }

    /** Adds a line. Its values come with the steps, in the order of the lines. */
    Curve line(String name, String unit) {
        lines.add(new Line(name, unit, new ArrayList<>()));
        return this;
    }

    /** @param values of all lines; NaN where something was not measured */
    void step(double x, double... values) {
        if (values.length != lines.size()) {
            throw new IllegalArgumentException(values.length + " values for " + lines.size() + " lines");
        }
        steps.add(x);
        for (int i = 0; i < values.length; i++) {
            lines.get(i).values.add(values[i]);
        }
    }

    int size() {
        return steps.size();
    }

    /** The last step of a line as a multiple of its first. */
    double growth(String line) {
        List<Double> values = line(line).values;
        return values.isEmpty() ? Double.NaN : values.get(values.size() - 1) / values.get(0);
    }

    /** The greatest multiple of its first value that a line reaches. */
    double greatestGrowth(String line) {
        List<Double> values = line(line).values;
        return most(line) / (values.isEmpty() ? Double.NaN : values.get(0));
    }

    double most(String line) {
        return line(line).values.stream().mapToDouble(value -> value).max().orElse(Double.NaN);
    }

    double least(String line) {
        return line(line).values.stream().mapToDouble(value -> value).min().orElse(Double.NaN);
    }

    /** The median of the steps of the first half. */
    double firstHalf(String line) {
        List<Double> values = line(line).values;
        return median(values.subList(0, (values.size() + 1) / 2));
    }

    double laterHalf(String line) {
        List<Double> values = line(line).values;
        return median(values.subList(values.size() / 2, values.size()));
    }

    private static double median(List<Double> values) {
        Series series = new Series();
        values.forEach(series::add);
        return series.median();
    }

    Law law(String line) {
        return Law.of(array(steps), array(line(line).values));
    }

    private Line line(String name) {
        return lines.stream().filter(line -> line.name.equals(name)).findFirst().orElseThrow();
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(value -> value).toArray();
    }

    /** The table, the numbers, and the law of each line. */
    void tell(Finding into) {
        List<String> header = new ArrayList<>(List.of(variable));
        lines.forEach(line -> header.add(line.name + ", " + line.unit));
        into.header(header.toArray(String[]::new));
        for (int i = 0; i < steps.size(); i++) {
            List<String> cells = new ArrayList<>(List.of(number(steps.get(i))));
            for (Line line : lines) {
                cells.add(value(line.values.get(i)));
                into.number(
                        number(steps.get(i)) + " " + variable + ", " + line.name + ", " + line.unit,
                        line.values.get(i));
            }
            into.row(cells.toArray(String[]::new));
        }
        List<String> laws = lines.stream()
                .map(line -> line.name + " " + law(line.name).sentence(line.unit, each))
                .toList();
        into.say("Laws: " + String.join(". ", laws) + ".");
    }

    /** A plot of each line as a multiple of its first value, evenly spaced steps. */
    Plot plot(String title) {
        Plot plot = new Plot(title, variable, "times its first value");
        List<String> labels = steps.stream().map(Curve::number).toList();
        plot.steps(labels);
        for (Line line : lines) {
            double first = line.values.isEmpty() ? Double.NaN : line.values.get(0);
            plot.line(
                    line.name, line.values.stream().map(value -> value / first).toList());
        }
        return plot;
    }

    static String value(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    static String number(double value) {
        return value == 0 ? "0" : value == Math.rint(value) ? Shown.count((long) value) : value(value);
    }
}
