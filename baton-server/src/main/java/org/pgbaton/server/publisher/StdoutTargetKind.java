package org.pgbaton.server.publisher;

import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** Standard output, to try things out. */
final class StdoutTargetKind implements TargetKind {
    private static final Section SECTION = Section.of("stdout");

    @Override
    public String name() {
        return "stdout";
    }

    @Override
    public String meaning() {
        return "Standard output, to try things out: a JSON object in each line.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Outlet open(Settings settings) {
        return Outlet.of(new StdoutPublisher(System.out));
    }
}
