package org.pgbaton.server.http;

import java.util.Map;
import org.pgbaton.dashboard.http.Answer;

/** The page that leads to the dashboards of several databases. */
final class DatabaseList {
    private DatabaseList() {}

    /**
     * @param path below which the dashboards are
     * @param databases names, and how each is
     */
    static Answer.Whole page(String path, Map<String, String> databases) {
        StringBuilder page = new StringBuilder(
                "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">"
                        + "<meta name=\"viewport\" content=\"width=device-width\"><title>Baton: databases</title><h1>Databases</h1><ul>");
        databases.forEach((name, state) -> page.append("<li><a href=\"")
                .append(escaped(path + name + "/"))
                .append("\">")
                .append(escaped(name))
                .append("</a>: ")
                .append(escaped(state))
                .append("</li>"));
        return Answer.text(200, "text/html", page.append("</ul></html>\n").toString())
                .with("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
                .with("Cache-Control", "no-store")
                .with("X-Content-Type-Options", "nosniff");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
