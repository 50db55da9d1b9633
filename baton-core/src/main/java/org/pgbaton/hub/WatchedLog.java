package org.pgbaton.hub;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.pgbaton.frontier.Frontier;
import org.pgbaton.table.LogTable;

/** One log, as this process sees it. Of the hub's thread alone, but for its watchers. */
final class WatchedLog {
    final LogTable table;
    final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    boolean listening;
    /** Whether its doorbell is ours. */
    boolean bell;
    /** How many positions the last look found to be new. */
    long found;

    @Nullable
    Sight last;

    private final Frontier frontier;

    WatchedLog(LogTable table) {
        this.table = table;
        this.frontier = new Frontier(table.lanes());
    }

    /**
     * Takes in what a look showed of this log, and tells the watchers.
     *
     * @param index of this log in the look
     * @return whether anything is new
     */
    boolean see(Look look, int index, long startedAt) {
        long end = look.ends().get(index);
        long[] safe = frontier.advance(end, look.writers().get(index));
        Sight sight = new Sight(end, safe, look.members(), look.owned(), look.actions(), look.timeline(), startedAt);
        Sight before = last;
        found = before == null ? 0 : end - before.end();
        last = sight;
        watchers.forEach(watcher -> watcher.looked(sight));
        return before == null || !sight.sameAs(before);
    }

    /** Whether a lane waits for a writer. While one does nobody may sleep: a rollback rings no bell. */
    boolean isHeldBack() {
        return last != null && last.least() < last.end();
    }

    /** Forgets everything that was seen over a connection that is lost. */
    void forget() {
        frontier.forget();
        listening = false;
        bell = false;
        last = null;
    }
}
