package org.pgbaton.dashboard.page;

import java.util.List;

/**
 * What a page shows, in regions that are kept up to date one by one.
 *
 * @param section the entry of the menu it belongs to
 */
public record Page(String title, String section, List<Region> regions) {

    /** A part of a page. */
    public record Region(String id, Markup html) {}

    /** Makes a page of what was seen. */
    @FunctionalInterface
    public interface View {
        /** Makes the page. */
        Page render(Scene scene);
    }
}
