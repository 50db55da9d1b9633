package org.pgbaton.server.notice;

import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A kind of channel that can be configured: its keys, how values are escaped, and the carrier that is made. */
interface ChannelKind {
    /** Its name in a file. */
    String name();

    /** For people who write the file. */
    String meaning();

    Section section();

    Template.Escaping escaping();

    /**
     * Makes a carrier, which does not connect yet.
     *
     * @throws IllegalArgumentException with a sentence about the settings, without secrets
     */
    Carrier open(Settings settings, Templates templates);
}
