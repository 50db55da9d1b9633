package org.pgbaton.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The result of a part: a table, whether the aims were met, and what failed. Not thread-safe. */
public final class Finding {
    private record Aim(String text, boolean met) {}

    private final String name;
    private final String title;
    private final List<String> paragraphs = new ArrayList<>();
    private final List<List<String>> table = new ArrayList<>();
    private final List<Aim> aims = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, Object> numbers = new LinkedHashMap<>();

    public Finding(String name, String title) {
        this.name = name;
        this.title = title;
    }

    public String name() {
        return name;
    }

    public void say(String paragraph) {
        paragraphs.add(paragraph);
    }

    public void header(String... cells) {
        table.add(0, List.of(cells));
    }

    public void row(String... cells) {
        table.add(List.of(cells));
    }

    /** For {@code --json}. */
    public void number(String key, double value) {
        numbers.put(key, Double.isFinite(value) ? (Object) value : "not measured");
    }

    public void atLeast(String what, double measured, double limit) {
        aims.add(new Aim(
                what + " " + Shown.ratio(measured) + ", aim at least " + Shown.ratio(limit), measured >= limit));
    }

    public void atMost(String what, double measured, double limit) {
        aims.add(
                new Aim(what + " " + Shown.ratio(measured) + ", aim at most " + Shown.ratio(limit), measured <= limit));
    }

    public void atMostMillis(String what, double measured, double limit) {
        aims.add(new Aim(what + " " + Shown.millis(measured) + ", aim " + Shown.millis(limit), measured <= limit));
    }

    public void holds(String what, boolean met) {
        aims.add(new Aim(what, met));
    }

    public void failed(String contestant, Throwable why) {
        failures.add(contestant + ": " + Shown.oneLine(why));
    }

    public boolean isGood() {
        return failures.isEmpty() && aims.stream().allMatch(Aim::met);
    }

    public String markdown() {
        StringBuilder text = new StringBuilder("### " + title + "\n\n");
        paragraphs.forEach(paragraph -> text.append(paragraph).append("\n\n"));
        if (table.size() > 1) {
            line(text, table.get(0));
            line(text, table.get(0).stream().map(cell -> "---").toList());
            table.stream().skip(1).forEach(row -> line(text, row));
            text.append('\n');
        }
        aims.forEach(aim -> text.append(aim.met ? "- met: " : "- **missed**: ")
                .append(aim.text)
                .append('\n'));
        failures.forEach(
                failure -> text.append("- **failed**: ").append(failure).append('\n'));
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("part", name);
        json.put("numbers", numbers);
        json.put(
                "aims",
                aims.stream()
                        .map(aim -> Map.of("aim", aim.text, "met", aim.met))
                        .toList());
        json.put("failures", failures);
        return json;
    }
}
