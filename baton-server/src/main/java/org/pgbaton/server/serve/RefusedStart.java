package org.pgbaton.server.serve;

import java.util.Collection;
import java.util.Set;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what a start has made that was refused in the end. A subscription that nobody runs would hold back retention for ever. Leaves alone
 * subscriptions that were there before, and those that another process runs. Each deletion is recorded, as those of operators are.
 */
final class RefusedStart {
    private static final Logger log = LoggerFactory.getLogger(RefusedStart.class);

    private final Baton baton;
    private final Set<String> before;

    /** @param before the subscriptions that were there before the start */
    RefusedStart(Baton baton, Set<String> before) {
        this.baton = baton;
        this.before = before;
    }

    /** @param wanted the subscriptions that the start wanted */
    void forget(Collection<String> wanted) {
        try {
            baton.subscriptions().list().stream()
                    .filter(each -> wanted.contains(each.name()) && !before.contains(each.name()))
                    .forEach(each -> delete(each.name(), each.target()));
        } catch (BatonException unknown) {
            log.warn("Cannot look for subscriptions of a start that was refused: {}", unknown.getMessage());
        }
    }

    private void delete(String name, String target) {
        try {
            baton.subscriptions().delete(name, target, "made by a start of 'serve' that was refused");
        } catch (BatonException inUse) {
            log.warn("The subscription '{}' of a start that was refused stays: {}", name, inUse.getMessage());
        }
    }
}
