package org.pgbaton.wal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Log;
import org.pgbaton.publication.PublicationState;
import org.pgbaton.publication.PublishedTable;

/**
 * A capture that is ready to be read. Immutable.
 *
 * @param system the identifier of the PostgreSQL cluster
 * @param written the last change that is in the log
 * @param acknowledged the place that was recorded last for an acknowledgement
 * @param failover whether a standby keeps a copy of the slot
 * @param skip unreadable changes up to this one are skipped, because an operator said so
 * @param state the publication and the tables, as they were prepared
 */
record Prepared(
        Log log,
        List<PublishedTable> tables,
        String system,
        ChangePlace written,
        long acknowledged,
        boolean failover,
        @Nullable ChangePlace skip,
        PublicationState state) {}
