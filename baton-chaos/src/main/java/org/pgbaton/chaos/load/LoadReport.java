package org.pgbaton.chaos.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a load left in its folder: {@code load.csv}, and {@code load.html} with one plot for each value. */
final class LoadReport {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 140;
    private static final String STYLE = """
            <style>
            :root { color-scheme: light dark; }
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1240px; padding: 0 1rem; }
            .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 1.5rem; }
            figure { margin: 0; } figcaption { display: flex; justify-content: space-between; gap: 1rem; }
            figcaption span { opacity: .7; } svg { width: 100%; height: auto; border-bottom: 1px solid #8886; border-left: 1px solid #8886; }
            polyline { fill: none; stroke: #2a78d6; stroke-width: 2; } .wrong { color: #c62828; }
            </style>
            """;

    private LoadReport() {}

    static void write(Path folder, List<LoadSample> samples, List<String> wrong) throws IOException {
        Files.createDirectories(folder);
        if (samples.isEmpty()) {
            return;
        }
        List<String> names = List.copyOf(samples.get(0).values().keySet());
        List<String> lines = new ArrayList<>(List.of("seconds," + String.join(",", names)));
        for (LoadSample sample : samples) {
            StringBuilder line = new StringBuilder(Long.toString(sample.seconds()));
            names.forEach(name -> line.append(',').append(sample.values().get(name)));
            lines.add(line.toString());
        }
        Files.write(folder.resolve("load.csv"), lines);
        Files.writeString(folder.resolve("load.html"), page(names, samples, wrong));
    }

    private static String page(List<String> names, List<LoadSample> samples, List<String> wrong) {
        long seconds = samples.get(samples.size() - 1).seconds();
        StringBuilder page = new StringBuilder("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width\"><title>Baton under load</title>" + STYLE
                + "<h1>Baton under load</h1><p>Everything at once for " + seconds + " seconds.</p>");
        if (wrong.isEmpty()) {
            page.append("<p>Nothing grows, and everything was handled once.</p>");
        }
        wrong.forEach(each -> page.append("<p class=\"wrong\">").append(each).append("</p>"));
        page.append("<div class=\"plots\">");
        names.forEach(name -> plot(page, name, samples));
        return page.append("</div></html>").toString();
    }

    private static void plot(StringBuilder page, String name, List<LoadSample> samples) {
        long most = samples.stream()
                .mapToLong(sample -> sample.values().getOrDefault(name, 0L))
                .max()
                .orElse(0);
        long last = samples.get(samples.size() - 1).seconds();
        StringBuilder points = new StringBuilder();
        for (LoadSample sample : samples) {
            points.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    (double) WIDTH * sample.seconds() / Math.max(1, last),
                    HEIGHT - (HEIGHT - 4.0) * sample.values().getOrDefault(name, 0L) / Math.max(1, most)));
        }
        page.append(String.format(
                Locale.ROOT,
                "<figure><figcaption><b>%s</b><span>0 to %,d</span></figcaption>"
                        + "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over time\"><polyline points=\"%s\"/></svg></figure>",
                name,
                most,
                WIDTH,
                HEIGHT,
                name,
                points));
    }
}
