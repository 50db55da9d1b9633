package org.pgbaton.dashboard.page;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.dashboard.look.Details;
import org.pgbaton.dashboard.look.History;
import org.pgbaton.dashboard.look.MessageSearch;
import org.pgbaton.dashboard.look.Snapshot;

/**
 * Everything a page is made of.
 *
 * @param base what links begin with: the path prefix, or nothing
 * @param served what this process runs
 * @param stage null outside a demonstration
 */
public record Scene(
        Snapshot now,
        History history,
        Details details,
        MessageSearch search,
        Map<String, String> query,
        Viewer viewer,
        boolean showsPayloads,
        String base,
        List<ServedPart> served,
        @Nullable Stage stage) {

    /** A link to a page of the dashboard: {@code link("/parked", "subscription", name)}. */
    String link(String path, String... query) {
        StringBuilder link = new StringBuilder(base).append(path);
        for (int i = 0; i < query.length; i += 2) {
            link.append(i == 0 ? '?' : '&').append(query[i]).append('=').append(Words.encoded(query[i + 1]));
        }
        return link.toString();
    }

    /** Null if it is not given or empty. */
    @Nullable
    String asked(String name) {
        String value = query.get(name);
        return value == null || value.isBlank() ? null : value;
    }

    boolean isOperator() {
        return viewer.isOperator();
    }
}
