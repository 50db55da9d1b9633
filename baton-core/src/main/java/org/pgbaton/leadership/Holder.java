package org.pgbaton.leadership;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a leadership.
 *
 * @param name how the holder calls itself; for a program that is not Baton its {@code application_name}
 * @param epoch the epoch it leads under, 0 for a program that is not Baton
 * @param since when it took over, by the database's clock; unknown for a program that is not Baton
 */
public record Holder(String name, long epoch, @Nullable Instant since) {
    @Override
    public String toString() {
        return since == null ? name : name + " since " + since + " (epoch " + epoch + ")";
    }
}
